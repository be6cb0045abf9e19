"""Dawid–Skene with many labels, in memory linear in the votes."""
