"""A whole study ↔ one file."""
