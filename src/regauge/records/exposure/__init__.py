"""Who was shown which image, and what that changes."""
