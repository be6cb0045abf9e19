"""`regauge aggregate` and `regauge labels`."""
