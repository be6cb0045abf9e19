"""What people are asked, on which terms, and where they come from."""
