"""A version as what changed: the changes turn one label set into the other, whatever the two are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.errors import InputError
from regauge.records.labels.changes import NO_VERDICT, VersionChanges, join_steps
from regauge.records.labels.label_set import LabelSet

IMAGES = st.dictionaries(
    st.sampled_from(["a", "bb", "ccc", "dddd"]),
    st.tuples(
        st.dictionaries(st.integers(0, 3), st.sampled_from(["correct", "unclear", "wrong"])),
        st.booleans(),
        st.integers(-1, 2),
    ),
    min_size=1,
)


def make(images: dict[str, Any]) -> LabelSet:
    lists = {
        name: [[index for index, verdict in judged.items() if verdict == name] for judged, _, _ in images.values()]
        for name in ("correct", "unclear", "wrong")
    }
    return LabelSet.from_lists(
        "set",
        list(images),
        correct=lists["correct"],
        unclear=lists["unclear"],
        wrong=lists["wrong"],
        is_problematic=[one[1] for one in images.values()],
        main_labels=[one[2] for one in images.values()],
    )


def read(label_set: LabelSet) -> dict[str, Any]:
    """What a label set says, whatever the order."""
    return {
        str(image_id): (
            dict(
                zip(
                    label_set.classes[label_set.starts[row] : label_set.starts[row + 1]].tolist(),
                    label_set.verdicts[label_set.starts[row] : label_set.starts[row + 1]].tolist(),
                    strict=True,
                )
            ),
            bool(label_set.is_problematic[row]),
            int(label_set.main_labels[row]),
        )
        for row, image_id in enumerate(label_set.image_ids)
    }


@given(before=IMAGES, after=IMAGES)
def test_the_changes_turn_one_version_into_the_other(before: dict[str, Any], after: dict[str, Any]) -> None:
    old, new = make(before), make(after)
    assert read(VersionChanges.between(old, new).apply(old)) == read(new)


@given(images=IMAGES)
def test_nothing_changes_between_equal_versions(images: dict[str, Any]) -> None:
    backwards = dict(reversed(images.items()))
    assert len(VersionChanges.between(make(images), make(backwards))) == 0


def test_only_what_changed_is_kept() -> None:
    before = make({"a": ({0: "correct", 1: "wrong"}, False, -1), "b": ({2: "wrong"}, False, -1)})
    after = make({"a": ({0: "correct", 1: "unclear"}, False, -1), "b": ({}, True, -1), "c": ({3: "correct"}, False, 3)})
    changes = VersionChanges.between(before, after)
    assert changes.images.tolist() == ["b", "c"]
    assert changes.is_problematic.tolist() == [True, False]
    assert changes.main_labels.tolist() == [-1, 3]
    pairs = zip(changes.verdict_images.tolist(), changes.classes.tolist(), changes.verdicts.tolist(), strict=True)
    assert list(pairs) == [("a", 1, 1), ("b", 2, NO_VERDICT), ("c", 3, 2)]
    assert changes.removed.tolist() == []


def test_verdicts_keep_their_places() -> None:
    before = make({"a": ({3: "correct", 1: "correct", 2: "correct"}, False, -1)})
    after = make({"a": ({0: "correct", 3: "wrong", 1: "correct", 2: "correct"}, False, -1)})
    found = VersionChanges.between(before, after).apply(before)
    assert found.classes.tolist() == [3, 1, 2, 0]
    assert found.verdicts.tolist() == [0, 2, 2, 2]


def test_a_change_on_an_image_that_is_not_there_is_refused() -> None:
    nothing = np.array([], np.str_)
    none = np.array([], np.int32)
    one, two = np.array([1], np.int32), np.array([2], np.int8)
    changes = VersionChanges(nothing, nothing, none.astype(np.bool_), none, np.array(["z"]), one, two)
    with pytest.raises(InputError, match="image 'z', which the label set does not have"):
        changes.apply(make({"a": ({}, False, -1)}))


@given(versions=st.lists(IMAGES, min_size=2, max_size=6))
def test_steps_that_are_joined_give_the_same_verdicts_in_the_same_order(versions: list[dict[str, Any]]) -> None:
    first, *later = (make(one) for one in versions)
    label_set, steps = first, []
    for one in later:
        steps.append(VersionChanges.between(label_set, one))
        label_set = steps[-1].apply(label_set)
    found = first
    for step in join_steps(steps):
        found = step.apply(found)
    for name in ("image_ids", "starts", "classes", "verdicts", "is_problematic", "main_labels"):
        assert getattr(found, name).tolist() == getattr(label_set, name).tolist(), name


def test_steps_that_judge_different_pairs_are_one_and_a_pair_that_comes_again_begins_anew() -> None:
    whole = {"a": ({0: "correct", 1: "correct"}, False, -1), "bb": ({0: "correct"}, False, -1)}
    changed = [("a", 0, "wrong"), ("bb", 0, "wrong"), ("bb", 2, "correct"), ("a", 0, "unclear")]
    label_set, steps = make(whole), []
    for image_id, index, verdict in changed:
        whole[image_id] = ({**whole[image_id][0], index: verdict}, False, -1)
        steps.append(VersionChanges.between(label_set, make(whole)))
        label_set = steps[-1].apply(label_set)
    assert [len(step) for step in join_steps(steps)] == [3, 1]
    assert list(join_steps([])) == []
