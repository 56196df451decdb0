"""What all estimators share: the base class, checked input, folds."""
