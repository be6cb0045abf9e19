"""`regauge testset`."""
