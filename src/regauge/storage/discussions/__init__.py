"""Discussions of panels: what was handed in and entered ↔ rows."""
