"""What `score` and `evaluate` share: the options of scoring."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeAlias

import click

from regauge.estimates import DEFAULT_LEVEL
from regauge.records.scores import ScoreSettings

_Command: TypeAlias = Callable[..., None]

_OPTIONS = (
    click.option("--against", metavar="NAME", help="Compare every participant with this one on the same images."),
    click.option("--allow-missing", is_flag=True, help="Score the rest when a participant lacks some images."),
    click.option(
        "--level", type=float, default=DEFAULT_LEVEL, show_default=True, help="Nominal coverage of every interval."
    ),
    click.option("--seed", type=int, default=0, show_default=True, help="Start of every bootstrap."),
    click.option(
        "--n-bootstrap",
        type=int,
        default=ScoreSettings().n_bootstrap,
        show_default=True,
        help="Resamples per bootstrap interval.",
    ),
)
_NAMES = [field.name for field in fields(ScoreSettings)]


def score_options(command: _Command) -> _Command:
    """The options of scoring, which the command gets as one argument `settings`."""

    @functools.wraps(command)
    def with_settings(**options: Any) -> None:  # noqa: ANN401 - what click passes on
        settings = ScoreSettings(**{name: options.pop(name) for name in _NAMES})
        command(settings=settings, **options)

    for option in reversed(_OPTIONS):
        with_settings = option(with_settings)
    return with_settings
