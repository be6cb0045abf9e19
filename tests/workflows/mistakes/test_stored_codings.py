"""Codings in the database: what is stored comes back as it was, on both databases, in bundles, and without erased names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.storage.small_studies import STAMP, fill, make_circumstances
from tests.storage.tampered_bundles import Change, edit_rows, meddle

from regauge.errors import FormatError, InputError
from regauge.records.mistakes.coded import CodedMistakes, DefinedCategory
from regauge.records.mistakes.coding import MistakeCoding, OverturnedMistakes
from regauge.storage.mistakes.codings import get_coding, insert_coding, list_codings, load_coding
from regauge.storage.people.erasure import delete_participants, replace_name
from regauge.workflows.studies.bundles import export_bundle, import_study
from regauge.workflows.studies.study import Study

KINDS = (DefinedCategory("texture", "Its surface."), DefinedCategory("shape"))
CODED = CodedMistakes(
    "bad",
    np.array(["b", "a", "a"]),
    np.array([3, 7, 4], np.int32),
    np.array([1, 0, 0], np.int8),
    np.array([0, 2, 1], np.int8),
    category_names=("texture", "shape"),
)
OVERTURNED = OverturnedMistakes(np.array(["c"]), np.array([3], np.int32), ("missed object",), ("Ann saw it",))
CODING = MistakeCoding(
    "panel",
    "bad",
    "truth",
    "verdicts",
    "campaign two",
    CODED,
    OVERTURNED,
    KINDS,
    provenance={"coders": ["Ann"]},
    remarks=("", "ask Ann", ""),
)
NOTHING = replace(CODING, name="none", coded=CODED.choose(np.zeros(3, bool)), remarks=(), overturned=OVERTURNED)


@pytest.fixture
def filled(study: Study, tmp_path: Path) -> Study:
    fill(study, tmp_path)
    with study.begin() as begun:
        insert_coding(begun, CODING)
    return study


def change_first(table: str, change: dict[str, Any]) -> Change:
    return lambda members, _manifest: edit_rows(members, table, lambda rows: rows[0].update(change))


def test_a_coding_comes_back_as_it_was(filled: Study):
    with filled.read() as reading:
        entry = get_coding(reading, "panel")
        found = load_coding(reading, entry)
    assert (entry.full_name, entry.participant, entry.test_set, entry.labels) == (
        "panel@1",
        "bad",
        "truth",
        "verdicts@1",
    )
    assert (entry.n_coded, entry.n_major, entry.n_overturned) == (3, 1, 1)
    assert (entry.who, entry.at, entry.source, entry.provenance) == (
        "tester",
        STAMP,
        "campaign two",
        {"coders": ["Ann"]},
    )
    assert (found.name, found.coded.name, found.categories, found.id) == ("panel@1", "bad", KINDS, entry.id)
    assert found.coded.image_ids.tolist() == ["b", "a", "a"]
    assert found.coded.predictions.tolist() == [3, 7, 4]
    assert found.coded.categories.tolist() == [1, 0, 0]
    assert found.coded.severities.tolist() == [0, 2, 1], "borderline stays borderline"
    assert found.remarks == ("", "ask Ann", "")
    assert found.overturned.image_ids.tolist() == ["c"]
    assert (found.overturned.reasons, found.overturned.notes) == (("missed object",), ("Ann saw it",))


def test_the_same_name_again_is_the_next_version_and_the_first_stays(filled: Study):
    with filled.begin() as begun:
        second = insert_coding(
            begun, replace(CODING, coded=CODED.choose(np.array([0])), remarks=(), who="Ben", at=STAMP)
        )
        first = get_coding(begun, "panel@1")
        assert get_coding(begun, "panel") == get_coding(begun, "panel@2") == second
        assert [one.full_name for one in list_codings(begun)] == ["panel@1", "panel@2"]
        assert list_codings(begun, participant="good") == ()
    assert (first.n_coded, second.n_coded, second.who) == (3, 1, "Ben")


def test_a_name_keeps_its_participant(filled: Study):
    with (
        filled.begin() as begun,
        pytest.raises(InputError, match=r"panel holds mistakes of bad on truth, so those of good"),
    ):
        insert_coding(begun, replace(CODING, participant="good"))


def test_a_coding_that_overturned_all_of_it_has_nothing_coded(filled: Study):
    with filled.begin() as begun:
        entry = insert_coding(begun, NOTHING)
        found = load_coding(begun, entry)
    assert (entry.n_coded, entry.n_major, entry.n_overturned) == (0, 0, 1)
    assert (len(found.coded), len(found.overturned)) == (0, 1)


def test_names_that_are_not_there_and_names_that_cannot_be_are_refused(filled: Study):
    with filled.begin() as begun:
        with pytest.raises(InputError, match=r"no coding 'x'; it has: panel\."):
            get_coding(begun, "x")
        with pytest.raises(InputError, match="has the versions 1 to 1, not '2'"):
            get_coding(begun, "panel@2")
        for name in ("Panel", "a@b", "a\u202eb", ""):
            with pytest.raises(InputError, match="A coding"):
                insert_coding(begun, replace(CODING, name=name))
        with pytest.raises(InputError, match="no label set 'other'"):
            insert_coding(begun, replace(CODING, labels="other"))


def test_a_study_without_codings_says_how_to_add_one(study: Study):
    with study.read() as reading, pytest.raises(InputError, match="regauge mistakes add FILE"):
        get_coding(reading, "panel")


def test_a_bundle_keeps_codings(filled: Study, tmp_path: Path):
    with filled.read() as reading:
        export_bundle(reading, tmp_path / "one.zip")
    copy = import_study(tmp_path / "one.zip", tmp_path / "copy", around=make_circumstances()).study
    with copy.read() as reading, filled.read() as original:
        assert list_codings(reading) == list_codings(original)
        again, first = (load_coding(one, get_coding(one, "panel")) for one in (reading, original))
    copy.close()
    assert again.coded.severities.tolist() == first.coded.severities.tolist()
    assert again.overturned.notes == first.overturned.notes


@pytest.mark.same_sql
@pytest.mark.parametrize(
    ("table", "change", "problem"),
    [
        ("coded_mistakes", {"severity": 3}, "severities are one of"),
        ("coded_mistakes", {"severity": None}, "no category or no severity"),
        ("coded_mistakes", {"prediction": 10}, "10"),
        ("coded_mistakes", {"image_id": "elsewhere"}, "an image that is not in 'truth'"),
        ("mistake_codings", {"categories": []}, "1 to 32"),
        ("mistake_codings", {"categories": [["only one"], ["shape", "", "more"]]}, "not understood"),
    ],
)
def test_a_bundle_with_what_nobody_coded_is_refused(
    filled: Study, tmp_path: Path, table: str, change: dict[str, Any], problem: str
):
    with filled.read() as reading:
        export_bundle(reading, tmp_path / "one.zip")
    changed = meddle(tmp_path / "one.zip", tmp_path / "two.zip", change_first(table, change))
    with pytest.raises(FormatError, match=problem):
        import_study(changed, tmp_path / "copy", around=make_circumstances())


def test_an_erased_name_is_gone_from_codings(filled: Study):
    with filled.begin() as begun:
        insert_coding(begun, replace(CODING, who="Ann"))
        replace_name(begun, "Ann", "erased-0001")
        entry = get_coding(begun, "panel")
        found = load_coding(begun, entry)
    assert (entry.who, entry.provenance) == ("erased-0001", {"coders": ["erased-0001"]})
    assert found.overturned.notes == ("erased-0001 saw it",)
    assert found.remarks == ("", "ask erased-0001", "")


def test_the_mistakes_of_a_person_go_with_their_answers(filled: Study):
    with filled.begin() as begun:
        delete_participants(begun, ["bad"])
        assert list_codings(begun) == ()
