"""What stands behind the numbers, folded: test sets and definitions, label sets, and where everything came from."""

from __future__ import annotations

from collections.abc import Iterator

from regauge.evaluation.metrics import list_metrics
from regauge.evaluation.outcomes import Metric
from regauge.records.evaluation.scores import BALANCED_SUFFIX
from regauge.report.content import ReportContent
from regauge.report.sections.blocks import (
    Block,
    Code,
    Facts,
    Fold,
    ReportTable,
    Section,
    Text,
    fold_table,
    keep_off_paper,
)
from regauge.report.sentences import list_measures
from regauge.report.tables import make_plain_table

DIGEST = 16
"""Letters of a checksum that are shown."""


def make_background(content: ReportContent) -> tuple[Section, ...]:
    """The last sections of every report."""
    return (_define(content), _list_label_sets(content), _trace(content))


def find_metrics(content: ReportContent) -> dict[str, Metric]:
    """The metrics in the report by name, in the order of all metrics."""
    used = {metric for part in content.evaluations for metric, _ in list_measures(part.scores)}
    used |= {
        metric for part in content.comparisons for metric in (part.shift.settings.metric, *part.shift.mean_changes)
    }
    plain = {metric.removesuffix(BALANCED_SUFFIX) for metric in used}
    return {metric.name: metric for metric in list_metrics() if metric.name in plain}


def list_commands(content: ReportContent) -> list[str]:
    """The commands that make the report again, each once, in order; earlier reports are no part of it."""
    typed = [event.command for event in content.events if event.command and event.what != "report"]
    return list(dict.fromkeys([*typed, *([content.command] if content.command else [])]))


def _define(content: ReportContent) -> Section:
    status = content.status
    n_by_set: dict[str, int] = {}
    for entry in status.predictions:
        n_by_set[entry.test_set] = n_by_set.get(entry.test_set, 0) + 1
    rows = [
        (one.name, (f"{one.n_images:,}", f"{n_by_set.get(one.name, 0):,}", str(one.kind), one.digest[:DIGEST]))
        for one in status.test_sets
    ]
    table = make_plain_table("test set", ("images", "participants", "kind", "digest of ids and labels"), rows=rows)
    blocks: list[Block] = [] if table.is_empty else [ReportTable("measured-sets", "Test sets", table)]
    metrics = find_metrics(content)
    if metrics:
        blocks += [
            Text("Every participant answers every image with its classes, best first. An answer is right when:"),
            Facts(tuple((metric.title, f"{metric.meaning} ({name})") for name, metric in metrics.items())),
            Text(
                "A balanced accuracy is the mean of per-class means by dataset label. A prediction that nobody has "
                "judged counts as wrong in the value and as right in the upper bound; the interval covers both.",
                "quiet",
            ),
        ]
        blocks += [Text(one, "quiet") for one in _tell_primary(content)]
    return Section("measured", "What was measured", tuple(blocks), is_folded=True)


def _tell_primary(content: ReportContent) -> Iterator[str]:
    """By which labels each test set is judged first, and why."""
    for part in content.evaluations:
        if part.details is not None:
            yield (
                f"{part.test_set.name} is judged by {part.details.measure[1]}: the newest label set under which nine images in "
                "ten count and at most one answer in twenty is unjudged, or the dataset labels where there is none."
            )


def _list_label_sets(content: ReportContent) -> Section:
    entries = content.status.label_sets
    if not entries:
        none = Text("There are no label sets: answers are judged by the dataset labels alone.")
        return Section("labels", "Label sets", (none,), is_folded=True)
    titles = ("images", "verdicts", "problematic images", "kind", "a class without verdict is", "added")
    rows = []
    for one in entries:
        counts = (f"{n:,}" for n in (one.n_images, one.n_verdicts, one.n_problematic))
        rows.append((one.full_name, (*counts, str(one.kind), str(one.unlisted), one.added_at[:10])))
    caption = "Label sets; a version is never changed, a correction is a new version"
    note = "Problematic images are left out of multi-label, ReaL and main-label accuracy for every participant."
    table = ReportTable("labels-sets", caption, make_plain_table("label set", titles, rows=rows))
    return Section("labels", "Label sets", (table, Text(note, "quiet")), is_folded=True)


def _trace(content: ReportContent) -> Section:
    status = content.status
    facts = (
        ("Classes", f"{status.taxonomy} ({status.n_classes:,})"),
        ("Report made", content.made_at),
        ("Version", f"Regauge {content.code_version}"),
    )
    commands = list_commands(content)
    steps = [(one.at[:19].replace("T", " "), (one.what, one.who or "–", one.summary)) for one in content.events]
    checksums = [
        (one.participant, (one.test_set, f"{one.k}", f"{one.n_answered:,}", one.sha256[:DIGEST]))
        for one in status.predictions
    ]
    of_steps = ReportTable(
        "provenance-steps", "Steps", make_plain_table("when (UTC)", ("what", "who", "with"), rows=steps)
    )
    titles = ("test set", "answers per image", "images answered", "SHA-256")
    of_answers = ReportTable(
        "provenance-checksums", "Checksums", make_plain_table("participant", titles, rows=checksums)
    )
    blocks: tuple[Block, ...] = (
        Facts(facts),
        *([Fold(f"Commands ({len(commands)})", (Code(tuple(commands)),))] if commands else []),
        *keep_off_paper(fold_table(f"Every step ({len(steps)})", of_steps)),
        *keep_off_paper(fold_table(f"Checksums of the predictions ({len(checksums)})", of_answers)),
    )
    return Section("provenance", "Provenance", blocks, is_folded=True)
