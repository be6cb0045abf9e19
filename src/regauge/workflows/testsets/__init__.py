"""Test sets of a study: add, draw, review and look at them."""
