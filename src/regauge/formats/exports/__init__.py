"""What leaves a study: tables, folders and the formats of other programs."""
