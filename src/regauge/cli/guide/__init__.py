"""`regauge guide`."""
