"""The kinds of work that people are asked for: one folder each, which holds everything peculiar to it, its page included.

Kinds are pure and know neither storage nor pages nor each other. Whoever needs one takes it from the registry, and asks what it
gives rather than which it is. How to add a kind is told in docs/contributing.md.
"""
