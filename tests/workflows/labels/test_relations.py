"""Relations in a study: proposed, decided, applied, and kept by bundles, on both databases."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select
from tests.cli.command_runner import write
from tests.storage.small_studies import STAMP, fill, make_circumstances
from tests.storage.tampered_bundles import Change, edit_rows, meddle

from regauge.errors import FormatError, InputError
from regauge.records.labels.verdicts import Verdict
from regauge.records.taxonomy import ClassRelation, RelationKind, RelationStatus
from regauge.storage.database.schema import class_relations
from regauge.storage.events import list_events
from regauge.storage.labels.evidence import find_frequencies, find_objects
from regauge.storage.labels.label_set import find_verdicts, get_label_set, list_label_sets
from regauge.storage.people.erasure import replace_name
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.labels.relations import (
    apply_relations,
    decide_relation,
    derive_study_labels,
    list_relations,
    make_relation,
    propose_study_relations,
)
from regauge.workflows.studies.bundles import export_bundle, import_study
from regauge.workflows.studies.study import Study, init_study
from regauge.workflows.testsets.test_set import add_test_set

# Both classes are correct in five of the six images with the first; the second alone in one.
TRUTH = "image_id,label\n" + "".join(f"i{row},3\n" for row in range(8))
PEOPLE = (
    "".join(f'{{"image_id":"i{row}","correct":[3,5],"wrong":[],"objects":[[3],[5]]}}\n' for row in range(6))
    + '{"image_id":"i6","correct":[5],"wrong":[3],"frequencies":{"5":[10,9]}}\n'
    + '{"image_id":"i7","correct":[3],"unclear":[9],"wrong":[7]}\n'
)
CATS = ClassRelation(RelationKind.SUBSET, 3, 5)
ACCEPTED, REJECTED, PROPOSED = RelationStatus.ACCEPTED, RelationStatus.REJECTED, RelationStatus.PROPOSED


@pytest.fixture
def judged(study: Study, tmp_path: Path) -> Study:
    fill(study, tmp_path)
    write(tmp_path, {"images.csv": TRUTH, "people.jsonl": PEOPLE})
    with study.begin() as begun:
        add_test_set(begun, tmp_path / "images.csv")
        add_labels(begun, tmp_path / "people.jsonl")
    return study


def change_first(change: dict[str, Any]) -> Change:
    """A change of the first relation of a bundle."""
    return lambda members, _manifest: edit_rows(members, "class_relations", lambda rows: rows[0].update(change))


def list_statuses(study: Study) -> dict[str, RelationStatus]:
    return {str(entry.relation): entry.relation.status for entry in list_relations(study)}


def test_verdicts_that_repeat_propose_a_relation_once(judged: Study):
    with judged.begin() as begun:
        proposed = propose_study_relations(begun, ["people"])
        again = propose_study_relations(begun)
        (entry,) = list_relations(begun)
    assert proposed.notes == ()
    assert [str(one.relation) for one in proposed.entries] == ["3 ⊂ 5"]
    assert entry == proposed.entries[0]
    assert (entry.relation.source, entry.relation.who, entry.relation.at) == ("verdicts of people@1", "", STAMP)
    assert entry.support is not None
    assert (entry.support.forward.k, entry.support.forward.n) == (6, 6)
    assert (entry.support.backward.k, entry.support.backward.n) == (6, 7)
    assert again.entries == ()
    assert again.notes == ("1 relation left out: known already, or implied.",)


def test_a_decision_is_a_new_row_that_supersedes(judged: Study):
    with judged.begin() as begun:
        propose_study_relations(begun)
        accepted = decide_relation(begun, CATS, status=ACCEPTED, reason="  every cat\nis a dog ").entry
        rejected = decide_relation(begun, CATS, status=REJECTED, reason="no cat is a dog").entry
        assert list_statuses(begun) == {"3 ⊂ 5": REJECTED}
        assert begun.connection.scalar(select(func.count()).select_from(class_relations)) == 3
        whats = [event.what for event in list_events(begun)][-3:]
    one = accepted.relation
    assert (one.reason, one.who, one.at, one.source) == ("every cat is a dog", "tester", STAMP, "verdicts of people@1")
    assert rejected.support == accepted.support
    assert whats == ["relations propose", "relations accept", "relations reject"]


def test_what_was_rejected_is_not_proposed_again_nor_is_what_follows_from_accepted_ones(judged: Study):
    with judged.begin() as begun:
        propose_study_relations(begun)
        decide_relation(begun, CATS, status=REJECTED, reason="no")
        assert propose_study_relations(begun).entries == ()
    with judged.begin() as begun:
        decide_relation(begun, ClassRelation(RelationKind.SUBSET, 3, 0), status=ACCEPTED, reason="x")
        decide_relation(begun, ClassRelation(RelationKind.SAME, 5, 0), status=ACCEPTED, reason="x")
        assert propose_study_relations(begun).entries == ()


@pytest.mark.same_sql
@pytest.mark.parametrize(
    ("relation", "status", "reason", "message"),
    [
        (
            CATS,
            ACCEPTED,
            "red \x1b[31m",
            r"A reason is a text of up to 1,000 printable characters, not 'red \\x1b\[31m'\.",
        ),
        (CATS, ACCEPTED, "a\u202eb", r"A reason is a text of up to 1,000 printable characters"),
        (CATS, ACCEPTED, "x" * 1_001, r"A reason is a text of up to 1,000 printable characters"),
        (CATS, ACCEPTED, " \n", r"To decide on 3 \(cat\) ⊂ 5 \(dog\) takes a reason"),
        (ClassRelation(RelationKind.SUBSET, 0, 1), ACCEPTED, "x", r"airplane.* already: because\.$"),
        (ClassRelation(RelationKind.SUBSET, 1, 0), ACCEPTED, "x", r"form a circle; if these classes mean the same"),
        (ClassRelation(RelationKind.PART, 0, 1), ACCEPTED, "x", r"contradicts 0 \(airplane\) ⊂ 1 \(automobile\)"),
        (CATS, REJECTED, "x", r"The study has no relation 3 \(cat\) ⊂ 5 \(dog\)"),
    ],
)
def test_a_decision_that_cannot_be_is_refused_and_leaves_no_trace(judged: Study, relation, status, reason, message):
    with judged.begin() as begun:
        decide_relation(begun, ClassRelation(RelationKind.SUBSET, 0, 1), status=ACCEPTED, reason="because.")
    with pytest.raises(InputError, match=message), judged.begin() as begun:
        decide_relation(begun, relation, status=status, reason=reason)
    with judged.read() as begun:
        assert list_statuses(begun) == {"0 ⊂ 1": ACCEPTED}


def test_classes_are_found_by_name_and_two_that_are_the_same_stand_in_one_order(judged: Study):
    assert str(make_relation(judged, RelationKind.SAME, first="dog", second="cat")) == "3 = 5"
    assert str(make_relation(judged, RelationKind.SUBSET, first="dog", second="3")) == "5 ⊂ 3"
    with pytest.raises(InputError, match="'unicorn' is not a class"):
        make_relation(judged, RelationKind.SAME, first="unicorn", second="cat")


def test_applied_relations_make_a_new_version_and_people_s_own_verdicts_stand(judged: Study):
    relations = [CATS, ClassRelation(RelationKind.SUBSET, 9, 8), ClassRelation(RelationKind.SUBSET, 3, 7)]
    with judged.begin() as begun:
        for relation in relations:
            decide_relation(begun, relation, status=ACCEPTED, reason="x")
        applied = apply_relations(begun, "people")
        found = find_verdicts(begun, applied.entry, image_ids=["i7", "i6"])
        before, after = (get_label_set(begun, name) for name in ("people@1", "people"))
        assert [find(begun, after) is not None for find in (find_objects, find_frequencies)] == [True, True]
        assert before.n_verdicts == 17
    own = {3: Verdict.CORRECT, 9: Verdict.UNCLEAR, 7: Verdict.WRONG}
    assert found["i7"] == {**own, 5: Verdict.CORRECT, 8: Verdict.UNCLEAR}
    assert found["i6"] == {5: Verdict.CORRECT, 3: Verdict.WRONG}
    assert (applied.entry.full_name, applied.entry.parent) == ("people@2", 1)
    assert applied.entry.provenance["derived_from"] == "people@1"
    assert applied.entry.provenance["relations"] == ["3 ⊂ 5", "9 ⊂ 8", "3 ⊂ 7"]
    told = [(one.image_id, one.class_index, one.verdict) for one in applied.derived.contradictions]
    assert told == [("i7", 7, Verdict.WRONG)]
    # Of six images with class 3 nothing is said of class 7, which therefore follows.
    assert len(applied.derived.evidence) == 6 + 2
    assert applied.notes[0] == "people@1: 8 verdicts on 7 images derived from 3 accepted relations between classes."


def test_relations_are_applied_to_people_s_own_verdicts_so_that_a_rejected_one_leaves_no_trace(judged: Study):
    with judged.begin() as begun:
        decide_relation(begun, CATS, status=ACCEPTED, reason="x")
        apply_relations(begun, "people", name="related")
        decide_relation(begun, ClassRelation(RelationKind.SUBSET, 5, 0), status=ACCEPTED, reason="x")
        rejected = decide_relation(begun, CATS, status=REJECTED, reason="no")
        again = apply_relations(begun, "related")
        found = find_verdicts(begun, again.entry, image_ids=["i7", "i6"])
        last = decide_relation(begun, ClassRelation(RelationKind.SUBSET, 5, 0), status=REJECTED, reason="no")
        bare = apply_relations(begun, "related")
        names = [entry.full_name for entry in list_label_sets(begun) if entry.name != "verdicts"]
    (note,) = rejected.notes
    assert note.startswith("related@1 was made while 3 ⊂ 5 was accepted, and does not change;")
    assert note.endswith("regauge relations apply --labels related.")
    assert found["i7"] == {3: Verdict.CORRECT, 9: Verdict.UNCLEAR, 7: Verdict.WRONG}
    assert found["i6"] == {5: Verdict.CORRECT, 3: Verdict.WRONG, 0: Verdict.CORRECT}
    assert again.entry.provenance["derived_from"] == "people@1"
    assert len(last.notes) == 1
    assert (bare.entry.n_verdicts, len(bare.derived.evidence)) == (17, 0)
    assert names == ["people@1", "related@1", "related@2", "related@3"]


def test_nothing_to_apply_is_refused(judged: Study):
    with judged.read() as begun, pytest.raises(InputError, match="No relation between classes is accepted yet"):
        derive_study_labels(begun, "people")
    with judged.begin() as begun:
        decide_relation(begun, ClassRelation(RelationKind.SUBSET, 1, 2), status=ACCEPTED, reason="x")
    with (
        pytest.raises(InputError, match="No verdict follows for people@1 from 1 accepted relation"),
        judged.begin() as begun,
    ):
        apply_relations(begun, "people")
    with judged.read() as begun, pytest.raises(InputError, match="no label set 'nobody'"):
        derive_study_labels(begun, "nobody")


def test_the_same_relations_are_not_applied_twice(judged: Study):
    with judged.begin() as begun:
        decide_relation(begun, CATS, status=ACCEPTED, reason="x")
        apply_relations(begun, "people")
        for labels in ("people", "people@1"):
            with pytest.raises(InputError, match="people@2 holds what follows from these relations already"):
                apply_relations(begun, labels)
        decide_relation(begun, ClassRelation(RelationKind.SUBSET, 5, 0), status=ACCEPTED, reason="x")
        assert apply_relations(begun, "people").entry.full_name == "people@3"


def test_derived_verdicts_propose_nothing(judged: Study):
    with judged.begin() as begun:
        decide_relation(begun, ClassRelation(RelationKind.SUBSET, 3, 0), status=ACCEPTED, reason="x")
        apply_relations(begun, "people")
        decide_relation(begun, ClassRelation(RelationKind.SUBSET, 3, 0), status=REJECTED, reason="no")
        proposed = propose_study_relations(begun)
    assert [str(entry.relation) for entry in proposed.entries] == ["3 ⊂ 5"]


def test_relations_of_the_taxonomy_and_published_ones_are_proposals_with_counts(tmp_path: Path):
    study = init_study(tmp_path / "s", taxonomy="imagenet-1k", around=make_circumstances())
    write(tmp_path, {"t.csv": "image_id,label\na,249\n", "v.jsonl": '{"image_id":"a","correct":[249],"wrong":[248]}\n'})
    with study.begin() as begun:
        add_test_set(begun, tmp_path / "t.csv")
        add_labels(begun, tmp_path / "v.jsonl")
        own = (ClassRelation(RelationKind.SAME, 1, 2, who="ann"), replace(CATS, status=REJECTED))
        related = replace(begun, taxonomy=replace(begun.taxonomy, relations=own))
        found = {str(one.relation): one for one in propose_study_relations(related).entries}
    study.close()
    assert len(found) == 16
    assert {one.relation.status for one in found.values()} == {PROPOSED}
    support = found["249 ⊂ 248"].support
    assert support is not None
    assert (support.forward.k, support.forward.n, support.exceptions) == (0, 1, ("a",))
    assert found["250 ⊂ 248"].support is None
    assert (found["1 = 2"].relation.source, found["1 = 2"].relation.who) == ("taxonomy imagenet-1k", "")


def test_a_bundle_keeps_relations_and_an_erased_name_is_gone_from_them(judged: Study, tmp_path: Path):
    with judged.begin() as begun:
        propose_study_relations(begun)
        decide_relation(begun, CATS, status=ACCEPTED, reason="as tester says")
        replace_name(begun, "tester", "erased-0001")
        entries = list_relations(begun)
    assert (entries[0].relation.who, entries[0].relation.reason) == ("erased-0001", "as erased-0001 says")
    with judged.read() as begun:
        path = export_bundle(begun, tmp_path / "b.zip")
    around = make_circumstances()
    for change in ({"kind": "like"}, {"second_class": 10}, {"second_class": 3}, {"support": {"labels": 3}}):
        with pytest.raises(FormatError, match=r"bad\.zip"):
            import_study(meddle(path, tmp_path / "bad.zip", change_first(change)), tmp_path / "bad", around=around)
    copy = import_study(path, tmp_path / "copy", around=make_circumstances()).study
    with copy.read() as begun:
        assert list_relations(begun) == entries
    copy.close()
