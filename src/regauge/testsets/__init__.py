"""Stage 2: which images a test set is made of."""
