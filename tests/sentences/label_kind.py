"""Sentences about people who are tested: how their images were drawn, how far they are, and what their times are."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from tests.sentences.entries import Always, Entries, Maker, Pair
from tests.workflows.studies.test_next_steps import list_words, make_status, stand

from regauge.cli.campaigns.evaluations import tell_group_review, tell_own_data
from regauge.kinds.label.figures import _describe_same, _describe_times
from regauge.kinds.label.making import note_tasks
from regauge.records.campaigns.campaign import CampaignState
from regauge.records.campaigns.evaluations import BLIND
from regauge.records.responses.ledgers import COUNTED, LedgerColumns
from regauge.records.responses.named import NamedClasses
from regauge.responses.live.oddities import Oddity
from regauge.workflows.campaigns.openings import tell_unfinished
from regauge.workflows.campaigns.participants import describe_people


def columns(*masks: int, flags: int = 0) -> LedgerColumns:
    """Somebody's answers to as many images."""
    n = len(masks)
    numbers, zeros = np.arange(n, dtype=np.int64), np.zeros(n, np.int32)
    return LedgerColumns(
        firsts=numbers,
        ids=numbers,
        tasks=numbers.astype(np.int32),
        annotators=zeros,
        masks=np.array(masks, np.uint64),
        not_shown=np.zeros(n, np.uint64),
        mains=np.full(n, -1, np.int8),
        statuses=np.full(n, COUNTED, np.uint8),
        revisions=zeros,
        received=numbers,
        seconds=np.ones(n),
        is_impossible=np.zeros(n, np.bool_),
        annotator_ids=np.array([1], np.int64),
        shown_seconds=np.ones(n),
        time_flags=np.full(n, flags, np.uint8),
    )


def same(*masks: int) -> Maker:
    """What is odd about somebody who names these classes."""

    def make(folder: object) -> list[str]:
        found: list[list[Oddity]] = [[]]
        _describe_same(columns(*masks), np.array([True]), found)
        return [*(one.sentence for one in found[0]), "end"]

    return make


def times(flags: int) -> Maker:
    """What is odd about somebody whose times have these flags."""

    def make(folder: object) -> list[str]:
        found: list[list[Oddity]] = [[]]
        _describe_times(columns(1, 2, flags=flags), found)
        return [*(one.sentence for one in found[0]), "end"]

    return make


def people(
    *, n_tasks: int = 2, flags: int = 0, seconds: float = 1.0, is_first: tuple[bool, ...] = (True, True)
) -> Maker:
    """What is said of one person who answered two images."""
    answers = NamedClasses(
        images=np.arange(2, dtype=np.int32),
        image_ids=np.array(["a", "b"]),
        annotators=np.zeros(2, np.int32),
        annotator_ids=np.array([1]),
        names=np.array(["ann"]),
        classes=np.zeros(2, np.int32),
        seconds=np.full(2, seconds),
        active_seconds=np.ones(2),
        time_flags=np.full(2, flags, np.uint8),
        received=np.arange(2),
    )
    numbers = np.ones(2, np.int64)
    return lambda folder: [*describe_people(answers, np.array(is_first), people=numbers, n_tasks=n_tasks), "end"]


WHOLE = {"n_per_class": 2, "blind": True, "references": "refs"}


def next_step(settings: Mapping[str, object]) -> Maker:
    """What a manager is told of a campaign with these settings that is over."""
    over = stand(CampaignState.CLOSED, 8, 3, settings=settings)
    return lambda _: list_words(make_status(), over)


ENTRIES: Entries = {
    "kinds/label/figures.py:_describe_same: Names one class in … of … answers.": Pair(
        same(*[3] * 20), same(*range(1, 21))
    ),
    "kinds/label/figures.py:_describe_times: The time of … of … answers is": Pair(times(1), times(0)),
    "kinds/label/making.py:note_tasks: … gave fewer images than … of a": Pair(
        lambda folder: note_tasks({**WHOLE, "n_short_classes": 1}), lambda folder: [*note_tasks(WHOLE), "end"]
    ),
    "kinds/label/making.py:note_tasks: Fewer than … reference images: ……; their cards": Pair(
        lambda folder: note_tasks({**WHOLE, "few_references": {"cat": 3}}), lambda folder: [*note_tasks(WHOLE), "end"]
    ),
    "kinds/label/making.py:note_tasks: Cards show no reference images: the campaign names": Pair(
        lambda folder: note_tasks({**WHOLE, "references": ""}), lambda folder: [*note_tasks(WHOLE), "end"]
    ),
    "kinds/label/making.py:note_tasks: … left out: people are … with ….": Pair(
        lambda folder: note_tasks({**WHOLE, "n_shared_left_out": 4}), lambda folder: [*note_tasks(WHOLE), "end"]
    ),
    "workflows/campaigns/openings.py:tell_unfinished: … has … of … left.": Pair(
        lambda folder: tell_unfinished({"ann": 1}, 2), lambda folder: [*tell_unfinished({"ann": 2}, 2), "end"]
    ),
    "workflows/campaigns/participants.py:describe_people: … left out: the same person had answered": Pair(
        people(is_first=(True, False)), people()
    ),
    "workflows/campaigns/participants.py:describe_people: … of … did not answer all …": Pair(
        people(n_tasks=3), people()
    ),
    "workflows/campaigns/participants.py:describe_people: The seconds of … are not known.": Pair(
        people(seconds=np.nan), people()
    ),
    "workflows/campaigns/participants.py:describe_people: The seconds of … are flagged (…); they": Pair(
        people(flags=1), people()
    ),
    "cli/campaigns/evaluations.py:tell_own_data: People … what they answered in ….": Always(
        "It says what was decided.", lambda folder: tell_own_data("test", is_allowed=True)
    ),
    "cli/campaigns/evaluations.py:tell_group_review: Nobody looks at the answers to … together": Pair(
        lambda folder: tell_group_review("train", 3, is_open=False),
        lambda folder: tell_group_review("train", 3, is_open=True),
    ),
    "cli/campaigns/evaluations.py:tell_group_review: People of … can now look at everybody's": Pair(
        lambda folder: tell_group_review("train", 3, is_open=True),
        lambda folder: tell_group_review("train", 3, is_open=False),
    ),
    "workflows/studies/next_steps.py:_find_label_steps: Make participants of the people who were tested": Pair(
        next_step({BLIND: True}), next_step({})
    ),
}
