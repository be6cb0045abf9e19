"""Participants of a study are models or people, of families, and their answers have seconds; on both databases."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.cli.command_runner import write
from tests.storage.small_studies import fill, make_circumstances

from regauge import Predictions
from regauge.errors import InputError
from regauge.records.predictions import ParticipantChoice, ParticipantKind
from regauge.records.studies import Selection
from regauge.storage.evaluation.comparisons import load_shift
from regauge.storage.predictions import load_predictions
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.evaluation.evaluations import compare, evaluate, load_scores
from regauge.workflows.predictions import PredictionSource, add_predictions, list_predictions, mark_participants
from regauge.workflows.studies.bundles import export_bundle, import_study
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.test_set import add_test_set

ANNA = "image_id,class,seconds,active_seconds,kind,family\nd,3,9,4\na,0,2.5,2\nb,0,,1\nc,2,40,\n".replace(
    "\n", ",person,lab\n"
).replace("kind,family,person,lab", "kind,family")


def read(study: Study, name: str, test_set: str = "truth") -> Predictions:
    entry = get_test_set(study, test_set)
    (one,) = [one for one in list_predictions(study, test_set) if one.participant == name]
    return load_predictions(study, one, test_set=load_test_set(study, entry), digest=entry.digest)


def test_seconds_come_back_by_image(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    write(tmp_path, {"anna.csv": ANNA})
    with study.begin() as begun:
        (entry,) = add_predictions(begun, PredictionSource([tmp_path / "anna.csv"])).entries
        assert (entry.kind, entry.family, entry.has_seconds) == (ParticipantKind.PERSON, "lab", True)
        found = read(begun, "anna")
    assert found.image_ids.tolist() == list("abcd")
    np.testing.assert_array_equal(found.seconds, [2.5, np.nan, 40, 9])
    np.testing.assert_array_equal(found.active_seconds, [2, 1, np.nan, 4])
    assert (found.is_person, found.family) == (True, "lab")


def test_somebody_without_all_images_keeps_the_seconds_of_theirs(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    write(tmp_path, {"anna.csv": "image_id,class,seconds\nd,3,9\nb,0,5\n"})
    with study.begin() as begun:
        add_predictions(begun, PredictionSource([tmp_path / "anna.csv"], kind="person"), allow_missing=True)
        found = read(begun, "anna")
    assert (found.image_ids.tolist(), found.seconds is not None and found.seconds.tolist()) == (["b", "d"], [5, 9])
    assert (found.active_seconds, found.is_person) == (None, True)


def test_other_seconds_are_other_answers(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    write(tmp_path, {"anna.csv": ANNA, "slow/anna.csv": ANNA.replace("2.5", "3.5")})
    with study.begin() as begun:
        add_predictions(begun, PredictionSource([tmp_path / "anna.csv"]))
        with pytest.raises(InputError, match="anna already has predictions on truth, and these are others"):
            add_predictions(begun, PredictionSource([tmp_path / "slow" / "anna.csv"]))
        add_predictions(begun, PredictionSource([tmp_path / "slow" / "anna.csv"]), replace=True)
        seconds = read(begun, "anna").seconds
        assert seconds is not None
        assert seconds[0] == 3.5


def test_participants_are_marked_and_chosen(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    with study.begin() as begun:
        assert {one.kind for one in list_predictions(begun)} == {ParticipantKind.MODEL}
        marked = mark_participants(begun, ["go*"], kind="person", family="lab")
        assert [(one.name, one.kind, one.family) for one in marked] == [("good", ParticipantKind.PERSON, "lab")]
        people = ParticipantChoice(ParticipantKind.PERSON)
        assert [one.participant for one in list_predictions(begun, chosen=people)] == ["good"]
        models = evaluate(begun, Selection(chosen=ParticipantChoice(ParticipantKind.MODEL)))
        assert set(models.scores.to_frame()["participant"]) == {"bad"}
        lab = evaluate(begun, Selection(chosen=ParticipantChoice(families=("l*",))))
        assert lab.scores.to_frame()["participant"].unique().to_list() == sorted(lab.scores.people) == ["good"]
        assert load_scores(begun, lab.id).people == {"good"}
        with pytest.raises(InputError, match="No person of the family x on truth is among the participants"):
            evaluate(begun, Selection(chosen=ParticipantChoice(ParticipantKind.PERSON, ("x",))))
        # What is not said stays as it was, and an empty text takes a family away.
        assert mark_participants(begun, ["good"], family="")[0].kind is ParticipantKind.PERSON
        assert list_predictions(begun)[0].family is None


@pytest.mark.same_sql
@pytest.mark.parametrize(
    ("names", "said", "reason"),
    [
        (["nobody"], {"kind": "person"}, "No participant matches 'nobody'; there are: good, bad"),
        (["good"], {}, "Say what these participants are"),
        (["good"], {"kind": "robot"}, "is one of model, person, not 'robot'"),
    ],
)
def test_bad_marks_are_refused(
    study: Study, tmp_path: Path, names: list[str], said: dict[str, str], reason: str
) -> None:
    fill(study, tmp_path)
    with study.begin() as begun, pytest.raises(InputError, match=reason):
        mark_participants(begun, names, **said)


def test_a_file_does_not_overrule_what_was_said(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    write(tmp_path, {"anna.csv": ANNA, "more.csv": "image_id,label\ne,0\n"})
    write(tmp_path, {"then/anna.csv": "image_id,class,kind\ne,0,model\n"})
    with study.begin() as begun:
        add_predictions(begun, PredictionSource([tmp_path / "anna.csv"]))
        add_test_set(begun, tmp_path / "more.csv")
        source = PredictionSource([tmp_path / "then" / "anna.csv"])
        with pytest.raises(InputError, match="anna is a person in this study, and a model by these answers"):
            add_predictions(begun, source, test_set="more")
        asked = PredictionSource([tmp_path / "then" / "anna.csv"], kind="person")
        (entry,) = add_predictions(begun, asked, test_set="more").entries
        assert (entry.kind, entry.family) == (ParticipantKind.PERSON, "lab")


def test_lines_go_through_the_models_alone(study: Study, tmp_path: Path) -> None:
    answers = {"one": "0000", "two": "0111", "three": "0022", "anna": "0123"}
    files = {f"{part}/{name}.csv": "image_id,class\n" + "".join(f"{i},{c}\n" for i, c in zip(ids, row, strict=True))
             for part, ids in (("old", "abcd"), ("new", "efgh")) for name, row in answers.items()}  # fmt: skip
    write(tmp_path, {**files, "new.csv": "image_id,label\ne,0\nf,1\ng,2\nh,0\n"})
    with study.begin() as begun:
        add_test_set(begun, tmp_path / "truth.csv")
        add_test_set(begun, tmp_path / "new.csv")
        add_predictions(begun, PredictionSource([tmp_path / "old"]), test_set="truth")
        add_predictions(begun, PredictionSource([tmp_path / "new"]), test_set="new")
        mark_participants(begun, ["anna"], kind="person")
        found = compare(begun, Selection("truth"), Selection("new"))
        assert found.shift.people == {"anna"}
        assert set(found.shift.fits[0].models) == {"one", "two", "three"}
        assert any(
            note == "Lines go through the models alone; mean changes are over all 4 participants, 1 person among them."
            for note in found.shift.notes
        )
        assert load_shift(begun, found.id).people == {"anna"}


def test_a_bundle_takes_them_along(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    write(tmp_path, {"anna.csv": ANNA})
    with study.begin() as begun:
        add_predictions(begun, PredictionSource([tmp_path / "anna.csv"]))
        export_bundle(begun, tmp_path / "whole.zip")
    imported = import_study(tmp_path / "whole.zip", tmp_path / "again", around=make_circumstances())
    with imported.study as again, again.read() as begun:
        found = read(begun, "anna")
    assert found.seconds is not None
    assert (found.seconds[0], found.is_person, found.family) == (2.5, True, "lab")
