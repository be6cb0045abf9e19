"""What participants still get wrong: found, coded, and what a summary of them holds."""
