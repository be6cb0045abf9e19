"""Who works on a study: access, platforms, privacy."""
