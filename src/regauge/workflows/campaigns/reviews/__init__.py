"""Reviews that follow something: what they ask, and of whom."""
