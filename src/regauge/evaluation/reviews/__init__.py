"""What a review settles: bounds of all pairs, sampled review, forecasts, and the audit of right answers."""
