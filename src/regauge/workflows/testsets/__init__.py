"""Test sets of a study: add, draw, review, export and look at them."""
