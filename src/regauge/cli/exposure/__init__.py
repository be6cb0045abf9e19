"""`regauge exposure`: who has seen which images."""
