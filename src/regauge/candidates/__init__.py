"""Stage 4: which labels to ask people about."""
