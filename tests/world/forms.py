"""Typical forms, and those that lie between two of them."""

from __future__ import annotations

from regauge.world.forms import Form
from regauge.world.objects import KIND_OF


def get_prototype(class_id: str) -> Form:
    """The typical form of a class."""
    return KIND_OF[class_id].prototypes[class_id]


def walk(first: Form, second: Form, *, share: float) -> Form:
    """The form that lies at a share of the way from one form to another of the same kind."""
    start, end = first.to_vector(), second.to_vector()
    return type(first)(*(start + (end - start) * share).tolist())
