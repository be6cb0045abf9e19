"""Several label sets as one."""

from __future__ import annotations

import pytest

from regauge.errors import InputError
from regauge.labels.merging import MergeRule, merge_labels
from regauge.records.labels.label_set import LabelKind, LabelSet, Unlisted
from regauge.records.labels.verdicts import Verdict

FIRST = LabelSet.from_lists(
    "first", ["a", "b"], correct=[[0], [1]], wrong=[[2], []], is_problematic=[True, False], main_labels=[0, -1]
)
SECOND = LabelSet.from_lists(
    "second", ["c", "a"], correct=[[3], [2]], unclear=[[], [5]], wrong=[[], [0]], main_labels=[-1, -1]
)


def list_verdicts(label_set: LabelSet) -> dict[tuple[str, int], Verdict]:
    ids = label_set.image_ids[label_set.rows].tolist()
    return {
        (image_id, index): Verdict(verdict)
        for image_id, index, verdict in zip(ids, label_set.classes.tolist(), label_set.verdicts.tolist(), strict=True)
    }


def test_the_later_verdict_holds() -> None:
    merged = merge_labels([FIRST, SECOND], name="both")
    assert merged.name == "both"
    assert merged.image_ids.tolist() == ["a", "b", "c"]
    assert list_verdicts(merged) == {
        ("a", 0): Verdict.WRONG,
        ("a", 2): Verdict.CORRECT,
        ("a", 5): Verdict.UNCLEAR,
        ("b", 1): Verdict.CORRECT,
        ("c", 3): Verdict.CORRECT,
    }


def test_a_dispute_can_be_left_unclear() -> None:
    verdicts = list_verdicts(merge_labels([FIRST, SECOND, FIRST], name="all", rule=MergeRule.UNCLEAR))
    assert (verdicts["a", 0], verdicts["a", 2], verdicts["b", 1]) == (Verdict.UNCLEAR, Verdict.UNCLEAR, Verdict.CORRECT)


def test_the_last_word_on_an_image_holds_and_a_known_main_label_stays() -> None:
    merged = merge_labels([FIRST, SECOND], name="both")
    assert merged.is_problematic.tolist() == [False, False, False]
    assert merged.main_labels.tolist() == [0, -1, -1]


def test_what_is_not_listed_is_wrong_only_where_all_lists_are_complete() -> None:
    complete = LabelSet.from_lists("complete", ["a"], correct=[[0]])
    assert merge_labels([complete, complete], name="x").unlisted is Unlisted.WRONG
    assert merge_labels([complete, FIRST], name="x").unlisted is Unlisted.UNJUDGED


def test_one_label_set_or_two_kinds_cannot_be_merged() -> None:
    with pytest.raises(InputError, match="at least two, not 1"):
        merge_labels([FIRST], name="x")
    real = LabelSet.from_lists("real", ["a"], correct=[[0]], kind=LabelKind.REAL)
    with pytest.raises(InputError, match="first is multilabel, real is real"):
        merge_labels([FIRST, real], name="x")
