"""Which groups of classes tables of superclasses are about."""

from __future__ import annotations

import numpy as np

from regauge.arrays import BoolArray
from regauge.records.taxonomy import Taxonomy
from regauge.taxonomy.groups import find_groups

SUPERCLASS = "superclass"


def choose_grouping(taxonomy: Taxonomy | None) -> str | None:
    """The grouping called superclass, or else the first one; None where there is none."""
    names = [] if taxonomy is None else [grouping.name for grouping in taxonomy.groupings]
    return SUPERCLASS if SUPERCLASS in names else next(iter(names), None)


def find_memberships(taxonomy: Taxonomy, grouping: str) -> tuple[tuple[str, ...], BoolArray]:
    """The groups, and which classes are in each [groups, classes]."""
    groups = find_groups(taxonomy, grouping)
    members = np.zeros((len(groups), len(taxonomy)), np.bool_)
    for row, classes in zip(members, groups.values(), strict=True):
        row[classes] = True
    return tuple(groups), members
