"""Label sets in the study: their versions as what changed, what verdicts rest on, and relations between classes."""
