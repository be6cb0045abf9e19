"""A participant's mistakes through label sets and a coding: by hand, and that nothing is lost on the way."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.mistakes.small_sources import AFTER, BEFORE, FIRST, IDS, SECOND, aim, answer
from tests.mistakes.test_fixing import code

from regauge.errors import InputError
from regauge.evaluation.targets import line_up
from regauge.mistakes.finding import AppliedLabels, apply_labels
from regauge.mistakes.tracing import trace_flow
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.mistakes.coding import MistakeCoding, OverturnedMistakes
from regauge.records.mistakes.flows import FlowStep


def apply(*label_sets: LabelSet) -> list[AppliedLabels]:
    target = aim(*label_sets)
    return [apply_labels(target, place) for place in range(len(label_sets))]


def make_coding(
    pairs: dict[str, tuple[int, int]], gone: dict[str, tuple[int, str]], *, participant: str = "first"
) -> MistakeCoding:
    """Severities by image and prediction, and what was overturned for which reason."""
    coded = code(participant, list(pairs), [one for one, _ in pairs.values()], [one for _, one in pairs.values()])
    overturned = OverturnedMistakes(
        np.array(list(gone), np.str_),
        np.array([one for one, _ in gone.values()], np.int32),
        tuple(reason for _, reason in gone.values()),
    )
    return MistakeCoding("coded@1", participant, "five", "labels@1", "file", coded, overturned)


def test_from_one_label_set_to_the_next_by_hand() -> None:
    # First errs on a, b, c and d; the later labels accept b and find c unclear and d problematic.
    flow = trace_flow(FIRST, apply(BEFORE, AFTER), level=0.95)
    assert flow.steps == (
        FlowStep("labels@1", "labels@2", 4, 1, (("correct", 1), ("unclear", 1), ("problematic", 1)), 1, 0),
    )
    assert (flow.n_end, flow.ends, flow.labels) == (1, (), ("labels@1", "labels@2"))
    assert (flow.overturned.share.k, flow.overturned.share.n) == (3, 4)


def test_coders_overturn_and_code_what_is_left() -> None:
    # c was overturned with its very prediction; d was coded with another prediction, so nobody coded that of First.
    coding = make_coding({"a": (1, 0), "b": (3, 2), "d": (1, 1)}, {"c": (0, "missed object")})
    flow = trace_flow(FIRST, apply(BEFORE), coding=coding, level=0.95)
    (step,) = flow.steps
    assert (step.n, step.left, step.n_remaining, step.is_coding) == (4, (("missed object", 1),), 3, True)
    assert flow.ends == (("major", 1), ("minor", 0), ("borderline", 1), ("not coded", 1))
    assert (flow.n_end, flow.n_end_novel, flow.coding) == (3, 0, "coded@1")
    assert (flow.overturned.share.k, flow.overturned.share.n) == (1, 4)


def test_coders_come_after_the_last_label_set() -> None:
    coding = make_coding({"a": (1, 0)}, {"b": (3, "label set")})
    flow = trace_flow(FIRST, apply(BEFORE, AFTER), coding=coding, level=0.95)
    assert [step.after for step in flow.steps] == ["labels@2", "coded@1"]
    # b is accepted by the later labels already, so the coders take nothing away.
    assert flow.steps[1].left == ()
    assert flow.ends == (("major", 1), ("minor", 0), ("borderline", 0))
    assert flow.overturned.share.k == 3


def test_what_was_accepted_or_not_judged_before_joins() -> None:
    flow = trace_flow(answer("right", [0, 1, 2, 3, 0]), apply(BEFORE, HARSH), level=0.95)
    assert (flow.steps[0].n, flow.steps[0].n_joined, flow.n_end) == (0, 3, 3)
    assert flow.overturned.share.value is None


def test_images_that_the_last_labels_do_not_judge_are_no_part_of_the_share() -> None:
    flow = trace_flow(FIRST, apply(BEFORE, FEW), level=0.95)
    assert flow.steps[0].left == (("not known", 3),)
    assert (flow.overturned.share.k, flow.overturned.share.n) == (0, 1)


HARSH = LabelSet.from_lists(
    "harsh", IDS, correct=[[3], [3], [3], [3], [3]], wrong=[[0], [1], [2], [], []], is_problematic=[False] * 4 + [True]
)
FEW = LabelSet.from_lists("few", ["a"], correct=[[0]], wrong=[[1]])


def test_one_label_set_alone_or_another_participants_coding_is_refused() -> None:
    with pytest.raises(InputError, match="from one label set to another, or through a coding; name two"):
        trace_flow(FIRST, apply(BEFORE), level=0.95)
    with pytest.raises(InputError, match="coded@1 has coded mistakes of first, not of second"):
        trace_flow(SECOND, apply(BEFORE), coding=make_coding({"a": (1, 0)}, {}), level=0.95)


def test_a_step_that_does_not_add_up_is_refused() -> None:
    with pytest.raises(InputError, match="1 remaining mistakes and 1 others are not the 4 before"):
        FlowStep("one", "other", 4, 0, (("correct", 1),), 1)


classes = st.lists(st.integers(0, 3), min_size=6, max_size=6)
verdicts = st.lists(st.sampled_from(["correct", "unclear", "wrong", "nothing"]), min_size=6, max_size=6)


@given(classes, st.lists(verdicts, min_size=2, max_size=4), st.data())
def test_every_step_begins_with_what_the_one_before_leaves(
    answers: list[int], said: list[list[str]], data: st.DataObject
) -> None:
    ids = [f"i{place}" for place in range(6)]
    label_sets = []
    for number, one in enumerate(said):
        lists = {
            name: [[answers[place]] if verdict == name else [] for place, verdict in enumerate(one)]
            for name in ("correct", "unclear", "wrong")
        }
        lists["wrong"][0] = [answers[0]]
        lists["correct"][0] = lists["unclear"][0] = []
        bad = [False, *data.draw(st.lists(st.booleans(), min_size=5, max_size=5))]
        label_sets.append(
            LabelSet.from_lists(
                f"l@{number}",
                ids,
                correct=lists["correct"],
                unclear=lists["unclear"],
                wrong=lists["wrong"],
                is_problematic=bad,
            )
        )
    target = line_up(Truth(None, tuple(label_sets)), n_classes=4)
    applied = [apply_labels(target, place) for place in range(len(label_sets))]
    flow = trace_flow(answer("m", answers, ids), applied, level=0.9)
    ends = [step.n_remaining + step.n_joined for step in flow.steps]
    assert [step.n for step in flow.steps[1:]] == ends[:-1]
    assert flow.n_end == ends[-1]
    assert flow.overturned.share.n <= flow.steps[0].n
