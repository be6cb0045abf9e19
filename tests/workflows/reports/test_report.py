"""Reports of a study, on both databases: what they are made of, where they go, and that they appear whole or not at all."""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from PIL import Image
from polars.testing import assert_frame_equal
from tests.cli.command_runner import write
from tests.storage.small_studies import STAMP, TRUTH, VERDICTS, fill

from regauge import LabelSet, Predictions, ShiftSettings
from regauge.errors import InputError, StorageError
from regauge.records.studies import COMMAND, Selection
from regauge.report.content import ReportContent
from regauge.storage.events import list_events
from regauge.workflows.evaluation.evaluations import compare, evaluate
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.reports import report as study_reports
from regauge.workflows.reports.report import gather_report, write_report, write_report_files
from regauge.workflows.studies.study import Study, describe_status
from regauge.workflows.testsets.test_set import add_test_set

SETTINGS = ShiftSettings(n_bootstrap=100)


@pytest.fixture
def evaluated(study: Study, tmp_path: Path) -> Study:
    """Both participants evaluated on two test sets, which are compared."""
    fill(study, tmp_path)
    write(tmp_path, {"new.csv": TRUTH.replace("a,0", "a,7")})
    with study.begin() as begun:
        add_test_set(begun, tmp_path / "new.csv")
        add_predictions(begun, PredictionSource([tmp_path / "good.csv", tmp_path / "bad.csv"]), test_set="new")
        evaluate(begun, Selection("new"))
        evaluate(begun, Selection("truth"), by=["class"])
        compare(begun, Selection("truth"), Selection("new"), settings=SETTINGS)
    return study


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Empty pictures instead of drawn ones, where the test is not about them."""
    drawn = {".svg": b"<svg/>", ".png": b"", ".pdf": b""}
    monkeypatch.setattr(study_reports, "convert_spec", lambda _, *, name: drawn)


def gather(study: Study) -> ReportContent:
    with study.read() as begun:
        return gather_report(begun)


# What is in it


def test_a_report_has_the_latest_evaluation_of_every_test_set_and_the_latest_comparison(evaluated: Study) -> None:
    with evaluated.begin() as begun:
        again = evaluate(begun, Selection("truth", participants=["good"]))
        repeated = compare(begun, Selection("truth"), Selection("new"), settings=SETTINGS)
    content = gather(evaluated)
    # In the order in which the test sets were added.
    assert [(part.test_set.name, part.evaluation_id) for part in content.evaluations] == [
        ("truth", again.id),
        ("new", 1),
    ]
    assert_frame_equal(content.evaluations[0].scores.to_frame(), again.scores.to_frame())
    assert [part.comparison_id for part in content.comparisons] == [repeated.id]
    assert content.comparisons[0].shift.models == repeated.shift.models
    assert [entry.full_name for entry in content.evaluations[0].label_sets] == ["verdicts@1"]
    assert (content.title, content.about, content.made_at) == ("study", "", STAMP)
    assert [event.what for event in content.events][:2] == ["init", "testset add"]


def test_both_directions_of_a_comparison_are_shown(evaluated: Study) -> None:
    with evaluated.begin() as begun:
        compare(begun, Selection("new"), Selection("truth"), settings=SETTINGS)
    shown = [(part.shift.original, part.shift.new) for part in gather(evaluated).comparisons]
    assert shown == [("truth", "new"), ("new", "truth")]


@pytest.mark.usefixtures("quick")
def test_a_comparison_by_a_balanced_mean_is_reported_with_its_own_intervals(evaluated: Study, tmp_path: Path) -> None:
    with evaluated.begin() as begun:
        balanced = replace(SETTINGS, metric="top1_balanced")
        compare(begun, Selection("truth"), Selection("new"), settings=balanced)
        page = write_report(begun, tmp_path / "report").page.read_text(encoding="utf-8")
    (part,) = gather(evaluated).comparisons
    assert part.gap is None
    assert "accuracies grouped mid-p, gaps (original − new, in points) from the limits of both accuracies." in page
    assert "Clopper–Pearson, gaps" not in page


def test_a_study_of_which_nothing_is_known_has_no_report_and_is_told_what_to_do(study: Study, tmp_path: Path) -> None:
    with study.begin() as begun, pytest.raises(InputError, match=r"; regauge status says what comes next\."):
        write_report(begun, tmp_path / "report")
    fill(study, tmp_path)
    nothing = r"Nothing has been evaluated and no campaign has been answered, .*; run: regauge evaluate\."
    with study.begin() as begun, pytest.raises(InputError, match=nothing):
        write_report(begun, tmp_path / "report")
    assert not (tmp_path / "report").exists()


def make_pictures(study: Study, tmp_path: Path) -> None:
    for name in "abcd":
        Image.new("RGB", (8, 8)).save(tmp_path / f"{name}.png")
    rows = "".join(f"{name},{label},{name}.png\n" for label, name in enumerate("abcd"))
    write(tmp_path, {"seen.csv": f"image_id,label,file\n{rows}"})
    with study.begin() as begun:
        add_test_set(begun, tmp_path / "seen.csv")
        add_predictions(begun, PredictionSource([tmp_path / "good.csv", tmp_path / "bad.csv"]))
        add_labels(begun, LabelSet.from_lists("early", list("abcd"), correct=[[0]] * 4))
        add_labels(begun, LabelSet.from_lists("late", list("abcd"), correct=[[1]] * 4))
        evaluate(begun)


def test_the_best_by_the_newest_complete_labels_is_looked_at(study: Study, tmp_path: Path) -> None:
    make_pictures(study, tmp_path)
    part = gather(study).evaluations[0]
    assert part.details is not None
    assert part.mistakes is not None
    assert part.details.measure == ("multilabel_lenient", "late@1")
    assert (part.details.best, part.mistakes.participant, part.mistakes.labels) == ("bad", "bad", "late@1")
    assert {image.standing for image in part.mistakes.images} == {"wrong"}
    assert part.mistakes.n_missing == 0


def test_answers_that_were_replaced_since_the_evaluation_are_not_looked_at(study: Study, tmp_path: Path) -> None:
    make_pictures(study, tmp_path)
    other = Predictions("good", list("abcd"), [9, 9, 9, 9])
    with study.begin() as begun:
        add_predictions(begun, PredictionSource(other), replace=True)
    part = gather(study).evaluations[0]
    assert part.details is not None
    assert part.details.best == "bad"
    assert part.details.standings[part.details.measure].names == ("bad",)
    with study.begin() as begun:
        add_predictions(begun, PredictionSource(replace(other, participant="bad")), replace=True)
    part = gather(study).evaluations[0]
    assert (part.details, part.mistakes) == (None, None)


# Where it goes


@pytest.mark.usefixtures("quick")
def test_it_goes_where_it_is_told_or_among_the_reports_of_the_study(evaluated: Study, tmp_path: Path) -> None:
    with evaluated.begin() as begun:
        told = write_report(begun, tmp_path / "deep" / "report", title="Mine")
        first, second = write_report(begun), write_report(begun)
        events = list_events(begun)
        status = describe_status(begun)
    assert told.page == tmp_path / "deep" / "report" / "report.html"
    assert "<title>Mine</title>" in told.page.read_text()
    assert first.folder == evaluated.paths.reports / "2026-01-31T12-00-00"
    assert second.folder == evaluated.paths.reports / "2026-01-31T12-00-00-2"
    assert "<title>study</title>" in first.page.read_text()
    assert [event.parameters for event in events if event.what == "report"] == [
        {"folder": str(one.folder)} for one in (told, first, second)
    ]
    assert not [step for step in status.next_steps if "report" in str(step)]
    assert sorted(path.name for path in evaluated.paths.reports.iterdir()) == [first.folder.name, second.folder.name]


@pytest.mark.usefixtures("quick")
def test_an_empty_folder_is_filled_and_stays_the_same_folder(evaluated: Study, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    before = (tmp_path / "empty").stat().st_ino
    with evaluated.begin() as begun:
        report = write_report(begun, tmp_path / "empty")
    assert (tmp_path / "empty").stat().st_ino == before
    assert sorted(path.name for path in report.folder.iterdir()) == ["figures", "report.html", "tables"]
    names = ["scores-1-classes.csv", "scores-1.csv", "scores-2-classes.csv", "scores-2.csv", "shift-1.csv"]
    assert [path.name for path in report.tables] == ["multilabel-1.csv", "multilabel-2.csv", *names]
    assert len(report.figures) == 3 * 6


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("name", ["full", "full/note.txt"])
def test_what_is_there_is_never_touched(evaluated: Study, tmp_path: Path, name: str) -> None:
    write(tmp_path, {"full/note.txt": "precious"})
    with evaluated.begin() as begun, pytest.raises(InputError, match="exists and is not empty; name a new folder"):
        write_report(begun, tmp_path / name)
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["note.txt"]


@pytest.mark.usefixtures("quick")
def test_a_folder_beside_it_that_looks_unfinished_is_not_ours(evaluated: Study, tmp_path: Path) -> None:
    write(tmp_path, {"report.partial/note.txt": "precious"})
    with evaluated.begin() as begun:
        write_report(begun, tmp_path / "report")
    assert (tmp_path / "report.partial" / "note.txt").read_text() == "precious"


def raise_full(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def raise_stop(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("where", "fail", "error", "is_there"),
    [
        ("convert_spec", raise_full, StorageError, False),
        ("render_report", raise_stop, KeyboardInterrupt, False),
        ("_move", raise_full, StorageError, True),
    ],
)
def test_what_fails_half_way_leaves_nothing(
    evaluated: Study,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    where: str,
    fail: Callable[..., None],
    error: type[BaseException],
    is_there: bool,
) -> None:
    output = tmp_path / "output"
    output.mkdir()
    folder = output / "report"
    if is_there:
        folder.mkdir()

    def fail_at_once(*words: Any, **_: Any) -> None:
        fail(*words)

    monkeypatch.setattr(study_reports, where, fail_at_once)
    message = "cannot be written to .*report: No space left on device" if error is StorageError else None
    with evaluated.begin() as begun, pytest.raises(error, match=message):
        write_report(begun, folder)
    assert list(output.rglob("*")) == ([folder] if is_there else [])
    with evaluated.read() as begun:
        assert "report" not in [event.what for event in list_events(begun)]


def test_a_place_that_cannot_be_written_is_one_sentence(evaluated: Study, tmp_path: Path) -> None:
    # A file where a folder should be is refused to everybody, also to root, whom permissions do not stop.
    with evaluated.begin() as begun, pytest.raises(StorageError, match=r"cannot be written to .*: Not a directory\."):
        write_report(begun, tmp_path / "truth.csv" / "below")
    with evaluated.begin() as begun, pytest.raises(StorageError, match="cannot be written to"):
        write_report(begun, Path("/proc/1/report"))
    with evaluated.begin() as begun, pytest.raises(StorageError, match=r"File name too long\."):
        write_report(begun, tmp_path / ("n" * 300))


# What it says


def test_the_tables_hold_the_scores_as_they_were_computed_and_all_is_the_same_bytes_again(
    evaluated: Study, tmp_path: Path
) -> None:
    content = gather(evaluated)
    report = write_report_files(evaluated, content, folder=tmp_path / "report")
    for place, part in enumerate(content.evaluations, 1):
        frame = part.scores.to_frame()
        read = pl.read_csv(tmp_path / "report" / "tables" / f"scores-{place}.csv", schema=frame.schema)
        assert_frame_equal(read, frame, check_exact=True)
    assert {path.suffix for path in report.figures} == {".svg", ".png", ".pdf"}
    again = write_report_files(evaluated, gather(evaluated), folder=tmp_path / "again")
    paths = [path.relative_to(report.folder) for path in (report.page, *report.figures, *report.tables)]
    assert len(paths) == 1 + 3 * 6 + 7
    for path in paths:
        first, second = ((one.folder / path).read_bytes() for one in (report, again))
        # The parts of a PDF stand in it in any order.
        assert (first == second) if path.suffix != ".pdf" else len(first) == len(second), path
        assert len(first) > 100


@pytest.mark.usefixtures("quick")
def test_a_new_version_of_the_labels_is_named(evaluated: Study, tmp_path: Path) -> None:
    write(tmp_path, {"verdicts.jsonl": VERDICTS.replace('"correct":[0,1]', '"correct":[0]')})
    with evaluated.begin() as begun:
        add_labels(begun, tmp_path / "verdicts.jsonl")
        evaluate(begun, Selection("truth"))
        page = write_report(begun).page.read_text()
    assert "labels: dataset, verdicts@2." in page
    assert "by verdicts@2" in page
    assert "labels: dataset, verdicts@1." in page


@pytest.mark.usefixtures("quick")
def test_bytes_of_a_command_line_that_are_no_text_do_not_stop_a_report(evaluated: Study, tmp_path: Path) -> None:
    content = gather(evaluated)
    odd = ReportContent(
        **{name: getattr(content, name) for name in content.__slots__} | {COMMAND: "regauge report --title \udcff"}
    )
    page = write_report_files(evaluated, odd, folder=tmp_path / "report").page.read_bytes()
    assert b"regauge report --title ?" in page
