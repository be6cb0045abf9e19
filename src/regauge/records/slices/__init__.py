"""Named subsets of a test set: how they were chosen, and how participants do on them."""
