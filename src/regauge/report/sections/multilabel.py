"""Multi-label truths as a section: images with several right labels, and multi-label against top-1 and top-5."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from regauge.estimates import Estimate, count_things, format_percent, typeset
from regauge.evaluation.reviews.multilabel_sentences import describe_open, describe_truth, name_metric
from regauge.records.evaluation.multilabel_truths import MetricChanges, MultilabelTruth
from regauge.report.multilabel_figures import plot_truth
from regauge.report.sections.blocks import Block, Fold, ReportFigure, ReportTable, Section, Text, fold_table
from regauge.report.tables import DocumentTable, TableCell, TableColumn

MULTILABEL = "multilabel"
N_CLOSER = 2
"""How many are drawn: a page with a figure of every label set on every test set would be read by nobody."""


def make_multilabel(truths: Sequence[MultilabelTruth]) -> Section:
    """All label sets that were evaluated as a table, and some of them closer: the figure, everybody's changes and ranks."""
    closer = choose_closer(truths)
    shown = [(truths[place], tuple(_show(truths[place], f"{MULTILABEL}-{place + 1}"))) for place in closer]
    blocks: tuple[Block, ...] = shown[0][1]
    if len(truths) > 1:
        caption = "Label sets under which an image can have several correct labels"
        table = ReportTable(f"{MULTILABEL}-all", caption, _make_overview(truths))
        folds = (Fold(_tell_gist(truth), part, is_printed=False) for truth, part in shown)
        rest = [Text(_tell_rest(len(truths) - len(closer)), "quiet")] if len(closer) < len(truths) else []
        blocks = (table, *folds, *rest)
    frames = [(f"{MULTILABEL}-{number}", truth.to_frame()) for number, truth in enumerate(truths, 1)]
    gist = _tell_gist(shown[0][0])
    return Section(MULTILABEL, "Multi-label truth", blocks, gist, is_folded=True, frames=frames, is_printed=False)


def choose_closer(truths: Sequence[MultilabelTruth]) -> list[int]:
    """The places of those that are shown closer.

    Reviews come first, whose verdicts have reasons, that of the most images before others; then those with the fewest open
    answers, and of equals the earlier one.
    """

    def rank(place: int) -> tuple[bool, int, int]:
        truth = truths[place]
        return not truth.reasons, -truth.n_images if truth.reasons else truth.n_open, place

    return sorted(range(len(truths)), key=rank)[:N_CLOSER]


def _tell_rest(n: int) -> str:
    return f"Figures and changes of {count_things(n, 'other')} are not drawn here; their files in tables/ have all numbers."


def _make_overview(truths: Sequence[MultilabelTruth]) -> DocumentTable:
    """One row per label set: shares, labels, open answers, settled pairs and median changes."""
    names = list(dict.fromkeys((one.metric, one.against) for truth in truths for one in truth.comparisons))
    columns = [
        TableColumn("Several labels", "of images that count"),
        TableColumn("Labels", "mean of these"),
        TableColumn("Problematic"),
        TableColumn("Open", "without verdict"),
        *(TableColumn(f"{name_metric(metric)} − {name_metric(against)}", "median") for metric, against in names),
    ]
    rows = []
    for truth in truths:
        share, mean, bad = truth.multilabel, truth.mean_labels, truth.problematic
        medians = {(one.metric, one.against): one.median for one in truth.comparisons}
        cells = (
            TableCell(str(share), share.value, f"n = {share.n:,}"),
            TableCell(typeset(mean, decimals=2), mean.value, f"n = {mean.n:,}"),
            TableCell(str(bad), bad.value, f"n = {bad.n:,}"),
            TableCell(f"{truth.n_open:,}", truth.n_open),
            *(_make_median(medians.get(name)) for name in names),
        )
        rows.append((f"{truth.labels} on {truth.test_set}", cells))
    return DocumentTable("label set", tuple(columns), tuple(rows))


def _make_median(median: Estimate[float | None] | None) -> TableCell:
    return TableCell(typeset(median, scale=100, sign=True), None if median is None else median.value)


def _tell_gist(truth: MultilabelTruth) -> str:
    """The share of multi-label images in a line."""
    found = truth.multilabel
    told = f"{truth.labels} on {truth.test_set}"
    return f"{told}: {found} of images have several correct labels (n = {found.n:,})" if found.n else told


def _show(truth: MultilabelTruth, anchor: str) -> Iterator[Block]:
    for sentence in describe_truth(truth):
        yield Text(sentence)
    if any(change.change is not None for one in truth.comparisons for change in one.changes):
        text = (
            f"Multi-label accuracy by {truth.labels} against top-1 and top-5, with intervals and the line of equality."
        )
        yield ReportFigure(anchor, text, plot_truth(truth).to_dict(validate=False))
    for against in dict.fromkeys(one.against for one in truth.comparisons):
        found = [one for one in truth.comparisons if one.against == against]
        caption = f"From {name_metric(against)} to {truth.labels}, on the images that count under both"
        table = ReportTable(f"{anchor}-{against}", caption, _make_table(found), can_filter=True)
        yield from fold_table(f"Table: every participant against {name_metric(against)}", table)
    for note in describe_open(truth):
        yield Text(note, "quiet")


def _make_table(found: Sequence[MetricChanges]) -> DocumentTable:
    """One row per participant: by the dataset labels, then per metric of the label set accuracy, change and rank."""
    columns = [TableColumn("Rank", is_rank=True), TableColumn(name_metric(found[0].against).capitalize())]
    for one in found:
        name = name_metric(one.metric)
        columns += [TableColumn(f"{name[0].upper()}{name[1:]}"), TableColumn("Change", "points")]
        columns.append(TableColumn("New rank", is_rank=True))
    by_name = [{change.participant: change for change in one.changes} for one in found]
    rows = []
    for first in found[0].changes:
        cells = [
            TableCell(str(first.rank_before), first.rank_before),
            TableCell(format_percent(first.before.value), first.before.value, f"n = {first.before.n:,}"),
        ]
        for changes in by_name:
            change = changes[first.participant]
            moved = None if change.change is None else change.change.value
            cells += [
                TableCell(str(change.after), change.after.value),
                TableCell(typeset(change.change, scale=100, sign=True), moved),
                TableCell(str(change.rank_after), change.rank_after),
            ]
        rows.append((first.participant, tuple(cells)))
    return DocumentTable("participant", tuple(columns), tuple(rows))
