"""Several new sets from files and records: frequencies, shared images, notes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.command_runner import write

from regauge.errors import InputError
from regauge.records.evaluation.shifts import ShiftSettings
from regauge.records.testsets.shared_images import SharedBy
from regauge.workflows.evaluation.shifts import compare_sets, shift, shift_by_class
from regauge.workflows.inputs import TestSetAnswers

QUICK = ShiftSettings(n_bootstrap=100)


def make(folder: Path, name: str, ids: str, right: dict[str, str]) -> TestSetAnswers:
    """A truth of class 0, and models that are right on the images they name."""
    write(folder, {f"{name}.csv": "image_id,label\n" + "".join(f"{one},0\n" for one in ids)})
    for model, own in right.items():
        rows = "".join(f"{one},{0 if one in own else 1}\n" for one in ids)
        write(folder, {f"{name}/{model}.csv": f"image_id,class\n{rows}"})
    return TestSetAnswers(folder / name, folder / f"{name}.csv")


@pytest.fixture
def sets(tmp_path: Path) -> list[TestSetAnswers]:
    return [
        make(tmp_path, "old", "abcd", {"x": "abc", "y": "ab"}),
        make(tmp_path, "hard", "efgh", {"x": "e", "y": "f"}),
        make(tmp_path, "easy", "ghij", {"x": "ghij", "y": "ghi"}),
    ]


def test_sets_from_files_are_compared_and_shared_images_are_said(sets: list[TestSetAnswers]) -> None:
    found = compare_sets(sets[0], sets[1:], settings=QUICK)
    assert [(one.name, one.changes["top1"].by_images.value) for one in found.sets] == [("hard", -0.375), ("easy", 0.25)]
    assert found.original_frequency is None
    assert any(note.startswith("2 image ids are in both hard and easy, and no digest says") for note in found.notes)
    assert found.overlaps == ()
    told = compare_sets(sets[0], sets[1:], settings=replace(QUICK, shared=SharedBy.IDS))
    assert [(one.first, one.second, one.n) for one in told.overlaps] == [("hard", "easy", 2)]
    assert "hard and easy share 2 images (by equal ids); shared images are drawn together." in told.notes
    assert sum(note.startswith("old.csv:") for note in found.notes) == 1


def test_frequencies_of_a_truth_are_averaged(sets: list[TestSetAnswers], tmp_path: Path) -> None:
    rows = "".join(
        f'{{"image_id":"{one}","label":0,"frequencies":{{"0":[10,{k}]}}}}\n'
        for one, k in zip("efgh", (2, 4, 6, 8), strict=True)
    )
    write(tmp_path, {"asked.jsonl": rows})
    asked = TestSetAnswers(tmp_path / "hard", tmp_path / "asked.jsonl")
    found = compare_sets(sets[0], [asked, sets[2]], settings=QUICK)
    frequency = found.sets[0].frequency
    assert frequency is not None
    assert frequency.n == 4
    assert frequency.value == pytest.approx(0.5)
    assert found.sets[1].frequency is None


def test_one_new_set_is_for_shift(sets: list[TestSetAnswers]) -> None:
    with pytest.raises(InputError, match="at least two new sets"):
        compare_sets(sets[0], sets[1:2], settings=QUICK)


def test_classes_come_beside_the_same_shift(sets: list[TestSetAnswers]) -> None:
    both = shift_by_class((sets[0], sets[1]), each=["y"], settings=QUICK)
    assert both.shift.to_frame().equals(shift(sets[0], sets[1], settings=QUICK).to_frame())
    assert [(row.participant, row.change) for row in both.classes.rows] == [("all", -0.375), ("y", -0.25)]
