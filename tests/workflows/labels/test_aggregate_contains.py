"""From files of answers to labels."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from regauge.errors import InputError
from regauge.formats.labels.truth import load_truth
from regauge.records.labels.contains import ContainsSettings, FrequencyMethod
from regauge.records.labels.frequencies import FrequencyRule
from regauge.records.labels.verdicts import Verdict
from regauge.records.responses.screening import ScreeningRules
from regauge.stats.intervals import wilson
from regauge.workflows.labels.aggregate_classify import aggregate_classify
from regauge.workflows.labels.aggregate_contains import aggregate_contains, describe_verdicts, make_labels, save_labels

HEADER = "task_id,annotator_id,class,image_id,control,selected\n"


def write(path: Path, votes: dict[str, str]) -> Path:
    """One task t for class 2; per annotator a text of answers to the positive controls p, q, r and the images a, b."""
    rows = [
        f"t,{who},2,{image},{'positive' if image in 'pqr' else ''},{vote}\n"
        for who, text in votes.items()
        for image, vote in zip("pqrab", text, strict=True)
    ]
    path.write_text(HEADER + "".join(rows), encoding="utf-8")
    return path


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    return write(tmp_path / "answers.csv", {"u": "11111", "v": "11110", "w": "11101", "x": "11110", "z": "00011"})


def find(labels, image: str) -> dict[str, object]:
    return next(row for row in labels.to_frame().to_dicts() if row["image_id"] == image)


def test_frequencies_have_wilson_limits_and_say_who_was_dropped(answers):
    labels = aggregate_contains(answers)
    # z missed all three controls and is dropped; of the other four, three selected a.
    row = find(labels, "a")
    assert (row["class"], row["n_shown"], row["n_selected"], row["selection_frequency"]) == (2, 4, 3, 0.75)
    assert (row["low"], row["high"]) == pytest.approx(tuple(map(float, wilson(3, 4))))
    assert labels.annotators.to_frame().filter(dropped=True)["annotator_id"].to_list() == ["z"]
    dropped = labels.list_dropped().to_dicts()
    assert [(row["task_id"], row["annotator_id"], row["restored"]) for row in dropped] == [("t", "z", False)]
    assert dropped[0]["reason"] == "selected less than 20% of the positive controls on 1 of 1 tasks"
    assert any("drops 1 of 5 annotators with 1 response" in note for note in labels.notes)


def test_a_kept_annotator_counts_again_and_is_recorded(answers):
    settings = ContainsSettings(keep_annotators=("z",), keep_responses=(("t", "z"),))
    labels = aggregate_contains(answers, settings=settings)
    assert find(labels, "a")["n_shown"] == 5
    assert labels.list_dropped()["restored"].to_list() == [True]
    assert any("Kept by hand: 1 annotator and 1 response" in note for note in labels.notes)


def test_without_screening_everybody_counts(answers):
    labels = aggregate_contains(answers, settings=ContainsSettings(rules=None))
    assert find(labels, "p")["n_shown"] == 5
    assert any("No screening: all 5 responses" in note for note in labels.notes)


def test_shrunk_frequencies_have_a_posterior_and_a_prior(tmp_path):
    rng = np.random.default_rng(3)
    lines = [HEADER]
    for image, chance in enumerate(rng.beta(0.5, 0.5, 60)):
        lines += [f"t{image},w{who},0,i{image},,{int(rng.random() < chance)}\n" for who in range(9)]
    path = tmp_path / "many.csv"
    path.write_text("".join(lines))
    settings = ContainsSettings(rules=None, method=FrequencyMethod.BETA_BINOMIAL)
    labels = aggregate_contains(path, settings=settings)
    assert labels.prior is not None
    frame = labels.to_frame()
    row = frame.row(0, named=True)
    a, b = labels.prior.a, labels.prior.b
    assert row["posterior_mean"] == pytest.approx((row["n_selected"] + a) / (9 + a + b))
    assert row["low"] < row["posterior_mean"] < row["high"]
    assert labels.warnings == ()


def test_counts_that_tell_nothing_of_all_pairs_are_shrunk_towards_jeffreys(tmp_path):
    path = tmp_path / "one.csv"
    path.write_text(HEADER + "".join(f"t,w{who},0,a,,1\n" for who in range(4)))
    labels = aggregate_contains(path, settings=ContainsSettings(rules=None, method=FrequencyMethod.BETA_BINOMIAL))
    assert find(labels, "a")["posterior_mean"] == pytest.approx(4.5 / 5)
    assert "Jeffreys" in labels.warnings[0]


def test_verdicts_are_written_as_a_truth_that_can_be_read_again(answers, tmp_path):
    settings = ContainsSettings(rules=None, verdicts=FrequencyRule(correct=0.7, unclear=0.5, min_shown=5))
    labels = aggregate_contains(answers, settings=settings)
    path = tmp_path / "labels.jsonl"
    saved = save_labels(labels, path)
    assert saved.name == "labels"
    line = next(one for one in map(json.loads, path.read_text().splitlines()) if one["image_id"] == "b")
    # b was selected by u, w and z: 3 of 5 is unclear here.
    assert (line["correct"], line["unclear"], line["wrong"]) == ([], [2], [])
    assert line["frequencies"] == {"2": [5, 3]}
    (again,) = load_truth(path).label_sets
    assert again.verdicts.tolist() == saved.verdicts.tolist()
    assert make_labels(labels, name="x").verdicts.tolist().count(Verdict.CORRECT) == 4
    assert describe_verdicts(labels).endswith("4 correct, 1 unclear, 0 wrong, 0 unjudged.")


def test_answers_about_other_images_than_those_listed_are_refused(answers, tmp_path):
    (tmp_path / "ids.txt").write_text("p\nq\nr\na\n")
    (tmp_path / "truth.csv").write_text("image_id,label\n" + "".join(f"{one},0\n" for one in "pqrab"))
    aggregate_contains(answers, images=tmp_path / "truth.csv")
    aggregate_contains(answers, images=list("pqrabz"))
    with pytest.raises(InputError, match=r"Image 'b' of the answers is not in .*ids.txt \(1 of 5 images are not\)"):
        aggregate_contains(answers, images=tmp_path / "ids.txt")


def test_an_unknown_class_index_of_a_record_is_refused(answers):
    responses = aggregate_contains(answers).responses
    assert len(aggregate_contains(responses, taxonomy="cifar-10")) == 5
    (high,) = [np.full(1, 10, np.int32)]
    grids = responses.grids
    other = type(grids)(grids.task_ids, high, grids.starts, grids.image_ids, grids.cell_images, grids.cell_controls)
    wrong = type(responses)(
        other,
        responses.annotator_ids,
        responses.response_grids,
        responses.response_annotators,
        responses.masks,
        responses.seconds,
    )
    with pytest.raises(InputError, match="'10' is not a class of cifar-10"):
        aggregate_contains(wrong, taxonomy="cifar-10")


def test_notes_tell_of_repeats_single_controls_and_pairs_without_votes(tmp_path):
    path = tmp_path / "few.csv"
    rows = [
        "t1,w,0,p,positive,1\n",
        "t1,w,0,a,,1\n",
        "t2,w,0,p,positive,1\n",
        "t2,w,0,a,,0\n",
    ]
    path.write_text(HEADER + "".join(rows))
    notes = " ".join(aggregate_contains(path, settings=ContainsSettings(rules=ScreeningRules())).notes)
    assert "2 responses with a single positive control" in notes
    assert "1 vote on a pair that the same annotator had voted on before, 0 of them the same" in notes
    assert "1 pair without an accepted vote: the frequency is missing, not 0" in notes


@pytest.mark.parametrize("kind", ["polars", "pandas"])
def test_a_data_frame_gives_what_its_file_gives(answers: Path, kind: str) -> None:
    frame = pl.read_csv(answers)
    frame = frame.with_columns(pl.col("selected").cast(pl.Boolean)) if kind == "polars" else frame.to_pandas()
    assert aggregate_contains(frame).to_frame().equals(aggregate_contains(answers).to_frame())


def test_a_data_frame_that_is_no_table_of_answers_is_refused(answers: Path) -> None:
    frame = pl.read_csv(answers)
    with pytest.raises(
        InputError, match=r"A data frame of answers to grids has the columns .*selected; this one has: task_id"
    ):
        aggregate_contains(frame.drop("selected"))
    with pytest.raises(InputError, match=r"Row 0 of the data frame has no image_id"):
        aggregate_contains(frame.with_columns(image_id=pl.lit(None)))
    with pytest.raises(InputError, match=r"or count every answer by `rules=None`"):
        aggregate_contains(frame.with_columns(control=pl.lit(None)))
    unscreened = aggregate_contains(frame.with_columns(control=pl.lit(None)), rules=None)
    assert find(unscreened, "a")["n_shown"] == 5
    with pytest.raises(InputError, match="Answers to CLASSIFY are files or `ClassifyResponses`, not a data frame"):
        aggregate_classify(frame)  # type: ignore[arg-type]
