"""`regauge slice`: named subsets of a test set, frozen, scored and exported."""
