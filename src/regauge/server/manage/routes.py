"""All routes of the manager's, and how large what is sent to them may be."""

from __future__ import annotations

from regauge.server.manage import actions, erasure, exports, labels, live, new, pages, visits
from regauge.server.manage.draws import actions as manage_draws
from regauge.server.manage.draws import pages as manage_draw_pages

ROUTERS = tuple(
    module.router
    for module in (
        actions,
        erasure,
        live,
        new,
        labels,
        exports,
        visits,
        manage_draws,
        manage_draw_pages,
        pages,
    )
)
LIMITS = {("POST", new.PATH): new.MAX_FORM}
"""Bytes of a method and a path, where they may be more than elsewhere."""
