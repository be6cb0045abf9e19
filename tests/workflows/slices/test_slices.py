"""Slices of a study on both databases: chosen, frozen, scored, exported, bundled, and void after an erasure."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update
from tests.slices.small_slices import IMAGES, RULE
from tests.storage.small_studies import STAMP, make_circumstances
from tests.storage.tampered_bundles import Change, edit_rows, meddle
from tests.workflows.slices.sliced_study import fill_slices

from regauge.errors import FormatError, InputError
from regauge.records.slices.answers import AnswerState
from regauge.records.slices.rules import CountRange, ImageRule, MajorRule
from regauge.records.slices.slice import SliceKind
from regauge.storage.database.schema import mistake_codings, slices
from regauge.storage.events import list_events
from regauge.storage.labels.label_set import get_label_set, mark_label_set
from regauge.storage.people.erasure import delete_participants, replace_name
from regauge.storage.study import Study
from regauge.workflows.evaluation.scoring import score
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.mistakes.codings import CodingSource, add_coding
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.slices.creating import SliceRequest, create_slice, prepare_slice
from regauge.workflows.slices.reading import export_slice, list_slices, make_card, open_slice
from regauge.workflows.slices.scoring import SliceSelection, score_all_slices, score_slice, score_study_slice
from regauge.workflows.studies.bundles import export_bundle, import_study
from regauge.workflows.studies.study import describe_status

OPEN = SliceRequest("major", RULE, allow_open=True)


@pytest.fixture
def filled(study: Study, tmp_path: Path) -> Study:
    fill_slices(study, tmp_path)
    return study


def change_first(table: str, change: dict[str, Any]) -> Change:
    return lambda members, _manifest: edit_rows(members, table, lambda rows: rows[0].update(change))


def judge_all(study: Study, folder: Path) -> None:
    """What the queue needs: a verdict on m3, and a code on m5."""
    add_labels(study, folder / "judged.jsonl", name="panel")
    add_coding(study, CodingSource(folder / "more.csv", "A", "panel", name="A"))


def test_a_slice_is_refused_until_what_it_depends_on_was_judged_and_coded(filled: Study, tmp_path: Path):
    with filled.begin() as begun:
        with pytest.raises(
            InputError, match=r"2 predictions of the models must be looked at first, 1 to judge and 1 to code"
        ):
            create_slice(begun, SliceRequest("major", RULE))
        assert list_slices(begun) == ()
        judge_all(begun, tmp_path)
        entry = create_slice(begun, SliceRequest("major", RULE))
        found = open_slice(begun, "major")
        event = list_events(begun)[-1]
    assert (entry.kind, entry.n_images, entry.labels, entry.is_open, entry.void) == (
        SliceKind.MAJOR,
        2,
        "panel@2",
        False,
        "",
    )
    assert (entry.who, entry.at) == ("tester", STAMP)
    assert found.chosen.image_ids.tolist() == ["m1", "m2"]
    assert found.chosen.rule == RULE
    assert found.chosen.inputs.codings == ("R@1", "A@2")
    assert [(one.participant, len(one.sha256), one.is_reference) for one in found.chosen.inputs.participants] == [
        ("R", 64, True),
        ("A", 64, False),
        ("B", 64, False),
        ("C", 64, False),
    ]
    assert (event.what, event.parameters["n_images"], event.parameters["at_least"]) == ("slice create", 2, 3)


def test_an_open_slice_says_that_it_is(filled: Study):
    with filled.begin() as begun:
        prepared = prepare_slice(begun, OPEN)
        assert prepared.problem == ""
        assert len(prepared.queue) == 2
        entry = create_slice(begun, OPEN)
        assert entry.is_open
        card = make_card(begun, "major")
        assert describe_status(begun).slices == (entry,)
    assert (
        "2 predictions had not been judged or coded when it was frozen, and 2 more images may have belonged to it"
        in card
    )


def test_a_slice_that_is_frozen_stays_whatever_comes_after(filled: Study, tmp_path: Path):
    with filled.begin() as begun:
        create_slice(begun, OPEN)
        before = score_study_slice(begun, "major")
        judge_all(begun, tmp_path)
        after = score_study_slice(begun, "major")
        later = score_study_slice(begun, "major", SliceSelection(labels="panel", codings=("A",)))
        assert open_slice(begun, "major").entry.labels == "panel@1"
    assert before.to_frame().equals(after.to_frame())
    assert (after.labels, later.labels) == ("panel@1", "panel@2")


def test_scores_know_models_people_and_who_helped_to_choose(filled: Study):
    with filled.begin() as begun:
        create_slice(begun, OPEN)
        found = score_study_slice(begun, "major")
    assert {one.participant: (one.is_person, one.is_comparable, one.correct.k) for one in found.scores} == {
        "ann": (True, True, 2),
        "B": (False, False, 1),
        "C": (False, False, 1),
        "A": (False, False, 0),
        "R": (False, False, 0),
    }
    assert found.get("A").counts[AnswerState.MAJOR] == 2
    assert found.notes == ("Not comparable, for their answers helped to choose the images: B, C, A, R.",)


def test_a_report_takes_everybody_who_answered_any_image_and_leaves_void_slices_out(filled: Study, tmp_path: Path):
    (tmp_path / "few.csv").write_text("image_id,class\nm1,0\n")
    (tmp_path / "none[1].csv").write_text("image_id,class\nm6,0\n")
    with filled.begin() as begun:
        source = PredictionSource([tmp_path / "few.csv", f"odd[1]={tmp_path / 'none[1].csv'}"])
        add_predictions(begun, source, allow_missing=True)
        create_slice(begun, OPEN)
        create_slice(begun, SliceRequest("l", labels="panel", images=tmp_path / "list.txt"))
        first, second = score_all_slices(begun)
        assert {one.participant: one.correct.n for one in first.scores.scores} == {
            **dict.fromkeys(("A", "B", "C", "R", "ann"), 2),
            "few": 1,
        }
        assert second.scores.get("odd[1]").correct.n == 1
        mark = {"superseded": {"at": "now", "by": None}}
        mark_label_set(begun, get_label_set(begun, "panel"), mark)
        assert score_all_slices(begun) == ()


def test_the_same_answers_under_another_name_are_not_comparable(filled: Study, tmp_path: Path):
    (tmp_path / "copy.csv").write_text((tmp_path / "models/B.csv").read_text())
    with filled.begin() as begun:
        create_slice(begun, OPEN)
        from_files = score_study_slice(begun, "major", SliceSelection(tmp_path / "copy.csv"))
    assert [(one.participant, one.is_comparable) for one in from_files.scores] == [("copy", True)]
    # Files have other checksums than arrays of a study; there the name decides.


@pytest.mark.parametrize(
    ("request_", "images"),
    [
        (SliceRequest("s", ImageRule(n_wrong=CountRange(2)), labels="panel"), ["m2", "m5"]),
        (SliceRequest("s", ImageRule(severities=("minor",)), labels="panel", codings=("R",)), ["m6"]),
        (SliceRequest("s", ImageRule(groups=(("object-organism", "objects"),)), labels="panel"), IMAGES),
        (SliceRequest("s", ImageRule(max_seconds=10.0), labels="panel"), ["m1", "m2"]),
    ],
)
def test_slices_by_a_rule(filled: Study, request_: SliceRequest, images: list[str]):
    with filled.begin() as begun:
        assert create_slice(begun, request_).kind is SliceKind.RULE
        found = open_slice(begun, "s")
    assert found.chosen.image_ids.tolist() == images
    assert found.chosen.rule == request_.rule


def test_a_list_keeps_its_order_and_names_who_chose(filled: Study, tmp_path: Path):
    request = SliceRequest("l", labels="panel", images=tmp_path / "list.txt", choosers=("B", "elsewhere"))
    with filled.begin() as begun:
        assert create_slice(begun, request).kind is SliceKind.LIST
        chosen = open_slice(begun, "l").chosen
        scores = score_study_slice(begun, "l")
    assert chosen.image_ids.tolist() == ["m2", "m6"]
    assert [(one.participant, len(one.sha256)) for one in chosen.inputs.participants] == [("B", 64), ("elsewhere", 0)]
    assert not scores.get("B").is_comparable
    assert scores.get("A").is_comparable


def test_the_released_list_of_imagenet_m_is_read_as_a_slice(filled: Study, tmp_path: Path):
    path = tmp_path / "human_accuracy_v3.0.0.json"
    content = {"initial_annots": {"m1": {"correct": []}}, "problematic_images": [], "imagenet_m": ["m1", "m4"]}
    path.write_text(json.dumps(content))
    with filled.begin() as begun:
        create_slice(begun, SliceRequest("imagenet_m", labels="panel", images=path))
        assert open_slice(begun, "imagenet_m").chosen.image_ids.tolist() == ["m1", "m4"]


def refuse(request: SliceRequest) -> Callable[[Study], Any]:
    return lambda study: create_slice(study, request)


@pytest.mark.same_sql
@pytest.mark.parametrize(
    ("action", "problem"),
    [
        (refuse(SliceRequest("m", MajorRule("B", ("A",), 2))), "No coding of the mistakes of B on val is"),
        (
            refuse(SliceRequest("m", MajorRule("R", ("zed",), 2))),
            "There is no participant 'zed' on val; there are: A, B, C, R, ann",
        ),
        (refuse(SliceRequest("m", RULE, codings=("none",))), "no coding 'none'"),
        (refuse(SliceRequest("m", RULE, labels="none")), "no label set 'none'"),
        (refuse(SliceRequest("m", RULE, test_set="none")), "none"),
        (
            refuse(SliceRequest("m", MajorRule("R", ("A", "B", "C"), 4))),
            "On none of the 5 major mistakes of R do 4 of 4 models",
        ),
        (refuse(SliceRequest("a@b", RULE)), "A slice"),
        (
            refuse(SliceRequest("s", ImageRule(n_correct=CountRange(7)), labels="panel")),
            "No image of val meets the rule",
        ),
        (refuse(SliceRequest("s", ImageRule(n_correct=CountRange(1)))), "A slice needs a label set"),
        (refuse(SliceRequest("s", labels="panel")), "needs a file that lists its images"),
        (lambda study: score_study_slice(study, "none"), "has no slice 'none'; create one with: regauge slice create"),
        (lambda study: make_card(study, "none"), "no slice 'none'"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(filled: Study, action: Callable[[Study], Any], problem: str):
    with filled.begin() as begun:
        with pytest.raises(InputError, match=problem):
            action(begun)
        assert list_slices(begun) == ()


def test_names_that_are_taken_and_images_of_other_sets_are_refused(filled: Study, tmp_path: Path):
    with filled.begin() as begun:
        create_slice(begun, OPEN)
        for name in ("major", "Major"):
            with pytest.raises(InputError, match=r"already|looks|called"):
                create_slice(begun, SliceRequest(name, RULE, allow_open=True))
        with pytest.raises(
            InputError, match=r"No image of far.txt is in val: the first is 'x', and that of the test set 'm1'"
        ):
            create_slice(begun, SliceRequest("far", labels="panel", images=tmp_path / "far.txt"))
        (tmp_path / "other.csv").write_text("image_id,class\nx,0\n")
        with pytest.raises(InputError, match=r"has no answer on any of the 2 images"):
            score_study_slice(begun, "major", SliceSelection(tmp_path / "other.csv"))
        with pytest.raises(
            InputError, match=r"Grouping object-organism has no group 'pets'; it has: objects, organisms"
        ):
            create_slice(begun, SliceRequest("x", ImageRule(groups=(("object-organism", "pets"),)), labels="panel"))


def test_a_folder_is_scored_with_one_command_and_without_a_study(filled: Study, tmp_path: Path):
    folder = tmp_path / "out"
    with filled.begin() as begun:
        create_slice(begun, OPEN)
        export_slice(begun, "major", path=folder)
        inside = score_study_slice(begun, "major", SliceSelection(participants=("A", "B", "ann")))
        with pytest.raises(InputError, match="not an empty folder"):
            export_slice(begun, "major", path=folder)
    models = [tmp_path / "models/A.csv", tmp_path / "models/B.csv", tmp_path / "ann.csv"]
    outside = score_slice(folder, models, truth=tmp_path / "val.csv")
    assert outside.to_frame().equals(inside.to_frame())
    assert outside.mistakes == inside.mistakes
    by_score = score(models, folder)
    assert by_score.get("B", "multilabel_lenient").n_correct == outside.get("B").correct.k == 1
    assert by_score.get("B", "top1").n == 2


def test_a_folder_of_another_kind_or_changed_is_refused(filled: Study, tmp_path: Path):
    folder = tmp_path / "out"
    with filled.begin() as begun:
        create_slice(begun, OPEN)
        export_slice(begun, "major", path=folder)
    with pytest.raises(FormatError, match=r"not a folder of a slice"):
        score_slice(tmp_path / "models", tmp_path / "ann.csv")
    whole = json.loads((folder / "slice.json").read_text())
    changes: list[dict[str, Any]] = [
        {"format": "x"},
        {"version": 9},
        {"images": ["m1"]},
        {"images": []},
        {"images": ["m1", "m1"]},
        {"kind": "x"},
        {"inputs": 3},
        {"rule": {"reference": "R"}},
        {"labels_kind": None},
        {"categories": 5},
    ]
    for change in changes:
        (folder / "slice.json").write_text(json.dumps({**whole, **change}))
        with pytest.raises(FormatError):
            score_slice(folder, tmp_path / "ann.csv")
    (folder / "slice.json").write_text(json.dumps(whole))
    with pytest.raises(FormatError, match="10 classes, and imagenet-1k has 1,000"):
        score_slice(folder, tmp_path / "ann.csv", taxonomy="imagenet-1k")


def test_labels_that_an_erasure_made_void_make_the_slice_void(filled: Study, tmp_path: Path):
    with filled.begin() as begun:
        create_slice(begun, OPEN)
        mark = {"superseded": {"at": "now", "by": None, "why": "erasure"}}
        mark_label_set(begun, get_label_set(begun, "panel"), mark)
        (entry,) = list_slices(begun)
        assert entry.void == "its labels panel@1 were made with answers that were erased since"
        assert "**This slice is void:**" in make_card(begun, "major")
        assert open_slice(begun, "major").notes[0].startswith("Slice major is void")
        for action in (
            lambda: score_study_slice(begun, "major"),
            lambda: export_slice(begun, "major", path=tmp_path / "x"),
        ):
            with pytest.raises(InputError, match="Slice major is void: its labels panel@1"):
                action()
        with pytest.raises(InputError, match="panel@1 was made with answers that were erased since"):
            create_slice(begun, SliceRequest("again", RULE))


def test_a_coding_that_an_erasure_made_void_makes_the_slice_void(filled: Study, tmp_path: Path):
    with filled.begin() as begun:
        create_slice(begun, OPEN)
        mark = {"superseded": {"at": STAMP, "by": None}}
        begun.connection.execute(update(mistake_codings).where(mistake_codings.c.name == "A").values(provenance=mark))
        (entry,) = list_slices(begun)
        assert entry.void == "its coding A@1 was made with answers that were erased since"
        with pytest.raises(InputError, match="Coding A@1 was made with answers that were erased since"):
            create_slice(begun, SliceRequest("again", RULE, codings=("R", "A"), allow_open=True))
        # Without it, nobody has coded what A answers on m2.
        assert prepare_slice(begun, SliceRequest("again", RULE, allow_open=True)).queue.image_ids.tolist() == [
            "m2",
            "m3",
            "m5",
        ]


@pytest.mark.parametrize("name", ["R", "A", "B"])
def test_a_participant_who_is_erased_makes_the_slice_void_and_is_named_nowhere_in_it(filled: Study, name: str):
    with filled.begin() as begun:
        create_slice(begun, OPEN)
        delete_participants(begun, [name])
        (entry,) = list_slices(begun)
        found = open_slice(begun, "major")
        card = make_card(begun, "major")
        stored = begun.connection.execute(select(slices.c.rule, slices.c.inputs)).one()
    assert entry.void == "it was chosen with answers or coded mistakes of a participant that were erased since"
    assert name not in found.chosen.inputs.names
    assert f'"{name}"' not in json.dumps(list(stored))
    assert "Its rule went with what was erased" in card


def test_an_erased_name_is_gone_from_slices(filled: Study):
    with filled.begin() as begun:
        create_slice(begun, OPEN)
        begun.connection.execute(update(slices).values(who="Ann", provenance={"asked": "Ann Lee"}))
        replace_name(begun, "Ann", "erased-0001")
        (entry,) = list_slices(begun)
        assert (entry.who, open_slice(begun, "major").chosen.provenance) == (
            "erased-0001",
            {"asked": "erased-0001 Lee"},
        )


def test_a_bundle_keeps_slices(filled: Study, tmp_path: Path):
    with filled.begin() as begun:
        create_slice(begun, OPEN)
        create_slice(begun, SliceRequest("s", ImageRule(max_seconds=10.0), labels="panel"))
    with filled.read() as reading:
        export_bundle(reading, tmp_path / "one.zip")
        entries, scores = list_slices(reading), score_study_slice(reading, "major").to_frame()
    copy = import_study(tmp_path / "one.zip", tmp_path / "copy", around=make_circumstances()).study
    with copy.read() as reading:
        assert list_slices(reading) == entries
        assert score_study_slice(reading, "major").to_frame().equals(scores)
    copy.close()


@pytest.mark.same_sql
@pytest.mark.parametrize(
    ("table", "change", "problem"),
    [
        ("slices", {"kind": "odd"}, "kind"),
        ("slices", {"rule": {"reference": 1}}, "rule of a slice"),
        ("slices", {"inputs": []}, "chosen from"),
        ("slice_images", {"image_id": "elsewhere"}, "an image that is not in 'val'"),
    ],
)
def test_a_bundle_with_what_is_no_slice_is_refused(
    filled: Study, tmp_path: Path, table: str, change: dict[str, Any], problem: str
):
    with filled.begin() as begun:
        create_slice(begun, OPEN)
    with filled.read() as reading:
        export_bundle(reading, tmp_path / "one.zip")
    changed = meddle(tmp_path / "one.zip", tmp_path / "two.zip", change_first(table, change))
    with pytest.raises(FormatError, match=problem):
        import_study(changed, tmp_path / "copy", around=make_circumstances())
