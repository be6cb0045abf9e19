"""Drawn test sets at a glance: how and of what they were drawn, and what differs between two of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from regauge.estimates import Estimate
from regauge.evaluation.metrics.selection_frequency import measure_frequency
from regauge.records.testsets.draws import DrawDescription, DrawDiff
from regauge.records.testsets.pool import DrawAnnotators, DrawEntry, DrawSources
from regauge.records.testsets.sampling import Draw
from regauge.storage.study import Study
from regauge.storage.testsets.draws import find_barred, list_drawn_exclusions, load_draw
from regauge.storage.testsets.draws import get_draw as get_stored_draw
from regauge.storage.testsets.pool import find_holding
from regauge.storage.testsets.test_set import get_test_set, list_test_sets
from regauge.testsets.counts import look_up
from regauge.testsets.draws import find_changes, keep_removed, list_bins
from regauge.workflows.campaigns.responses import load_half
from regauge.workflows.labels.frequencies import are_settled, find_sources_spread, load_counts


def diff_draws(study: Study, first: str, second: str) -> DrawDiff:
    """What differs between two drawn test sets, class by class: carried over, new, and removed with the reason.

    Raises:
        InputError: a test set was not drawn.
    """
    entries = [get_test_set(study, name) for name in (first, second)]
    one, other = (load_draw(study, entry) for entry in entries)
    # As it was when the second one was drawn: an image that was restored since was removed all the same.
    written = (
        exclusion for exclusion in list_drawn_exclusions(study, entries[0]) if exclusion.at <= entries[1].added_at
    )
    return DrawDiff(first, second, find_changes(one, other, barred=find_holding(written)))


def describe_draw(study: Study, name: str) -> DrawDescription:
    """A drawn test set at a glance.

    Raises:
        InputError: the test set was not drawn.
    """
    entry = get_test_set(study, name)
    drawn, draw = get_stored_draw(study, entry), load_draw(study, entry)
    return DrawDescription(
        entry=entry,
        drawn=drawn,
        n_classes=len(np.unique(draw.classes)),
        n_carried=int(draw.is_carried.sum()),
        bins=list_bins(draw),
        frequency=measure_frequency(draw, find_sources_spread(study, drawn.sources)),
        removed=keep_removed(find_barred(study, entry)),
        revisions=tuple(one.name for one in list_test_sets(study) if one.parent_id == entry.id),
        reported=_measure_reported(study, draw, drawn.sources),
        is_settled=are_settled(study, drawn),
    )


def get_draw(study: Study, name: str) -> DrawEntry:
    """How a test set was drawn.

    Raises:
        InputError: the test set was not drawn.
    """
    return get_stored_draw(study, get_test_set(study, name))


def load_drawn(study: Study, name: str) -> Draw:
    """How each image of a test set was drawn, in row order.

    Raises:
        InputError: the test set was not drawn.
    """
    return load_draw(study, get_test_set(study, name))


def _measure_reported(study: Study, draw: Draw, sources: DrawSources) -> Estimate[float | None] | None:
    """The mean selection frequency by those who had no part in the choice; None where everybody had."""
    if sources.annotators is DrawAnnotators.ALL:
        return None
    others = sources.annotators.others
    known = load_counts(
        study,
        sources.frequencies,
        votes=lambda entry, counts: (load_half(study, entry, counts, half=others), ()),
    )
    n_shown, n_selected = look_up(known.counts, draw.image_ids, classes=draw.classes)
    told = replace(draw, n_shown=n_shown, n_selected=n_selected)
    return measure_frequency(told, find_sources_spread(study, sources))
