"""What the report of a study says of reviewed mistakes: from its codings, and from versions of its label sets."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.command_runner import write
from tests.storage.small_studies import fill

import regauge
from regauge.records.labels.evidence import ExpertVote, LabelEvidence, VerdictEvidence
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.labels.verdicts import Verdict
from regauge.records.studies import SUPERSEDED, Selection
from regauge.storage.labels.label_set import get_label_set, mark_label_set
from regauge.storage.study import Study
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.mistakes.codings import CodingSource, add_coding
from regauge.workflows.reports.mistakes import MAX_LABELS
from regauge.workflows.reports.report import gather_report

REVIEWED = (
    '{"image_id":"a","correct":[0,1],"wrong":[2]}\n'
    '{"image_id":"b","correct":[1],"unclear":[2],"wrong":[5]}\n'
    '{"image_id":"c","correct":[2],"wrong":[3,7]}\n'
    '{"image_id":"d","correct":[3],"wrong":[4]}\n'
)
FILES = {
    "verdicts.jsonl": REVIEWED,
    "worse.csv": "image_id,class\na,2\nb,2\nc,3\nd,4\n",
    "coded.csv": "image_id,prediction,category,severity\na,2,FG,major\nd,4,spurious,borderline\n",
    "far.csv": "image_id,prediction,category,severity\nb,5,FG,minor\n",
}


@pytest.fixture
def reviewed(study: Study, tmp_path: Path) -> Study:
    """A study with two versions of verdicts and somebody whom the second one helps."""
    fill(study, tmp_path)
    write(tmp_path, FILES)
    with study.begin() as begun:
        add_labels(begun, tmp_path / "verdicts.jsonl")
        regauge.add_predictions(begun, regauge.PredictionSource(tmp_path / "worse.csv"))
    return study


def test_codings_are_shown_the_largest_first_with_what_led_to_them(reviewed: Study, tmp_path: Path) -> None:
    with reviewed.begin() as begun:
        regauge.evaluate(begun, Selection(participants=["worse"]))
        add_coding(begun, CodingSource(tmp_path / "far.csv", "far", "verdicts@2"))
        add_coding(begun, CodingSource(tmp_path / "coded.csv", "worse", "verdicts@2"))
        worse, far = gather_report(begun).reviewed
    assert (worse.participant, worse.coding, far.participant) == ("worse", "coded@1", "far")
    assert worse.flow is not None
    assert worse.summary is not None
    assert [step.after for step in worse.flow.steps] == ["verdicts@2", "coded@1"]
    assert dict(worse.flow.ends) == {"major": 1, "minor": 0, "borderline": 1, "not coded": 1}
    assert (worse.summary.n, worse.summary.n_borderline) == (2, 1)
    assert worse.accuracies[0].subset == "all"
    # Nobody knows what else far answers, so its accuracy is not known.
    assert far.accuracies == ()
    assert far.notes[0].startswith("far has no predictions here")


def test_without_codings_versions_of_the_labels_that_the_report_judges_by_are_followed(reviewed: Study) -> None:
    with reviewed.begin() as begun:
        regauge.evaluate(begun, Selection(participants=["worse"]))
        (found,) = gather_report(begun).reviewed
    assert (found.participant, found.summary, found.coding) == ("worse", None, "")
    assert found.flow is not None
    assert found.flow.labels == ("verdicts@1", "verdicts@2")


def test_labels_that_an_erasure_made_void_are_left_out(reviewed: Study, tmp_path: Path) -> None:
    with reviewed.begin() as begun:
        regauge.evaluate(begun, Selection(participants=["worse"]))
        add_coding(begun, CodingSource(tmp_path / "coded.csv", "worse", "verdicts@2"))
        void = {SUPERSEDED: {"at": "2026-02-01", "by": None, "why": "erasure"}}
        for version in (1, 2):
            mark_label_set(begun, get_label_set(begun, f"verdicts@{version}"), void)
        assert gather_report(begun).reviewed == ()


def test_of_many_versions_the_first_and_the_last_ones_are_followed(reviewed: Study, tmp_path: Path) -> None:
    with reviewed.begin() as begun:
        for number in range(4):
            write(tmp_path, {"verdicts.jsonl": REVIEWED.replace('"wrong":[3,7]', f'"wrong":[3,7,{8 + number % 2}]')})
            add_labels(begun, tmp_path / "verdicts.jsonl")
        regauge.evaluate(begun, Selection(labels=["verdicts"], participants=["worse"]))
        (found,) = gather_report(begun).reviewed
    assert found.flow is not None
    assert len(found.flow.labels) == MAX_LABELS
    assert (found.flow.labels[0], found.flow.labels[-1]) == ("verdicts@1", "verdicts@6")


def test_the_report_is_written_with_figure_and_tables(reviewed: Study, tmp_path: Path) -> None:
    with reviewed.begin() as begun:
        regauge.evaluate(begun, Selection(participants=["worse"]))
        add_coding(begun, CodingSource(tmp_path / "coded.csv", "worse", "verdicts@2"))
        report = regauge.write_report(begun, tmp_path / "report")
    names = {path.name for path in (*report.figures, *report.tables)}
    assert {"mistakes-1-flow.svg", "mistakes-1-flow.csv", "mistakes-1-codes.csv", "mistakes-1-accuracies.csv"} <= names
    assert "Mistakes that remain" in report.page.read_text(encoding="utf-8")


def test_what_a_panel_discussed_is_told_of_the_version_that_it_made(reviewed: Study, tmp_path: Path) -> None:
    def vote(*words: str) -> tuple[ExpertVote, ...]:
        return tuple(ExpertVote(f"p{place}", Verdict[word]) for place, word in enumerate(words))

    shared = VerdictEvidence(
        votes=vote("CORRECT", "WRONG", "UNCLEAR"), first_votes=vote("CORRECT", "CORRECT", "UNCLEAR")
    )
    agreed = VerdictEvidence(votes=vote("WRONG", "WRONG"), first_votes=vote("WRONG", "WRONG"))
    asked = VerdictEvidence(votes=vote("CORRECT"))
    pairs = {("a", 2): shared, ("b", 5): agreed, ("c", 2): asked}
    label_set = LabelSet.from_lists(
        "verdicts", list("abcd"), correct=[[0, 1], [1], [2], [3]], wrong=[[2, 3], [5], [3], [4]]
    )
    with reviewed.begin() as begun:
        add_labels(begun, Truth(label_sets=(label_set,), evidence=(LabelEvidence.from_pairs("verdicts", pairs),)))
        regauge.evaluate(begun, Selection(participants=["worse"]))
        add_coding(begun, CodingSource(tmp_path / "coded.csv", "worse", "verdicts@3"))
        (found,) = gather_report(begun).reviewed
    place = found.notes.index("A panel discussed what is new in verdicts@3.")
    changed, ways, few = found.notes[place + 1 :]
    assert changed.startswith("Discussion changed 1 of 2 outcomes (")
    assert changed.endswith("round 1 was not unanimous on 1.")
    assert ways.startswith(
        "Of the outcomes that changed, 1 from correct to unclear; in 1 of 1 a single panelist's vote"
    )
    assert few.startswith("1 of 2 outcomes decided without more than half of the votes (")
