"""The scales on which accuracies are compared."""

from __future__ import annotations

from enum import StrEnum


class Scale(StrEnum):
    """Where a straight line is sought: whether a slope exceeds 1 is a statement about one of these.

    - linear: the accuracies themselves.
    - probit: Φ⁻¹(accuracy), the quantile of the standard normal distribution.
    - logit: log(accuracy/(1 − accuracy)).
    """

    LINEAR = "linear"
    PROBIT = "probit"
    LOGIT = "logit"
