"""Entries of the guide: every change is a version, and of two who edit at once the second is refused and loses nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.storage.tampered_bundles import Members, edit_rows, meddle
from tests.workflows.guide.guide_studies import CAT, DOG, SHIP, TOPIC, act, make_guided, save

from regauge.errors import ConflictError, InputError
from regauge.records.guide.entries import GuideEdit, GuideTopic, LineChange
from regauge.storage.events import list_events
from regauge.storage.guide import list_versions
from regauge.storage.people.annotators import insert_annotator
from regauge.workflows.guide.cases import Citation, cite_label
from regauge.workflows.guide.entries import (
    diff_entry,
    find_topic,
    get_entry,
    get_guide_version,
    list_history,
    measure_coverage,
    read_guide,
    restore_entry,
    save_entry,
    search_guide,
)
from regauge.workflows.people.erasure import erase_annotator
from regauge.workflows.studies.bundles import export_bundle, import_study
from regauge.workflows.studies.study import Study


@pytest.fixture
def study(tmp_path: Path, database: str) -> Iterator[Study]:
    with make_guided(tmp_path, database=database) as made:
        yield made


def test_every_change_is_a_version_that_names_the_whole_guide(study):
    assert get_guide_version_of(study) == 0
    first = save(study, "Pointed ears.")
    other = save(study, "Has a mast.", topic=GuideTopic(SHIP), who="ann")
    second = save(study, "Pointed ears, whiskers.", edited=first.version)
    assert [first.version, other.version, second.version] == [1, 2, 3]
    with study.read() as reading:
        assert get_guide_version(reading) == 3
        assert [(entry.topic.key, entry.text) for entry in read_guide(reading, version=2)] == [
            ("3", "Pointed ears."),
            ("8", "Has a mast."),
        ]
        assert get_entry(reading, TOPIC).text == "Pointed ears, whiskers."
        assert get_entry(reading, TOPIC, version=2).version == 1
        assert [(one.version, one.who) for one in list_history(reading, TOPIC)] == [(3, "tester"), (1, "tester")]
        assert list_history(reading, GuideTopic(SHIP))[0].who == "ann"
        with pytest.raises(InputError, match="The guide has the versions 1 to 3, not 4"):
            get_entry(reading, TOPIC, version=4)


def get_guide_version_of(study: Study) -> int:
    with study.read() as reading:
        return get_guide_version(reading)


def test_a_pair_is_one_entry_in_whichever_order_its_classes_are_named(study):
    with study.begin() as begun:
        topic = find_topic(begun, "dog", "cat")
        assert topic == find_topic(begun, "3", "5") == GuideTopic(CAT, DOG)
        save_entry(begun, topic, GuideEdit("Cats climb."))
        assert get_entry(begun, GuideTopic(DOG, CAT)).text == "Cats climb."
        assert get_entry(begun, GuideTopic(DOG)).is_empty
        with pytest.raises(InputError, match="Class 3 cannot be told apart from itself"):
            find_topic(begun, "cat", "3")


def test_of_two_who_edit_at_once_the_second_is_refused_and_nothing_is_stored(study):
    first = save(study, "Ears.")
    save(study, "Ears and whiskers.", edited=first.version, who="ann")
    with pytest.raises(
        ConflictError, match="changed in the meantime, in version 2 by ann, and you edited version 1"
    ) as refused:
        save(study, "Ears and tails.", edited=first.version)
    assert refused.value.version == 2
    with pytest.raises(ConflictError):
        save(study, "As if nothing were there.")
    with study.read() as reading:
        assert len(list_history(reading, TOPIC)) == 2
    assert save(study, "Ears, whiskers, tails.", edited=2).version == 3


def test_the_same_text_and_the_same_save_again_change_nothing(study):
    edit = GuideEdit("Ears.", client_id="page-0001")
    with study.begin() as begun:
        first = save_entry(begun, TOPIC, edit)
        assert save_entry(begun, TOPIC, edit) == first
    save(study, "Ears and more.", edited=1, who="ann")
    with study.begin() as begun:
        # The page never heard that it was saved, and somebody has gone on from it.
        assert save_entry(begun, TOPIC, edit) == first
    assert save(study, "Ears and more.", edited=1).version == 2
    assert get_guide_version_of(study) == 2


def test_whoever_types_on_while_a_save_is_on_its_way_is_not_refused_by_themselves(study):
    with study.begin() as begun:
        save_entry(begun, TOPIC, GuideEdit("Ears.", client_id="page-0001"))
        assert save_entry(begun, TOPIC, GuideEdit("Ears, tail.", client_id="page-0001")).version == 2
    save(study, "Whiskers.", edited=2, who="ann")
    with study.begin() as begun, pytest.raises(ConflictError):
        save_entry(begun, TOPIC, GuideEdit("Ears, tail, fur.", client_id="page-0001"))


def test_what_changed_is_told_line_by_line_and_an_old_text_comes_back_as_a_new_version(study):
    save(study, "Ears.\nTail.")
    save(study, "Ears.\nWhiskers.", edited=1)
    with study.begin() as begun:
        lines = [(one.change, one.text) for one in diff_entry(begun, TOPIC)]
        assert lines == [(LineChange.SAME, "Ears."), (LineChange.REMOVED, "Tail."), (LineChange.ADDED, "Whiskers.")]
        assert [one.change for one in diff_entry(begun, TOPIC, before=0, after=1)] == [LineChange.ADDED] * 2
        back = restore_entry(begun, TOPIC, version=1, edited=2)
        assert (back.version, back.text, back.reason) == (3, "Ears.\nTail.", "version 1 restored")
        with pytest.raises(ConflictError):
            restore_entry(begun, TOPIC, version=2, edited=2)
        with pytest.raises(InputError, match="The entry on dog had no text at version 1"):
            restore_entry(begun, GuideTopic(DOG), version=1, edited=0)


def test_an_entry_can_be_emptied_and_then_counts_as_none(study):
    save(study, "Ears.")
    save(study, "Climbs.", topic=GuideTopic(CAT, DOG))
    with study.begin() as begun:
        coverage = measure_coverage(begun)
        assert (coverage.version, coverage.n_covered, coverage.n_pairs) == (2, 1, 1)
        assert CAT not in coverage.missing
        save_entry(begun, TOPIC, GuideEdit(" \n", edited=1))
        assert measure_coverage(begun).missing == tuple(range(10))
        with pytest.raises(InputError, match="The entry on ship has no text; write one"):
            save_entry(begun, GuideTopic(SHIP), GuideEdit(""))


@pytest.mark.same_sql
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("<b>x</b>", "without HTML"),
        ("[x](javascript:alert)", r"not an http\(s\) address"),
        ("![](image:nowhere)", "has no image 'nowhere'"),
        ("![](image:c)", "Images of 2 sets have the id 'c': val, held-out"),
    ],
)
def test_what_may_not_stand_in_the_guide_is_refused(study, text, problem):
    with study.begin() as begun, pytest.raises(InputError, match=problem):
        save_entry(begun, TOPIC, GuideEdit(text))
    assert get_guide_version_of(study) == 0


def test_a_reason_that_is_none_and_a_class_that_is_gone_are_refused(study):
    with study.begin() as begun:
        with pytest.raises(InputError, match="A reason is a text"):
            save_entry(begun, TOPIC, GuideEdit("x", reason="a" * 1_001))
        with pytest.raises(InputError, match="Class 10 is not in the taxonomy cifar-10"):
            save_entry(begun, GuideTopic(10), GuideEdit("x"))


def test_entries_are_searched_and_every_change_is_in_the_log(study):
    save(study, "Pointed ears.")
    with study.read() as reading:
        assert [hit.line for hit in search_guide(reading, "ears cat")] == ["Pointed ears."]
        event = list_events(reading)[-1]
    assert (event.what, event.parameters["version"]) == ("guide edit", 1)


def test_after_an_erasure_the_name_of_an_author_is_nowhere_in_the_guide(study):
    with study.begin() as begun:
        insert_annotator(begun, "Zoë")
    save(study, "As Zoë says: ears.", who="Zoë")
    with act(study, "Zoë").begin() as begun:
        cite_label(begun, Citation("a", CAT, note="asked by Zoë"), labels="verdicts")
    with study.begin() as begun:
        erase_annotator(begun, "Zoë", reason="asked for", with_answers=True)
    with study.read() as reading:
        entry = get_entry(reading, TOPIC)
    assert (list_authors(study), entry.text) == (["erased-0001"], "As erased-0001 says: ears.")
    assert (entry.cases[0].who, entry.cases[0].note) == ("erased-0001", "asked by erased-0001")


def list_authors(study: Study) -> list[str]:
    with study.read() as reading:
        return [one.who for one in list_history(reading, TOPIC)]


def test_a_bundle_holds_the_whole_guide(study, tmp_path):
    save(study, "Ears.")
    save(study, "Ears, whiskers.", edited=1)
    with study.begin() as begun:
        cite_label(begun, Citation("a", CAT, note="clear"), labels="verdicts")
        before = read_guide(begun)
        export_bundle(begun, tmp_path / "study.zip")
    made = import_study(tmp_path / "study.zip", tmp_path / "again", around=study.around).study
    with made, made.read() as reading:
        assert read_guide(reading) == before
        assert len(list_versions(reading)) == 2


@pytest.mark.parametrize(
    ("table", "column", "value", "reason"),
    [
        ("guide_versions", "text", "<script>alert(1)</script>", "without HTML"),
        ("guide_versions", "text", "ears\n", "not text that Regauge writes"),
        ("guide_versions", "class_index", -4, "classes of 0 or more"),
        ("guide_versions", "id", 0, "not counted from 1"),
        ("guide_versions", "id", 2, "not counted from 1"),
        ("guide_cases", "verdict", "perhaps", "not understood"),
        ("guide_cases", "row", 99, "an image that is not there"),
        ("guide_cases", "other_index", CAT, "told apart from itself"),
        ("guide_versions", "text", "Ears.", ""),
    ],
)
def test_a_bundle_with_a_guide_that_regauge_does_not_write_is_refused(tmp_path, table, column, value, reason):
    with make_guided(tmp_path) as made:
        save(made, "Ears.")
        with made.begin() as begun:
            cite_label(begun, Citation("a", CAT), labels="verdicts")
            export_bundle(begun, tmp_path / "study.zip")
    if not reason:
        # As it was written it is accepted.
        import_study(tmp_path / "study.zip", tmp_path / "again", around=made.around).study.close()
        return

    def change(members: Members, _manifest: dict[str, Any]) -> None:
        edit_rows(members, table, lambda rows: rows[0].update({column: value}))

    path = meddle(tmp_path / "study.zip", tmp_path / "other.zip", change)
    with pytest.raises(InputError, match=reason):
        import_study(path, tmp_path / "again", around=made.around)
