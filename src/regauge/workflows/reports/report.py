"""Write the report of a study: one page that needs nothing else, the figures as files, the numbers as tables."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import regauge
from regauge.errors import InputError, StorageError
from regauge.evaluation.metrics import list_object_metrics
from regauge.evaluation.primary_labels import choose_measure
from regauge.records.cells import write_csv
from regauge.records.evaluation.details import EvaluationDetails
from regauge.records.evaluation.gaps import GapReport, GapSettings
from regauge.records.evaluation.multilabel_truths import MultilabelTruth
from regauge.records.evaluation.scores import Scores
from regauge.records.responses.quality import ImageOrder
from regauge.records.studies import (
    ComparisonEntry,
    EvaluationEntry,
    LabelSetEntry,
    PredictionsEntry,
    Selection,
    StudyStatus,
)
from regauge.report.content import CampaignPart, ComparisonPart, EvaluationPart, HumanPart, MistakeImages, ReportContent
from regauge.report.document import lay_out, render_report
from regauge.report.drawings import embed_drawing
from regauge.report.sections.blocks import ReportFigure
from regauge.report.sentences import rank
from regauge.storage.campaigns.campaign import list_campaigns
from regauge.storage.evaluation.comparisons import load_shift
from regauge.storage.evaluation.evaluations import load_scores
from regauge.storage.events import add_event, list_events
from regauge.storage.people.pseudonyms import find_pseudonyms
from regauge.storage.study import Study
from regauge.workflows.evaluation.gaps import study_gap
from regauge.workflows.evaluation.stopped import list_complete
from regauge.workflows.exposure.effects import EffectOrder, measure_exposure_effect
from regauge.workflows.exposure.recording import learn_exposures
from regauge.workflows.labels.multilabel_truths import summarise_evaluated
from regauge.workflows.live.campaigns import LiveCampaigns
from regauge.workflows.reports.context import gather_context
from regauge.workflows.reports.details import EvaluatedAnswers, look_closer
from regauge.workflows.reports.figures import convert_spec
from regauge.workflows.reports.humans import find_compared, gather_humans
from regauge.workflows.reports.mistakes import gather_mistakes
from regauge.workflows.reports.people import DISPUTED, CampaignFigures, describe_campaign
from regauge.workflows.slices.scoring import score_all_slices
from regauge.workflows.studies.study import describe_status

PAGE = "report.html"
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
    """Write the latest evaluation of every test set, the latest comparison of every pair, and what people answered as a report.

    Args:
        study: the study, inside a transaction.
        folder: where to; by default a folder named by the moment among the study's reports.
        title: what the report is called; by default the name of the study's folder.

    Raises:
        InputError: the folder holds something, or there is nothing to report yet.
        StorageError: the folder cannot be written.
    """
    learn_exposures(study)
    report = write_report_files(study, gather_report(study, title=title), folder=folder)
    record_report(study, report)
    return report


def gather_report(study: Study, *, title: str = "") -> ReportContent:
    """The first part of `write_report`, which reads; a transaction that reads is enough.

    Raises:
        InputError: nothing has been evaluated, and no campaign has been answered.
    """
    status, campaigns = describe_status(study), gather_campaigns(study)
    if not status.evaluations and not campaigns:
        step = "run: regauge evaluate" if status.predictions else "regauge status says what comes next"
        raise InputError(
            f"Nothing has been evaluated and no campaign has been answered, so there is nothing to report yet; {step}."
        )
    latest = {entry.test_set: entry for entry in status.evaluations}
    pairs = {(entry.original, entry.new): entry for entry in status.comparisons}
    ordered = [latest[entry.name] for entry in status.test_sets if entry.name in latest]
    evaluations = tuple(_gather_evaluation(study, status, entry) for entry in study.around.track(ordered, "Test sets"))
    return ReportContent(
        title=title or study.paths.folder.name,
        about=study.about,
        status=status,
        evaluations=evaluations,
        comparisons=tuple(
            _gather_comparison(study, status, one) for one in study.around.track(list(pairs.values()), "Comparisons")
        ),
        campaigns=campaigns,
        events=tuple(map(find_pseudonyms(study).hide_event, list_events(study))),
        made_at=study.around.now(),
        code_version=regauge.__version__,
        command=study.around.command,
        truths=tuple(one for entry in ordered for one in _gather_truths(study, status, entry)),
        humans=_gather_humans(study, status, evaluations, pairs=list(pairs)),
        reviewed=gather_mistakes(study, evaluations),
        slices=score_all_slices(study),
        context=gather_context(study, status),
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
    document = lay_out(content)
    pictures = _write_figures(document.figures, folder / "figures", study=study)
    for name, frame in document.tables:
        write_csv(frame, folder / "tables" / f"{name}.csv")
    page = render_report(document, pictures=pictures)
    with (folder / PAGE).open("wb") as file:
        # A command line may hold bytes that are no text; they become question marks.
        file.write(page.encode("utf-8", "replace"))
        file.flush()
        os.fsync(file.fileno())


def _write_figures(figures: Sequence[ReportFigure], folder: Path, *, study: Study) -> dict[str, str]:
    """Write every figure in every kind; returns the SVG drawings for the page by name."""
    pictures: dict[str, str] = {}
    for figure in study.around.track(figures, "Figures"):
        drawn = convert_spec(figure.spec, name=figure.name)
        for kind, content in drawn.items():
            (folder / f"{figure.name}{kind}").write_bytes(content)
        pictures[figure.name] = embed_drawing(drawn[".svg"].decode())
    return pictures


def gather_campaigns(study: Study) -> tuple[CampaignPart, ...]:
    """What people answered to every campaign with an answer that is kept, in the order in which campaigns were made."""
    live, found = LiveCampaigns(), []
    for campaign in study.around.track(list_campaigns(study), "Campaigns"):
        pulse = live.pulse(study, campaign)
        if pulse.n_answers:
            rows = live.images(study, campaign, order=ImageOrder.DISAGREEMENT, page=DISPUTED).rows
            annotators = tuple(live.list_everybody(study, campaign))
            figures = CampaignFigures(pulse, annotators, live.image_counts(study, campaign), rows)
            found.append(describe_campaign(study, campaign, figures=figures))
    return tuple(found)


def _gather_evaluation(study: Study, status: StudyStatus, entry: EvaluationEntry) -> EvaluationPart:
    test_set = next(one for one in status.test_sets if one.name == entry.test_set)
    label_sets = tuple(_list_labels(status, entry))
    scores = load_scores(study, entry.id, about_objects=list_object_metrics())
    details, mistakes = _look_closer(study, status, entry, scores=scores)
    stamps = entry.created_at, entry.code_version, entry.old_rules
    return EvaluationPart(entry.id, test_set, label_sets, scores, details, mistakes, *stamps)


def _look_closer(
    study: Study, status: StudyStatus, entry: EvaluationEntry, *, scores: Scores
) -> tuple[EvaluationDetails | None, MistakeImages | None]:
    """What the answers say beyond scores; nothing where none of them is stored as it was evaluated."""
    test_set = next(one for one in status.test_sets if one.name == entry.test_set)
    label_sets = {one.full_name: one for one in _list_labels(status, entry)}
    stored = list(_list_current(status, entry))
    # People who stopped early would leave few images on which everybody can be compared; they are in the tables of people.
    current = {one.participant: one for one in list_complete(stored, test_set, selection=Selection()) or stored}
    frame = scores.to_frame()
    scores = Scores(frame.filter(frame["participant"].is_in(list(current))), scores.settings, people=scores.people)
    measure = choose_measure(scores, tuple(label_sets), n_images=test_set.n_images)
    ranked = [] if measure is None else rank(scores, measure[0], labels=measure[1])
    predictions = [current[one.participant] for one in ranked if one.participant in current]
    if measure is None or not predictions:
        return None, None
    chosen = label_sets.get(measure[1])
    level = scores.settings.level
    return look_closer(study, EvaluatedAnswers(test_set, chosen, predictions, measure, level))


def _gather_truths(study: Study, status: StudyStatus, entry: EvaluationEntry) -> tuple[MultilabelTruth, ...]:
    """What the label sets of an evaluation say, the newest first."""
    test_set = next(one for one in status.test_sets if one.name == entry.test_set)
    labels, predictions = list(_list_labels(status, entry))[::-1], list(_list_current(status, entry))
    return summarise_evaluated(study, test_set, labels=labels, predictions=predictions)


def _list_labels(status: StudyStatus, entry: EvaluationEntry) -> Iterator[LabelSetEntry]:
    return (one for one in status.label_sets if one.full_name in entry.labels)


def _list_current(status: StudyStatus, entry: EvaluationEntry) -> Iterator[PredictionsEntry]:
    """Whose answers are stored as they were evaluated: what is shown must be what was evaluated."""
    stored = (one for one in status.predictions if one.test_set == entry.test_set)
    return (one for one in stored if entry.predictions.get(one.participant) == one.sha256)


def _gather_humans(
    study: Study, status: StudyStatus, evaluations: Sequence[EvaluationPart], *, pairs: Sequence[tuple[str, str]]
) -> HumanPart | None:
    """People beside models, and what it changes that people had been shown images before."""
    part = gather_humans(study, status, evaluations=evaluations, compared=pairs)
    if part is None or part.found is None:
        return part
    level = part.found.settings.level
    orders = (EffectOrder(name, metric=metric, labels=labels, level=level) for name, metric, labels in part.measures)
    return replace(part, exposures=tuple(measure_exposure_effect(study, one) for one in orders))


def _gather_comparison(study: Study, status: StudyStatus, entry: ComparisonEntry) -> ComparisonPart:
    shift = load_shift(study, entry.id)
    names = find_compared(status, (entry.original, entry.new), names=[one.name for one in shift.models])
    gap = _find_gap(study, entry, shift.settings.metric, participants=names)
    return ComparisonPart(entry.id, shift, entry.labels, entry.created_at, entry.code_version, gap, entry.old_rules)


def _find_gap(study: Study, entry: ComparisonEntry, metric: str, *, participants: tuple[str, ...]) -> GapReport | None:
    """What selection frequencies explain of the gap of those who were compared.

    None where frequencies are not known for both sets, where nobody is left, and for balanced means.
    """
    if not participants:
        return None
    sides = (Selection(test_set=name, participants=participants) for name in (entry.original, entry.new))
    try:
        return study_gap(study, *sides, settings=GapSettings(metric=metric, allow_missing=True))
    except InputError:
        return None
