"""`regauge mistakes`: what participants still get wrong, found, coded and summed up."""
