"""Sentences of commands: what was done, and what was found where there is nothing to show."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from tests.cli.command_runner import Result, write
from tests.evaluation.judged_sets import make_set
from tests.sentences.comparisons_data import texts
from tests.sentences.entries import Always, Entries, Maker, Pair
from tests.storage.small_studies import FILES
from tests.workflows.campaign_studies import add_contains, make_pictured

from regauge.cli.campaigns.annotators import _ask, _note, _warn
from regauge.cli.campaigns.people import _tell
from regauge.cli.evaluation.gap_tables import make_gap_tables
from regauge.cli.main import main
from regauge.cli.studies.backup import _note as backup_note
from regauge.cli.studies.study import list_superseded
from regauge.evaluation.gaps import split_gap
from regauge.records.campaigns.campaign import AnnotatorEntry, Role
from regauge.records.campaigns.terms import Pay, Terms
from regauge.records.evaluation.gaps import GapMethod, GapSettings
from regauge.records.evaluation.planning import Workforce
from regauge.records.labels.label_set import LabelKind, Unlisted
from regauge.records.studies import LabelSetEntry
from regauge.storage.campaigns.campaign import set_terms
from regauge.workflows.campaigns.estimates import estimate_campaign
from regauge.workflows.labels.campaign_labels import RebuiltLabels
from regauge.workflows.people.erasure import Erasure, ErasurePlan

DONE = "It says what was done."
COUNTS = "It counts, and counts of 0 are told."
STUDY = ("init study --taxonomy cifar-10", "testset add truth.csv --study study")
ANSWERED = (*STUDY, "predictions add good.csv bad.csv --study study")
TWICE = (
    *ANSWERED,
    "testset add again.csv --name again --study study",
    "predictions add good.csv bad.csv --test-set again --study study",
)
THRICE = (
    *TWICE,
    "testset add again.csv --name third --study study",
    "predictions add good.csv bad.csv --test-set third --study study",
)
QUICKLY = "--n-bootstrap 100 --study study"


def commands(*lines: str, files: Mapping[str, str] = FILES) -> Maker:
    """What the last of some commands prints, in a folder with small files."""

    def make(folder: Path) -> list[str]:
        write(folder, {**files, "again.csv": FILES["truth.csv"]})
        return give(folder, *lines)

    return make


VERSIONS = (*STUDY, "labels add verdicts.jsonl --study study")
DIFFED = "labels diff verdicts@1 verdicts@2 --study study"
DIFF = commands(*VERSIONS, "labels add verdicts.jsonl --study study", DIFFED)


def give(folder: Path, *lines: str) -> list[str]:
    """What the last of some commands prints that are given in a folder; none of them fails."""
    text = ""
    with chdir(folder), patch.dict("os.environ", {"COLUMNS": "400"}):
        for line in lines:
            result = run_words(*shlex.split(line))
            assert not result.status, result.out
            text = result.out
    return text.splitlines()


def run_words(*words: str) -> Result:
    """What a command prints, errors included."""
    out = StringIO()
    argv = patch.object(sys, "argv", ["regauge", *words])
    with redirect_stdout(out), redirect_stderr(out), argv, pytest.raises(SystemExit) as stop:
        main()
    return Result(stop.value.code or 0, out.getvalue(), "")


def superseded(by: str, *, at: str = "2026-01-31T12:00:00.000Z") -> Maker:
    row = {"name": "crowd", "version": 1, "superseded_at": at, "superseded_by": by}
    return lambda _: [*list_superseded([row]), "(end of list)"]


PERSON = AnnotatorEntry(1, "a-1", Role.ANNOTATOR, "")
CROWD = LabelSetEntry("crowd", 1, LabelKind.MULTILABEL, Unlisted.WRONG, 1, 1, 0, None, "")


def asked(*labels: str, with_answers: bool = True) -> Maker:
    return lambda _: _ask(ErasurePlan(PERSON, 3, 1, labels), with_answers)


def noted(*remaining: str) -> Maker:
    return lambda _: list(_note(Erasure("a-1", 3, remaining=remaining)))


def warned(*, is_gone: bool = True, **changes: Any) -> Maker:
    return lambda _: [*_warn(Erasure("a-1", 3, **changes), is_gone, ""), "(end of warnings)"]


def estimated(pay: Pay | None) -> Maker:
    def make(folder: Path) -> list[str]:
        with make_pictured(folder) as study:
            entry = add_contains(study, quota=2)
            with study.begin() as begun:
                set_terms(begun, entry, Terms(pay=pay))
                return _tell(estimate_campaign(begun, "grids", force=Workforce(1, 1.0)))

    return make


def gap_tables(*, is_reweighted: bool) -> Maker:
    def make(_: Path) -> list[str]:
        shares = ((0.2,) * 5,) if is_reweighted else ()
        settings = replace(GapSettings((GapMethod.NAIVE,), n_bootstrap=100), shares=shares)
        old, new = make_set("old", "0001 1111", [1, 9]), make_set("new", "0101 11", [1, 9])
        return texts(make_gap_tables(split_gap(old, new, settings=settings)))

    return make


ENTRIES: Entries = {
    "cli/studies/init.py:command: Created a study in … with the …": Always(DONE, commands(STUDY[0])),
    "cli/studies/init.py:command: Next, inside it or with --study …: regauge": Always(
        "A new study has no test set.", commands(STUDY[0])
    ),
    "cli/studies/study.py:print_entries: There are no … yet.": Pair(
        commands(STUDY[0], "testset list --study study"), commands(*STUDY, "testset list --study study")
    ),
    "cli/studies/study.py:list_superseded: …@… was made with answers that were erased": Pair(
        superseded("crowd@2"), superseded("", at="")
    ),
    "cli/studies/study.py:list_superseded: … takes its place.": Pair(superseded("crowd@2"), superseded("", at="")),
    "cli/studies/study.py:list_superseded: nothing takes its place.": Pair(superseded(""), superseded("crowd@2")),
    "cli/evaluation/evaluate.py:command: This is evaluation … of the study.": Always(
        DONE, commands(*ANSWERED, f"evaluate {QUICKLY}")
    ),
    "cli/evaluation/compare.py:command: This is comparison … of the study.": Always(
        DONE, commands(*TWICE, f"compare truth again {QUICKLY}")
    ),
    "cli/testsets/compare.py:command: These are the comparisons … of the study.": Always(
        DONE, commands(*THRICE, f"testset compare truth again third {QUICKLY}")
    ),
    "cli/labels/diffs.py:describe_unlisted: A class that an image does not list": Pair(
        commands(*VERSIONS, "labels add verdicts.jsonl --unlisted wrong --study study", DIFFED),
        commands(*VERSIONS, "labels add verdicts.jsonl --study study", DIFFED),
    ),
    "cli/labels/diffs.py:describe_diff: … → …: … changed, … added, …": Always(COUNTS, DIFF),
    "cli/labels/diffs.py:describe_diff: … kept their labels, … had labels added": Always(COUNTS, DIFF),
    "cli/labels/diffs.py:describe_diff: … Images that count in both: …, of": Always(COUNTS, DIFF),
    "cli/studies/backup.py:command: The database is in …; …. See regauge": Always(
        DONE, commands(STUDY[0], "backup copy.db --study study")
    ),
    "cli/taxonomy.py:search: No class of … resembles ….": Pair(
        commands("taxonomy cifar-10 search qqqqqqqq"), commands("taxonomy cifar-10 search cat")
    ),
    "cli/taxonomy.py:show: group: …: …": Always(
        "It tells the groups that there are.", commands("taxonomy cifar-10 show cat")
    ),
    "cli/taxonomy.py:lint: … errors, … warnings in ….": Always("It counts.", commands("taxonomy cifar-10 lint")),
    "cli/taxonomy.py:distance: Nothing joins … and … in ….": Pair(
        commands("taxonomy names.json distance tench pike", files={"names.json": '["tench", "pike"]'}),
        commands("taxonomy cifar-10 distance cat dog"),
    ),
    "cli/campaigns/people.py:_tell: At … s each that is … hours": Always("It counts.", estimated(None)),
    "cli/campaigns/people.py:_tell: In all, … …….": Always("It counts.", estimated(None)),
    "cli/campaigns/people.py:_tell: …: … days for ….": Always("It counts.", estimated(None)),
    "cli/campaigns/people.py:_tell: It costs … …, the platform's fee of": Pair(
        estimated(Pay(0.1, "EUR", fee=0.5)), estimated(None)
    ),
    "cli/campaigns/people.py:_tell: Somebody earns … … an hour.": Pair(estimated(Pay(0.1, "EUR")), estimated(None)),
    "cli/campaigns/annotators.py:_ask: Forget who … is, and keep their …": Pair(asked(with_answers=False), asked()),
    "cli/campaigns/annotators.py:_ask: Forget who … is, and delete their …": Pair(asked(), asked(with_answers=False)),
    "cli/campaigns/annotators.py:_ask: ; new versions of … will be made": Pair(asked("crowd"), asked()),
    "cli/campaigns/annotators.py:_note: Participants made of their answers are gone too:": Pair(
        lambda _: list(_note(Erasure("a-1", 3, participants=("Human A",)))), noted()
    ),
    "cli/campaigns/annotators.py:_note: Made before and not changed: …. They hold": Pair(noted("backup.db"), noted()),
    "cli/campaigns/annotators.py:_note: Copies elsewhere, such as bundles, exports and backups": Always(
        "Nothing outside the study's folder is changed, whether there is any or not.", noted()
    ),
    "cli/campaigns/annotators.py:_warn: … could not be made again: …": Pair(
        warned(rebuilt=(RebuiltLabels(CROWD, None, "No answer is left."),)),
        warned(rebuilt=(RebuiltLabels(CROWD, CROWD, ""),)),
    ),
    "cli/campaigns/annotators.py:_warn: Merged from labels that have changed, to be": Pair(
        warned(stale=("both@1",)), warned()
    ),
    "cli/campaigns/annotators.py:_warn: The database's log could not be emptied while": Pair(
        warned(is_gone=False), warned()
    ),
    "cli/studies/backup.py:_note: That this installation made the backup could not": Pair(
        lambda _: [*backup_note(is_known=False), "(end)"], lambda _: [*backup_note(is_known=True), "(end)"]
    ),
    "cli/evaluation/gap_tables.py:_make_bin_table: Accuracy by observed selection frequency": Always(
        "The title.", gap_tables(is_reweighted=False)
    ),
    "cli/evaluation/gap_tables.py:_make_reweighted_table: Accuracy with other shares of the bins": Pair(
        gap_tables(is_reweighted=True), gap_tables(is_reweighted=False)
    ),
}
