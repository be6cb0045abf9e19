"""One evaluation as a section: accuracies by the primary labels, mistakes to look at, and the rest folded."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from regauge.estimates import count_things
from regauge.evaluation.outcomes import DATASET_LABELS
from regauge.records.evaluation.details import EvaluationDetails, MeasureName
from regauge.records.evaluation.scores import WHOLE, Scores, is_balanced
from regauge.records.rules import say_old_rules
from regauge.report.content import EvaluationPart, MistakeImages
from regauge.report.figures import plot_scores
from regauge.report.metrics import get_title
from regauge.report.sections.blocks import (
    Block,
    Fold,
    Heading,
    Pictures,
    ReportFigure,
    ReportTable,
    Section,
    Text,
    fold_table,
    keep_off_paper,
)
from regauge.report.sentences import describe_score, list_measures, name_labels, rank
from regauge.report.subset_figures import choose_spread, plot_subsets
from regauge.report.tables import make_classes_table, make_lifts_table, make_participants_table, make_subsets_table


def make_evaluation(part: EvaluationPart, anchor: str, *, is_folded: bool) -> Section:
    """The section of one evaluation."""
    measure = find_measure(part)
    ranked = rank(part.scores, measure[0], labels=measure[1])
    gist = ""
    if ranked:
        best = ranked[0]
        gist = f"{best.participant} {describe_score(best)}, {get_title(*measure[:1])} by {name_labels(measure[1])}"
    frames = [(anchor, part.scores.to_frame())]
    if part.details is not None and part.details.classes:
        frames.append((f"{anchor}-classes", _frame_classes(part.details)))
    blocks = (
        *(Text(warning, "notice warning") for warning in part.scores.warnings),
        *_show_scores(part, anchor, measure),
        *_show_mistakes(part),
        *_show_classes(part.details, anchor),
        *_show_parts(part, anchor, measure),
        *_fold_others(part, anchor, measure),
        _tell_how(part),
    )
    return Section(anchor, f"Accuracy on {part.test_set.name}", blocks, gist, is_folded, frames, is_printed=False)


def find_measure(part: EvaluationPart) -> MeasureName:
    """The metric and the labels that the section judges by; without a closer look, the first of the evaluation."""
    return part.details.measure if part.details is not None else list_measures(part.scores)[0]


def _choose(scores: Scores, measures: list[MeasureName]) -> Scores:
    """The scores under some measures."""
    is_chosen = pl.any_horizontal(
        *((pl.col("metric") == metric) & (pl.col("labels") == labels) for metric, labels in measures)
    )
    return Scores(scores.to_frame().filter(is_chosen), settings=scores.settings, people=scores.people)


def _split_measures(part: EvaluationPart, measure: MeasureName) -> tuple[list[MeasureName], list[MeasureName]]:
    """Plain measures by the dataset labels and the primary ones, and those by other labels."""
    plain = [one for one in list_measures(part.scores) if not is_balanced(one[0])]
    primary = [one for one in plain if one[1] in (DATASET_LABELS, measure[1])]
    return primary, [one for one in plain if one not in primary]


def _show_scores(part: EvaluationPart, anchor: str, measure: MeasureName) -> Iterator[Block]:
    name = part.test_set.name
    primary, _ = _split_measures(part, measure)
    drawn = [one for one in primary if one in (("top1", DATASET_LABELS), measure)]
    yield ReportFigure(
        anchor,
        f"Accuracies on {name} with their intervals.",
        plot_scores(_choose(part.scores, drawn)).to_dict(validate=False),
    )
    table = make_participants_table(_choose(part.scores, primary))
    caption = f"Participants on {name}"
    n = count_things(len(table.rows), "participant")
    yield from fold_table(
        f"Table of {n}: dataset labels and {measure[1]}" if measure[1] != DATASET_LABELS else f"Table of {n}",
        ReportTable(f"{anchor}-participants", caption, table, can_filter=True),
    )
    if part.details is not None and part.details.lifts:
        lifts = make_lifts_table(part.details)
        title = f"Table: what {name_labels(measure[1])} change for each participant"
        yield from fold_table(title, ReportTable(f"{anchor}-lifts", f"From dataset labels to {measure[1]}", lifts))


def _show_mistakes(part: EvaluationPart) -> Iterator[Block]:
    yield Heading(f"Mistakes on {part.test_set.name}")
    if part.mistakes is None:
        why = "The image files of {} are not at hand, so no mistakes are shown."
        if part.details is None:
            why = "No answers on {} are stored as they were evaluated, so no mistakes are shown."
        yield Text(why.format(part.test_set.name), "quiet")
        return
    yield Text(_tell_mistakes(part.mistakes), "quiet")
    if part.mistakes.images:
        yield Pictures(part.mistakes.images)


def _tell_mistakes(shown: MistakeImages) -> str:
    by = name_labels(shown.labels)
    if not shown.n_wrong:
        return f"{shown.participant} makes no mistake by the {by}."
    if not shown.images:
        return f"None of the {shown.n_missing} images chosen could be read, so no mistakes are shown."
    missing = f" {count_things(shown.n_missing, 'image')} could not be read." if shown.n_missing else ""
    return (
        f"{len(shown.images)} of {count_things(shown.n_wrong, 'answer')} of {shown.participant} that are wrong by the {by}: one "
        f"of each confusion, the most frequent first (images drawn with seed {shown.seed}).{missing}"
    )


def _show_classes(details: EvaluationDetails | None, anchor: str) -> Iterator[Block]:
    if details is None or not details.classes:
        return
    n = count_things(len(details.classes), "class", many="classes")
    table = ReportTable(
        f"{anchor}-by-class",
        f"{details.best} by class, the hardest first",
        make_classes_table(details),
        can_filter=True,
    )
    note = (
        "A class is marked hard if its accuracy is below that of all other images by limits that hold for all classes "
        "at once; the limits in the table hold for each class alone."
    )
    yield from fold_table(
        f"Table of {n}: accuracy, and what is answered instead", table, notes=[note], anchor=f"{anchor}-classes"
    )


def _show_parts(part: EvaluationPart, anchor: str, measure: MeasureName) -> Iterator[Block]:
    names = choose_spread([one.participant for one in rank(part.scores, measure[0], labels=measure[1])])
    n_parts = part.scores.to_frame().filter(pl.col("subset") != WHOLE)["subset"].n_unique()
    if not n_parts or not names:
        return
    name = part.test_set.name
    spec = plot_subsets(part.scores, names, measure=measure).to_dict(validate=False)
    figure = ReportFigure(f"{anchor}-parts", f"Accuracies on parts of {name} with their intervals.", spec)
    content = make_subsets_table(part.scores, names, measure=measure)
    table = ReportTable(f"{anchor}-by", f"Parts of {name}", content)
    yield Fold(f"Accuracy on {count_things(n_parts, 'part')}", (figure, *fold_table("The same as a table", table)))


def _fold_others(part: EvaluationPart, anchor: str, measure: MeasureName) -> Iterator[Block]:
    _, others = _split_measures(part, measure)
    if others:
        table = make_participants_table(_choose(part.scores, others))
        caption = f"Participants on {part.test_set.name} by other label sets"
        folded = fold_table("Other label sets", ReportTable(f"{anchor}-others", caption, table, can_filter=True))
        yield from keep_off_paper(folded)
    balanced = make_participants_table(part.scores, balanced=True)
    shown = ReportTable(f"{anchor}-balanced", f"Balanced accuracies on {part.test_set.name}", balanced, can_filter=True)
    yield from keep_off_paper(fold_table("Balanced accuracies: means of per-class means", shown))


def _tell_how(part: EvaluationPart) -> Fold:
    """When, by which version and with which labels it was computed, and what was noted then."""
    labels = ", ".join([DATASET_LABELS, *(entry.full_name for entry in part.label_sets)])
    settings = part.scores.settings
    made = (
        f"Evaluation {part.evaluation_id}, {part.made_at[:16].replace('T', ' ')} UTC, by Regauge {part.code_version}; labels: "
        f"{labels}. {100 * settings.level:g}% intervals; seed {settings.seed}."
    )
    told = [made]
    told += [say_old_rules("This was computed", part)] if part.old_rules else []
    blocks = tuple(Text(one, "quiet") for one in (*told, *part.scores.notes))
    return Fold("How this was computed", blocks)


def _frame_classes(details: EvaluationDetails) -> pl.DataFrame:
    """The classes as a table file; fractions, not percentages."""
    rows = [
        {
            "class": one.name,
            "participant": details.best,
            "metric": details.measure[0],
            "labels": details.measure[1],
            "n": one.share.n,
            "n_correct": one.share.k,
            "value": one.share.value,
            "low": one.share.low,
            "high": one.share.high,
            "is_hard": one.is_hard,
            "answered_instead": "; ".join(f"{other.name} {other.share.k}/{other.share.n}" for other in one.confusions),
        }
        for one in details.classes
    ]
    return pl.DataFrame(rows)
