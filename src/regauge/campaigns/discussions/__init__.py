"""Discussions of a panel: rounds of votes, what may be seen of them when, arguments, and locks."""
