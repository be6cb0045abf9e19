"""Stage 11: figures and tables. Nothing is computed here: what is drawn was counted before."""
