"""Linear programs and their solvers: arrays in, results out, without scikit-learn."""
