"""Comparisons with other solvers (`make bench`) and with published results (`make reproduce`)."""
