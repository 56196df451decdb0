"""Tests of fewest._core: each solver path against an independent one."""
