"""The tables of people and models: what each is called, and its columns; docs/formats.md explains them."""

from __future__ import annotations

from collections.abc import Mapping

from regauge.columns import ColumnTypes

ACCURACIES, GAPS, GAP_DIFFERENCES, PAIRS = "accuracies", "gaps", "gap_differences", "pairs"
MISSED, MISSED_IMAGES = "missed", "missed_images"
CONSISTENCY, MEAN_CONSISTENCY = "consistency", "mean_consistency"
SECONDS, FAST_IMAGES, ACCURACY_BY_SECONDS = "seconds", "fast_images", "accuracy_by_seconds"

FAST, FAST_OTHERS = "fast images", "fast images by others"
"""Subsets: by the median of all people's seconds, and, for a person, by the median of the other people's."""
PEOPLE, MODELS, EVERYBODY = "people", "models", "everybody"
"""Rows of several participants."""

_WHO = {"participant": "String", "kind": "String", "family": "String", "n_participants": "Int64"}
_ACCURACY = {
    "n": "Int64",
    "n_correct": "Int64",
    "value": "Float64",
    "low": "Float64",
    "high": "Float64",
    "interval": "String",
}
_OPEN = {"lower_bound": "Float64", "upper_bound": "Float64", "n_unjudged": "Int64"}
_WHERE = {"test_set": "String", "labels": "String", "metric": "String"}


def _name_estimate(name: str) -> dict[str, str]:
    return {name: "Float64", f"{name}_low": "Float64", f"{name}_high": "Float64"}


HUMAN_TABLES: Mapping[str, ColumnTypes] = {
    ACCURACIES: ColumnTypes(
        {
            **_WHO,
            **_WHERE,
            "subset": "String",
            "n_classes": "Int64",
            **_ACCURACY,
            **_OPEN,
            **_name_estimate("change"),
            "change_interval": "String",
            "p_subsampling": "Float64",
            "n_draws": "Int64",
        }
    ),
    GAPS: ColumnTypes(
        {
            **_WHO,
            "metric": "String",
            "subset": "String",
            "n_original": "Int64",
            **_name_estimate("original"),
            "n_new": "Int64",
            **_name_estimate("new"),
            **_name_estimate("gap"),
            "gap_interval": "String",
        }
    ),
    GAP_DIFFERENCES: ColumnTypes(
        {
            "person": "String",
            "model": "String",
            "metric": "String",
            "n_original": "Int64",
            "n_new": "Int64",
            "gap_person": "Float64",
            "gap_model": "Float64",
            **_name_estimate("difference"),
            "difference_interval": "String",
            "n_bootstrap": "Int64",
        }
    ),
    PAIRS: ColumnTypes(
        {
            **_WHERE,
            "first": "String",
            "second": "String",
            "n": "Int64",
            "n_only_first": "Int64",
            "n_only_second": "Int64",
            **_name_estimate("difference"),
            "difference_lower_bound": "Float64",
            "difference_upper_bound": "Float64",
            "difference_interval": "String",
            "p_mcnemar": "Float64",
            "p_holm": "Float64",
        }
    ),
    MISSED: ColumnTypes(
        {
            **_WHERE,
            "who": "String",
            "n_participants": "Int64",
            "group": "String",
            "n": "Int64",
            "n_missed": "Int64",
            "n_open": "Int64",
            **_name_estimate("share"),
            "interval": "String",
            **_name_estimate("expected"),
            "expected_apart": "Float64",
        }
    ),
    MISSED_IMAGES: ColumnTypes(
        {**_WHERE, "who": "String", "image_id": "String", "class": "Int64", "class_id": "String"}
    ),
    CONSISTENCY: ColumnTypes(
        {
            **_WHERE,
            "first": "String",
            "first_kind": "String",
            "second": "String",
            "second_kind": "String",
            "n": "Int64",
            "n_both_right": "Int64",
            "n_only_first": "Int64",
            "n_only_second": "Int64",
            "n_both_wrong": "Int64",
            "observed": "Float64",
            "expected": "Float64",
            **_name_estimate("kappa"),
            "interval": "String",
        }
    ),
    MEAN_CONSISTENCY: ColumnTypes(
        {**_WHERE, "first_kind": "String", "second_kind": "String", "n_pairs": "Int64", "n": "Int64"}
        | {**_name_estimate("kappa"), "interval": "String"}
    ),
    SECONDS: ColumnTypes(
        {
            "participant": "String",
            "n_participants": "Int64",
            "clock": "String",
            "n": "Int64",
            "n_unknown": "Int64",
            **_name_estimate("median"),
            "interval": "String",
            "hours": "Float64",
        }
    ),
    FAST_IMAGES: ColumnTypes(
        {
            "test_set": "String",
            "rule": "String",
            "n": "Int64",
            "n_fast": "Int64",
            **_name_estimate("share"),
            "interval": "String",
        }
    ),
    ACCURACY_BY_SECONDS: ColumnTypes(
        {
            **_WHO,
            "metric": "String",
            "clock": "String",
            "from_seconds": "Float64",
            "to_seconds": "Float64",
            **_ACCURACY,
        }
    ),
}
"""The columns of every table, in output order."""
