"""Comparisons with other solvers (`make bench`) and on real data (`make compare`)."""
