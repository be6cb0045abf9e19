"""What was measured as figures and as a report."""
