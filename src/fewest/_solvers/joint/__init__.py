"""Many classes at once: one set of features that all of them pay for together."""
