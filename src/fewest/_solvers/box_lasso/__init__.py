"""The Potential SVM's quadratic program."""
