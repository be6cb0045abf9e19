"""Discussions of panels: what panelists see, and what chairs enter."""
