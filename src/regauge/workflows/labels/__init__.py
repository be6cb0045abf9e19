"""Answers → labels, from files and from campaigns, and the label sets of a study."""
