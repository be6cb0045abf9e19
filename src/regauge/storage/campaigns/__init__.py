"""Campaigns, their tasks and the answers to them ↔ rows."""
