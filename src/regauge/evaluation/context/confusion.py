"""What is taken for what, by participants and by people, and how far their confusions are alike (Tsipras et al. 2020, C.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

import regauge.frames as pl
from regauge.arrays import NO_CLASS
from regauge.columns import ColumnTypes
from regauge.estimates import (
    count_things,
    format_estimate,
    format_plain,
    from_fields,
    join_words,
)
from regauge.evaluation.context.basis.tables import choose_participants, list_estimate, tell_leaving
from regauge.evaluation.context.confusions.alignment_tables import (
    MIN_ROWS,
    measure_alignment,
    tell_alignment,
    tell_ceilings,
    tell_trends,
)
from regauge.evaluation.context.confusions.answers import (
    GivenAnswers,
    find_part,
    find_people,
    take_answers,
)
from regauge.evaluation.context.confusions.cells import count_confusions, list_cells
from regauge.evaluation.context.confusions.group_tables import tell_groups, tell_inside, tell_inside_cells
from regauge.evaluation.context.confusions.levels import CLASSES, ConfusionLevel, make_class_level, make_group_levels
from regauge.evaluation.context.confusions.tables import RankedCells, rank_cells, tell_cells, tell_confused
from regauge.evaluation.context.contract import Analysis, ContextFindings, ContextMaterial, ContextNeed, ContextTable
from regauge.records.candidates import SplitPart
from regauge.records.evaluation.context.report import ContextSettings

Row = Mapping[str, Any]


def _counted(name: str) -> dict[str, str]:
    return {f"n_{name}": "Float64", "n_tied": "Int64", "n": "Int64", **list_estimate(name)}


_CLASSES = {
    f"{one}{part}": kind
    for one in ("label", "predicted")
    for part, kind in (("", "Int64"), ("_id", "String"), ("_name", "String"))
}
_CELL = {"predictor": "String", "rank": "Int64", **_CLASSES, **_counted("confused"), "stays": "Float64"}
_LEVEL = {"scope": "String", "grouping": "String"}
_GROUP = {"grouping": "String", "group": "String"}
_REFERENCE = {"reference": "String", **_LEVEL}

TABLES = {
    "confused": ContextTable(
        "Images that are predicted as another class or group",
        ColumnTypes({"predictor": "String", "is_people": "Boolean", **_LEVEL, **_counted("confused")}),
        ("28", "29"),
    ),
    "cells": ContextTable("Class pairs that are confused most often", ColumnTypes(_CELL), ("28",)),
    "groups": ContextTable(
        "Which group is predicted for which",
        ColumnTypes(
            {
                "grouping": "String",
                "predictor": "String",
                "label_group": "String",
                "predicted_group": "String",
                **_counted("predicted"),
            }
        ),
        ("10a", "29"),
    ),
    "inside": ContextTable(
        "Confusion within each group and out of it",
        ColumnTypes(
            {
                **_GROUP,
                "predictor": "String",
                "n": "Int64",
                "n_inside": "Float64",
                "n_inside_tied": "Int64",
                **list_estimate("inside"),
                "n_left": "Float64",
                "n_left_tied": "Int64",
                **list_estimate("left"),
            }
        ),
        ("30",),
    ),
    "inside_cells": ContextTable(
        "Class pairs that are confused most often within each group", ColumnTypes({**_GROUP, **_CELL}), ("30",)
    ),
    "alignment": ContextTable(
        "Correlation of confusions with people's",
        ColumnTypes(
            {
                **_REFERENCE,
                "predictor": "String",
                "is_people": "Boolean",
                **list_estimate("top1"),
                "n": "Int64",
                "n_rows": "Int64",
                "n_cells": "Int64",
                **list_estimate("correlation"),
                **list_estimate("corrected"),
                **list_estimate("with_half"),
            }
        ),
        ("10", "28", "29"),
        plain=("correlation", "corrected", "with_half"),
    ),
    "ceilings": ContextTable(
        "Correlation of confusions of two halves of the annotators",
        ColumnTypes({**_REFERENCE, "n": "Int64", "n_rows": "Int64", **list_estimate("correlation")}),
        plain=("correlation",),
    ),
    "trends": ContextTable(
        "Alignment against top-1",
        ColumnTypes({**_REFERENCE, "n": "Int64", "n_images": "Int64", **list_estimate("rank_correlation")}),
        ("29",),
        plain=("rank_correlation",),
    ),
}


class _Predictors(NamedTuple):
    """People, the participants that lists are about, and the fullest cells of both."""

    people: list[GivenAnswers]
    chosen: list[GivenAnswers]
    ranked: list[RankedCells]


def find_confusion(material: ContextMaterial, settings: ContextSettings) -> ContextFindings:
    """The confusion matrices of people and participants, and their alignment.

    Raises:
        InputError: no participant matches a glob, or an answer is no class.
    """
    levels = [make_class_level(material.n_classes), *make_group_levels(material.taxonomy)]
    people = find_people(material)
    chosen = [take_answers(material, place) for place in choose_participants(material, settings)]
    listed = [*people, *chosen]
    ranked = [rank_cells(list_cells(one, labels=material.labels), n_images=one.n, settings=settings) for one in listed]
    rows = _make_rows(material, _Predictors(people, chosen, ranked), levels=levels, settings=settings)
    tables = {
        name: pl.DataFrame(list(rows[name]), schema=dict(table.columns), orient="row") for name, table in TABLES.items()
    }
    answers = (
        *_tell_confused(rows["confused"], listed),
        *_tell_lists(ranked, material),
        *_tell_alignment(rows, {one.name for one in chosen}),
    )
    return ContextFindings(tables, answers, tuple(_note(material, people, levels)))


def _make_rows(
    material: ContextMaterial,
    predictors: _Predictors,
    *,
    levels: Sequence[ConfusionLevel],
    settings: ContextSettings,
) -> dict[str, list[Row]]:
    labels, level = material.labels, settings.level
    confusions = None
    if material.firsts is not None:
        confusions = count_confusions(labels, material.firsts, n_classes=material.n_classes)
    listed = [*predictors.people, *predictors.chosen]
    groups = [one for one in levels if one.scope != CLASSES]
    aligned = measure_alignment(material, levels, settings=settings)
    confused = tell_confused(predictors.people, confusions, material=material, levels=levels, confidence=level)
    return {
        "confused": list(confused),
        "cells": [row for one in predictors.ranked for row in tell_cells(one, material, level=level)],
        "groups": [row for one in groups for row in tell_groups(one, listed, labels=labels, confidence=level)],
        "inside": [row for one in groups for row in tell_inside(one, listed, labels=labels, confidence=level)],
        "inside_cells": [
            row for one in groups for row in tell_inside_cells(one, listed, material=material, settings=settings)
        ],
        "alignment": list(tell_alignment(aligned, level=level)),
        "ceilings": list(tell_ceilings(aligned, level=level)),
        "trends": list(tell_trends(aligned, level=level)),
    }


def _tell_confused(rows: Sequence[Row], listed: Sequence[GivenAnswers]) -> Iterator[str]:
    names = {one.name for one in listed}
    for row in rows:
        if row["scope"] == CLASSES and row["predictor"] in names and row["n"]:
            share = format_estimate(from_fields(row, "confused"))
            yield f"{row['predictor']}: another class than the dataset label for {share} of {row['n']:,} images."


def _tell_lists(ranked: Sequence[RankedCells], material: ContextMaterial) -> Iterator[str]:
    for one in ranked:
        if one.n_listed:
            first = next(iter(tell_cells(one, material, level=0.95)))
            pair = [first[f"{column}_name"] or f"class {first[column]}" for column in ("label", "predicted")]
            yield (
                f"{one.cells.name}: most often {pair[0]} is taken for {pair[1]}, on {first['n_confused']:g} of "
                f"{count_things(first['n'], 'image')}."
            )
            yield from tell_leaving(one.firmness, "pair")


def _tell_alignment(rows: Mapping[str, Sequence[Row]], chosen: set[str]) -> Iterator[str]:
    for row in rows["alignment"]:
        key = _name_matrix(row), row["reference"]
        if row["is_people"] or row["predictor"] not in chosen or row["correlation"] is None:
            continue
        ceiling = next((one for one in rows["ceilings"] if (_name_matrix(one), one["reference"]) == key), None)
        own = format_plain(from_fields(row, "correlation"), decimals=2)
        beside = (
            f"Beside the diagonal {key[0]}, rates of {row['predictor']} and {row['reference']} correlate by {own} "
            f"(n = {row['n']:,})"
        )
        if ceiling is None or ceiling["correlation"] is None:
            yield f"{beside}."
        else:
            yield f"{beside}; two halves of the annotators reach {format_plain(from_fields(ceiling, 'correlation'), decimals=2)}."
    for row in rows["trends"]:
        if row["rank_correlation"] is not None:
            yield _tell_trend(row)


def _tell_trend(row: Row) -> str:
    found = from_fields(row, "rank_correlation")
    value = f"{format_plain(found, decimals=2)} over {row['n']} participants"
    where = f"{_name_matrix(row)} with {row['reference']}"
    if found.low is not None and found.low > 0:
        return f"The higher top-1, the higher the alignment {where}: rank correlation {value}."
    if found.high is not None and found.high < 0:
        return f"The higher top-1, the lower the alignment {where}: rank correlation {value}."
    return f"Whether alignment {where} goes with top-1 cannot be told: rank correlation {value}."


def _name_matrix(row: Row) -> str:
    return "over all classes" if row["scope"] == CLASSES else f"over the groups of {row['grouping']}"


def _note(material: ContextMaterial, people: Sequence[GivenAnswers], levels: Sequence[ConfusionLevel]) -> Iterator[str]:
    if not people:
        yield (
            "People's confusions and alignment with them are left out: there are neither answers to CLASSIFY nor selection "
            "frequencies."
        )
    if not material.participants:
        yield "Confusions of participants are left out: there are no predictions."
    if not material.has(ContextNeed.GROUPS):
        yield "Confusion between groups and within them is left out: the taxonomy has no groups of classes."
    yield from _note_main_labels(material)
    for one in people:
        if one.n_tied:
            n = count_things(one.n_tied, "image")
            yield f"{one.name}: on {n} several labels share the first place; each counts for a part."
    small = [level.grouping for level in levels if level.grouping and level.n_rows < MIN_ROWS]
    if small and people:
        yield (
            f"Alignment over the groups of {join_words(small)} is left out: fewer than {MIN_ROWS} groups leave too few cells to "
            "correlate."
        )
    yield from _note_missing(material)


def _note_main_labels(material: ContextMaterial) -> Iterator[str]:
    if material.classify is None:
        return
    n = int((material.classify.n_accepted > 0).sum())
    if material.parts is None:
        yield (
            f"People's main labels are of the {count_things(n, 'image')} of CLASSIFY alone: which images were too easy for it is "
            "not known."
        )
        return
    answered = np.isin(material.target.image_ids, material.classify.objects.image_ids[material.classify.n_accepted > 0])
    n_left = int((find_part(material, SplitPart.FOLLOW_UP) & ~answered).sum())
    if n_left:
        yield (
            f"{count_things(n_left, 'image')} of the follow-up without an accepted answer to CLASSIFY are left out of people's "
            "main labels, so that easy images weigh more than they should."
        )


def _note_missing(material: ContextMaterial) -> Iterator[str]:
    if material.firsts is None:
        return
    n_missing = ((material.firsts == NO_CLASS) & (material.labels != NO_CLASS)).sum(axis=1)
    for name, n in zip(material.participants, n_missing.tolist(), strict=True):
        if n:
            yield f"{name} has no answer to {count_things(n, 'image')}, which are left out of its confusions."


CONFUSION = Analysis(
    name="confusion",
    title="Confusions of people and participants",
    help="What is taken for what, over classes, between groups and within them, and how far that is as people do.",
    needs=(ContextNeed.DATASET_LABELS,),
    needs_any=(ContextNeed.PARTICIPANTS, ContextNeed.CLASSIFY, ContextNeed.FREQUENCIES),
    tables=TABLES,
    analyse=find_confusion,
)
