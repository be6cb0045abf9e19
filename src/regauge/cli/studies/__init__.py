"""Commands on a study as a whole, and what all commands inside one share."""
