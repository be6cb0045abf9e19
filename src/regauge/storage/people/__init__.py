"""People who work on a study ↔ rows."""
