"""Named subsets of test sets, in the study."""
