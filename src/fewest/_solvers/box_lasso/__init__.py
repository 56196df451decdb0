"""The quadratic program of the Potential Support Vector Machine."""
