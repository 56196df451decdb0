"""What hostile testing found, one file per point, by commands and the public library only.

Each test fails on the code before the point was worked on; `python -m tests.trust` shows that.
"""
