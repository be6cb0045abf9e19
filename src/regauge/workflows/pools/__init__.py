"""Candidates for a test set: gather them, and see which can be taken."""
