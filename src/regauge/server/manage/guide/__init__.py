"""The pages of the labeling guide."""
