"""VERIFY: the labels that votes make, and the counts of its images while it runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from tests.verify.answers import Votes, find_pairs, find_votes
from tests.verify.figures import find_bad

from regauge.arrays import BoolArray, CountArray
from regauge.labels.frequencies.verdicts import count_verdicts
from regauge.records.campaigns.campaign import ResponseStatus
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.labels.results import LabelContext, MadeLabels
from regauge.records.labels.verdicts import Verdict
from regauge.records.responses.figures import ImageCounts
from regauge.responses.ledger import Ledger


@dataclass(frozen=True, slots=True)
class VerifySettings:
    """How votes become labels.

    Attributes:
        screening: whether those are left out who are in doubt more often than not.
        keep_annotators: who may not be left out.
        keep_responses: nobody; there are no single responses to keep.
    """

    screening: bool = True
    keep_annotators: tuple[str, ...] = ()
    keep_responses: tuple[tuple[str, str], ...] = ()


class Counter:
    """Counts the votes on every pair, in its last round."""

    def count(self, ledger: Ledger) -> ImageCounts:
        """How many voted on each pair, and how many found it right."""
        tasks, columns = ledger.tasks, ledger.columns
        pairs, last = find_pairs(tasks)
        rows = columns.find_rows((ResponseStatus.COUNTED,))
        held = columns.keep(rows[np.isin(columns.tasks[rows], last)])
        of_pair = pairs[held.tasks]
        n_shown = np.bincount(of_pair, minlength=len(last))
        n_right = np.bincount(of_pair[find_votes(held) == Verdict.CORRECT], minlength=len(last))
        classes = tasks.items[tasks.starts[last]]
        return ImageCounts(tasks.subjects[last], classes, n_shown, n_right, np.zeros(len(last), np.bool_))


def make_counter() -> Counter:
    """What counts the images of a running campaign."""
    return Counter()


def make_labels(responses: Votes, settings: VerifySettings, *, context: LabelContext) -> MadeLabels:
    """The plurality of the votes on each pair; a shared first place is unclear."""
    is_bad = _find_bad(responses, settings)
    is_kept = ~is_bad[responses.annotators]
    table = np.zeros((len(responses.images), len(Verdict)), np.int64)
    np.add.at(table, (responses.pairs[is_kept], responses.votes[is_kept]), 1)
    label_set = _list_verdicts(responses, _decide(table), name=context.name)
    return MadeLabels(
        Truth(label_sets=(label_set,)),
        n_images=len(label_set),
        n_unanswered=len(np.unique(responses.images[table.sum(axis=1) == 0])),
        n_screened_answers=int(np.count_nonzero(~is_kept)),
        n_screened_annotators=int(np.count_nonzero(is_bad)),
        verdicts=count_verdicts(label_set),
    )


def _find_bad(responses: Votes, settings: VerifySettings) -> BoolArray:
    n = len(responses.names)
    n_answers = np.bincount(responses.annotators, minlength=n)
    n_poor = np.bincount(responses.annotators[responses.votes == Verdict.UNCLEAR], minlength=n)
    is_kept = np.isin(responses.names, settings.keep_annotators)
    return find_bad(n_poor, n_answers) & ~is_kept & settings.screening


def _decide(table: CountArray) -> CountArray:
    """Per pair the verdict with the most votes; −1 where nobody voted."""
    most = table.max(axis=1, initial=0)
    is_shared = (table == most[:, np.newaxis]).sum(axis=1) > 1
    return np.where(most == 0, -1, np.where(is_shared, Verdict.UNCLEAR, table.argmax(axis=1)))


def _list_verdicts(responses: Votes, verdicts: CountArray, *, name: str) -> LabelSet:
    images = np.unique(responses.images)
    lists = {
        verdict: [responses.classes[(responses.images == one) & (verdicts == verdict)].tolist() for one in images]
        for verdict in Verdict
    }
    return LabelSet.from_lists(
        name,
        responses.image_ids[images],
        correct=lists[Verdict.CORRECT],
        unclear=lists[Verdict.UNCLEAR],
        wrong=lists[Verdict.WRONG],
    )
