"""Choose: the price of errors, by cross-validation along whole paths."""
