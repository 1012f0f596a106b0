"""What all estimators share: base classes, checks of parameters, the training sample, search by folds, saving."""
