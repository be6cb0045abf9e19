"""Settings as keywords: `score(…, level=0.9)` for `score(…, settings=ScoreSettings(level=0.9))`.

Every dictionary type has the fields of one class of settings, and takes words where these have choices; a test holds both
to each other.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from enum import Enum
from types import NoneType, UnionType
from typing import Any, TypedDict, TypeVar, Union, get_args, get_origin, get_type_hints

from regauge.errors import InputError
from regauge.records.evaluation.fits import Resample, Scale
from regauge.records.evaluation.gaps import GapMethod
from regauge.records.labels.contains import FrequencyMethod
from regauge.records.labels.frequencies import FrequencyRule
from regauge.records.labels.votes import Acceptance, StopRule, VoteMethod
from regauge.records.responses.screening import ScreeningRules
from regauge.records.testsets.shared_images import SharedBy

ALL = "all"
"""Every choice, where several can be named."""

_Settings = TypeVar("_Settings")
_Choice = TypeVar("_Choice", bound=Enum)


class ScoreKeywords(TypedDict, total=False):
    """`ScoreSettings` as keywords."""

    against: str | None
    allow_missing: bool
    level: float
    seed: int
    n_bootstrap: int


class ShiftKeywords(TypedDict, total=False):
    """`ShiftSettings` as keywords."""

    metric: str
    scales: str | Sequence[Scale | str]
    fit_models: str | Sequence[str]
    fit_except: str | Sequence[str]
    baseline: str | Sequence[str]
    resample: Resample | str | None
    families: Mapping[str, str]
    n_bootstrap: int | None
    seed: int
    level: float
    allow_missing: bool
    shared: SharedBy | str


class GapKeywords(TypedDict, total=False):
    """`GapSettings` as keywords."""

    methods: str | Sequence[GapMethod | str]
    is_matched: bool
    shares: Sequence[Sequence[float]]
    n_bootstrap: int
    seed: int
    level: float
    metric: str
    allow_missing: bool
    shared: SharedBy | str


class HumanKeywords(TypedDict, total=False):
    """`HumanSettings` as keywords."""

    metric: str | Sequence[str]
    person: str | Sequence[str]
    by: str | Sequence[str] | None
    pairs: str | Sequence[str]
    fast_seconds: float
    n_draws: int
    n_bootstrap: int
    seed: int
    level: float
    all_images: bool
    allow_missing: bool
    shared: SharedBy | str


class ContextKeywords(TypedDict, total=False):
    """`ContextSettings` as keywords."""

    participant: str | Sequence[str]
    n_listed: int
    n_fewer: int
    n_bootstrap: int
    seed: int
    level: float
    allow_missing: bool


class FindKeywords(TypedDict, total=False):
    """`FindSettings` as keywords."""

    is_strict: bool
    n_sample: int | None
    seed: int
    level: float


class PlanKeywords(TypedDict, total=False):
    """`PlanSettings` as keywords."""

    annotators: int | Sequence[int]
    per_class: int | Sequence[int]
    target: float
    level: float
    n_studies: int
    seed: int
    max_short: float
    method: GapMethod | str


class VoteKeywords(TypedDict, total=False):
    """`VoteSettings` as keywords."""

    method: VoteMethod | str
    prior: float
    min_votes: int
    truths: Sequence[str] | None
    accept: Acceptance | tuple[str, float] | None
    stop: StopRule | str
    tolerance: float | None
    max_iterations: int | None
    with_agreement: bool
    level: float
    seed: int
    n_bootstrap: int


def choose_settings(
    kind: type[_Settings], settings: _Settings | None, *, keywords: Mapping[str, Any], also: Collection[str] = ()
) -> _Settings:
    """The settings that were given, or those that the keywords say; what is not said has its default.

    Args:
        kind: the class of settings.
        settings: all of them, or None.
        keywords: some of them by name.
        also: what else the function takes by keyword, which an error names too.

    Raises:
        InputError: both were given, or a word is none of the choices.
        TypeError: there is no such keyword.

    >>> from regauge.records.evaluation.scores import ScoreSettings
    >>> choose_settings(ScoreSettings, None, keywords={"level": 0.9}).level
    0.9
    """
    names = {one.name for one in fields(kind)}  # type: ignore[arg-type]
    for name in keywords:
        if name not in names:
            known = sorted({*names, *also})
            close = difflib.get_close_matches(name, known, n=1)
            meant = f" (did you mean {close[0]!r}?)" if close else ""
            which = "there are" if also else "the settings are"
            raise TypeError(f"There is no keyword {name!r}{meant}; {which}: {', '.join(known)}.")
    if settings is not None:
        if keywords:
            raise InputError(f"Give either settings or {', '.join(keywords)}, not both.")
        return settings
    hints = get_type_hints(kind)
    return kind(**{name: _fit(hints[name], value, name) for name, value in keywords.items()})


def choose_word(kind: type[_Choice], value: object, *, name: str) -> _Choice:
    """The choice that a word stands for.

    Raises:
        InputError: it is none of them.
    """
    try:
        return kind(value)
    except ValueError:
        choices = ", ".join(str(one.value) for one in kind)
        raise InputError(f"`{name}=…` is one of {choices}, not {value!r}.") from None


def _fit(hint: Any, value: Any, name: str) -> Any:  # noqa: ANN401 - whatever a setting may be
    """A value as its setting has it: words as choices, and sequences as tuples."""
    if get_origin(hint) in {Union, UnionType}:
        others = [one for one in get_args(hint) if one is not NoneType]
        return None if value is None else _fit(others[0], value, name)
    if get_origin(hint) is tuple:
        return _fit_tuple(get_args(hint), value, name)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return choose_word(hint, value, name=name)
    if hint is Acceptance and isinstance(value, tuple):
        return Acceptance(*value)
    return value


def _fit_tuple(hints: tuple[Any, ...], value: Any, name: str) -> tuple[Any, ...]:  # noqa: ANN401 - as above
    """A sequence as a tuple; where it may have any length, one value stands for itself and `all` for every choice."""
    if hints[-1] is not Ellipsis:
        return tuple(value)
    if value == ALL and isinstance(hints[0], type) and issubclass(hints[0], Enum):
        return tuple(hints[0])
    return tuple(_fit(hints[0], given, name) for given in ([value] if isinstance(value, str | int) else value))


class ContainsKeywords(TypedDict, total=False):
    """`ContainsSettings` as keywords."""

    rules: ScreeningRules | None
    keep_annotators: str | Sequence[str]
    keep_responses: Sequence[tuple[str, str]]
    method: FrequencyMethod | str
    prior: float
    verdicts: FrequencyRule
    level: float


class ClassifyKeywords(TypedDict, total=False):
    """`ClassifySettings` as keywords."""

    screening: bool
    keep_annotators: str | Sequence[str]
    keep_responses: Sequence[tuple[str, str]]
    level: float
    split: str
    contains: str


class SliceKeywords(TypedDict, total=False):
    """Fields of `SliceSettings`."""

    is_strict: bool
    allow_missing: bool
    level: float
