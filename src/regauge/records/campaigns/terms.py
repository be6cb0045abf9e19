"""The terms on which people work on a campaign: pay, who may take part, and what is done for quality and care."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from regauge.errors import InputError
from regauge.ranges import SHARE, Range
from regauge.records.exposure.exposures import check_washout

PAY = Range(0, 1_000)
"""What a task, or an hour of work, may pay."""
PASS_MARK = Range(0, 1, excludes_low=True)
REPEATS = Range(0, 0.5)
BREAK_MINUTES = Range(0, 240, is_whole=True)
N_QUESTIONS = Range(1, 50, is_whole=True)
MAX_ATTEMPTS = Range(1, 10, is_whole=True)
CODE_LENGTH = 64

_STUDY_ID = re.compile(r"[0-9a-f]{24}", re.ASCII)


class Newness(StrEnum):
    """Whether whoever judges an image may have judged it in another campaign."""

    PREFERRED = "preferred"
    """People whom other campaigns did not show the image come first."""
    REQUIRED = "required"
    """Nobody else gets it, even if the campaign then waits for them."""


@dataclass(frozen=True, slots=True)
class Pay:
    """What people are paid.

    Attributes:
        per_task: for an answer that is stored, surplus included.
        currency: three letters, as in USD.
        minimum_hourly: below this median pay per hour the manager is warned.
        fee: what a platform takes on top, as a share of the pay.
    """

    per_task: float
    currency: str = "USD"
    minimum_hourly: float | None = None
    fee: float = 0.0

    def __post_init__(self) -> None:
        if self.per_task not in PAY:
            raise InputError(f"A task pays {PAY}, not {self.per_task:,}.")
        if len(self.currency) != 3 or not (self.currency.isascii() and self.currency.isupper()):
            raise InputError(f"A currency is three capital letters such as USD, not {self.currency!r}.")
        if self.minimum_hourly is not None and self.minimum_hourly not in PAY:
            raise InputError(f"The lowest pay per hour is {PAY}, not {self.minimum_hourly:,}.")
        if self.fee not in SHARE:
            raise InputError(f"The fee of a platform is a share from {SHARE}, not {self.fee:,}.")


@dataclass(frozen=True, slots=True)
class Quiz:
    """What people must pass before their first task.

    Attributes:
        n_questions: how many controls are asked about.
        pass_mark: the share of right answers that is enough.
        max_attempts: how often somebody may try, each time with other questions.
        classes: whose controls are used; all classes of the campaign by default.
    """

    n_questions: int = 10
    pass_mark: float = 0.8
    max_attempts: int = 2
    classes: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.n_questions not in N_QUESTIONS:
            raise InputError(f"A quiz has {N_QUESTIONS} questions, not {self.n_questions:,}.")
        if self.pass_mark not in PASS_MARK:
            raise InputError(f"The pass mark is a share above 0 and up to 1, not {self.pass_mark:,}.")
        if self.max_attempts not in MAX_ATTEMPTS:
            raise InputError(f"A quiz can be tried {MAX_ATTEMPTS} times, not {self.max_attempts:,}.")


@dataclass(frozen=True, slots=True)
class Prolific:
    """Who comes from Prolific, and the codes with which people go back.

    Attributes:
        completed: for those who did their share.
        screened_out: for those who did not pass the quiz, or for whom there was nothing to do.
        n_tasks: how many tasks are somebody's share; 0 for as many as there are.
        study_id: the study there that sends them; empty where an earlier version let everybody in.
        judges_first: whether whoever did their share waits for the code until somebody has looked at their answers.
        failed: for those whose answers were then found wanting; empty for no code.
    """

    completed: str
    screened_out: str = ""
    n_tasks: int = 0
    study_id: str = ""
    judges_first: bool = False
    failed: str = ""

    def __post_init__(self) -> None:
        for code in (self.completed, self.screened_out, self.failed):
            if not (code.isascii() and code.isalnum() and len(code) <= CODE_LENGTH) and code:
                raise InputError(f"A completion code is made of up to {CODE_LENGTH} letters and digits, not {code!r}.")
        if not self.completed:
            raise InputError("Prolific needs a completion code; it is shown where the study is set up there.")
        if self.n_tasks < 0:
            raise InputError(f"Somebody's share is 0 or more tasks, not {self.n_tasks:,}.")
        if self.study_id and not _STUDY_ID.fullmatch(self.study_id):
            raise InputError(
                f"The id of a study on Prolific has 24 digits and letters from a to f, not {self.study_id!r:.80}; it is in the "
                "address of the study there."
            )
        if self.failed and not self.judges_first:
            raise InputError("A code for those who failed goes with codes that wait until answers were looked at.")


@dataclass(frozen=True, slots=True)
class Terms:
    """What a campaign offers people and asks of them.

    Attributes:
        pay: what people are paid; None where they are not.
        newness: whether an image may go to somebody who judged it in another campaign.
        quiz: what they must pass first; None for nothing.
        repeats: hidden repeats per task of an annotator, to see whether they answer alike twice.
        break_minutes: after so many minutes of work a break is offered; 0 for never.
        prolific: how people from Prolific come and go; None where none do.
        mturk_tasks: how many tasks one HIT of Mechanical Turk takes; 0 where people do not come from there.
        washout_days: for so many days whoever was shown an image is not given it; 0 for no such rule.
        washout_warns: whether they are given it all the same, and the manager is told.
    """

    pay: Pay | None = None
    newness: Newness = Newness.PREFERRED
    quiz: Quiz | None = None
    repeats: float = 0.0
    break_minutes: int = 0
    prolific: Prolific | None = None
    mturk_tasks: int = 0
    washout_days: int = 0
    washout_warns: bool = False

    @property
    def bars_exposed(self) -> bool:
        """Whether whoever was shown an image within the washout is not given it."""
        return bool(self.washout_days) and not self.washout_warns

    def __post_init__(self) -> None:
        if self.repeats not in REPEATS:
            raise InputError(f"The share of hidden repeats is {REPEATS}, not {self.repeats:,}.")
        if self.break_minutes not in BREAK_MINUTES:
            raise InputError(
                f"A break is offered after up to {BREAK_MINUTES.high} minutes, or 0 for never, not {self.break_minutes:,}."
            )
        if self.mturk_tasks < 0:
            raise InputError(f"A HIT takes 0 or more tasks, not {self.mturk_tasks:,}.")
        check_washout(self.washout_days)

    def to_json(self) -> dict[str, Any]:
        """The terms as they are stored."""
        return asdict(self)


def parse_terms(stored: Mapping[str, Any]) -> Terms:
    """The terms from how they were stored; what an older version did not store has its default."""
    fields = dict(stored)
    pay, quiz, prolific = (fields.pop(name, None) for name in ("pay", "quiz", "prolific"))
    return Terms(
        pay=None if pay is None else Pay(**pay),
        newness=Newness(fields.pop("newness", Newness.PREFERRED)),
        quiz=None if quiz is None else Quiz(**{**quiz, "classes": tuple(quiz["classes"])}),
        prolific=None if prolific is None else Prolific(**prolific),
        **fields,
    )
