"""Files of coded mistakes ↔ records: as released, as we write them, and a study's own list of categories."""
