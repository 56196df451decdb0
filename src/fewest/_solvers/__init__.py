"""Problems and solvers: arrays in, results out. Knows nothing of scikit-learn."""
