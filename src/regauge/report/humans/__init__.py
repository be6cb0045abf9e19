"""People and models as figures."""
