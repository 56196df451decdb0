"""The linear programs: column and row generation on HiGHS, and the loops around it."""
