"""Results ↔ rows."""
