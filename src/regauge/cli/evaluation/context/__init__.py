"""`regauge context`: its options, and its tables."""
