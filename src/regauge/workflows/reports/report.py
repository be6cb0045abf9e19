"""Write the report of a study: one page that needs nothing else, the figures as files, the numbers as tables."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import vl_convert

import regauge
from regauge.errors import InputError, StorageError
from regauge.evaluation.metrics import list_object_metrics
from regauge.records.cells import write_csv
from regauge.records.evaluation.gaps import GapReport, GapSettings
from regauge.records.studies import ComparisonEntry, EvaluationEntry, LabelSetEntry, Selection, StudyStatus
from regauge.report.content import ComparisonPart, EvaluationPart, ReportContent
from regauge.report.document import Section, list_tables, make_sections, render_report
from regauge.report.sentences import list_measures, rank
from regauge.storage.evaluation.comparisons import load_shift
from regauge.storage.evaluation.evaluations import load_scores
from regauge.storage.events import add_event, list_events
from regauge.storage.study import Study
from regauge.workflows.evaluation.gaps import study_gap
from regauge.workflows.reports.figures import convert_spec
from regauge.workflows.studies.study import describe_status
from regauge.workflows.testsets.samples import sample_images

PAGE = "report.html"
VEGA = "window.vegaEmbed = vegaEmbed;"
"""What the page needs of Vega and its companions."""
FOLDERS = ("figures", "tables")


@dataclass(frozen=True, slots=True)
class Report:
    """Where a report was written.

    Attributes:
        folder: everything is in here.
        page: the page to open.
        figures: the figures, each in several kinds.
        tables: the numbers as CSV files.
    """

    folder: Path
    page: Path
    figures: tuple[Path, ...]
    tables: tuple[Path, ...]


def write_report(study: Study, folder: Path | None = None, *, title: str = "") -> Report:
    """Write the latest evaluation of every test set and the latest comparison of every pair as a report.

    Args:
        study: the study, inside a transaction.
        folder: where to; unless given, a folder named by the moment among the study's reports.
        title: what the report is called; unless given, the name of the study's folder.

    Raises:
        InputError: the folder holds something, or nothing has been evaluated yet.
        StorageError: the folder cannot be written.
    """
    report = write_report_files(study, gather_report(study, title=title), folder=folder)
    record_report(study, report)
    return report


def gather_report(study: Study, *, title: str = "") -> ReportContent:
    """The first part of `write_report`, which reads; a transaction that reads is enough.

    Raises:
        InputError: nothing has been evaluated yet.
    """
    status = describe_status(study)
    if not status.evaluations:
        raise InputError("Nothing has been evaluated yet, so there is nothing to report; run: regauge evaluate.")
    latest = {entry.test_set: entry for entry in status.evaluations}
    pairs = {(entry.original, entry.new): entry for entry in status.comparisons}
    ordered = [latest[entry.name] for entry in status.test_sets if entry.name in latest]
    return ReportContent(
        title=title or study.paths.folder.name,
        about=study.about,
        status=status,
        evaluations=tuple(
            _gather_evaluation(study, status, entry) for entry in study.around.track(ordered, "Test sets")
        ),
        comparisons=tuple(
            _gather_comparison(study, one) for one in study.around.track(list(pairs.values()), "Comparisons")
        ),
        events=list_events(study),
        made_at=study.around.now(),
        code_version=regauge.__version__,
        command=study.around.command,
    )


def write_report_files(study: Study, content: ReportContent, *, folder: Path | None = None) -> Report:
    """The second part of `write_report`: draw and write everything, without the database.

    The folder appears whole or not at all; a process that is killed leaves at most a hidden one whose name ends in .partial.

    Raises:
        InputError: the folder holds something.
        StorageError: the folder cannot be written.
    """
    folder = _find_free(study.paths.reports, content.made_at) if folder is None else folder
    try:
        folder = folder.resolve()
        is_there = folder.exists()
        if is_there and (not folder.is_dir() or any(folder.iterdir())):
            raise InputError(f"{folder} exists and is not empty; name a new folder for the report.")
        mark = study.around.rng.bytes(4).hex()
        # A folder that is there may be a mount, or the one that somebody stands in: it stays, and is filled from within.
        partial = (folder if is_there else folder.parent) / f".report-{mark}.partial"
        with _removing(partial):
            _write(content, partial, study=study)
            _move(partial, folder, is_there=is_there)
    except OSError as error:
        raise StorageError(f"The report cannot be written to {folder}: {error.strerror or error}.") from error
    figures, tables = (tuple(sorted((folder / name).iterdir())) for name in FOLDERS)
    return Report(folder, folder / PAGE, figures, tables)


def record_report(study: Study, report: Report) -> None:
    """The last part of `write_report`: note down that there is a report."""
    add_event(study, "report", {"folder": str(report.folder)})


def _find_free(reports: Path, made_at: str) -> Path:
    """A folder named by the moment that is not there yet."""
    moment = made_at.replace(":", "-")[:19]
    names = (moment, *(f"{moment}-{number}" for number in range(2, 1000)))
    return next((reports / name for name in names if not (reports / name).exists()), reports / moment)


@contextmanager
def _removing(folder: Path) -> Iterator[None]:
    """What is left of the folder afterwards is removed, however the block ends."""
    try:
        yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _move(partial: Path, folder: Path, *, is_there: bool) -> None:
    if not is_there:
        partial.rename(folder)
        return
    # The page comes last: where it is, everything is.
    for name in (*FOLDERS, PAGE):
        (partial / name).rename(folder / name)


def _write(content: ReportContent, folder: Path, *, study: Study) -> None:
    for name in FOLDERS:
        (folder / name).mkdir(parents=True)
    sections = make_sections(content)
    pictures = _write_figures(sections, folder / "figures", study=study)
    for name, frame in list_tables(sections):
        write_csv(frame, folder / "tables" / f"{name}.csv")
    page = render_report(content, sections, pictures=pictures, vega=_bundle_vega())
    with (folder / PAGE).open("wb") as file:
        # A command line may hold bytes that are no text; they become question marks.
        file.write(page.encode("utf-8", "replace"))
        file.flush()
        os.fsync(file.fileno())


@cache
def _bundle_vega() -> str:
    """What brings figures to life, as one script; to put it together takes longer than to draw a figure."""
    return vl_convert.javascript_bundle(VEGA)


def _write_figures(sections: Sequence[Section], folder: Path, *, study: Study) -> dict[str, str]:
    """Write every figure in every kind; returns the SVG drawings by name."""
    figures = [figure for section in sections for figure in section.figures]
    pictures: dict[str, str] = {}
    for figure in study.around.track(figures, "Figures"):
        drawn = convert_spec(figure.spec, name=figure.name)
        for kind, content in drawn.items():
            (folder / f"{figure.name}{kind}").write_bytes(content)
        pictures[figure.name] = drawn[".svg"].decode()
    return pictures


def _gather_evaluation(study: Study, status: StudyStatus, entry: EvaluationEntry) -> EvaluationPart:
    test_set = next(one for one in status.test_sets if one.name == entry.test_set)
    label_sets = tuple(one for one in status.label_sets if one.full_name in entry.labels)
    scores = load_scores(study, entry.id, about_objects=list_object_metrics())
    metric, labels = list_measures(scores)[0]
    ranked = rank(scores, metric, labels=labels)
    stored = {one.participant: one.sha256 for one in status.predictions if one.test_set == entry.test_set}
    # Whose answers were replaced since is passed over: what is shown must be what was evaluated.
    current = {name for name, sha256 in entry.predictions.items() if stored.get(name) == sha256}
    best = next((one.participant for one in ranked if one.participant in current), None)
    samples = None
    if best is not None:
        samples = sample_images(study, test_set, participant=best, label_set=_choose_labels(label_sets))
    stamps = entry.created_at, entry.code_version, entry.old_rules
    return EvaluationPart(entry.id, test_set, label_sets, scores, samples, *stamps)


def _gather_comparison(study: Study, entry: ComparisonEntry) -> ComparisonPart:
    shift = load_shift(study, entry.id)
    gap = _find_gap(study, entry, shift.settings.metric)
    return ComparisonPart(entry.id, shift, entry.labels, entry.created_at, entry.code_version, gap, entry.old_rules)


def _find_gap(study: Study, entry: ComparisonEntry, metric: str) -> GapReport | None:
    """What selection frequencies explain of the gap; None where they are not known for both sets, and for balanced means."""
    try:
        settings = GapSettings(metric=metric, allow_missing=True)
        return study_gap(study, Selection(test_set=entry.original), Selection(test_set=entry.new), settings=settings)
    except InputError:
        return None


def _choose_labels(label_sets: Sequence[LabelSetEntry]) -> LabelSetEntry | None:
    """The label set that judges the answers under the pictures: the last that was added."""
    return label_sets[-1] if label_sets else None
