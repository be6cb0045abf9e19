"""Slices ↔ files: lists of images, and folders that others score with one command."""
