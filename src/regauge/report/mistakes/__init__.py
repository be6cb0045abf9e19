"""What remains of mistakes after a review, as figures and tables."""
