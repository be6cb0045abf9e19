"""Recruitment: what platforms send along with people, what asking them costs, and whose work is approved by which rule."""
