"""What every kind of work offers; a kind is one folder that holds all of this.

A part is a module: what it must have is said by a protocol here, and type checkers hold it to that.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, Protocol, TypeAlias

from regauge.campaigns.estimates import TaskTime
from regauge.campaigns.fields import KindFields
from regauge.campaigns.rounds import NewRound, RoundInputs
from regauge.campaigns.sources import MadeTasks, Sources
from regauge.campaigns.visibility import TaskContext
from regauge.records.campaigns.campaign import CampaignPlan, Kind, Payload
from regauge.records.campaigns.redundancy import Decisions
from regauge.records.campaigns.referrals import Referral
from regauge.records.exposure.exposures import ExposureRole
from regauge.records.labels.results import CompleteImages, LabelContext, MadeLabels
from regauge.records.responses.figures import ImageCounts
from regauge.records.responses.items import ItemTable
from regauge.responses.ledger import AnswerKind, Ledger
from regauge.responses.live.kinds import FigureKind

Responses: TypeAlias = Any
"""Answers in the form of a kind, as its `make_responses` makes them."""
Rule: TypeAlias = Any
"""How a kind makes labels of them: a frozen dataclass of what JSON can hold, with `keep_annotators`, the names of those whom
screening may not leave out, and `keep_responses`, pairs of a task or image and such a name."""


class FileType(NamedTuple):
    """A type of file: how its name ends, and what servers call it."""

    suffix: str
    media_type: str


class KindOutput(StrEnum):
    """What the answers to a kind of task can be made into; whoever needs one of these asks for it, never for a kind."""

    SELECTION_COUNTS = "selection counts"
    """How many were shown a pair, and selected it: `make_responses` makes `ContainsResponses`, and labels have frequencies."""
    OBJECTS = "objects"
    """Which labels are of one object, and the main one: labels have them."""
    VERDICTS = "verdicts"
    """Whether a class is right for an image: `make_labels` makes a label set. Of other kinds none is made."""
    PREDICTIONS = "predictions"
    CODED_MISTAKES = "coded mistakes"
    PAIR_VERDICTS = "pair verdicts"


@dataclass(frozen=True, slots=True)
class KindTexts:
    """What a kind is called and says.

    Attributes:
        name: on the manager's pages.
        title: on the pages of annotators: what they do, in a few words.
        summary: a sentence or two for whoever chooses a kind.
        command: what the command that makes a campaign does, in a sentence.
        gallery: what the figures below the images of a campaign are, in a sentence.
        columns: over the two columns that tell an answer about an image.
        instructions: what to do, unless the campaign says it in its own words.
    """

    name: str
    title: str
    summary: str
    command: str
    instructions: str
    gallery: str
    columns: tuple[str, str]


class Task(Protocol):
    """`task.py`: what a task shows and what an answer says. Tasks and answers are versioned JSON objects."""

    def list_images(self, task: Payload) -> list[int]:
        """The images of a task in display order, by their number in the campaign."""

    def view(self, task: Payload, context: TaskContext) -> Mapping[str, Any]:
        """What a page needs to show the task, and nothing that an annotator must not know."""

    def describe_asked(self, task: Payload, context: TaskContext) -> Mapping[str, Any]:
        """What the task asked, for whoever answered it to take along; nothing that they did not see."""

    def parse(self, task: Payload, answer: Payload) -> Payload:
        """The answer in its one canonical form.

        Raises:
            InputError: the answer does not fit the task.
        """

    def find_not_shown(self, task: Payload, answer: Payload) -> list[int]:
        """The images that a parsed answer says were not shown, by their number in the campaign."""

    def is_unseen(self, task: Payload, answer: Payload) -> bool:
        """Whether a parsed answer that is not a report says nothing of what the task asks, as nothing of that was shown."""

    def remove_images(self, task: Payload, images: Collection[int]) -> Payload | None:
        """The task without some images; None where nothing is left to ask."""

    def arrange(self, answer: Payload, *, task: Payload, order: int) -> Payload:
        """A parsed answer in the order in which the annotator saw the task, by the number that the context had."""

    def is_right(self, task: Payload, answer: Payload) -> bool:
        """Whether a parsed answer to a question of a quiz is right."""

    def shuffle(self, task: Payload, *, order: int) -> Payload:
        """The same task in another order, to ask it once more."""

    def make_previews(self, shown: Sequence[int]) -> tuple[Payload, ...]:
        """Tasks that show what the kind is like, of drawn pictures: per picture the class that it shows, two dozen of them."""


class Making(Protocol):
    """`making.py`: how the tasks of a campaign are made, and what is said of that."""

    def needs_known(self, plan: CampaignPlan, settings: Mapping[str, Any]) -> bool:
        """Whether images with known labels are needed, for controls or lessons."""

    def make_tasks(self, sources: Sources) -> MadeTasks:
        """The tasks of a campaign.

        Raises:
            InputError: the sources do not allow tasks of this kind.
        """

    def recount(
        self, settings: Mapping[str, Any], tasks: Sequence[Payload], *, lessons: Sequence[Payload]
    ) -> Mapping[str, Any]:
        """What changes in the settings of a campaign once images were taken out of its tasks and lessons."""

    def note_tasks(self, settings: Mapping[str, Any]) -> tuple[str, ...]:
        """What the manager should know of how the tasks were made, by the settings of the campaign; a sentence each."""

    def describe_tasks(self, settings: Mapping[str, Any]) -> Mapping[str, str]:
        """What the page of a campaign says of its tasks, by name."""

    def assume_time(self, settings: Mapping[str, Any]) -> TaskTime:
        """How long a task takes, where nothing was measured."""

    def count_items(self, settings: Mapping[str, Any]) -> float:
        """What the time of a task goes with, such as the images of a grid; 1 where all tasks are alike."""

    def tell_scale(self, n_items: float) -> str:
        """What is said of a time that was brought to tasks of so many of these; empty where all tasks are alike."""


class Answers(AnswerKind, Protocol):
    """`answers.py`: stored tasks and answers as columns, and these as what is screened and counted, or as the lines of a file.

    A task has at most 64 items, as many as a mask has bits. Hidden repeats are among the tasks: `TaskColumns.is_work` tells them.
    """

    FILE: FileType
    """What `write_answers` writes."""
    NEEDS_TEXTS: bool
    """Whether answers say what no mask holds, so that `HeldAnswers` comes with their texts."""


class ImageCounter(Protocol):
    """Counts what was answered about the images of a running campaign; may keep what it makes of its tasks."""

    def count(self, ledger: Ledger) -> ImageCounts:
        """One entry per image, or per image and class, over the answers that count."""


class Results(Protocol):
    """`results.py`: what is made of answers."""

    def make_counter(self) -> ImageCounter:
        """What counts the images of a running campaign."""

    def make_labels(self, responses: Responses, settings: Rule, *, context: LabelContext) -> MadeLabels:
        """Labels by a rule.

        Raises:
            InputError: no answer is left by the rule.
        """


class Referrals(Protocol):
    """`referrals.py`: items of a task that whoever answers it refers to experts, each of whom judges alone."""

    def find_referred(self, answer: Payload) -> Mapping[str, str]:
        """What a parsed answer refers: the key of each item, and the expertise in the annotator's words."""

    def is_judged(self, answer: Payload) -> bool:
        """Whether a parsed answer judges an item of its task."""

    def list_marked(self, task: Payload) -> Mapping[str, Referral]:
        """The items of a task that were referred, by their keys."""

    def mark(self, task: Payload, referred: Mapping[str, Referral]) -> Payload:
        """The task with these items referred, and no others."""

    def has_open(self, task: Payload) -> bool:
        """Whether a task still asks about something that was not referred."""

    def split_off(self, task: Payload, key: str, *, expertises: Sequence[str]) -> Payload:
        """The task that asks experts of one of these about one item; the first is the one that was named."""


