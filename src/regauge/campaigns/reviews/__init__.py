"""Reviews that follow something: what can be set of them, and what their record tells."""
