"""What each kind of task makes of answers: the table that pages, files and label sets ask, instead of asking for the kind.

A kind has three modules, with the same names in each: `…_answers` reads what is stored, `…_figures` tells what is known while
people work, `…_results` makes labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, TypeAlias

from regauge.labels import classify_results, contains_results
from regauge.records.campaigns import Kind
from regauge.records.figures import ImageCounts
from regauge.records.results import EasySource, LabelContext, MadeLabels
from regauge.responses import classify_answers, classify_figures, contains_answers, contains_figures
from regauge.responses.ledger import AnswerKind, Ledger
from regauge.responses.live.kinds import FigureKind

Responses: TypeAlias = Any
"""Answers in the form of the kind, as its `make_responses` makes them."""
Rule: TypeAlias = Any
"""How the kind makes labels of them."""


class ImageCounter(Protocol):
    """Counts what was answered about the images of a running campaign; may keep what it makes of its tasks."""

    def count(self, ledger: Ledger) -> ImageCounts:
        """One entry per image, or per image and class, over the answers that count."""
        ...


class ResultKind(Protocol):
    """What a kind makes of answers: a module with these functions."""

    def make_counter(self) -> ImageCounter:
        """What counts the images of a running campaign."""
        ...

    def find_easy_source(self, settings: Rule) -> EasySource | None:
        """What the rule names to tell easy images; None where it names nothing."""
        ...

    def make_labels(self, responses: Responses, settings: Rule, *, context: LabelContext) -> MadeLabels:
        """Labels by a rule.

        Raises:
            InputError: no answer is left by the rule.
        """
        ...


class AnsweredKind(NamedTuple):
    """A kind of task as far as answers go."""

    answers: AnswerKind
    figures: FigureKind
    results: ResultKind


ANSWERED: Mapping[Kind, AnsweredKind] = {
    Kind.CONTAINS: AnsweredKind(contains_answers, contains_figures, contains_results),
    Kind.CLASSIFY: AnsweredKind(classify_answers, classify_figures, classify_results),
}
"""Every kind of task."""
