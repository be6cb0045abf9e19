"""Comparisons of two test sets ↔ rows: the whole result, and everything that made it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from sqlalchemy import insert, select

import regauge
from regauge.errors import InputError
from regauge.estimates import Share, from_fields
from regauge.records.evaluation.class_changes import ClassChange, ClassChanges
from regauge.records.evaluation.fits import Baseline, Resample, Scale, ShiftFit
from regauge.records.evaluation.shifts import MeanChange, ModelShift, Shift, ShiftSettings
from regauge.records.studies import LabelSetEntry, PredictionsEntry, TestSetEntry
from regauge.records.testsets.shared_images import SharedBy
from regauge.storage.database.schema import comparisons
from regauge.storage.evaluation.comparison_entries import CLASSES
from regauge.storage.study import Study

BAND = ("band_at", "band_low", "band_high")


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """What one side of a comparison was made from: a test set, the predictions of those compared, and label sets."""

    test_set: TestSetEntry
    predictions: Sequence[PredictionsEntry]
    label_sets: Sequence[LabelSetEntry]


def insert_comparison(
    study: Study, found: Shift, *, original: ComparedSide, new: ComparedSide, classes: ClassChanges | None = None
) -> int:
    """Store the comparison with its inputs, settings and code version, class by class too; returns its number."""
    row = {
        "original_id": original.test_set.id,
        "new_id": new.test_set.id,
        "inputs": {"original": _describe_side(original), "new": _describe_side(new)},
        "settings": asdict(found.settings),
        "result": {**_describe_result(found), **({} if classes is None else {CLASSES: _describe_classes(classes)})},
        "notes": list(found.notes),
        "warnings": list(found.warnings),
        "code_version": regauge.__version__,
        "created_at": study.around.now(),
    }
    new_id: int = study.connection.execute(insert(comparisons).returning(comparisons.c.id), row).scalar_one()
    return new_id


def load_shift(study: Study, comparison_id: int) -> Shift:
    """A stored comparison, as it was computed.

    Raises:
        InputError: there is no comparison of that number.
    """
    query = select(comparisons).where(comparisons.c.id == comparison_id)
    made = study.connection.execute(query).mappings().one_or_none()
    if made is None:
        raise InputError(f"The study has no comparison {comparison_id}.")
    result = made["result"]
    return Shift(
        original=result["original"],
        new=result["new"],
        models=tuple(map(_make_model, result["models"])),
        fits=tuple(map(_make_fit, result["fits"])),
        mean_changes={metric: _make_change(change) for metric, change in result["mean_changes"].items()},
        settings=_make_settings(made["settings"]),
        notes=tuple(made["notes"]),
        warnings=tuple(made["warnings"]),
        n_shared=result.get("n_shared"),
        baseline=_find_baseline(result.get("baseline")),
        people=frozenset(result.get("people", ())),
    )


def load_class_changes(study: Study, comparison_id: int) -> ClassChanges | None:
    """What a stored comparison found class by class; None where that was not asked for.

    Raises:
        InputError: there is no comparison of that number.
    """
    found = load_shift(study, comparison_id)
    query = select(comparisons.c.result).where(comparisons.c.id == comparison_id)
    stored = study.connection.execute(query).scalar_one().get(CLASSES)
    if stored is None:
        return None
    columns = [stored["columns"][field.name] for field in fields(ClassChange)]
    rows = tuple(ClassChange(*row) for row in zip(*columns, strict=True))
    settings = found.settings
    return ClassChanges(
        found.original, found.new, settings.metric, rows, settings.level, settings.seed, tuple(stored["notes"])
    )


def _describe_classes(classes: ClassChanges) -> dict[str, Any]:
    """A list per column: a thousand classes of many models would repeat the names of the columns all over."""
    columns = {field.name: [getattr(row, field.name) for row in classes.rows] for field in fields(ClassChange)}
    return {"columns": columns, "notes": list(classes.notes)}


def _describe_side(side: ComparedSide) -> dict[str, Any]:
    return {
        "test_set_digest": side.test_set.digest,
        "labels": [entry.full_name for entry in side.label_sets],
        "predictions": {entry.participant: entry.sha256 for entry in side.predictions},
    }


def _describe_result(found: Shift) -> dict[str, Any]:
    """Everything that was computed. JSON has the shortest text that stands for a number, so it comes back bit by bit."""
    return {
        "original": found.original,
        "new": found.new,
        "models": list(map(_describe_model, found.models)),
        "fits": list(map(_describe_fit, found.fits)),
        "mean_changes": {metric: change.to_dict() for metric, change in found.mean_changes.items()},
        "n_shared": found.n_shared,
        "baseline": None if found.baseline is None else asdict(found.baseline),
        **({"people": sorted(found.people)} if found.people else {}),
    }


def _describe_model(model: ModelShift) -> dict[str, Any]:
    return {name: value for name, value in model.to_dict().items() if name != "delta_rank"}


def _describe_fit(fit: ShiftFit) -> dict[str, Any]:
    return {
        "scale": fit.scale,
        **fit.to_line(),
        "models": fit.models,
        "n_bootstrap": fit.n_bootstrap,
        "resample": fit.resample,
        **{name: getattr(fit, name).tolist() for name in BAND},
        "n_dropped": fit.n_dropped,
    }


def _make_model(row: Mapping[str, Any]) -> ModelShift:
    original, new = (_make_accuracy(row[name]) for name in ("original", "new"))
    ranks = {name: row[name] for name in ("rank_original", "rank_new", "leverage")}
    robustness = None
    if row["effective_robustness"] is not None:
        robustness = from_fields(row, "effective_robustness", n=new.n)
    return ModelShift(row["name"], original, new, from_fields(row, "gap"), **ranks, effective_robustness=robustness)


def _make_accuracy(row: Mapping[str, Any]) -> Share[float]:
    return Share(row["value"], row["low"], row["high"], n=row["n"], k=row["n_correct"])


def _make_change(row: Mapping[str, Any]) -> MeanChange:
    """A mean change; one that was stored before it was told what is drawn anew drew models."""
    drawn = Resample(row.get("resample", Resample.MODELS))
    return MeanChange(value=row["value"], low=row["low"], high=row["high"], n=row["n_models"], resample=drawn)


def _find_baseline(row: Mapping[str, Any] | None) -> Baseline | None:
    """What robustness was measured against; None where there is none or an earlier version did not keep it."""
    if row is None:
        return None
    kinds = {"scale": Scale(row["scale"]), "resample": Resample(row["resample"]), "models": tuple(row["models"])}
    return Baseline(**{**row, **kinds})


def _make_fit(row: Mapping[str, Any]) -> ShiftFit:
    models = tuple(row["models"])
    line: dict[str, Any] = {name: from_fields(row, name, n=len(models)) for name in ("slope", "offset")}
    band = {name: np.array(row[name], np.float64) for name in BAND}
    kinds = {"scale": Scale(row["scale"]), "resample": Resample(row["resample"]), "models": models}
    return ShiftFit(**line | kinds | band, n_bootstrap=row["n_bootstrap"], n_dropped=row.get("n_dropped"))


def _make_settings(row: Mapping[str, Any]) -> ShiftSettings:
    globs = {name: tuple(row[name]) for name in ("fit_models", "fit_except", "baseline")}
    resample = None if row["resample"] is None else Resample(row["resample"])
    kinds = {"scales": tuple(map(Scale, row["scales"])), "resample": resample}
    shared = {"shared": SharedBy(row["shared"])} if "shared" in row else {}
    return ShiftSettings(**{**row, **globs, **kinds, **shared})
