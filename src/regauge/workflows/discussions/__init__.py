"""Discussions of panels: who sees what when, what chairs enter, and where items stand."""
