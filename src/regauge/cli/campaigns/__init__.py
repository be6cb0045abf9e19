"""`regauge campaign` and `regauge annotators`."""
