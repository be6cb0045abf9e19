"""CONTAINS answers → selection frequencies, and verdicts by them."""
