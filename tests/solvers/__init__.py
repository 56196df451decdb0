"""Tests of fewest._solvers: each solver path against an independent one."""
