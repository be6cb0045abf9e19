"""Evaluations ↔ rows: the scores, and everything that made them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import RowMapping, insert, select

import regauge
import regauge.frames as pl
from regauge.errors import InputError
from regauge.records.evaluation.scores import (
    BALANCED_SUFFIX,
    COMPARISON_COLUMNS,
    FOLLOW_UP_ONLY,
    REMARK,
    SCORE_COLUMNS,
    STORED_COLUMNS,
    Scores,
    ScoreSettings,
)
from regauge.records.rules import DIFFERENCES, list_old_rules
from regauge.records.studies import EvaluationEntry, LabelSetEntry, PredictionsEntry, TestSetEntry
from regauge.storage.database.schema import evaluation_labels, evaluations, label_sets, scores, test_sets
from regauge.storage.labels.label_set import is_follow_up_only
from regauge.storage.participants import find_people
from regauge.storage.study import Study


@dataclass(frozen=True, slots=True)
class EvaluationInputs:
    """What an evaluation was made from."""

    test_set: TestSetEntry
    predictions: Sequence[PredictionsEntry]
    label_sets: Sequence[LabelSetEntry]
    by: Sequence[str]


def insert_evaluation(study: Study, found: Scores, *, inputs: EvaluationInputs) -> int:
    """Store the scores with their inputs, settings and code version; returns the number of the evaluation."""
    row = {
        "test_set_id": inputs.test_set.id,
        "inputs": {
            "test_set_digest": inputs.test_set.digest,
            "predictions": {entry.participant: entry.sha256 for entry in inputs.predictions},
            "by": list(inputs.by),
        },
        "settings": asdict(found.settings),
        "notes": list(found.notes),
        "warnings": list(found.warnings),
        "code_version": regauge.__version__,
        "created_at": study.around.now(),
    }
    new_id: int = study.connection.execute(insert(evaluations).returning(evaluations.c.id), row).scalar_one()
    for entry in inputs.label_sets:
        study.connection.execute(insert(evaluation_labels), {"evaluation_id": new_id, "label_set_id": entry.id})
    blank = dict.fromkeys(STORED_COLUMNS)
    rows = [
        {"evaluation_id": new_id, "row": number, **blank, **one}
        for number, one in enumerate(found.to_frame().drop(REMARK).iter_rows(named=True))
    ]
    study.connection.execute(insert(scores), rows)
    return new_id


def list_evaluations(study: Study) -> tuple[EvaluationEntry, ...]:
    """All evaluations, the oldest first."""
    query = select(evaluations, test_sets.c.name.label("test_set")).join(test_sets).order_by(evaluations.c.id)
    rows = study.connection.execute(query).mappings().all()
    return tuple(
        EvaluationEntry(
            id=row["id"],
            test_set=row["test_set"],
            labels=_find_labels(study, row["id"]),
            predictions=row["inputs"]["predictions"],
            settings=row["settings"],
            code_version=row["code_version"],
            created_at=row["created_at"],
            old_rules=list_old_rules(row["code_version"], _list_parts(study, row)),
        )
        for row in rows
    )


def load_scores(study: Study, evaluation_id: int, *, about_objects: Collection[str] = ()) -> Scores:
    """The scores of a stored evaluation, as they were computed.

    Args:
        study: the study, inside a transaction.
        evaluation_id: the number of the evaluation.
        about_objects: the metrics of which must be said if a label set has objects and main labels of some images alone.

    Raises:
        InputError: there is no evaluation of that number.
    """
    made = (
        study.connection.execute(select(evaluations).where(evaluations.c.id == evaluation_id)).mappings().one_or_none()
    )
    if made is None:
        raise InputError(f"The study has no evaluation {evaluation_id}.")
    settings = ScoreSettings(**made["settings"])
    names = {**SCORE_COLUMNS, **(COMPARISON_COLUMNS if settings.against is not None else {})}
    stored = {name: kind for name, kind in names.items() if name != REMARK}
    query = (
        select(*(scores.c[name] for name in stored))
        .where(scores.c.evaluation_id == evaluation_id)
        .order_by(scores.c.row)
    )
    rows = [tuple(row) for row in study.connection.execute(query)]
    frame = (
        pl.DataFrame(rows, schema=stored, orient="row")
        .with_columns(_remark(study, evaluation_id, about_objects))
        .select(list(names))
    )
    return Scores(frame, settings, tuple(made["notes"]), tuple(made["warnings"]), people=find_people(study))


def _list_parts(study: Study, row: RowMapping) -> list[str]:
    """What an evaluation of another version holds: its metrics, and differences where it was made against somebody."""
    if row["code_version"] == regauge.__version__:
        return []
    query = select(scores.c.metric).where(scores.c.evaluation_id == row["id"]).distinct()
    against = [DIFFERENCES] if row["settings"].get("against") is not None else []
    return [*study.connection.execute(query).scalars(), *against]


def _remark(study: Study, evaluation_id: int, about_objects: Collection[str]) -> pl.Expr:
    """What must be said of some metrics, by the label sets that they judge by."""
    partial = [name for name, provenance in _list_labels(study, evaluation_id) if is_follow_up_only(provenance)]
    is_about_objects = pl.col("metric").str.strip_suffix(BALANCED_SUFFIX).is_in(about_objects)
    is_partial = is_about_objects & pl.col("labels").is_in(pl.Series(partial, dtype=pl.String).implode())
    return pl.when(is_partial).then(pl.lit(FOLLOW_UP_ONLY)).alias(REMARK)


def _find_labels(study: Study, evaluation_id: int) -> tuple[str, ...]:
    return tuple(name for name, _ in _list_labels(study, evaluation_id))


def _list_labels(study: Study, evaluation_id: int) -> list[tuple[str, dict[str, Any]]]:
    query = (
        select(label_sets.c.name, label_sets.c.version, label_sets.c.provenance)
        .join(evaluation_labels)
        .where(evaluation_labels.c.evaluation_id == evaluation_id)
        .order_by(label_sets.c.id)
    )
    return [(f"{name}@{version}", provenance) for name, version, provenance in study.connection.execute(query)]
