"""What a label set makes of (image, prediction) pairs, of which an image may have several."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from regauge.arrays import IdArray, IntArray
from regauge.evaluation.metrics.multilabel import LENIENT
from regauge.evaluation.outcomes import Outcome, OutcomeArray
from regauge.records.labels.label_set import LabelKind, LabelSet, Unlisted
from regauge.records.labels.verdicts import Verdict
from regauge.records.mistakes.coded import SEVERITIES
from regauge.records.mistakes.coding import MistakeCoding, OverturnedMistakes

BY_LABEL_SET = "label set"
"""The reason of a mistake that the label set accepts."""


def judge_pairs(
    label_set: LabelSet, image_ids: IdArray, *, classes: IntArray, accepted: frozenset[Verdict] = LENIENT
) -> OutcomeArray:
    """What each class is worth as an answer for its image.

    Pairs on images that the label set does not know, or leaves out as problematic or (reassessed labels) without any label, are
    not counted.

    Args:
        label_set: what people found.
        image_ids: the image of each pair.
        classes: the class of each pair.
        accepted: the verdicts that make an answer right; correct and unclear by default, as Vasudevan et al. (2022) count.
    """
    row_of = {image_id: row for row, image_id in enumerate(label_set.image_ids.tolist())}
    rows = np.array([row_of.get(image_id, -1) for image_id in image_ids.tolist()], np.int64)
    is_left_out = label_set.is_problematic.copy()
    if label_set.kind is LabelKind.REAL:
        is_left_out |= np.diff(label_set.starts) == 0
    unlisted = Outcome.WRONG if label_set.unlisted is Unlisted.WRONG else Outcome.UNJUDGED
    worth = np.array([Outcome.RIGHT if verdict in accepted else Outcome.WRONG for verdict in Verdict], np.int8)
    outcomes = np.full(len(rows), unlisted, np.int8)
    stride = int(max(label_set.classes.max(initial=0), classes.max(initial=0))) + 1
    keys = label_set.rows * stride + label_set.classes
    order = np.argsort(keys, kind="stable")
    wanted = rows * stride + classes
    at = np.minimum(np.searchsorted(keys, wanted, sorter=order), max(len(keys) - 1, 0))
    if len(keys):
        is_listed = (rows >= 0) & (keys[order[at]] == wanted)
        outcomes[is_listed] = worth[label_set.verdicts[order[at[is_listed]]]]
    outcomes[(rows < 0) | is_left_out[rows]] = Outcome.NOT_COUNTED
    return outcomes


def overturn_accepted(coding: MistakeCoding, label_set: LabelSet) -> MistakeCoding:
    """The coding in which the mistakes that the label set accepts are overturned for that reason, after those that were before.

    Two label sets that contradict each other are no error of whoever coded: what one holds for wrong, the other accepts.
    """
    outcomes = judge_pairs(label_set, coding.coded.image_ids, classes=coding.coded.predictions)
    is_accepted = outcomes == Outcome.RIGHT
    before, gone = coding.overturned, coding.coded.choose(is_accepted)
    notes = [_keep_codes(coding, row) for row in np.flatnonzero(is_accepted).tolist()]
    remarks = [coding.remarks[row] for row in np.flatnonzero(~is_accepted).tolist()]
    return replace(
        coding,
        coded=coding.coded.choose(~is_accepted),
        remarks=tuple(remarks),
        overturned=OverturnedMistakes(
            np.concatenate([before.image_ids, gone.image_ids]),
            np.concatenate([before.predictions, gone.predictions]),
            (*before.reasons, *(BY_LABEL_SET for _ in notes)),
            (*before.notes, *notes),
        ),
    )


def _keep_codes(coding: MistakeCoding, row: int) -> str:
    """What the coders said of a mistake before it was overturned, codes and all."""
    coded = coding.coded
    category, severity = coded.category_names[coded.categories[row]], SEVERITIES[coded.severities[row]]
    remark = coding.remarks[row]
    return f"coded {category}, {severity}" + (f"; {remark}" if remark else "")
