"""`regauge pool`."""
