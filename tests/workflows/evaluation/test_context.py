"""Benchmark and task from files, from records and inside a study, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.evaluation.context.tiny import ANSWERS, IDS, LABELS, PARTS, both, make_counts
from tests.labels.objects.classify_answers import make_responses
from tests.workflows.campaign_studies import add_classify, add_people, answer, make_pictured, take

import regauge
from regauge.errors import FormatError, InputError
from regauge.records.campaigns.campaign import NewAnswer
from regauge.records.studies import Selection
from regauge.records.testsets.test_set import TestSet
from regauge.storage.study import Study
from regauge.workflows.campaigns.responses import export_answers
from regauge.workflows.evaluation.context import context, context_all, save_context, study_context, study_context_all
from regauge.workflows.evaluation.context_inputs import ContextInputs
from regauge.workflows.labels.campaign_labels import build_labels
from regauge.workflows.predictions import PredictionSource, add_predictions

TRUTH = TestSet("tiny", np.array(IDS), np.array(LABELS))


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with make_pictured(tmp_path) as made:
        yield made


def write_files(folder: Path) -> ContextInputs:
    rows = zip(IDS, LABELS, strict=True)
    (folder / "truth.csv").write_text("image_id,label\n" + "".join(f"{one},{label}\n" for one, label in rows))
    lines = [
        json.dumps({"image_id": image, "annotator_id": who, "selected": list(selected), "main": main})
        for image, who, selected, main in ANSWERS
    ]
    (folder / "classify.jsonl").write_text("\n".join(lines))
    (folder / "split.csv").write_text("image_id,part\n" + "".join(f"{one},{part}\n" for one, part in PARTS.items()))
    for one in both():
        np.savez(folder / f"{one.participant}.npz", image_ids=one.image_ids, classes=one.classes)
    return ContextInputs(
        folder / "truth.csv",
        [folder / "good.npz", folder / "other.npz"],
        classify=folder / "classify.jsonl",
        split=folder / "split.csv",
    )


def test_files_and_records_give_the_same(tmp_path: Path) -> None:
    by_file = context("objects", write_files(tmp_path), n_bootstrap=200)
    records = ContextInputs(TRUTH, both(), classify=make_responses(ANSWERS), split=PARTS)
    by_record = regauge.context("objects", records, n_bootstrap=200)
    assert all(by_file.get_table(name).equals(by_record.get_table(name)) for name in by_file.tables)
    assert by_file.answers == by_record.answers


def test_all_makes_what_the_inputs_allow_and_names_the_rest() -> None:
    reports = context_all(ContextInputs(TRUTH, split=PARTS), n_bootstrap=200)
    assert [one.analysis for one in reports] == ["mislabeled"]
    assert "objects is not analysed without objects." in reports[0].notes
    with pytest.raises(InputError, match=r"tiny allows no analysis\. objects is not analysed without objects\."):
        context_all(ContextInputs(TRUTH))


def test_counts_tell_the_split() -> None:
    (report,) = (
        one for one in context_all(ContextInputs(TRUTH, frequencies=make_counts())) if one.analysis == "mislabeled"
    )
    assert report.to_frame()["n_images"].to_list() == [1]


def test_everything_is_written_to_a_new_folder(tmp_path: Path) -> None:
    reports = context_all(ContextInputs(TRUTH, both(), classify=make_responses(ANSWERS), split=PARTS), n_bootstrap=200)
    files = save_context(reports, tmp_path / "out")
    assert {path.name for path in files} == {path.name for path in (tmp_path / "out").iterdir()}
    content = json.loads((tmp_path / "out" / "context.json").read_text())
    assert [one["analysis"] for one in content["analyses"]] == [one.analysis for one in reports]
    assert (tmp_path / "out" / "objects-numbers.csv").read_text().startswith("n_objects,n_images,n,share,")
    with pytest.raises(InputError, match="exists and is not an empty folder"):
        save_context(reports, tmp_path / "out")


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        (ContextInputs(), "A truth is needed"),
        (
            ContextInputs(TRUTH, split={"a": "hard"}),
            "A part of a split is easy, mislabeled, ambiguous, follow-up, not 'hard'",
        ),
        (ContextInputs(TRUTH, split={"z": "easy"}), "The split and tiny share no image id: the first is 'z'"),
        (
            ContextInputs(TRUTH, classify=make_responses([("z", "x", [0], 0)])),
            "The responses and tiny share no image id",
        ),
        (ContextInputs(TRUTH, classify=make_responses(ANSWERS), split={"a": "easy"}), "`n_bootstrap"),
    ],
)
def test_what_cannot_be_is_refused(inputs: ContextInputs, words: str) -> None:
    if words.startswith("`"):
        with pytest.raises(InputError, match="A bootstrap takes 100 to"):
            context("objects", inputs, n_bootstrap=3)
        return
    with pytest.raises(InputError, match=words):
        context("mislabeled", inputs)


def test_an_analysis_that_does_not_exist_is_refused_with_the_nearest() -> None:
    with pytest.raises(InputError, match=r"There is no analysis 'object'; there are: objects, .* Did you mean objects"):
        context("object", ContextInputs(TRUTH))


def test_a_participant_on_other_images_is_refused() -> None:
    stranger = regauge.Predictions("stranger", ["x", "y"], [0, 1])
    with pytest.raises(InputError, match="stranger and tiny share no image id"):
        context("objects", ContextInputs(TRUTH, [stranger], classify=make_responses(ANSWERS)))


def classify(study: Study, *, n_people: int = 3) -> None:
    """Everybody selects the first candidate, and of every other image the second as well; the first is the main one's."""
    campaign = add_classify(study, quota=n_people)
    for who in add_people(study, campaign, n_people):
        while tasks := take(study, campaign, who, n=5):
            said = [{"selected": sorted(one.payload["candidates"])[: 1 + one.payload["image"] % 2]} for one in tasks]
            answer(
                study,
                *(
                    NewAnswer(f"client-{one.id}", one.id, who.annotator.id, {**words, "main": words["selected"][0]})
                    for one, words in zip(tasks, said, strict=True)
                ),
            )


