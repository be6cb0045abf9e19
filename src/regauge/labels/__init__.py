"""Stage 7: label sets, their versions, and what changed between two of them."""
