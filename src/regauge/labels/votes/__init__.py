"""Votes → labels: the most frequent one, and models of the annotators."""
