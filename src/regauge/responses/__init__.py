"""Stage 6: what came back from people, and whether to believe it."""
