"""Which CLASSIFY answers to believe.

There is no known answer to compare with, so only the form of an answer is checked: it names a label, and its main label is one of
those it names. Who gives answers that fail too often is not believed at all.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from regauge.arrays import BoolArray, CountArray, freeze
from regauge.errors import InputError
from regauge.records.labels.classify import ClassifyScreening, Flaw
from regauge.records.responses.answers import ClassifyResponses
from regauge.records.responses.screening import ReasonArray

N_FLAWED_TOO_MANY = 1
N_FLAWED_OF = 3
"""An annotator is ignored with more than one in three responses flawed."""


def screen_responses(responses: ClassifyResponses, *, keep_annotators: Collection[str] = ()) -> ClassifyScreening:
    """Ignore flawed responses, then annotators with more than a third of theirs flawed (Tsipras et al. 2020, appendix B.2).

    A response is flawed that selects no label, or whose main label is not among the selected. The third is compared in whole
    numbers: one of three is kept, two of five are not.

    Args:
        responses: the answers of all annotators.
        keep_annotators: annotators whose sound responses count whatever the rule says of them.

    Raises:
        InputError: an annotator to keep is not there.
    """
    flaws = find_flaws(responses)
    n_annotators = len(responses.annotator_ids)
    n_responses = np.bincount(responses.response_annotators, minlength=n_annotators)
    n_flawed = np.bincount(responses.response_annotators[flaws != Flaw.NONE], minlength=n_annotators)
    is_ignored = find_ignored(n_flawed, n_responses)
    is_restored = _find_kept(responses, keep_annotators) & is_ignored
    is_sound = flaws == Flaw.NONE
    flaws[is_sound & is_ignored[responses.response_annotators]] = Flaw.ANNOTATOR
    is_counted = ~(is_ignored & ~is_restored)[responses.response_annotators]
    return ClassifyScreening(
        flaws=flaws,
        is_accepted=is_sound & is_counted,
        n_responses=n_responses,
        n_flawed=n_flawed,
        is_ignored=is_ignored,
        is_restored=is_restored,
    )


def accept_all(responses: ClassifyResponses) -> ClassifyScreening:
    """A screening that ignores nothing: a response without labels says that there are no objects."""
    n_annotators = len(responses.annotator_ids)
    nobody = np.zeros(n_annotators, np.bool_)
    return ClassifyScreening(
        flaws=np.zeros(len(responses), np.uint8),
        is_accepted=np.ones(len(responses), np.bool_),
        n_responses=np.bincount(responses.response_annotators, minlength=n_annotators),
        n_flawed=np.zeros(n_annotators, np.int64),
        is_ignored=nobody,
        is_restored=nobody,
    )


def restore_responses(screening: ClassifyScreening, rows: ArrayLike) -> ClassifyScreening:
    """The screening with these responses accepted after all; their flaws stay on record.

    Args:
        screening: what the rules found.
        rows: positions of the responses to restore.

    Raises:
        InputError: a position is not that of a response.
    """
    places = freeze(rows, np.int64)
    if places.size and not (places.min() >= 0 and places.max() < len(screening)):
        raise InputError(f"There are {len(screening):,} responses, counted from 0; {places.max()} is none of them.")
    is_accepted = screening.is_accepted.copy()
    is_accepted[places] = True
    return replace(screening, is_accepted=is_accepted)


def find_responses(responses: ClassifyResponses, pairs: Collection[tuple[str, str]]) -> CountArray:
    """The positions of the responses of these annotators on these images.

    Args:
        responses: the answers of all annotators.
        pairs: image and annotator of each response.

    Raises:
        InputError: there is no such response.
    """
    image_of = {image_id: place for place, image_id in enumerate(responses.image_ids.tolist())}
    annotator_of = {annotator_id: place for place, annotator_id in enumerate(responses.annotator_ids.tolist())}
    found = []
    for image_id, annotator_id in pairs:
        by = responses.response_annotators == annotator_of.get(annotator_id, -1)
        rows = np.flatnonzero(by & (responses.response_images == image_of.get(image_id, -1)))
        if not rows.size:
            raise InputError(f"Annotator {annotator_id!r} has no response on image {image_id!r} that could be kept.")
        found.append(int(rows[0]))
    return np.array(found, np.int64)


def find_flaws(responses: ClassifyResponses) -> ReasonArray:
    """What is wrong with each response by itself: `NO_LABEL`, `MAIN_NOT_SELECTED` or `NONE`."""
    n_selected = np.diff(responses.starts)
    rows = np.repeat(np.arange(len(responses)), n_selected)
    has_main = np.zeros(len(responses), np.bool_)
    has_main[rows[responses.selected == responses.main[rows]]] = True
    return judge_form(n_selected, has_main)


def judge_form(n_selected: CountArray, has_main: BoolArray) -> ReasonArray:
    """What is wrong with responses of which is known how many labels each selects, and whether its main one is among them."""
    flaws = np.where(has_main, Flaw.NONE, Flaw.MAIN_NOT_SELECTED)
    return np.where(n_selected == 0, Flaw.NO_LABEL, flaws).astype(np.uint8)


def find_ignored(n_flawed: CountArray, n: CountArray) -> BoolArray:
    """Who is ignored, with so many flawed responses of all."""
    return np.asarray(N_FLAWED_OF * n_flawed > N_FLAWED_TOO_MANY * n, np.bool_)


def _find_kept(responses: ClassifyResponses, keep_annotators: Collection[str]) -> BoolArray:
    known = set(responses.annotator_ids.tolist())
    unknown = next((name for name in keep_annotators if name not in known), None)
    if unknown is not None:
        raise InputError(
            f"There is no annotator {unknown!r} to keep among the {len(known):,} of the responses; write the id as in the file."
        )
    return np.isin(responses.annotator_ids, list(keep_annotators))
