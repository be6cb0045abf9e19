"""A study as a whole: make, open, look at, copy and hand on."""
