"""The SVMs of cross-validation folds, solved by compiled code on kernel matrices that all folds and all values of C share."""