def test_a_study_gives_what_its_exported_answers_give(study: Study, tmp_path: Path) -> None:
    classify(study)
    model = regauge.Predictions("model", [f"i{row}" for row in range(24)], np.tile([0, 1, 2, 3, 4], (24, 1)))
    with study.begin() as begun:
        add_predictions(begun, PredictionSource([model]))
        before = study_context(begun, Selection(), "objects", n_bootstrap=200)
        build_labels(begun, "labels", name="people")
        found = study_context_all(begun, Selection(), n_bootstrap=200)
        export_answers(begun, "labels", tmp_path / "answers.jsonl")
    inputs = ContextInputs(tmp_path / "pictures" / "set.csv", [model], classify=tmp_path / "answers.jsonl")
    expected = context("objects", inputs, taxonomy="cifar-10", n_bootstrap=200)
    for report in (before, found[0]):
        assert all(report.get_table(name).equals(frame) for name, frame in expected.tables.items())
        assert "Answers to CLASSIFY are those of campaign labels." in report.notes
    # The answers say what was offered: three labels of each of five images.
    (potential,) = (one for one in found if one.analysis == "potential")
    assert potential.get_table("candidates").select("n_labels", "n_images").rows() == [(3, 5)]


def test_files_add_to_what_a_study_knows_and_take_nothing_from_it(study: Study) -> None:
    classify(study)
    with study.begin() as begun:
        parts = {f"i{row}": "easy" if row >= 5 else "follow-up" for row in range(24)}
        found = study_context(begun, Selection(), "objects", inputs=ContextInputs(split=parts), n_bootstrap=200)
        assert found.get_table("numbers")["n"][0] == 24
        with pytest.raises(InputError, match="In a study truth and predictions are those of its test set"):
            study_context(begun, Selection(), "objects", inputs=ContextInputs(TRUTH))
        with pytest.raises(InputError, match="Labels that people were asked about cannot be analysed without"):
            study_context(
                begun, Selection(), "potential", inputs=ContextInputs(classify=make_responses([("i0", "x", [0], 0)]))
            )


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("image_id,class\na,0\na,0\n", "class 0 of image 'a' occurs a second time"),
        ("image_id\na\n", "a table of potential labels needs the columns image_id, class"),
        ("image_id,class,is_dataset_label\na,0,maybe\n", "is_dataset_label is true or false, not 'maybe'"),
        ("image_id,class,n_participants\na,0,-1\n", "n_participants is a whole number from 0 up, not '-1'"),
    ],
)
def test_a_table_of_potential_labels_that_is_none_is_refused(tmp_path: Path, table: str, words: str) -> None:
    (tmp_path / "potential.csv").write_text(table)
    with pytest.raises(FormatError, match=words):
        context("potential", ContextInputs(TRUTH, potential=tmp_path / "potential.csv"))


def test_tables_of_the_candidates_commands_are_read(tmp_path: Path) -> None:
    (tmp_path / "potential.csv").write_text(
        "image_id,class,is_dataset_label,n_participants\na,0,true,1\na,3,false,2\nb,1,true,0\n"
    )
    rows = ("a,0,1,dataset-label,", "a,3,2,frequent,", "a,4,,frequent,below-dataset-label", "b,1,1,dataset-label,")
    (tmp_path / "candidates.csv").write_text("\n".join(["image_id,class,rank,rule,cut", *rows]))
    inputs = ContextInputs(TRUTH, potential=tmp_path / "potential.csv", candidates=tmp_path / "candidates.csv")
    found = context("potential", inputs)
    # The label that was cut is no candidate.
    for name in ("potential", "candidates"):
        assert found.get_table(name).select("n_labels", "n_images").rows() == [(1, 1), (2, 1)]
    (tmp_path / "candidates.csv").write_text("image_id,class,rule,cut\na,0,lucky,\n")
    with pytest.raises(
        FormatError, match="rule is one of dataset-label, frequent, distant, fill, or empty, not 'lucky'"
    ):
        context("potential", inputs)
