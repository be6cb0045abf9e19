"""Truth and what else is known of images: verdicts, evidence, selection counts, splits."""
