"""Measurements beside other solvers (`make bench`) and the papers (`make reproduce`)."""
