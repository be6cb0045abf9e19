"""People beside models as a section: both sets as a figure, the tables of Shankar et al. (2020), exposure, and what all miss."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from regauge.estimates import count_things, format_estimate, format_points, from_fields, join_words, typeset
from regauge.records.evaluation.humans import tables as names
from regauge.records.evaluation.humans.report import HumanReport
from regauge.records.evaluation.scores import WHOLE
from regauge.records.exposure.effects import ExposureEffect, ExposureSplit
from regauge.records.option_names import name_options
from regauge.report.content import HumanPart, MissedPictures, Misser
from regauge.report.findings.humans import count_told_apart, find_in_humans
from regauge.report.humans.figures import plot_humans
from regauge.report.humans.tables import make_both_sets, make_missed, make_one_set, make_seconds
from regauge.report.metrics import say_metric
from regauge.report.sections.blocks import Block, Fold, Pictures, ReportFigure, ReportTable, Section, Text, fold_table
from regauge.report.sentences import name_labels

HUMANS = "humans"

_MISSERS = {
    Misser.BOTH: "missed by all people and all models",
    Misser.PEOPLE: "missed by all people, but not by all models",
    Misser.MODELS: "missed by all models, but not by all people",
}


def make_humans(part: HumanPart) -> Section:
    """The section, folded; a study whose tables cannot be made is told why."""
    found = part.found
    if found is None:
        told = f"People and models cannot be put into the same tables: {part.why}"
        return Section(HUMANS, "People and models", (Text(told, "notice warning"),), is_folded=True, is_printed=False)
    blocks: tuple[Block, ...] = (
        Text(_tell_judging(part, found)),
        *(Text(one, "notice warning") for one in found.warnings),
        *(Text(f"{one.claim} {one.evidence}") for one in find_in_humans(part, HUMANS)),
        *_show_both(found),
        *(Text(one) for one in _tell_pairs(found)),
        *(Text(one) for one in _tell_consistency(found)),
        *(Text(_tell_exposure(one)) for one in part.exposures),
        *_show_subsets(found),
        *fold_table(
            "Table: seconds and hours", ReportTable("humans-seconds", "Seconds per image", make_seconds(found))
        ),
        *_show_missed(part, found),
        _tell_how(part, found),
    )
    frames = [(f"{HUMANS}-{name}", frame) for name, frame in found.tables.items() if frame.height]
    return Section(
        HUMANS, "People and models", blocks, _tell_gist(found), is_folded=True, frames=frames, is_printed=False
    )


def _tell_gist(found: HumanReport) -> str:
    """Mean accuracies of people and of models on each set, or those of the only ones."""
    told = []
    for name in found.test_sets:
        rows = found.get_table(names.ACCURACIES).filter(test_set=name, metric=found.metrics[0], subset=WHOLE)
        means = {row["participant"]: row for row in rows.iter_rows(named=True) if row["n_participants"] > 1}
        texts = [f"{kind} {format_estimate(from_fields(row))}" for kind, row in means.items()]
        told += [f"{' and '.join(texts)} on {name} (n = {max(row['n'] for row in means.values()):,})"] if texts else []
    return f"Means: {'; '.join(told)}" if told else _count(found)


def _count(found: HumanReport) -> str:
    n = len(found.people)
    people, models = count_things(n, "person", many="people"), count_things(len(found.participants) - n, "model")
    return f"{people} and {models} on {' and '.join(found.test_sets)}"


def _tell_judging(part: HumanPart, found: HumanReport) -> str:
    """Who is judged by which labels on how many images."""
    sets = []
    for name, _, labels in part.measures:
        rows = found.get_table(names.ACCURACIES).filter(test_set=name, metric=found.metrics[0], subset=WHOLE)
        n = max(rows.filter(pl.col("n_participants") == 1)["n"].to_list(), default=0)
        sets.append(f"{name_labels(labels)} on {count_things(n, 'image')} of {name}")
    told = (
        f"{_count(found)}: {say_metric(found.metrics[0])} under {' and '.join(sets)}, the images that at least one person "
        "answered. Accuracies rise with every review of the labels, so they hold for these versions."
    )
    if part.others:
        told += f" People also answered {join_words(part.others)}, which regauge humans shows."
    return told


def _show_both(found: HumanReport) -> Iterator[Block]:
    """The figure of both sets and Table 1; with one set, its accuracies."""
    if found.shifts:
        text = (
            f"{_count(found)}: accuracy on both sets with intervals, people as diamonds, models as dots, and a line through "
            "the models alone."
        )
        yield ReportFigure(f"{HUMANS}-sets", text, plot_humans(found).to_dict(validate=False))
    caption = f"{say_metric(found.metrics[0])} of people and models on {' and '.join(found.test_sets)}"
    content = make_both_sets(found) if len(found.test_sets) == 2 else None
    if content is None or content.is_empty:
        return
    yield ReportTable(f"{HUMANS}-gaps", f"{caption[0].upper()}{caption[1:]}", content)


def _tell_pairs(found: HumanReport) -> Iterator[str]:
    rows = found.get_table(names.PAIRS)
    if not rows.height:
        return
    told = []
    for name in found.test_sets:
        n_people, n_models, n = count_told_apart(found, name)
        if n:
            told.append(
                f"on {name}, the person is clearly better in {n_people:,} of {n:,} and the model in {n_models:,}"
            )
    n_clear = rows.filter(pl.col("p_holm") <= 1 - found.settings.level).height
    sentence = (
        f"McNemar’s exact test tells {n_clear:,} of {count_things(rows.height, 'pair')} apart at "
        f"{100 * (1 - found.settings.level):g}% over all of them (Holm)"
    )
    yield f"{sentence}. Of the pairs of a person and a model: {'; '.join(told)}." if told else f"{sentence}."


def _tell_consistency(found: HumanReport) -> Iterator[str]:
    """Whether people err on the images that models err on."""
    rows = found.get_table(names.MEAN_CONSISTENCY).filter(test_set=found.test_sets[0])
    told = [
        f"{typeset(from_fields(row, 'kappa'), decimals=2)} between {row['first_kind']} and {row['second_kind']} "
        f"({count_things(row['n_pairs'], 'pair')})"
        for row in rows.iter_rows(named=True)
        if row["kappa"] is not None
    ]
    if told:
        n = max(rows["n"].to_list())
        yield f"Error consistency (mean kappa, {count_things(n, 'image')} of {found.test_sets[0]}): {join_words(told)}."


def _tell_exposure(effect: ExposureEffect) -> str:
    """Accuracy with and without exposure; that nobody was exposed only where everybody is known."""
    n_exposed = sum(one.is_exposed for one in effect.labelers)
    n_unknown = sum(not one.person for one in effect.labelers)
    n = len(effect.labelers)
    people = count_things(n, "person", many="people")
    if n_unknown == n:
        return f"Whether these people had been shown images of {effect.test_set} before is not known."
    unknown = f" Of {n_unknown} of {people} it is not known what they had been shown." if n_unknown else ""
    if not n_exposed:
        who = "None of the others" if n_unknown else f"None of {people}" if n > 1 else "The only person"
        been = "had not been" if n == 1 else "had been"
        return f"{who} {been} shown an image of {effect.test_set} before.{unknown}"
    split = ExposureSplit.LABELERS if n_exposed < n else ExposureSplit.IMAGES
    with_it, without = [
        next(one for one in effect.scores if one.split is split and one.is_exposed is is_exposed).accuracy
        for is_exposed in (True, False)
    ]
    had = f"{n_exposed} of {people} had been shown images of {effect.test_set} before"
    if not (with_it.n and without.n):
        return f"{had}, so there are no answers without exposure to compare with.{unknown}"
    difference = next(one.difference for one in effect.differences if one.split is split)
    whose = "their answers" if split is ExposureSplit.LABELERS else "answers to images that whoever answered had seen"
    rest = "of the others’" if split is ExposureSplit.LABELERS else "of those to other images"
    return (
        f"{had}: {format_estimate(with_it)} of {whose} are right (n = {with_it.n:,}), {rest} {format_estimate(without)} "
        f"(n = {without.n:,}); difference {format_points(difference, sign=True)} points.{unknown}"
    )


def _show_subsets(found: HumanReport) -> Iterator[Fold]:
    """Table 2: everybody on every subset, a set at a time."""
    for place, name in enumerate(found.test_sets, 1):
        caption = f"{say_metric(found.metrics[0])} on subsets of {name}"
        table = ReportTable(
            f"{HUMANS}-subsets-{place}", f"{caption[0].upper()}{caption[1:]}", make_one_set(found, name)
        )
        note = (
            "Below each value: n and, for subsets made of classes, p against as many classes drawn at random "
            f"({count_things(found.settings.n_draws, 'draw')}). A person’s fast images were chosen by that person’s own time "
            "too, so compare people with models on fast images by others."
        )
        yield from fold_table(f"Table: subsets of {name}", table, notes=[note])


def _show_missed(part: HumanPart, found: HumanReport) -> Iterator[Fold]:
    """How many images all people, all models or everybody misses, and some of them to look at."""
    content = make_missed(found)
    if content.is_empty:
        return
    blocks: list[Block] = [ReportTable(f"{HUMANS}-missed", "Images that everybody of a kind misses", content)]
    told = (
        "Expected: how many all of them would miss if everybody’s errors were independent; and how many people and models would "
        "both miss if the images that all people miss were independent of those that all models miss."
    )
    blocks.append(Text(told, "quiet"))
    if part.pictures is None:
        blocks.append(Text("The image files are not at hand, so none of these images is shown.", "quiet"))
    for one in part.pictures or ():
        blocks.append(Text(_tell_pictures(one)))
        blocks.append(Pictures(one.images))
    yield Fold("Images that all people, all models or both miss", tuple(blocks), is_printed=False)


def _tell_pictures(one: MissedPictures) -> str:
    told = f"{count_things(one.n, 'image')} of {one.test_set} {_MISSERS[one.who]}"
    shown = len(one.images)
    told += "" if shown == one.n else f", {shown:,} shown"
    told += f" ({count_things(one.n_missing, 'file')} could not be read)" if one.n_missing else ""
    return f"{told}:"


def _tell_how(part: HumanPart, found: HumanReport) -> Fold:
    settings = found.settings
    made = (
        f"Computed as by regauge humans, with {settings.n_bootstrap:,} bootstrap samples and {settings.n_draws:,} draws of "
        f"classes, seed {settings.seed}. The files in tables/ have every row."
    )
    notes = list(dict.fromkeys(note for effect in part.exposures for note in effect.notes))
    limits = "Limits are for these people on other images, not for other people."
    return Fold(
        "How this was computed", tuple(Text(name_options(one), "quiet") for one in (made, limits, *found.notes, *notes))
    )
