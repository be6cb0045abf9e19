"""Slices in figures."""
