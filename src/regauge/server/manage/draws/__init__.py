"""The pages of drawn test sets."""
