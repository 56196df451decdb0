"""Slow, independent answers: full programs, brute force, fractions, plain gradient steps."""
