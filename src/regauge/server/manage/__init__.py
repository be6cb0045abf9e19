"""The manager's pages and what they change."""
