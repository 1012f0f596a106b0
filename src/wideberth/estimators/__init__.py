"""What all estimators share: base classes, checks of parameters and labels, the training sample,
cross-validation, saving.
"""
