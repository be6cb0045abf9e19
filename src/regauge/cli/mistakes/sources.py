"""Where the commands about mistakes read answers and labels: files, or a study."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeAlias

import click

from regauge.cli.options.files import all_columns_option, ids_option
from regauge.cli.printing.progress import make_track
from regauge.cli.studies.study import open_for_reading, study_option
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL
from regauge.records.mistakes.found import FindSettings
from regauge.records.studies import Selection
from regauge.workflows.inputs import TestSetAnswers
from regauge.workflows.mistakes.finding import open_mistakes, open_study_mistakes
from regauge.workflows.mistakes.sources import MistakeSource

_Command: TypeAlias = Callable[..., None]


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """Files or a study, as the words of a command say.

    Attributes:
        predictions: files with answers; with none, a study is meant.
        taxonomy: the classes of files.
        columns: what their tables call our columns.
        ids: the order of arrays without ids.
        folder: the study.
    """

    predictions: tuple[str, ...] = ()
    taxonomy: str | None = None
    columns: Mapping[str, str] | None = None
    ids: Path | None = None
    folder: Path | None = None

    def refuse(self, of_files: Mapping[str, object], of_studies: Mapping[str, object]) -> None:
        """Refuse options that would do nothing.

        Raises:
            InputError: an option is for files and a study is meant, or the other way round.
        """
        is_study = not self.predictions
        own = {"--taxonomy": self.taxonomy, "--columns": self.columns, "--ids": self.ids} if is_study else {}
        wrong = {**of_files, **own} if is_study else {**of_studies, "--study": self.folder}
        given = [name for name, value in wrong.items() if value]
        if given and is_study:
            raise InputError(f"{', '.join(given)} goes with files of predictions; name these, or leave it out.")
        if given:
            raise InputError(f"{', '.join(given)} goes with a study, and files of predictions are given; leave it out.")

    def read_files(self, truths: Sequence[str], participant: Sequence[str]) -> MistakeSource:
        """The answers in files, with the label sets in others."""
        answers = TestSetAnswers(self.predictions, tuple(truths), ids=self.ids, columns=self.columns)
        return open_mistakes(answers, participant, taxonomy=self.taxonomy, track=make_track())

    @contextmanager
    def read_study(self, *selections: Selection) -> Iterator[list[MistakeSource]]:
        """The test sets of a study, as they are at one moment."""
        with open_for_reading(self.folder) as study:
            yield [open_study_mistakes(study, one) for one in selections]


def place_options(command: _Command) -> _Command:
    """The argument PREDICTIONS and the options that say where answers are, which the command gets as one argument `place`."""
    predictions = click.argument("predictions", nargs=-1)
    return predictions(other_place_options(command))


def other_place_options(command: _Command) -> _Command:
    """The same without the argument, for a command that has its own."""

    @wraps(command)
    def with_place(**options: Any) -> None:  # noqa: ANN401 - what click passes on
        names = ("predictions", "taxonomy", "columns", "ids", "folder")
        command(place=AnswerSource(**{name: options.pop(name) for name in names}), **options)

    taxonomy = click.option(
        "--taxonomy", metavar="NAME|FILE", help="The classes of files: imagenet-1k, cifar-10, or a CSV or JSON file."
    )
    decorated: _Command = taxonomy(all_columns_option(ids_option(study_option(with_place))))
    return decorated


def find_options(command: _Command) -> _Command:
    """The options of finding, which the command gets as one argument `settings`."""

    @wraps(command)
    def with_settings(strict: bool, sample: int | None, seed: int, level: float, **options: Any) -> None:  # noqa: ANN401 - as above
        command(settings=FindSettings(strict, sample, seed, level), **options)

    sample = click.option("--sample", type=int, metavar="N", help="Draw so many of the mistakes at random.")
    seed = click.option("--seed", type=int, default=0, show_default=True, help="Random seed of the sample.")
    return judge_options(sample(seed(with_settings)))


def judge_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options --strict and --level."""
    strict = click.option("--strict", is_flag=True, help="Count answers that people found unclear as mistakes too.")
    level = click.option(
        "--level", type=float, default=DEFAULT_LEVEL, show_default=True, help="Confidence level of every interval."
    )
    decorated: Callable[..., Any] = strict(level(command))
    return decorated
