"""`regauge humans`: its options, and its tables."""
