"""The form of a new campaign: from what a browser sends to what was wished for; every mistake names its field."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from regauge.errors import InputError
from regauge.records.campaigns import CampaignTexts, Kind
from regauge.records.terms import Newness, Pay, Quiz, Terms
from regauge.workflows.campaign_questions import MAX_SEED
from regauge.workflows.campaign_wishes import CampaignWish, Source
from regauge.workflows.campaigns import PRESETS, reshape

MAX_TEXT = 10_000
TEXTS = ("instructions", "consent", "warning", "training")
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
"""Characters that no name has and no page shows."""

_Result = TypeVar("_Result")


class MistakesError(InputError):
    """Some fields cannot be used: a sentence for each."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        super().__init__("Some of what was filled in cannot be used; see beside the fields.")
        self.fields = dict(fields)


@dataclass(slots=True, eq=False)
class Form:
    """What was filled in, and what is wrong with it.

    Attributes:
        values: every field as text.
        mistakes: per field a sentence.
    """

    values: Mapping[str, str]
    mistakes: dict[str, str] = field(default_factory=dict)

    def read_text(self, name: str, *, max_length: int = 200, has_lines: bool = False) -> str:
        """A text without blanks around it, on one line or on several; forms send the end of a line as two characters."""
        text = self.values.get(name, "").replace("\r\n", "\n").strip()
        if len(text) > max_length:
            self.mistakes[name] = f"This has at most {max_length:,} characters, not {len(text):,}."
        elif CONTROL.search(text.replace("\n", "").replace("\t", "") if has_lines else text):
            self.mistakes[name] = "This has a character that cannot be shown; type it anew."
        return text

    def read_whole(self, name: str, *, low: int, high: int) -> int:
        """A whole number."""
        text = self.values.get(name, "").strip()
        if not (text.isascii() and text.isdecimal() and len(text) <= 12 and low <= int(text) <= high):
            self.mistakes[name] = f"This is a whole number from {low:,} to {high:,}, not {text or 'empty'}."
            return low
        return int(text)

    def read_amount(self, name: str, *, high: float) -> float | None:
        """An amount from 0 on; None where the field is empty."""
        text = self.values.get(name, "").strip()
        if not text:
            return None
        try:
            amount = float(text)
        except ValueError:
            amount = float("nan")
        if not 0 <= amount <= high:
            self.mistakes[name] = f"This is a number from 0 to {high:,.0f}, not {text}."
            return 0.0
        return amount

    def read_choice(self, name: str, choices: Mapping[str, _Result]) -> _Result:
        """One of some choices."""
        text = self.values.get(name, "")
        if text not in choices:
            self.mistakes[name] = f"Choose one of {', '.join(choices)}."
            return next(iter(choices.values()))
        return choices[text]

    def is_ticked(self, name: str) -> bool:
        """Whether a box is ticked."""
        return self.values.get(name, "") == "on"

    def make(self, name: str, work: Callable[[], _Result]) -> _Result | None:
        """What some fields make together; what it refuses is said of one of them."""
        if self.mistakes:
            return None
        try:
            return work()
        except InputError as error:
            self.mistakes[name] = str(error)
            return None


def parse_wish(values: Mapping[str, str], content: bytes) -> CampaignWish:
    """The campaign that was wished for.

    Raises:
        MistakesError: some fields cannot be used.
    """
    form = Form(values)
    kind = form.read_choice("kind", {one: Kind(one) for one in ("contains", "classify")})
    fields = {**_read_questions(form, kind), **_read_terms(form)}
    instructions, consent, warning, training = (
        form.read_text(name, max_length=MAX_TEXT, has_lines=True) for name in TEXTS
    )
    wish = form.make(
        "name",
        lambda: CampaignWish(
            kind,
            content=content,
            texts=CampaignTexts(instructions, consent, 1, warning, training),
            **fields,
        ),
    )
    if wish is None or form.mistakes:
        raise MistakesError(form.mistakes)
    return wish


def _read_questions(form: Form, kind: Kind) -> dict[str, Any]:
    """What is asked, of which images, and how."""
    name = form.read_text("name")
    if not name:
        form.mistakes["name"] = "A campaign needs a name."
    source = form.read_choice("source", {one.value: one for one in Source})
    fields: dict[str, Any] = {
        "name": name,
        "test_set": form.read_text("test_set"),
        "source": source,
        "source_campaign": form.read_text("source_campaign"),
        "is_follow_up": form.is_ticked("is_follow_up"),
        "top": form.read_whole("top", low=1, high=20) if source is Source.PREDICTIONS else 5,
        "also": form.read_text("also"),
        "controls": form.read_text("controls"),
        "n_annotators": form.read_whole("n_annotators", low=1, high=1_000),
        "lease_seconds": 60 * form.read_whole("lease_minutes", low=1, high=43_200),
        "seed": form.read_whole("seed", low=0, high=MAX_SEED),
    }
    if kind is Kind.CONTAINS:
        preset = form.read_choice("preset", PRESETS)
        cells = form.read_whole("n_cells", low=1, high=64)
        positive, negative = (form.read_whole(one, low=0, high=63) for one in ("n_positive", "n_negative"))
        shape = form.make(
            "n_cells", lambda: reshape(preset.shape, n_cells=cells, n_positive=positive, n_negative=negative)
        )
        fields |= {} if shape is None else {"shape": shape}
    return fields


def _read_terms(form: Form) -> dict[str, Any]:
    """Pay, quiz, repeats and breaks."""
    pay, quiz = _read_pay(form), _read_quiz(form)
    repeats = form.read_amount("repeats", high=50) or 0.0
    break_minutes = form.read_whole("break_minutes", low=0, high=240)
    newness = Newness.REQUIRED if form.is_ticked("is_new_only") else Newness.PREFERRED
    terms = form.make("repeats", lambda: Terms(pay, newness, quiz, repeats / 100, break_minutes))
    names = form.read_text("quiz_classes", max_length=10_000) if quiz is not None else ""
    classes = tuple(one.strip() for one in names.split(",") if one.strip())
    return {"quiz_classes": classes, **({} if terms is None else {"terms": terms})}


def _read_pay(form: Form) -> Pay | None:
    per_task = form.read_amount("per_task", high=1_000)
    minimum = form.read_amount("minimum_hourly", high=1_000)
    fee = form.read_amount("fee", high=100) or 0.0
    currency = form.read_text("currency", max_length=3).upper()
    if per_task is None:
        if minimum is not None:
            form.mistakes["per_task"] = "Say what a task pays, or leave the lowest pay per hour empty."
        return None
    return form.make("currency", lambda: Pay(per_task, currency, minimum, fee / 100))


def _read_quiz(form: Form) -> Quiz | None:
    if not form.is_ticked("has_quiz"):
        return None
    n_questions = form.read_whole("n_questions", low=1, high=50)
    pass_mark = form.read_whole("pass_mark", low=1, high=100)
    attempts = form.read_whole("max_attempts", low=1, high=10)
    return form.make("n_questions", lambda: Quiz(n_questions, pass_mark / 100, attempts))
