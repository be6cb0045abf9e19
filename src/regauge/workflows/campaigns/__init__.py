"""Campaigns: make, open, change and close them, and take out what came back."""
