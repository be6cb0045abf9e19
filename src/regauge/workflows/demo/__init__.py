"""The whole flow on the embedded world."""