class Rounds(Protocol):
    """`rounds.py`: whether another round is open, and what it asks."""

    IS_ADAPTIVE: bool
    """Whether a rule of redundancy says what is open."""

    def decide(self, standing: RoundInputs, rule: Any) -> Decisions:  # noqa: ANN401 - None where the kind has no rule
        """What is decided about every pair so far, for the draw of a test set.

        Raises:
            InputError: nothing can be decided.
        """

    def make_round(self, standing: RoundInputs, rule: Any, *, seed: int) -> NewRound:  # noqa: ANN401 - None where there is none
        """What another round asks; no tasks where nothing is open.

        Raises:
            InputError: the round cannot be made.
        """

    def explain_few(self, n_needed: int) -> str:
        """Why too few of those who took part may be given a task of a round, and what to do; the end of a sentence."""


class Items(Protocol):
    """`items.py`: what was said of every class of every image that people judge one by one."""

    def count_items(self, ledger: Ledger, *, n_annotators: int) -> ItemTable:
        """All items, with the votes on them that count."""

    def tell_answer(self, task: Payload, answer: Payload, *, image: int, name: Callable[[int], str]) -> tuple[str, str]:
        """What an answer says of an image, in words, and the note beside it."""


class Completeness(Protocol):
    """`completeness.py`: whether people looked for what nobody asked about."""

    def find_complete(self, responses: Responses) -> CompleteImages:
        """The images in which enough people looked and found nothing more, and what was judged on the way."""


class Discussion(Protocol):
    """`discussion.py`: what a panel votes on, alone first and then knowing what the others say."""

    def read_votes(self, task: Payload, answer: Payload) -> Mapping[str, str]:
        """What a parsed answer says on every question of its task: the same questions of everybody, and each by one word."""


@dataclass(frozen=True, slots=True)
class TaskKind:
    """One kind of task: its modules, and what its answers can be made into.

    Attributes:
        name: what records and commands call it.
        package: where it lives; its folder `page` has the template NAME.html, the script NAME.js and the styles NAME.css.
        gives: what its answers can be made into.
        texts: what it is called and says.
        fields: what can be set of its campaigns and of its rule for labels.
        task: what a task shows and an answer says.
        making: how tasks are made.
        answers: tasks and answers as columns and as files.
        figures: what is known of people and images while they work; see `FigureKind`.
        results: labels.
        rounds: more rounds; None where there is only one.
        referrals: how items are referred to experts; None where they are not.
        items: its items one by one; None where people do not judge such.
        completeness: which images are labelled completely; None where people never look for more.
        has_threads: whether people comment on its images in threads, and hand them back with a comment.
        discussion: what a panel votes on; None where answers are not discussed.
        shows_as: as what whoever has a task is shown its images, where its campaign neither measures nor teaches people.
    """

    name: Kind
    package: str
    gives: frozenset[KindOutput]
    texts: KindTexts
    fields: KindFields
    task: Task
    making: Making
    answers: Answers
    figures: FigureKind
    results: Results
    rounds: Rounds | None = None
    referrals: Referrals | None = None
    items: Items | None = None
    completeness: Completeness | None = None
    has_threads: bool = False
    discussion: Discussion | None = None
    shows_as: ExposureRole = ExposureRole.ANNOTATOR


Kinds: TypeAlias = Mapping[Kind, TaskKind]
"""A registry: the kinds of work that a program knows, by name and in the order in which it offers them."""
