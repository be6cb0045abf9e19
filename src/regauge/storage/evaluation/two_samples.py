"""Two-sample tests of features ↔ rows: the whole result, and what made it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from sqlalchemy import insert, select

import regauge
from regauge.errors import InputError
from regauge.estimates import Share, from_fields, to_fields
from regauge.records.evaluation.two_sample import Likeness, TwoSample, TwoSampleEntry, TwoSampleSettings
from regauge.records.studies import TestSetEntry
from regauge.storage.database.schema import test_sets, two_samples
from regauge.storage.study import Study

_firsts, _seconds = test_sets.alias("firsts"), test_sets.alias("seconds")
_LIKENESSES = "likenesses"
_COUNTS = (
    "first",
    "second",
    "n_first",
    "n_second",
    "n_shared",
    "n_identical",
    "n_pairs",
    "n_classes",
    "n_features",
    "n_components",
)


@dataclass(frozen=True, slots=True)
class FeatureInput:
    """What one side of a test was made from: a test set, and the checksum of the file of its features."""

    test_set: TestSetEntry
    sha256: str


def insert_two_sample(study: Study, found: TwoSample, *, first: FeatureInput, second: FeatureInput) -> int:
    """Store the test with its inputs, settings and code version; returns its number."""
    row = {
        "first_id": first.test_set.id,
        "second_id": second.test_set.id,
        "inputs": {"first": _describe_input(first), "second": _describe_input(second)},
        "settings": asdict(found.settings),
        "result": _describe_result(found),
        "notes": list(found.notes),
        "code_version": regauge.__version__,
        "created_at": study.around.now(),
    }
    new_id: int = study.connection.execute(insert(two_samples).returning(two_samples.c.id), row).scalar_one()
    return new_id


def list_two_samples(study: Study) -> tuple[TwoSampleEntry, ...]:
    """All tests, the oldest first, without their images."""
    result = two_samples.c.result
    numbers = (result["n_pairs"].as_integer(), result["auc"].as_float(), result["p"].as_float())
    columns = [column for column in two_samples.c if column.name != "result"]
    query = (
        select(
            *columns,
            *(one.label(name) for one, name in zip(numbers, ("n_pairs", "auc", "p"), strict=True)),
            _firsts.c.name.label("first"),
            _seconds.c.name.label("second"),
        )
        .join(_firsts, two_samples.c.first_id == _firsts.c.id)
        .join(_seconds, two_samples.c.second_id == _seconds.c.id)
        .order_by(two_samples.c.id)
    )
    return tuple(
        TwoSampleEntry(
            id=row["id"],
            first=row["first"],
            second=row["second"],
            by_class=row["settings"]["by_class"],
            n_pairs=row["n_pairs"],
            auc=row["auc"],
            p=row["p"],
            code_version=row["code_version"],
            created_at=row["created_at"],
        )
        for row in study.connection.execute(query).mappings()
    )


def load_two_sample(study: Study, two_sample_id: int) -> TwoSample:
    """A stored test, as it was computed.

    Raises:
        InputError: there is no test of that number.
    """
    query = select(two_samples).where(two_samples.c.id == two_sample_id)
    row = study.connection.execute(query).mappings().one_or_none()
    if row is None:
        raise InputError(f"The study has no two-sample test {two_sample_id}.")
    result = row["result"]
    columns = result[_LIKENESSES]
    images = zip(*(columns[field.name] for field in fields(Likeness)), strict=True)
    k, n = result["n_correct"], 2 * result["n_pairs"]
    return TwoSample(
        **{name: result[name] for name in (*_COUNTS, "p")},
        accuracy=Share(k / n, result["accuracy_low"], result["accuracy_high"], n=n, k=k),
        auc=from_fields(result, "auc", n=n),
        likenesses=tuple(Likeness(*image) for image in images),
        settings=TwoSampleSettings(**row["settings"]),
        notes=tuple(row["notes"]),
    )


def _describe_input(one: FeatureInput) -> dict[str, str]:
    return {"test_set_digest": one.test_set.digest, "features_sha256": one.sha256}


def _describe_result(found: TwoSample) -> Mapping[str, Any]:
    """Everything that was computed, with a list per column of the images."""
    numbers = {
        **{name: getattr(found, name) for name in _COUNTS},
        "n_correct": found.accuracy.k,
        "accuracy_low": found.accuracy.low,
        "accuracy_high": found.accuracy.high,
        **to_fields(found.auc, "auc"),
        "p": found.p,
    }
    columns = {field.name: [getattr(image, field.name) for image in found.likenesses] for field in fields(Likeness)}
    return {**numbers, _LIKENESSES: columns}
