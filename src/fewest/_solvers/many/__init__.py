"""Many hard programs on one X that advance together: arrays in, outcomes out."""
