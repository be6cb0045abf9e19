"""Label sets on some of their images."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from regauge.labels.selection import keep_images, make_label_set
from regauge.records.labels.label_set import LabelSet, Unlisted
from regauge.records.labels.verdicts import Verdict
from regauge.records.testsets.test_set import TestSet

IDS = list("abcdef")
LISTS = st.lists(st.lists(st.integers(0, 5), unique=True, max_size=4), min_size=6, max_size=6)


@given(correct=LISTS, kept=st.sets(st.sampled_from([*IDS, "x"])))
def test_kept_images_have_the_verdicts_they_had(correct: list[list[int]], kept: set[str]) -> None:
    whole = LabelSet.from_lists(
        "set", IDS, correct=correct, is_problematic=[one in "ab" for one in IDS], main_labels=list(range(6))
    )
    part = keep_images(whole, kept)
    rows = [row for row, image_id in enumerate(IDS) if image_id in kept]
    assert part.image_ids.tolist() == [IDS[row] for row in rows]
    assert [part.classes[part.starts[i] : part.starts[i + 1]].tolist() for i in range(len(part))] == [
        correct[row] for row in rows
    ]
    assert part.is_problematic.tolist() == [row < 2 for row in rows]
    assert part.main_labels.tolist() == rows
    assert (part.kind, part.unlisted, part.name) == (whole.kind, whole.unlisted, whole.name)


def test_a_single_label_is_one_correct_class_and_all_others_wrong() -> None:
    made = make_label_set(TestSet("single", ["a", "b"], [4, 2]))
    assert (made.classes.tolist(), made.starts.tolist()) == ([4, 2], [0, 1, 2])
    assert (set(made.verdicts.tolist()), made.unlisted) == ({Verdict.CORRECT}, Unlisted.WRONG)
