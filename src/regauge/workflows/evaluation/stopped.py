"""People who answered only some of the images: whom a comparison of two sets takes, and what it says of the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from regauge.estimates import count_things
from regauge.records.predictions import ParticipantKind
from regauge.records.studies import PredictionsEntry, Selection, TestSetEntry
from regauge.storage.predictions import get_predictions
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set

N_NAMED = 5
"""So many people are named."""


def list_complete(
    predictions: Sequence[PredictionsEntry], entry: TestSetEntry, *, selection: Selection
) -> tuple[PredictionsEntry, ...]:
    """Those that a comparison of two sets takes: everybody who is named, and else nobody who stopped before the end.

    Lines through models and means over participants are of images that all of them answered; a person who answered few of them
    would leave few for all.
    """
    if selection.participants or selection.chosen.kind is not None or selection.chosen.families:
        return tuple(predictions)
    return tuple(one for one in predictions if one.kind is ParticipantKind.MODEL or one.n_answered >= entry.n_images)


def note_stopped(study: Study, selections: Sequence[Selection]) -> Iterator[str]:
    """A sentence about the people whom a comparison leaves out."""
    left_out = list(dict.fromkeys(_list_stopped(study, selections)))
    if left_out:
        names = ", ".join(left_out[:N_NAMED]) + (", …" if len(left_out) > N_NAMED else "")
        people = count_things(len(left_out), "person", many="people")
        yield (
            f"Left out: {people} who answered only some of the images ({names}); regauge humans puts everybody into the same "
            "tables."
        )


def _list_stopped(study: Study, selections: Sequence[Selection]) -> Iterator[str]:
    """The people who are left out because they answered only some of the images."""
    for one in selections:
        entry = get_test_set(study, one.test_set)
        there = get_predictions(study, entry, participants=one.participants, chosen=one.chosen)
        kept = {taken.participant for taken in list_complete(there, entry, selection=one)}
        yield from (found.participant for found in there if found.participant not in kept)
