"""Scores, and two or more test sets compared."""
