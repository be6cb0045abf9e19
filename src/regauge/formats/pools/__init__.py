"""Gathered images, and lists about them."""
