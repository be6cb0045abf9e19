"""Commands that score and compare: `score`, `evaluate`, `shift`, `compare`, `gap`, `plan`."""
