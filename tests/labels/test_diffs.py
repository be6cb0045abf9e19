"""What changed between two versions of a label set."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from regauge.labels.diffs import compare_labels
from regauge.records.labels.diffs import LabelChange
from regauge.records.labels.label_set import LabelSet, Unlisted

VERDICTS = st.dictionaries(
    st.sampled_from("abc"),
    st.dictionaries(st.integers(0, 3), st.sampled_from(["correct", "unclear", "wrong"])),
    min_size=1,
)


def make(verdicts: dict[str, dict[int, str]]) -> LabelSet:
    def find(name: str) -> list[list[int]]:
        return [[index for index, verdict in one.items() if verdict == name] for one in verdicts.values()]

    return LabelSet.from_lists(
        "set", list(verdicts), correct=find("correct"), unclear=find("unclear"), wrong=find("wrong")
    )


def test_a_verdict_that_appears_disappears_or_turns_is_a_change() -> None:
    found = compare_labels(make({"a": {0: "correct", 1: "wrong"}}), make({"a": {1: "unclear", 2: "wrong"}}))
    assert found.changes == (
        LabelChange("a", 0, "correct", "unlisted"),
        LabelChange("a", 1, "wrong", "unclear"),
        LabelChange("a", 2, "unlisted", "wrong"),
    )


def test_what_unlisted_classes_mean_is_told_of_both_versions() -> None:
    before = replace(make({"a": {0: "correct"}}), unlisted=Unlisted.WRONG)
    found = compare_labels(before, make({"a": {0: "correct"}}))
    assert (found.changes, found.unlisted_before, found.unlisted_after) == ((), Unlisted.WRONG, Unlisted.UNJUDGED)


@given(before=VERDICTS, after=VERDICTS)
def test_the_changes_turn_the_old_version_into_the_new_one(
    before: dict[str, dict[int, str]], after: dict[str, dict[int, str]]
) -> None:
    found = compare_labels(make(before), make(after))
    rebuilt = {image_id: dict(before[image_id]) for image_id in before if image_id not in found.removed}
    for change in found.changes:
        assert rebuilt[change.image_id].get(change.class_index, "unlisted") == change.before
        if change.after == "unlisted":
            del rebuilt[change.image_id][change.class_index]
        else:
            rebuilt[change.image_id][change.class_index] = change.after
    assert rebuilt == {image_id: after[image_id] for image_id in after if image_id not in found.added}
