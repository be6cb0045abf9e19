"""The plan of a sampled review as a JSON file, so that what was frozen can be kept and shown."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from regauge.arrays import NO_CLASS
from regauge.errors import FormatError, InputError
from regauge.estimates import Estimate, to_fields
from regauge.formats.labels.json_fields import (
    check_version,
    get_column,
    get_field,
    get_flag,
    get_number,
    get_object,
    get_text,
    get_texts,
    get_whole,
)
from regauge.formats.text import read_json
from regauge.records.evaluation.reviews import ReviewMetric, ReviewTerms
from regauge.records.evaluation.sampled_reviews import MAX_SAMPLED, AgreementPredictor, PlannedReview, SampledReviewPlan

FORMAT = "regauge review plan"
VERSION = 1
_LAST_OUTCOME = 3
"""An answer that does not count; evaluation.outcomes has the others."""
_COLUMNS = ("image_ids", "n_items", "weights", "answers", "outcomes", "chances", "known")


def write_review_plan(planned: PlannedReview, path: Path) -> None:
    """Write a plan."""
    path.write_text(dump_review_plan(planned), encoding="utf-8")


def dump_review_plan(planned: PlannedReview) -> str:
    """A plan as the text of its file; numbers are written so that they are read as the same ones."""
    plan = planned.plan
    content = {
        "format": FORMAT,
        "version": VERSION,
        "test_set": plan.test_set,
        "labels": plan.labels,
        "participants": list(plan.participants),
        "terms": asdict(plan.terms),
        "trust_dataset_labels": plan.trust_dataset_labels,
        "predictor": asdict(plan.predictor),
        "forecast": [to_fields(one, value="items") for one in planned.expected],
        **{name: getattr(plan, name).tolist() for name in _COLUMNS},
    }
    return json.dumps(content, ensure_ascii=False)


def load_review_plan(path: Path) -> PlannedReview:
    """Read a plan.

    Raises:
        FormatError: the file is not a plan, or one of a later version.
    """
    return parse_review_plan(read_json(path), path)


def parse_review_plan(content: object, path: Path) -> PlannedReview:
    """The plan that the JSON of a file holds.

    Raises:
        FormatError: the file is not a plan, or one of a later version.
    """
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise FormatError(path, "this is not a plan of a review; regauge labels plan --write FILE writes one.")
    check_version(content, VERSION, path=path, what="plan")
    try:
        return _read(content)
    except ValueError as error:
        problem = f"{error}".rstrip(".")[:200]
        raise FormatError(path, f"this plan of a review is damaged ({problem}); make a new one.") from None


def _read(content: Mapping[str, Any]) -> PlannedReview:
    participants, image_ids = get_texts(content, "participants"), get_texts(content, "image_ids")
    n = (len(image_ids),)
    shape = len(participants), len(image_ids)
    n_pairs = len(list(combinations(participants, 2)))
    plan = SampledReviewPlan(
        test_set=get_text(content, "test_set"),
        labels=get_text(content, "labels"),
        participants=tuple(participants),
        terms=_read_terms(get_object(content, "terms")),
        trust_dataset_labels=get_flag(content, "trust_dataset_labels"),
        predictor=_read_predictor(get_object(content, "predictor")),
        image_ids=np.array(image_ids, np.str_),
        n_items=get_column(content, "n_items", dtype=np.int32, shape=n),
        weights=get_column(content, "weights", dtype=np.float64, shape=n),
        answers=get_column(content, "answers", dtype=np.int32, shape=shape),
        outcomes=get_column(content, "outcomes", dtype=np.int8, shape=shape),
        chances=get_column(content, "chances", dtype=np.float64, shape=shape),
        known=get_column(content, "known", dtype=np.int64, shape=(n_pairs,)),
    )
    _check(plan)
    return PlannedReview(plan, tuple(_read_forecast(content, n_pairs, n_items=int(plan.n_items.sum()))))


def _read_terms(terms: Mapping[str, Any]) -> ReviewTerms:
    return ReviewTerms(
        metric=ReviewMetric(get_text(terms, "metric")),
        level=get_number(terms, "level"),
        seed=get_whole(terms, "seed"),
        n_simulations=get_whole(terms, "n_simulations"),
    )


def _read_predictor(chances: Mapping[str, Any]) -> AgreementPredictor:
    return AgreementPredictor(**{one.name: get_number(chances, one.name) for one in fields(AgreementPredictor)})


def _read_forecast(content: Mapping[str, Any], n_pairs: int, *, n_items: int) -> Iterator[Estimate[float]]:
    forecast = get_field(content, "forecast")
    if not isinstance(forecast, list) or len(forecast) != n_pairs or not all(isinstance(one, dict) for one in forecast):
        raise InputError(f"the field forecast is not a list of {n_pairs:,} objects")
    for one in forecast:
        value, low, high = (get_number(one, name) for name in ("items", "low", "high"))
        if not 0 <= low <= value <= high <= n_items:
            raise InputError("the field forecast has numbers out of order, or above that of all items")
        yield Estimate(value, low, high)


def _check(plan: SampledReviewPlan) -> None:
    """Refuse numbers that no plan has, though they are of the right type."""
    if not 2 <= len(plan.participants) <= MAX_SAMPLED:
        raise InputError(f"the field participants names 2 to {MAX_SAMPLED}")
    if plan.n_items.min() < 0 or plan.answers.min() < NO_CLASS:
        raise InputError("a class or a number of items is below 0")
    if plan.outcomes.min() < 0 or plan.outcomes.max() > _LAST_OUTCOME:
        raise InputError(f"the field outcomes has numbers from 0 to {_LAST_OUTCOME}")
    if plan.weights.max() > len(plan):
        # Their mean is 1, so that none is above their number.
        raise InputError("the field weights has a number that is too large")
