"""One comparison of two test sets as a section: what selection explains of the drop, and the rest folded."""

from __future__ import annotations

from collections.abc import Iterator

from regauge.estimates import count_things
from regauge.records.canvas import Canvas
from regauge.records.evaluation.fits import Scale
from regauge.records.evaluation.gaps import NAIVE_WARNING
from regauge.records.evaluation.shifts import Shift
from regauge.records.rules import say_old_rules
from regauge.report.content import ComparisonPart
from regauge.report.findings.comparisons import tell_ranks
from regauge.report.gap_figures import plot_gap
from regauge.report.gap_parts import describe_gap, make_gap_table, summarise_gap
from regauge.report.sections.blocks import Block, Fold, ReportFigure, ReportTable, Section, Text, fold_table
from regauge.report.sentences import describe_change, describe_shift
from regauge.report.shift_figures import plot_shift
from regauge.report.subset_figures import choose_spread
from regauge.report.tables import make_shift_table

N_NAMED = 8
"""With more models than this, a scatter names only the first, the last and some between."""


def make_comparison(part: ComparisonPart, anchor: str, *, is_folded: bool, headline: str = "") -> Section:
    """The section of one comparison; the figure that stands at the top of the page is not drawn again."""
    shift = part.shift
    figures = [one for one in draw_shift(part, anchor) if one.name != headline]
    frames = [(anchor, shift.to_frame())]
    frames += [] if part.gap is None else [(f"{anchor}-gap", part.gap.to_frame())]
    # One figure stays open: the split gap where there is one, else the models, unless they stand at the top.
    leading = figures[:1] if part.gap is None and not headline.startswith(f"{anchor}-") else []
    rest = tuple(figures[len(leading) :])
    blocks: tuple[Block, ...] = (
        *(Text(warning, "notice warning") for warning in shift.warnings),
        *leading,
        *_show_gap(part, anchor),
        *([Fold("Every model on both sets, as a figure", rest)] if rest else []),
        *_show_models(shift, anchor),
        *_tell_lines(shift),
        _tell_how(part),
    )
    return Section(
        anchor, f"From {shift.original} to {shift.new}", blocks, _tell_gist(part), is_folded, frames, is_printed=False
    )


def draw_shift(part: ComparisonPart, anchor: str, *, canvas: Canvas | None = None) -> list[ReportFigure]:
    """A figure per scale."""
    shift = part.shift
    labels = [_as_glob(name) for name in choose_spread([model.name for model in shift.models], N_NAMED)]
    return [
        ReportFigure(
            f"{anchor}-{scale}",
            _tell_figure(shift, scale),
            plot_shift(shift, label=labels, scale=scale, canvas=canvas).to_dict(validate=False),
        )
        for scale in shift.settings.scales
    ]


def _tell_gist(part: ComparisonPart) -> str:
    if part.gap is not None:
        return summarise_gap(part.gap)
    change = part.shift.mean_changes.get(part.shift.settings.metric)
    return "" if change is None else describe_change(part.shift.settings.metric, change)


def _show_gap(part: ComparisonPart, anchor: str) -> Iterator[Block]:
    gap = part.gap
    if gap is None:
        return
    told = list(describe_gap(gap))
    yield Text(told[0])
    # What is said of the naive method stands below the table, unless there is no other.
    is_biased = gap.settings.methods[-1].is_biased
    minor = [one for one in gap.warnings if one == NAIVE_WARNING and not is_biased]
    yield from (Text(one, "notice warning") for one in gap.warnings if one not in minor)
    text = (
        f"The gap from {gap.original} to {gap.new}: explained by selection, and left at equal frequency; with limits."
    )
    yield ReportFigure(f"{anchor}-gap", text, plot_gap(gap).to_dict(validate=False))
    notes = (*told[1:], *minor, *gap.notes)
    table = ReportTable(f"{anchor}-split", f"The gap from {gap.original} to {gap.new}", make_gap_table(gap))
    yield from fold_table("Table: what selection explains of each participant's gap", table, notes=notes)


def _show_models(shift: Shift, anchor: str) -> Iterator[Block]:
    caption = f"Models on {shift.original} and {shift.new}"
    table = ReportTable(f"{anchor}-models", caption, make_shift_table(shift), can_filter=True)
    ranks = [tell_ranks(shift)] if len(shift.models) > 1 else []
    yield from fold_table(
        "Table: accuracies, gaps and ranks of all models", table, notes=[shift.describe_intervals(), *ranks]
    )


def _tell_lines(shift: Shift) -> Iterator[Fold]:
    told = tuple(Text(one) for one in describe_shift(shift))
    if told:
        yield Fold("Mean changes, and what the line through the models says", told)


def _tell_how(part: ComparisonPart) -> Fold:
    """When, by which version and with which labels it was computed, and what was noted then."""
    shift = part.shift
    labels = ", ".join(("dataset", *part.labels))
    made = (
        f"Comparison {part.comparison_id}, {part.made_at[:16].replace('T', ' ')} UTC, by Regauge {part.code_version}; labels: "
        f"{labels}; metric {shift.settings.metric}; seed {shift.settings.seed}."
    )
    told = [made]
    told += [say_old_rules("This was computed", part)] if part.old_rules else []
    return Fold("How this was computed", tuple(Text(one, "quiet") for one in (*told, *shift.notes)))


def _tell_figure(shift: Shift, scale: Scale) -> str:
    """What the figure of a comparison shows: a line only where there is one on its scale."""
    models = count_things(len(shift.models), "model")
    line = " and fitted line" if any(fit.scale is scale for fit in shift.fits) else ""
    return f"Accuracy of {models} on {shift.new} against {shift.original}, with intervals{line}."


def _as_glob(name: str) -> str:
    """A pattern that matches the name alone."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)
