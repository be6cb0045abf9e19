"""Who was shown which image ↔ rows."""
