"""What a stream of labels has told of a hidden vector: knowledge sets, and what may be concluded from them."""
