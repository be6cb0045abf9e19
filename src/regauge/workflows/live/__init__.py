"""How campaigns go while people work."""
