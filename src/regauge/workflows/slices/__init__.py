"""Slices: created, added, listed, scored and exported."""
