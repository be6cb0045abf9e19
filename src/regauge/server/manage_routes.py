"""All routes of the manager's, and how large what is sent to them may be."""

from __future__ import annotations

from regauge.server import (
    manage,
    manage_draw_pages,
    manage_draws,
    manage_erasure,
    manage_exports,
    manage_labels,
    manage_live,
    manage_new,
    manage_pages,
    manage_visits,
)

ROUTERS = tuple(
    module.router
    for module in (
        manage,
        manage_erasure,
        manage_live,
        manage_new,
        manage_labels,
        manage_exports,
        manage_visits,
        manage_draws,
        manage_draw_pages,
        manage_pages,
    )
)
LIMITS = {("POST", manage_new.PATH): manage_new.MAX_FORM}
"""Bytes of a method and a path, where they may be more than elsewhere."""
