"""What is known of all labels of a stream, pair by pair or of all of them together."""
