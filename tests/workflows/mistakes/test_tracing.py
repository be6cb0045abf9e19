"""The flow of mistakes from files and inside a study."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.command_runner import write
from tests.mistakes.small_sources import AFTER, BEFORE, FIRST, SECOND
from tests.storage.small_studies import fill

import regauge
from regauge.errors import InputError
from regauge.records.studies import SUPERSEDED, Selection
from regauge.storage.labels.label_set import get_label_set, mark_label_set
from regauge.storage.study import Study
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.mistakes.codings import CodingSource, add_coding
from regauge.workflows.mistakes.sources import MistakeSource

CODED = "image_id,prediction,category,severity,overturned\na,1,FG,major,\nb,3,FG,borderline,\nc,0,,,missed object\n"
REVIEWED = (
    '{"image_id":"a","correct":[0,1],"wrong":[2]}\n'
    '{"image_id":"b","correct":[1],"unclear":[2],"wrong":[]}\n'
    '{"image_id":"c","correct":[],"wrong":[2],"problematic":true}\n'
)


def open_some(*labels: regauge.LabelSet, participant: str = "first") -> MistakeSource:
    return regauge.open_mistakes(regauge.TestSetAnswers([FIRST, SECOND], labels), [participant])


def test_a_file_of_coded_mistakes_ends_the_flow(tmp_path: Path) -> None:
    path = tmp_path / "coded.csv"
    path.write_text(CODED, encoding="utf-8")
    flow = regauge.trace_mistakes(open_some(BEFORE), path)
    assert flow.steps[0].left == (("missed object", 1),)
    assert flow.ends == (("major", 1), ("minor", 0), ("borderline", 1), ("not coded", 1))
    assert flow.notes[-1] == "coded says nothing of 1 mistake at the end."


def test_novel_mistakes_at_the_end_are_noted() -> None:
    flow = regauge.trace_mistakes(open_some(AFTER, BEFORE))
    assert flow.notes == ("Nobody has judged 1 answer among the mistakes at the end; a review may accept some.",)
    assert flow.labels == ("labels@2", "labels@1")


def test_strict_counts_what_people_found_unclear() -> None:
    flow = regauge.trace_mistakes(open_some(BEFORE, AFTER), is_strict=True)
    assert (flow.is_strict, flow.n_end) == (True, 2)


def test_what_cannot_be_traced_is_refused() -> None:
    with pytest.raises(InputError, match="One participant's mistakes are found, and 2 are meant"):
        regauge.trace_mistakes(open_some(BEFORE, AFTER, participant="*"))
    with pytest.raises(InputError, match="A flow shows all mistakes"):
        regauge.trace_mistakes(open_some(BEFORE, AFTER), n_sample=1)
    with pytest.raises(InputError, match="begins with a label set"):
        regauge.trace_mistakes(regauge.open_mistakes(regauge.TestSetAnswers([FIRST], regauge.TestSet("t", ["a"], [0]))))


def test_a_coding_of_a_study_names_participant_and_labels(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    write(
        tmp_path,
        {
            "verdicts.jsonl": REVIEWED,
            "worse.csv": "image_id,class\na,2\nb,2\nc,2\nd,2\n",
            "coded.csv": "image_id,prediction,category,severity\na,2,FG,major\n",
        },
    )
    with study.begin() as begun:
        add_labels(begun, tmp_path / "verdicts.jsonl")
        regauge.add_predictions(begun, regauge.PredictionSource(tmp_path / "worse.csv"))
        add_coding(begun, CodingSource(tmp_path / "coded.csv", "worse", "verdicts@2"))
        flow = regauge.trace_coding(begun, "coded")
        alone = regauge.trace_coding(begun, "coded", Selection(None, ["verdicts@1"]))
        void = {SUPERSEDED: {"at": "2026-02-01", "by": None, "why": "erasure"}}
        mark_label_set(begun, get_label_set(begun, "verdicts@1"), void)
        left = regauge.trace_coding(begun, "coded")
        with pytest.raises(InputError, match="coded@1 is about worse on truth"):
            regauge.trace_coding(begun, "coded", Selection(None, (), ["bad"]))
    assert flow.participant == "worse"
    assert [(step.before, step.after) for step in flow.steps] == [
        ("verdicts@1", "verdicts@2"),
        ("verdicts@2", "coded@1"),
    ]
    assert flow.ends[0] == ("major", 1)
    assert alone.labels == ("verdicts@1",)
    assert left.labels == ("verdicts@2",)


def test_coded_answers_stand_for_those_that_the_study_does_not_have(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    write(tmp_path, {"coded.csv": "image_id,prediction,category,severity\na,2,FG,major\na,1,FG,major\nb,5,FG,minor\n"})
    with study.begin() as begun:
        add_coding(begun, CodingSource(tmp_path / "coded.csv", "far", "verdicts"))
        flow = regauge.trace_coding(begun, "coded")
    # 1 on a is correct, so it was overturned; of two answers for an image the one that remains is taken.
    assert flow.notes[0] == "far has no predictions here, so this is about the 3 mistakes of coded@1."
    assert (flow.steps[0].n, dict(flow.ends)) == (2, {"major": 1, "minor": 1, "borderline": 0})
