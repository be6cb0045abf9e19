"""Votes in two halves by annotator, so that one half chooses images and the other says how often they are selected.

Votes that chose an image flatter it: of many candidates with equal true frequency those are taken whose annotators happened to
agree. Annotators who had no part in the choice tell the frequency without bias.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from regauge.arrays import BoolArray
from regauge.labels.frequencies.frequency import count_selections
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.responses.answers import ContainsResponses
from regauge.records.responses.screening import Screening


class Halves(NamedTuple):
    """Counts from two sets of annotators who have nobody in common.

    Attributes:
        choosing: the counts by which images may be chosen.
        reporting: the counts that tell how often the chosen ones are selected.
    """

    choosing: SelectionCounts
    reporting: SelectionCounts


def split_annotators(annotator_ids: Sequence[str], *, seed: int = 0) -> BoolArray:
    """Whether each annotator is in the half that chooses.

    Decided by the id and the seed alone, so that an annotator stays in a half whoever joins or leaves.

    >>> split_annotators(["ann", "ben", "cleo", "dora"], seed=1).tolist()
    [False, True, True, True]
    """
    digests = (blake2b(f"{seed}:{one}".encode(), digest_size=8).digest() for one in annotator_ids)
    return np.array([digest[0] % 2 == 0 for digest in digests], np.bool_)


def count_disjoint(responses: ContainsResponses, screening: Screening, *, seed: int = 0) -> Halves:
    """The accepted votes on every pair, counted apart for two halves of the annotators.

    Args:
        responses: the answers.
        screening: which of them are believed.
        seed: decides who is in which half.

    Returns:
        Both counts list the same pairs; a pair whose annotators are all in one half has n_shown = 0 in the other.
    """
    is_choosing = split_annotators(responses.annotator_ids.tolist(), seed=seed)[responses.response_annotators]
    choosing, reporting = (
        count_selections(responses, _keep(screening, is_kept)).counts for is_kept in (is_choosing, ~is_choosing)
    )
    return Halves(choosing, reporting)


def _keep(screening: Screening, is_kept: BoolArray) -> Screening:
    """The screening with no votes but those of some responses."""
    return replace(
        screening,
        is_accepted=screening.is_accepted & is_kept,
        counts_selected=screening.counts_selected & is_kept,
        counts_unselected=screening.counts_unselected & is_kept,
    )
