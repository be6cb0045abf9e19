"""Objects and selection frequencies of label sets, and merged label sets, on both databases."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.command_runner import write
from tests.storage.small_studies import fill

import regauge
from regauge.errors import InputError
from regauge.records.labels.frequencies import AnnotatorSpread
from regauge.records.studies import Selection
from regauge.storage.events import list_events
from regauge.storage.labels.evidence import find_frequencies, find_objects
from regauge.storage.labels.label_set import get_label_set, load_label_set
from regauge.workflows.evaluation.evaluations import evaluate
from regauge.workflows.labels.label_set import add_labels, export_labels, merge_label_sets
from regauge.workflows.studies.study import Study

PEOPLE = (
    '{"image_id":"b","correct":[1],"main":1,"objects":[[1,4]],"object_labels":[4],"main_object":0,"frequencies":{"1":[10,9],"4":[10,6]}}\n'
    '{"image_id":"a","correct":[0,2],"objects":[[0],[2,3]],"frequencies":{"0":[10,10]}}\n'
    '{"image_id":"d","correct":[3]}\n'
)


@pytest.fixture
def people(study: Study, tmp_path: Path) -> Study:
    """A study with a label set that says more than verdicts."""
    fill(study, tmp_path)
    write(tmp_path, {"people.jsonl": PEOPLE})
    with study.begin() as begun:
        add_labels(begun, tmp_path / "people.jsonl")
    return study


def test_objects_and_frequencies_come_back_as_they_were_added(people: Study, tmp_path: Path) -> None:
    truth = regauge.load_truth(tmp_path / "people.jsonl")
    with people.read() as begun:
        entry = get_label_set(begun, "people")
        objects, counts = find_objects(begun, entry), find_frequencies(begun, entry)
        nothing = get_label_set(begun, "verdicts")
        assert find_objects(begun, nothing) is None
        assert find_frequencies(begun, nothing) is None
    assert objects is not None
    assert counts is not None
    assert (objects.name, counts.name) == ("people@1", "people@1")
    for column in ("image_ids", "object_starts", "names", "label_starts", "classes", "main_objects"):
        assert getattr(objects, column).tolist() == getattr(truth.objects[0], column).tolist(), column
    for column in ("image_ids", "images", "classes", "n_shown", "n_selected"):
        assert getattr(counts, column).tolist() == getattr(truth.frequencies[0], column).tolist(), column


def test_an_evaluation_scores_by_objects_and_frequencies(people: Study) -> None:
    with people.begin() as begun:
        scores = evaluate(begun, Selection(labels=("people@1",))).scores
    # The good model answers a: 0, b: 1, c: 2, d: 3. In b the object is called 4; in a one of two is called 0.
    single = scores.get("good", "single_object", labels="people@1")
    several = scores.get("good", "multi_object", labels="people@1")
    assert ((single.n, single.n_correct), (several.n, several.n_correct)) == ((1, 0), (1, 1))
    frequency = scores.get("good", "selection_frequency", labels="people@1")
    # a: 10 of 10, b: 9 of 10; nobody was asked whether 3 is in d.
    assert (frequency.n, frequency.n_unjudged) == (2, 1)
    assert frequency.value == pytest.approx(0.95)
    # A file has counts alone.
    assert frequency.method == "score, over images, for these annotators"


def test_how_far_annotators_differ_is_kept_with_a_label_set_and_widens_the_limits(
    people: Study, tmp_path: Path
) -> None:
    truth = regauge.load_truth(tmp_path / "people.jsonl")
    spread = AnnotatorSpread(10, 9.5, 1.25)
    known = replace(truth, frequencies=(replace(truth.frequencies[0], spread=spread),))
    with people.begin() as begun:
        entry = add_labels(begun, known, name="people").entry
        counts = find_frequencies(begun, entry)
        assert counts is not None
        assert counts.spread == spread
        assert counts.keep_images(["a"]).spread == spread
        scores = evaluate(begun, Selection(labels=("people@2",))).scores
    frequency = scores.get("good", "selection_frequency", labels="people@2")
    assert frequency.method == "score, over images and annotators"


def test_an_exported_label_set_holds_all_that_was_added(people: Study, tmp_path: Path) -> None:
    with people.read() as begun:
        export_labels(begun, "people", path=tmp_path / "again.jsonl")
    before, after = (regauge.load_truth(tmp_path / name) for name in ("people.jsonl", "again.jsonl"))
    assert after.objects[0].classes.tolist() == before.objects[0].classes.tolist()
    assert after.frequencies[0].n_selected.tolist() == before.frequencies[0].n_selected.tolist()


def test_merged_label_sets_are_a_version_with_their_rule_on_record(people: Study) -> None:
    with people.begin() as begun:
        entry = merge_label_sets(begun, ["verdicts@1", "people"], name="merged")
        merged = load_label_set(begun, entry)
        event = list_events(begun)[-1]
    assert entry.full_name == "merged@1"
    assert entry.provenance == {"rule": "later", "merged": ["verdicts@1", "people@1"]}
    assert merged.image_ids.tolist() == ["a", "b", "c", "d"]
    assert (event.what, event.parameters["merged"]) == ("labels merge", ["verdicts@1", "people@1"])


def test_label_sets_that_are_not_there_cannot_be_merged(people: Study) -> None:
    with people.begin() as begun, pytest.raises(InputError, match="has no label set 'nobody'"):
        merge_label_sets(begun, ["people", "nobody"], name="merged")
    with people.begin() as begun, pytest.raises(InputError, match="'a@b' is none"):
        merge_label_sets(begun, ["people", "verdicts"], name="a@b")
