"""HTTP only: parse, call a workflow, render. Nothing is decided here."""
