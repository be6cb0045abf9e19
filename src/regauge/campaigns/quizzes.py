"""Examples and questions whose answers are known, to train people and to see whether they understood.

A question shows one image. A grid would test as much on one page, but its feedback would come for many images at once, and it is
the answer about the one image in view that teaches.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

import numpy as np

from regauge.arrays import IntArray
from regauge.errors import InputError
from regauge.records.campaigns.campaign import CampaignEntry, CampaignPlan, Payload
from regauge.records.campaigns.quizzes import Attempt, Qualification, QualificationState
from regauge.records.campaigns.terms import Quiz, Terms

MAX_EXAMPLES = 12
N_EXAMPLE_CLASSES = 3
POOL_FACTOR = 4
"""So many times the questions that one person can be asked are made, so that people who sit together are asked different ones."""
MAX_POOL = 1_000


@dataclass(frozen=True, slots=True)
class KnownImage:
    """An image, a class that is sought in it, and the class that it shows."""

    image: int
    class_index: int
    shows: int


@dataclass(frozen=True, slots=True)
class Lessons:
    """What is shown with its answer, and what is asked."""

    examples: tuple[KnownImage, ...]
    questions: tuple[KnownImage, ...]


@dataclass(frozen=True, slots=True, eq=False)
class LessonTasks:
    """Tasks that are shown with their answers, and tasks that the quiz asks.

    Beside what any task of its kind has, each says under `shows` which class its image shows; under `class` it has the class
    that is asked for, if that is one.
    """

    examples: Sequence[Payload] = ()
    questions: Sequence[Payload] = ()


Groups = Sequence[Sequence[KnownImage]]
"""Images that teach the same; those with a class and those without it are two groups that follow each other."""


def needs_lessons(plan: CampaignPlan) -> bool:
    """Whether a campaign teaches anything."""
    return plan.terms.quiz is not None or bool(plan.texts.training)


def find_lesson_classes(plan: CampaignPlan, classes: Collection[int]) -> list[int]:
    """The classes that lessons are about: those of the quiz, or all that are asked about.

    Raises:
        InputError: a class of the quiz is not asked about.
    """
    wanted = () if plan.terms.quiz is None else plan.terms.quiz.classes
    unknown = sorted(set(wanted) - set(classes))
    if unknown:
        raise InputError(f"The quiz is about class {unknown[0]}, which campaign {plan.name} does not ask about.")
    return sorted(set(wanted) or set(classes))


def group_known(
    images: IntArray, *, class_index: int, shows: int, avoided: IntArray, rng: np.random.Generator
) -> list[KnownImage]:
    """Images of one group in random order, those that annotators will also meet in tasks last."""
    shuffled = rng.permutation(images)
    ordered = shuffled[np.argsort(np.isin(shuffled, avoided), kind="stable")]
    return [KnownImage(int(image), class_index, shows) for image in ordered]


def make_lessons(lessons: Lessons, make: Callable[[KnownImage], Payload]) -> LessonTasks:
    """The tasks of what was chosen, each made from its image."""
    return LessonTasks(*([make(known) for known in part] for part in (lessons.examples, lessons.questions)))


def choose_lessons(groups: Groups, quiz: Quiz | None) -> Lessons:
    """Examples of a few classes, and questions about all of them: every image once, the groups in turn.

    Raises:
        InputError: there are too few images for the quiz.
    """
    n_asked = 0 if quiz is None else quiz.n_questions
    n_known = len({known.image for group in groups for known in group})
    if n_known < n_asked:
        raise InputError(
            f"The quiz asks {n_asked} questions, but its classes have {n_known} images with known answers that the campaign does "
            "not ask about; take controls from another test set, name more classes, or ask fewer questions."
        )
    first = {known.class_index for known in _spread(groups, n=N_EXAMPLE_CLASSES, by_class=True)}
    of_first = [group for group in groups if group and group[0].class_index in first]
    examples = tuple(_spread(of_first, n=min(MAX_EXAMPLES, n_known - n_asked)))
    taken = {known.image for known in examples}
    left = [[known for known in group if known.image not in taken] for group in groups]
    n_pool = 0 if quiz is None else min(MAX_POOL, POOL_FACTOR * quiz.n_questions * quiz.max_attempts)
    return Lessons(examples, tuple(_spread(left, n=max(n_asked, n_pool))))


def pick_questions(
    pool: Mapping[int, Payload], *, n: int, used: Collection[int], rng: np.random.Generator
) -> tuple[int, ...]:
    """Which tasks of the pool to ask somebody: as many images with the class as without, none again while there are others.

    Args:
        pool: the questions by their numbers.
        n: how many.
        used: those that the person was asked before.
        rng: decides which, and in what order.
    """
    shuffled = rng.permutation(list(pool)).tolist()
    sides = [[one for one in shuffled if is_positive(pool[one]) is side] for side in (True, False)]
    in_turn = [one for one in chain.from_iterable(zip_longest(*sides)) if one is not None]
    # Sorting is stable: what is new comes first, and with and without the class still take turns.
    chosen = sorted(in_turn, key=lambda one: one in used)[:n]
    return tuple(rng.permutation(chosen).tolist())


def is_positive(task: Payload) -> bool:
    """Whether the image of a lesson shows what is asked for."""
    return bool(task.get("class", task["shows"]) == task["shows"])


def judge_attempts(attempts: tuple[Attempt, ...], quiz: Quiz) -> Qualification:
    """Where somebody stands before the first task, from their attempts at the quiz."""
    n_left = max(0, quiz.max_attempts - len(attempts))
    ended = [attempt for attempt in attempts if attempt.has_passed is not None]
    score = ended[-1].score if ended else None
    if any(attempt.has_passed for attempt in ended):
        state = QualificationState.PASSED
    elif len(ended) < len(attempts):
        state = QualificationState.TAKING
    else:
        state = QualificationState.TRAINING if n_left else QualificationState.FAILED
    return Qualification(state, n_left, score)


def has_passed(attempt: Attempt, quiz: Quiz) -> bool:
    """Whether an attempt that has ended reached the pass mark."""
    # 0.7 × 10 is a little more than 7 in binary; nobody should fail for it.
    return attempt.n_right >= math.ceil(quiz.pass_mark * len(attempt.questions) - 1e-9)


def check_new_quiz(entry: CampaignEntry, terms: Terms) -> None:
    """Make sure that terms ask the questions that were made with a campaign; only what is done with answers can change.

    Raises:
        InputError: they do not.
    """
    old, new = entry.plan.terms.quiz, terms.quiz
    if (old is None) is not (new is None):
        raise InputError(
            f"The quiz of campaign {entry.name} was decided when it was made; make a new campaign for another."
        )
    if old is not None and new is not None and (old.n_questions, old.classes) != (new.n_questions, new.classes):
        raise InputError(
            f"The questions of the quiz of campaign {entry.name} were made with it; only pass mark and attempts can change."
        )


def _spread(groups: Groups, *, n: int, by_class: bool = False) -> Iterator[KnownImage]:
    """Up to n images, one of each group in turn, none twice; by class, one of each class."""
    taken: set[int] = set()
    for known in chain.from_iterable(zip_longest(*groups)):
        if len(taken) >= n:
            return
        key = None if known is None else known.class_index if by_class else known.image
        if key is not None and key not in taken:
            taken.add(key)
            yield known
