"""Tables that stand on the page "Tables" of a website, each by itself.

To add some, write a function from the study and its sets to `SiteTable`s, give it a name and a title in a `TableSource`, and put
that into `TABLE_SOURCES`: the chunk, the link, the page, its CSV and the links of classes, images and participants follow.
Tables are made when somebody opens them, or when the website is written, so a function may take its time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from regauge.records.site import SiteTable
from regauge.storage.slices.slices import list_slices
from regauge.storage.study import Study
from regauge.workflows.site.sets import SiteSet


@dataclass(frozen=True, slots=True)
class TableSource:
    """Tables of one kind.

    Attributes:
        name: small letters, digits and hyphens; part of the address.
        title: what the link says.
        make: from the study inside a transaction and its sets to the tables; none where there is nothing to tell.
    """

    name: str
    title: str
    make: Callable[[Study, Sequence[SiteSet]], Sequence[SiteTable]]


def make_slice_tables(study: Study, sets: Sequence[SiteSet]) -> Sequence[SiteTable]:
    """The slices of the sets that are shown."""
    shown = {one.entry.name for one in sets}
    rows = [
        (one.name, one.test_set, one.labels, one.kind.value, one.n_images)
        for one in list_slices(study)
        if one.test_set in shown and not one.void
    ]
    columns = ("slice", "test_set", "labels", "kind", "n_images")
    return [SiteTable("slices", "Slices", columns, rows)] if rows else []


TABLE_SOURCES: tuple[TableSource, ...] = (TableSource("slices", "Slices", make_slice_tables),)
"""All tables, in the order of the page."""
