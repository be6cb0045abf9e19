"""Tables of accuracies on the command line: in place of predictions, and of published models beside somebody's own."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

import click
from rich.text import Text

from regauge.errors import InputError
from regauge.records.evaluation.accuracies import Beside, SetAccuracies
from regauge.records.evaluation.scores import Scores
from regauge.records.evaluation.shifts import PublishedShift, Shift
from regauge.workflows.evaluation.beside import describe_beside, load_set_accuracies
from regauge.workflows.inputs import TestSetAnswers

_Command: TypeAlias = Callable[..., None]
_Option: TypeAlias = Callable[[_Command], _Command]

SIDES = ("original", "new")

_BESIDE = (
    click.option(
        "--beside",
        multiple=True,
        metavar="NAME|FILE",
        help="Show the models beside published ones: recht2019, or a table of accuracies. Repeatable.",
    ),
    click.option(
        "--beside-except", multiple=True, metavar="GLOB", help="Leave matching published models out. Repeatable."
    ),
)


def score_beside_options(command: _Command) -> _Command:
    """The options of published models beside scores, which the command gets as one argument `beside`, or None."""

    @functools.wraps(command)
    def with_beside(*, beside: tuple[str, ...], beside_set: str | None, **options: Any) -> None:  # noqa: ANN401 - click's
        without = options.pop("beside_except")
        _check_needed(beside, {"--beside-set": beside_set, "--beside-except": without})
        request = Beside(beside, original_set=beside_set, without=without) if beside else None
        with _say_options({"`Beside(original_set=…)`": "--beside-set"}):
            command(beside=request, **options)

    one_set = click.option(
        "--beside-set", metavar="NAME", help="The set of the published table that the truth belongs to."
    )
    return _add(with_beside, [*_BESIDE, one_set])


def shift_beside_options(command: _Command) -> _Command:
    """The options of published models beside a comparison, which the command gets as one argument `beside`, or None."""

    @functools.wraps(command)
    def with_beside(*, beside: tuple[str, ...], **options: Any) -> None:  # noqa: ANN401 - what click passes on
        sets, without = [options.pop(f"beside_{side}") for side in SIDES], options.pop("beside_except")
        _check_needed(beside, {"--beside-original": sets[0], "--beside-new": sets[1], "--beside-except": without})
        request = Beside(beside, original_set=sets[0], new_set=sets[1], without=without) if beside else None
        with _say_options({f"`Beside({side}_set=…)`": f"--beside-{side}" for side in SIDES}):
            command(beside=request, **options)

    both = [
        click.option(f"--beside-{side}", metavar="NAME", help=f"Which set of the published table the {side} one is.")
        for side in SIDES
    ]
    return _add(with_beside, [*_BESIDE, *both])


@contextmanager
def _say_options(options: Mapping[str, str]) -> Iterator[None]:
    """Errors that say what to write in Python, with the options of this command in its place."""
    try:
        yield
    except InputError as error:
        text = str(error)
        for call, option in options.items():
            text = text.replace(call, option)
        if text == str(error):
            raise
        raise InputError(text) from None


def side_options(command: _Command) -> _Command:
    """The two test sets of a comparison, with predictions and a truth or with accuracies, as one argument `sides`."""

    @functools.wraps(command)
    def with_sides(**options: Any) -> None:  # noqa: ANN401 - what click passes on
        given = {side: {what: options.pop(f"{side}{what}") for what in ("", "_truth", "_set", "_n")} for side in SIDES}
        with _say_options({"`load_accuracies(…, n=…)`": "--original-n or --new-n"}):
            command(sides=tuple(_open_side(side, *words.values()) for side, words in given.items()), **options)

    return _add(with_sides, [option for side in SIDES for option in _list_side_options(side)])


def print_beside(result: Shift | Scores) -> Iterator[Text]:
    """Where models stand among published ones, and where the numbers of these come from; nothing without them."""
    published = result.published
    if published is None:
        return
    yield Text("")
    for sentence in describe_beside(result):
        yield Text(sentence)
    if published.citation:
        yield Text(f"{published.source}: {published.citation}", style="dim")


def describe_published_models(result: Shift | Scores) -> dict[str, Any]:
    """The published models as docs/formats.md has them, under `beside`; nothing where there are none."""
    published = result.published
    if published is None:
        return {}
    found: dict[str, Any] = {"source": published.source, "citation": published.citation}
    if isinstance(published, PublishedShift):
        found |= {"original": published.shift.original, "new": published.shift.new, **_describe_line(published)}
    else:
        lines = [line.to_dict() for line in published.lines]
        found |= {"set": published.accuracies.name, "models": list(published.accuracies.models), "lines": lines}
    standings = [standing.to_dict() for standing in published.standings]
    return {"beside": {**found, "standings": standings, "sentences": describe_beside(result)}}


def _describe_line(published: PublishedShift) -> dict[str, Any]:
    baseline = published.baseline
    return {
        "models": [model.to_dict() for model in published.shift.models],
        "fits": [
            {"scale": fit.scale, **fit.to_line(), "n_models": fit.n_models, "n_bootstrap": fit.n_bootstrap}
            for fit in published.shift.fits
        ],
        "residuals": [residual.to_dict() for residual in published.residuals],
        "n_bootstrap": None if baseline is None else baseline.n_bootstrap,
    }


def _list_side_options(side: str) -> Iterator[_Option]:
    yield click.option(f"--{side}-truth", multiple=True, metavar="FILE", help=f"Truth of the {side} set. Repeatable.")
    yield click.option(
        f"--{side}",
        multiple=True,
        required=True,
        metavar="PREDICTIONS",
        help="Predictions on it; without a truth, a table of accuracies. Repeatable.",
    )
    yield click.option(f"--{side}-set", metavar="NAME", help="Which set of that table, if it has several.")
    yield click.option(f"--{side}-n", type=int, metavar="N", help="How many images it has, if the table does not say.")


def _open_side(
    side: str, given: tuple[str, ...], truth: tuple[str, ...], name: str | None, n: int | None
) -> TestSetAnswers | SetAccuracies:
    if truth:
        for what, value in (("set", name), ("n", n)):
            if value is not None:
                raise InputError(
                    f"--{side}-{what} is for tables of accuracies, which need no --{side}-truth; leave one out."
                )
        return TestSetAnswers(given, truth)
    try:
        return load_set_accuracies(given, name=name, n=n)
    except InputError as error:
        raise InputError(f"Without --{side}-truth, --{side} is a table of accuracies. {error}") from None


def _check_needed(beside: tuple[str, ...], others: dict[str, object]) -> None:
    """Refuse options that would do nothing."""
    for name, value in others.items():
        if value and not beside:
            raise InputError(f"{name} is of use only with --beside; add it or leave {name} out.")


def _add(command: _Command, options: list[_Option]) -> _Command:
    for option in reversed(options):
        command = option(command)
    return command
