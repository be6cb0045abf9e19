"""All routes of the manager's, and how large what is sent to them may be."""

from __future__ import annotations

from regauge.server.manage import actions, exports, labels, live, new, pages
from regauge.server.manage.draws import actions as manage_draws
from regauge.server.manage.draws import pages as manage_draw_pages
from regauge.server.manage.guide import actions as manage_guide
from regauge.server.manage.guide import pages as manage_guide_pages
from regauge.server.manage.items import actions as manage_items
from regauge.server.manage.items import pages as manage_item_pages
from regauge.server.manage.items import threads as manage_threads
from regauge.server.manage.people import erasure, evaluations, exposure, visits
from regauge.server.manage.relations import actions as manage_relations
from regauge.server.manage.relations import pages as manage_relation_pages

ROUTERS = tuple(
    module.router
    for module in (
        actions,
        erasure,
        exposure,
        live,
        new,
        labels,
        exports,
        evaluations,
        visits,
        manage_draws,
        manage_draw_pages,
        manage_guide,
        manage_guide_pages,
        manage_relations,
        manage_relation_pages,
        manage_items,
        manage_threads,
        manage_item_pages,
        pages,
    )
)
LIMITS = {
    ("POST", new.PATH): new.MAX_FORM,
    **{("POST", f"{manage_guide.PATH}/{what}"): manage_guide.MAX_SAVED for what in ("entries", "preview")},
}
"""Bytes of a method and a path, where they may be more than elsewhere."""
