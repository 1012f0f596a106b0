"""What classifiers and transformers share: the door through which objects come in."""
