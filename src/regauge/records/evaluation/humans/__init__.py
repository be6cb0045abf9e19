"""People and models in the same tables: the settings, the report, and the columns of its tables."""
