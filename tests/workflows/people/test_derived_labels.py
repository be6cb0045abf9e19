"""Erasing somebody whose answers stand behind derived labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.records.labels.test_changes import read
from tests.workflows.campaign_studies import add_contains, make_pictured
from tests.workflows.labels.test_campaign_labels import FEW, answer_all

from regauge.errors import InputError
from regauge.records.labels.label_set import Truth
from regauge.records.taxonomy import ClassRelation, RelationKind, RelationStatus
from regauge.storage.labels.label_set import find_versions, get_label_set, list_label_sets, load_label_set
from regauge.storage.study import Study
from regauge.workflows.labels.campaign_labels import build_labels
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.labels.relations import apply_relations, decide_relation, propose_study_relations
from regauge.workflows.people.erasure import erase_annotator


@pytest.fixture
def study(tmp_path: Path, database: str) -> Iterator[Study]:
    """A study of small pictures."""
    with make_pictured(tmp_path, database=database) as made:
        yield made


def relate_crowd(study: Study) -> None:
    """Labels of the campaign, and a relation from which something follows for them."""
    labels = load_label_set(study, build_labels(study, "grids", name="crowd", settings=FEW))
    accepted = int(labels.classes[labels.verdicts > 0][0])
    judged = set(labels.classes.tolist())
    other = next(index for index in range(10) if index not in judged)
    relation = ClassRelation(RelationKind.SUBSET, accepted, other)
    decide_relation(study, relation, status=RelationStatus.ACCEPTED, reason="for a test")


def test_what_followed_from_their_labels_by_relations_is_void_and_derived_again(study):
    campaign = add_contains(study)
    answer_all(study, campaign)
    with study.begin() as begun:
        relate_crowd(begun)
        for name in ("crowd", "related"):
            apply_relations(begun, "crowd", name=name)
        done = erase_annotator(begun, "annotator-0001", reason="asked", with_answers=True)
        entries = {entry.full_name: entry for entry in list_label_sets(begun)}
        with pytest.raises(InputError, match=r"crowd@1 was made with answers that were erased since; use crowd@3\."):
            apply_relations(begun, "crowd@1")
    assert [(one.before.full_name, one.after and one.after.full_name) for one in done.rebuilt] == [
        ("crowd@1", "crowd@3"),
        ("crowd@2", "crowd@4"),
        ("related@1", "related@2"),
    ]
    marks = {name: (entry.provenance.get("superseded") or {}).get("by") for name, entry in entries.items()}
    assert marks == {
        "crowd@1": "crowd@3",
        "crowd@2": "crowd@4",
        "crowd@3": None,
        "crowd@4": None,
        "related@1": "related@2",
        "related@2": None,
    }
    assert {entries[name].provenance["derived_from"] for name in ("crowd@4", "related@2")} == {"crowd@3"}


def correct_by_hand(study: Study, name: str) -> None:
    """The next version of a label set, in which somebody has called an image problematic."""
    (last,) = find_versions(study, name)[-1:]
    labels = load_label_set(study, last)
    flags = [True, *labels.is_problematic.tolist()[1:]]
    by_hand = replace(labels, name=name, is_problematic=np.array(flags))
    add_labels(study, Truth(label_sets=(by_hand,)), name=name, provenance={"path": "corrected.jsonl"})


def test_a_version_made_by_hand_above_derived_labels_stays_the_latest(study):
    campaign = add_contains(study)
    answer_all(study, campaign)
    with study.begin() as begun:
        relate_crowd(begun)
        apply_relations(begun, "crowd", name="related")
        correct_by_hand(begun, "related")
        by_hand = read(load_label_set(begun, get_label_set(begun, "related")))
        done = erase_annotator(begun, "annotator-0001", reason="asked", with_answers=True)
        latest = get_label_set(begun, "related")
        assert read(load_label_set(begun, latest)) == by_hand
        beneath = get_label_set(begun, "related@1")
    assert (latest.full_name, "superseded" in latest.provenance) == ("related@2", False)
    assert beneath.provenance["superseded"]["by"] is None
    made = {one.before.full_name: one for one in done.rebuilt}
    assert (made["crowd@1"].after and made["crowd@1"].after.full_name) == "crowd@2"
    assert made["related@1"].after is None
    assert made["related@1"].problem == (
        "related@2 was stored above it and stays as it is, with whatever it took over from related@1; labels of what is left go "
        "under another name."
    )


def test_a_version_made_by_hand_above_labels_of_a_campaign_stays_and_that_is_told(study):
    campaign = add_contains(study)
    answer_all(study, campaign)
    with study.begin() as begun:
        relate_crowd(begun)
        apply_relations(begun, "crowd")
        correct_by_hand(begun, "crowd")
        done = erase_annotator(begun, "annotator-0001", reason="asked", with_answers=True)
        assert get_label_set(begun, "crowd").full_name == "crowd@3"
    assert [(one.before.full_name, one.after) for one in done.rebuilt] == [("crowd@1", None), ("crowd@2", None)]
    assert all(one.problem.startswith("crowd@3 was stored above it and stays as it is") for one in done.rebuilt)


def test_where_nothing_takes_their_place_nothing_is_derived_nor_proposed(study):
    campaign = add_contains(study)
    answer_all(study, campaign, n_people=1)
    with study.begin() as begun:
        relate_crowd(begun)
        apply_relations(begun, "crowd", name="related")
        done = erase_annotator(begun, "annotator-0001", reason="asked", with_answers=True)
        assert propose_study_relations(begun).entries == ()
        with pytest.raises(InputError, match="related@1 was made with answers that were erased since, and nothing"):
            propose_study_relations(begun, ["related"])
    problem = "related@1 was made with answers that were erased since, and nothing takes its place."
    assert [(one.before.full_name, one.after, one.problem) for one in done.rebuilt][-1] == ("related@1", None, problem)
