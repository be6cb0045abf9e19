"""Participants against truth, and test sets against each other."""
