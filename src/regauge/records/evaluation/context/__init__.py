"""Benchmark and task: what an analysis of a test set's labels, objects and frequencies finds."""
