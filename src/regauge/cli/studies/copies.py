"""What `regauge import` and `regauge restore` share: whether access comes along, and how many lost theirs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from regauge.workflows.studies.copies import ImportedStudy

_Command = TypeVar("_Command", bound=Callable[..., Any])


def keep_access_option(command: _Command) -> _Command:
    """The option --keep-access of commands that make a study of a file."""
    option = click.option(
        "--keep-access",
        is_flag=True,
        help="Let personal links and roles of the original work here, too; only if you know who has them.",
    )
    return option(command)


def describe_access(made: ImportedStudy) -> dict[str, int]:
    """How many links, roles and doors of platforms were voided, and of how many people the sessions."""
    voided = made.voided
    return {
        "n_links_voided": 0 if voided is None else voided.n_links,
        "n_sessions_voided": 0 if voided is None else voided.n_people,
        "n_roles_voided": 0 if voided is None else voided.n_roles,
        "n_doors_voided": 0 if voided is None else voided.n_doors,
    }
