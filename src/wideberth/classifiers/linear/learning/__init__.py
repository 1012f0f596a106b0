"""The programs that linear scores are learned by, each with a proof of how good the answer is."""
