"""Who has seen which images: noted, declared, listed, kept apart, and what it changes."""
