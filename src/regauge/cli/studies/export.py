"""`regauge export`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from regauge.cli.options.groups import MadeGroup
from regauge.cli.printing.output import format_option
from regauge.cli.printing.written import tell_written
from regauge.cli.studies.study import open_for_reading, print_entries, study_option
from regauge.workflows.exports import list_exports
from regauge.workflows.exports.content import ExportChoice, ExportFormat, ExportOption, ExportOrder
from regauge.workflows.studies.bundles import export_bundle

_Command = TypeVar("_Command", bound=Callable[..., Any])


class _Exports(MadeGroup):
    """The bundle, and a command for every export format."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all formats."""
        return sorted([*super().list_commands(ctx), *(one.name for one in list_exports())])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a format."""
        found = next((one for one in list_exports() if one.name == cmd_name), None)
        return super().get_command(ctx, cmd_name) if found is None else _make_command(found)


@click.group("export", cls=_Exports)
def command() -> None:
    """Write a study, or parts of it, for other programs; nothing that exists is overwritten."""


@command.command()
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path), callback=tell_written)
@study_option
@format_option
def bundle(path: Path, folder: Path | None, output_format: str) -> None:
    """Write the whole study except for the images to FILE, from which `regauge import` makes it again."""
    with open_for_reading(folder) as study:
        export_bundle(study, path)
    row = {"file": str(path), "n_bytes": path.stat().st_size}
    print_entries([row], output_format, name="files")


def _make_command(one: ExportFormat) -> click.Command:
    def write(path: Path, folder: Path | None, output_format: str, **given: Any) -> None:  # noqa: ANN401 - as the options of the format have it
        with open_for_reading(folder) as study:
            files = one.write(study, path, _make_order(**given))
        rows = [{"file": str(file.path), "n_rows": file.n_rows, "n_bytes": _count_bytes(file.path)} for file in files]
        print_entries(rows, output_format, name="files")

    decorated = study_option(format_option(write))
    for option in reversed(one.options):
        decorated = _make_option(option)(decorated)
    word = "DIR" if one.is_folder else "FILE"
    path = click.argument("path", metavar=word, type=click.Path(path_type=Path), callback=tell_written)
    return click.command(one.name, help=one.help)(path(decorated))


def _make_option(option: ExportOption) -> Callable[[_Command], _Command]:
    flag = "--" + option.name.replace("_", "-")
    return click.option(flag, option.name, multiple=option.is_repeatable, metavar=option.metavar, help=option.help)


def _count_bytes(path: Path) -> int:
    """How large a file is, or all files of a folder."""
    files = path.rglob("*") if path.is_dir() else (path,)
    return sum(one.stat().st_size for one in files if one.is_file())


def _make_order(
    *,
    test_set: str | None = None,
    labels: tuple[str, ...] = (),
    participant: tuple[str, ...] = (),
    **given: str | None,
) -> ExportOrder:
    """What the command line asks for; an option that was not given is not in it."""
    chosen = {name: value for name, value in given.items() if value is not None}
    return ExportOrder(ExportChoice(test_set, labels, participant), chosen)
