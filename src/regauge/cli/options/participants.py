"""The options that say whom of the participants is meant by what they are, not by their names."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeAlias

import click

from regauge.records.predictions import ParticipantChoice, ParticipantKind

_Command: TypeAlias = Callable[..., Any]


KINDS = click.Choice([str(one) for one in ParticipantKind])
"""What --kind can be."""


def choice_options(command: _Command) -> _Command:
    """The options --kind and --family, which the command gets as one argument `chosen`."""

    @wraps(command)
    def with_choice(kind: str | None, family: tuple[str, ...], **options: Any) -> Any:  # noqa: ANN401 - what click passes on
        chosen = ParticipantChoice(None if kind is None else ParticipantKind(kind), family)
        return command(chosen=chosen, **options)

    of_kind = click.option(
        "--kind", type=KINDS, help="Only these participants; whoever is not said to be a person is a model."
    )
    of_family = click.option(
        "--family", multiple=True, metavar="GLOB", help="Only participants of these families. Repeatable."
    )
    decorated: _Command = of_kind(of_family(with_choice))
    return decorated
