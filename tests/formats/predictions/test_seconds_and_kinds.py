"""What tables say of participants beside their answers: how long each took, and whether a model or a person answered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.formats.prediction_arrays import load_text

from regauge.errors import FormatError, InputError
from regauge.formats.predictions.arguments import PredictionFile
from regauge.formats.predictions.files import find_answers, load_predictions
from regauge.records.predictions import ParticipantChoice, ParticipantKind, Predictions

TABLE = (
    "image_id,class,seconds,active_seconds,kind,family\na,0,2.5,2,person,lab\nb,1,,1,person,lab\nc,2,40,,person,lab\n"
)


def list_numbers(column: Any) -> list[float | None]:
    return [None if np.isnan(one) else float(one) for one in column]


def test_a_table_keeps_seconds_kind_and_family(tmp_path: Path) -> None:
    found = load_text(tmp_path, TABLE)
    assert list_numbers(found.seconds) == [2.5, None, 40]
    assert list_numbers(found.active_seconds) == [2, 1, None]
    assert (found.kind, found.family, found.is_person) == (ParticipantKind.PERSON, "lab", True)


def test_nobody_said_so_is_not_zero_and_not_a_person(tmp_path: Path) -> None:
    found = load_text(tmp_path, "image_id,class,seconds,kind,family\na,0,,,\nb,1,,,\n")
    assert (found.seconds, found.active_seconds, found.kind, found.family, found.is_person) == (
        *(None,) * 4,
        False,
    )


def test_ranks_of_an_image_share_its_seconds(tmp_path: Path) -> None:
    lines = ["b,2,0,7", "a,1,0,3", "b,1,1,7", "a,2,1,3"]
    found = load_text(tmp_path, "\n".join(["image_id,rank,class,seconds", *lines]))
    assert dict(zip(found.image_ids.tolist(), list_numbers(found.seconds), strict=True)) == {"a": 3, "b": 7}
    with pytest.raises(FormatError, match=r"line 4: the answers to image 'b' say different seconds; an image has one"):
        load_text(tmp_path, "\n".join(["image_id,rank,class,seconds", *lines[:2], "b,1,1,8", lines[3]]))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("a,0,-1,,", "seconds must be a number from 0 up, not '-1'"),
        ("a,0,soon,,", "seconds must be a number from 0 up, not 'soon'"),
        ("a,0,inf,,", "seconds must be a number from 0 up, not 'inf'"),
        ("a,0,1,robot,", "a participant is a model or a person, not 'robot'; if the column 'kind' says something else"),
    ],
)
def test_what_is_no_time_and_no_kind_is_refused_by_line(tmp_path: Path, line: str, reason: str) -> None:
    with pytest.raises(FormatError, match=f"line 2.*{reason}"):
        load_text(tmp_path, f"image_id,class,seconds,kind,family\n{line}\n")


def test_rows_that_say_both_are_refused(tmp_path: Path) -> None:
    with pytest.raises(
        FormatError, match=r"line 3: the kind is 'model' here and 'person' before; a participant has one"
    ):
        load_text(tmp_path, "image_id,class,kind\na,0,person\nb,1,model\n")


def test_json_lines_and_parquet_keep_them_too(tmp_path: Path) -> None:
    rows = [
        {"image_id": "a", "class": 0, "seconds": 2.5, "kind": "person"},
        {"image_id": "b", "class": 1, "kind": "person"},
    ]
    (tmp_path / "anna.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(tmp_path / "anna.parquet")
    for name in ("anna.jsonl", "anna.parquet"):
        found = load_predictions(PredictionFile("anna", tmp_path / name))
        assert isinstance(found, Predictions)
        assert (list_numbers(found.seconds), found.is_person) == ([2.5, None], True)


def test_several_participants_of_one_table_have_each_their_own(tmp_path: Path) -> None:
    path = tmp_path / "all.csv"
    path.write_text(
        "participant,image_id,class,kind,seconds\nanna,a,0,person,4\nnet,a,1,model,\nanna,b,1,person,6\nnet,b,1,model,\n"
    )
    read = {name: load() for name, load in find_answers(PredictionFile("all", path)).items()}
    anna, net = read["anna"], read["net"]
    assert isinstance(anna, Predictions)
    assert isinstance(net, Predictions)
    assert (list_numbers(anna.seconds), anna.is_person) == ([4, 6], True)
    assert (net.seconds, net.kind) == (None, ParticipantKind.MODEL)


def test_an_archive_keeps_seconds(tmp_path: Path) -> None:
    np.savez(
        tmp_path / "anna.npz", image_ids=["a", "b"], classes=[[0], [1]], seconds=[1.5, np.nan], active_seconds=[1, 2]
    )
    found = load_predictions(PredictionFile("anna", tmp_path / "anna.npz"))
    assert isinstance(found, Predictions)
    assert (list_numbers(found.seconds), list_numbers(found.active_seconds)) == ([1.5, None], [1, 2])
    np.savez(tmp_path / "bad.npz", image_ids=["a", "b"], classes=[[0], [1]], seconds=["soon", "late"])
    with pytest.raises(FormatError, match="seconds must be numbers, not <U4"):
        load_predictions(PredictionFile("bad", tmp_path / "bad.npz"))


def test_records_refuse_times_that_are_none() -> None:
    with pytest.raises(InputError, match="anna took -1 seconds for image 'b'; seconds are 0 or more"):
        Predictions("anna", ["a", "b"], [0, 1], seconds=[1, -1])
    with pytest.raises(InputError, match=r"anna has 2 image ids and seconds of shape \[3\]; each answer has one"):
        Predictions("anna", ["a", "b"], [0, 1], seconds=[1, 2, 3])


def test_rows_are_chosen_with_all_that_is_known_of_them() -> None:
    anna = Predictions("anna", ["a", "b", "c"], [0, 1, 2], seconds=[1, 2, 3], kind=ParticipantKind.PERSON, family="lab")
    chosen = anna.choose(np.array([2, 0]))
    assert (chosen.image_ids.tolist(), list_numbers(chosen.seconds)) == (["c", "a"], [3, 1])
    assert (chosen.kind, chosen.family, chosen.active_seconds) == (ParticipantKind.PERSON, "lab", None)


def test_a_choice_tells_models_from_people_and_families_apart() -> None:
    anna = Predictions("anna", ["a"], [0], kind=ParticipantKind.PERSON, family="lab")
    net, other = Predictions("net", ["a"], [0], family="vit-b"), Predictions("other", ["a"], [0])
    everybody = [anna, net, other]
    for choice, names in (
        (ParticipantChoice(), ["anna", "net", "other"]),
        (ParticipantChoice(ParticipantKind.PERSON), ["anna"]),
        (ParticipantChoice(ParticipantKind.MODEL), ["net", "other"]),
        (ParticipantChoice(families=("vit-*", "lab")), ["anna", "net"]),
    ):
        assert [one.participant for one in choice.keep(everybody)] == names
    with pytest.raises(
        InputError, match=r"No person of the family vit-b is among the participants \(families: lab, vit-b\)"
    ):
        ParticipantChoice(ParticipantKind.PERSON, ("vit-b",)).keep(everybody)
