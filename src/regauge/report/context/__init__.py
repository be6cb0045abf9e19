"""Benchmark and task as figures and as a section of a report."""
