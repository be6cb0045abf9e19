"""Several new test sets of a study beside the original, on both databases."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.command_runner import write

from regauge.errors import InputError
from regauge.records.evaluation.shifts import ShiftSettings
from regauge.records.labels.label_set import LabelSet
from regauge.records.studies import Selection
from regauge.storage.evaluation.comparison_entries import list_comparisons
from regauge.storage.evaluation.comparisons import load_shift
from regauge.workflows.evaluation.evaluations import compare, measure_shift, measure_strategies, store_strategies
from regauge.workflows.evaluation.humans import study_humans
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.test_set import add_test_set

QUICK = ShiftSettings(n_bootstrap=100)
SETS = {
    "old": ("abcd", {"x": "abc", "y": "ab", "late": "a"}),
    "hard": ("efgh", {"x": "e", "y": "f"}),
    "easy": ("ijkl", {"x": "ijkl", "y": "ijk", "late": "i"}),
}
FREQUENCIES = "".join(
    f'{{"image_id":"{one}","label":0,"correct":[0],"wrong":[1],"frequencies":{{"0":[10,{k}]}}}}\n'
    for one, k in zip("efg", (2, 4, 6), strict=True)
)


@pytest.fixture
def filled(study: Study, tmp_path: Path) -> Study:
    write(tmp_path, {"asked.jsonl": FREQUENCIES})
    with study.begin() as begun:
        for name, (ids, right) in SETS.items():
            write(tmp_path, {f"{name}.csv": "image_id,label\n" + "".join(f"{one},0\n" for one in ids)})
            add_test_set(begun, tmp_path / f"{name}.csv")
            for model, own in right.items():
                rows = "".join(f"{one},{0 if one in own else 1}\n" for one in ids)
                write(tmp_path, {f"{name}/{model}.csv": f"image_id,class\n{rows}"})
            add_predictions(begun, PredictionSource(tmp_path / name), test_set=name)
        add_labels(begun, tmp_path / "asked.jsonl", name="asked")
    return study


def test_whoever_answered_all_sets_takes_part_and_every_comparison_is_kept(filled: Study) -> None:
    with filled.read() as begun:
        measured = measure_strategies(begun, Selection("old"), [Selection("hard"), Selection("easy")], settings=QUICK)
    found = measured.found
    assert list(found.ranges) == ["x", "y"]
    assert [(one.name, one.changes["top1"].by_images.value) for one in found.sets] == [("hard", -0.375), ("easy", 0.25)]
    with filled.begin() as begun:
        stored = store_strategies(begun, measured)
        assert [(one.original, one.new) for one in list_comparisons(begun)] == [("old", "hard"), ("old", "easy")]
        again = load_shift(begun, stored[1].id)
    assert again.to_frame().equals(found.sets[1].shift.to_frame())


def test_frequencies_come_from_the_label_sets_that_hold_them(filled: Study) -> None:
    with filled.read() as begun:
        found = measure_strategies(
            begun, Selection("old"), [Selection("hard"), Selection("easy")], settings=QUICK
        ).found
    frequency = found.sets[0].frequency
    assert frequency is not None
    # Three of four images were asked about: 0.2, 0.4 and 0.6. Nobody was asked about the other sets.
    assert (frequency.labels, frequency.n) == ("asked@1", 3)
    assert frequency.value == pytest.approx(0.4)
    assert (found.sets[1].frequency, found.original_frequency) == (None, None)


def test_nobody_in_common_is_refused(filled: Study) -> None:
    first, *rest = Selection("old", participants=("late",)), Selection("hard"), Selection("easy")
    with filled.read() as begun, pytest.raises(InputError, match="predictions on all of old, hard, easy"):
        measure_strategies(begun, first, rest, settings=QUICK)


def test_classes_are_measured_where_they_are_asked_for(filled: Study) -> None:
    with filled.read() as begun:
        plain = measure_shift(begun, Selection("old"), Selection("hard"), settings=QUICK)
        classes = measure_shift(begun, Selection("old"), Selection("hard"), settings=QUICK, each=("x",)).classes
    assert plain.classes is None
    assert classes is not None
    assert [(row.participant, row.class_id, row.change) for row in classes.rows] == [
        ("all", "n02691156", -0.375),
        ("x", "n02691156", -0.5),
    ]


def test_each_of_two_sets_is_judged_by_the_label_sets_that_cover_it(filled: Study) -> None:
    ids = {name: list(SETS[name][0]) for name in ("old", "hard")}
    with filled.begin() as begun:
        for name, images in ids.items():
            add_labels(begun, LabelSet.from_lists(f"of {name}", images, correct=[[0]] * len(images)))
        both = ("of old", "of hard")
        found = study_humans(begun, Selection("old", both), Selection("hard", both), n_draws=100, n_bootstrap=100)
        accuracies = found.get_table("accuracies").filter(subset="all", metric="multilabel_strict")
        assert set(accuracies.select("test_set", "labels").unique().rows()) == {
            ("old", "of old@1"),
            ("hard", "of hard@1"),
        }
        settings = replace(QUICK, metric="multilabel_strict")
        assert compare(begun, Selection("old", both), Selection("hard", both), settings=settings).shift.models
        with pytest.raises(InputError, match="No label set that is named covers an image of hard; name one that does"):
            study_humans(begun, Selection("old", both[:1]), Selection("hard", both[:1]))
        add_labels(begun, LabelSet.from_lists("of easy", list(SETS["easy"][0]), correct=[[0]] * len(SETS["easy"][0])))
        with pytest.raises(InputError, match="Label set of easy@1 covers no image of the test sets"):
            study_humans(begun, Selection("old", (*both, "of easy")), Selection("hard", (*both, "of easy")))
