"""People and models in the same tables: accuracies, gaps, tests of all pairs, images that everybody misses, and seconds."""
