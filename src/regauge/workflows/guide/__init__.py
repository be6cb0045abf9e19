"""The labeling guide: read, write, cite, and hand on as a folder."""
