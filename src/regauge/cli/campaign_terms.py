"""The terms and texts of a campaign as options of several commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import wraps
from pathlib import Path
from typing import Any

import click

from regauge.errors import InputError
from regauge.records.campaigns import CampaignTexts
from regauge.records.taxonomy import Taxonomy
from regauge.records.terms import Newness, Pay, Quiz, Terms


@dataclass(frozen=True, slots=True)
class TermsChoice:
    """The terms that were typed; None for those that were not."""

    pay: float | None = None
    currency: str | None = None
    minimum_hourly: float | None = None
    fee: float | None = None
    new_annotators: str | None = None
    quiz: int | None = None
    pass_mark: float | None = None
    attempts: int | None = None
    quiz_classes: tuple[str, ...] = ()
    repeats: float | None = None
    break_after: int | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing was typed."""
        return self == TermsChoice()

    def apply(self, terms: Terms, *, taxonomy: Taxonomy) -> Terms:
        """The terms with what was typed in the place of what they had.

        Raises:
            InputError: something goes with an option that is not there.
        """
        changes: Mapping[str, Any] = {
            "pay": self._apply_pay(terms.pay),
            "quiz": self._apply_quiz(terms.quiz, taxonomy),
            **_keep_given(
                newness=None if self.new_annotators is None else Newness(self.new_annotators),
                repeats=self.repeats,
                break_minutes=self.break_after,
            ),
        }
        return replace(terms, **changes)

    def _apply_pay(self, old: Pay | None) -> Pay | None:
        given = _keep_given(per_task=self.pay, currency=self.currency, minimum_hourly=self.minimum_hourly, fee=self.fee)
        if old is not None:
            return replace(old, **given)
        if given and self.pay is None:
            raise InputError("--currency, --minimum-hourly and --fee go with --pay: say what a task pays.")
        return Pay(**given) if given else None

    def _apply_quiz(self, old: Quiz | None, taxonomy: Taxonomy) -> Quiz | None:
        classes = tuple(sorted({int(taxonomy.get_index(text)) for text in self.quiz_classes}))
        given = _keep_given(
            n_questions=self.quiz, pass_mark=self.pass_mark, max_attempts=self.attempts, classes=classes or None
        )
        if old is not None:
            return replace(old, **given)
        if given and self.quiz is None:
            raise InputError(
                "--pass-mark, --attempts and --quiz-class go with --quiz, which a campaign is made with: say how many questions "
                "it has."
            )
        return Quiz(**given) if given else None


_CHANGEABLE = (
    click.option("--pay", type=float, metavar="AMOUNT", help="What an answer is paid; nothing unless given."),
    click.option("--currency", metavar="CODE", help="Of the pay, three letters; USD unless given."),
    click.option("--minimum-hourly", type=float, metavar="AMOUNT", help="Warn when the median pay per hour is lower."),
    click.option("--fee", type=float, metavar="SHARE", help="What a platform takes on top of the pay."),
    click.option(
        "--new-annotators",
        type=click.Choice([one.value for one in Newness]),
        help="Whether people who judged an image in another campaign come last, or not at all.",
    ),
    click.option(
        "--pass-mark", type=float, metavar="SHARE", help="Right answers that pass the quiz; 0.8 unless given."
    ),
    click.option("--attempts", type=int, metavar="N", help="How often the quiz can be tried; 2 unless given."),
    click.option("--repeats", type=float, metavar="SHARE", help="Hidden repeats per task of an annotator."),
    click.option("--break-after", type=int, metavar="MINUTES", help="Offer a break after so much work; 0 for never."),
)
_FIXED = (
    click.option("--quiz", type=int, metavar="N", help="A quiz of so many questions before the first task."),
    click.option(
        "--quiz-class",
        "quiz_classes",
        multiple=True,
        metavar="CLASS",
        help="What the quiz is about; all classes unless given. Repeatable.",
    ),
)
_ABOUT_TEXTS = {
    "instructions": "Text to show first.",
    "consent": "Text to agree to.",
    "warning": "Text that warns of what the images may show.",
    "training": "Text that explains the task at length, shown with examples.",
}
_TEXTS = tuple(
    click.option(f"--{name}", type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="FILE", help=about)
    for name, about in _ABOUT_TEXTS.items()
)
_NAMES = {"choice": [field.name for field in fields(TermsChoice)], "texts": list(_ABOUT_TEXTS)}


def terms_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """All terms, handed to the command as one `TermsChoice` called `choice`."""
    return _bundle(command, (*_CHANGEABLE, *_FIXED), name="choice", make=TermsChoice)


def changeable_terms_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The terms that can change after a campaign is made, in the same way."""
    return _bundle(command, _CHANGEABLE, name="choice", make=TermsChoice)


def text_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What annotators read, handed to the command as one `CampaignTexts` called `texts`; empty where not given."""
    return _bundle(command, _TEXTS, name="texts", make=_read_texts)


def _bundle(
    command: Callable[..., Any], options: Sequence[Callable[..., Any]], *, name: str, make: Callable[..., Any]
) -> Callable[..., Any]:
    """A command that gets what some options say as one value."""
    names = set(_NAMES[name])

    @wraps(command)
    def call(**typed: Any) -> Any:  # noqa: ANN401 - whatever the command takes and gives
        mine = {one: typed.pop(one) for one in names & typed.keys()}
        return command(**{name: make(**mine)}, **typed)

    decorated: Callable[..., Any] = call
    for option in reversed(options):
        decorated = option(decorated)
    return decorated


def _read_texts(**paths: Path | None) -> CampaignTexts:
    read = {name: "" if path is None else _read(path) for name, path in paths.items()}
    return CampaignTexts(
        read.pop("instructions"), read.pop("consent"), warning=read["warning"], training=read["training"]
    )


def _read(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8").strip()
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is no text in UTF-8; save it as such. ({error.reason} at byte {error.start})"
        ) from None
    if not text:
        raise InputError(f"{path} is empty; write the text into it, or leave the option out.")
    return text


def _keep_given(**values: Any) -> dict[str, Any]:  # noqa: ANN401 - values of any option
    return {name: value for name, value in values.items() if value is not None}
