"""Beside stage 5: what the labeling guide may say, how it is rendered, compared and searched."""
