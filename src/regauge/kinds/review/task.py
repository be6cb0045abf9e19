"""REVIEW: labels of an image, or one label for many images; each is correct, wrong or unclear (Shankar et al. 2020, section 3.2).

A task has one image and its open classes, or one class and images of one dataset label; either way it asks about pairs. An answer
says its verdicts by the class, or by the place of the image in the grid.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from regauge.campaigns.comments import is_returned, parse_comment, parse_link, parse_return
from regauge.campaigns.eligibility import EXPERTISE
from regauge.campaigns.reviews.votes import MAX_PAIRS, VERDICT_OF, VOTES
from regauge.campaigns.visibility import TaskContext
from regauge.errors import InputError
from regauge.kinds.usual import is_never_unseen, keep_answer, keep_task, list_shown, refuse_quiz
from regauge.records.campaigns.campaign import NOTHING_SHOWN, Payload, is_report
from regauge.records.campaigns.referrals import MAX_EXPERTISE
from regauge.records.labels.evidence import ProblematicReason, VerdictReason
from regauge.taxonomy.words import simplify

VERSION = 1
MAX_MORE = 20
"""Classes that somebody can add to an image."""
REASONS: Mapping[str, tuple[str, ...]] = {
    "correct": (VerdictReason.SEVERAL_OBJECTS.value, VerdictReason.SYNONYM_OR_SUBSET.value),
    "unclear": (VerdictReason.UNCLEAR_IMAGE.value, VerdictReason.UNCLEAR_HIERARCHY.value),
    "wrong": (),
}
"""Why, by the verdict that it can be said of."""
PROBLEMS = tuple(problem.value for problem in ProblematicReason if problem is not ProblematicReason.WRONG_LABEL)
"""What reviewers can say is wrong with an image; that its dataset label is wrong, their verdict on that label tells."""
GRID = "grid"
AWAY = "away"
"""Where an answer to a grid names the places of images that were reported, so that nothing is said of them."""
MAX_CLASSES = 2**31
N_CLASSES = "n_classes"
"""Where a task says how many classes there are, of which reviewers may name any."""
NOTHING_MORE = "nothing_more"
"""Where an answer says that nothing is missing."""
COMPLETE = "complete"
"""Where a task asks what is missing in its image; it need not ask about any class."""
SAID = "said"
"""Where such a task names the verdicts that earlier tasks of the campaign gave, by class."""
REFERS = "refers"
"""Where an answer names the expertise to which it refers a pair, by the pair."""
REFERRED = "referred"
"""Where a task names the pairs that were referred: the expertise, and the number of the task that asks experts."""
GOLD = "gold"
"""Where a task names the controls by its classes, or by the images of its grid; and other gold classes of its image."""

SCORES = "scores"
"""Where a task names the score of each of its classes, or of each image of its grid; either of all or of none."""
list_images = list_shown
is_unseen = is_never_unseen
arrange = keep_answer
is_right = refuse_quiz
shuffle = keep_task


def make_review_task(images: Sequence[int], classes: Sequence[int], **more: Any) -> Payload:  # noqa: ANN401 - as JSON
    """The task of one image with classes, or of one class with images.

    Raises:
        InputError: it would ask about nothing, about too much, or about something twice.
    """
    n = len(images) * len(classes)
    is_open = bool(more.get(COMPLETE)) and len(images) == 1 and not classes
    if not is_open and (not 1 <= n <= MAX_PAIRS or min(len(images), len(classes)) != 1):
        raise InputError(f"A task asks about 1 to {MAX_PAIRS} labels of one image, or images of one label, not {n}.")
    if len(set(images)) != len(images) or len(set(classes)) != len(classes):
        raise InputError("A task asks about every pair of image and label once.")
    grid = {GRID: 1} if len(images) > 1 else {}
    return {
        "version": VERSION,
        "images": [int(one) for one in images],
        "classes": [int(one) for one in classes],
        **grid,
        **more,
    }


def make_previews(shown: Sequence[int]) -> tuple[Payload, ...]:
    """A picture with three labels, and a label with four pictures."""
    labels = list(dict.fromkeys(shown))[:3]
    return make_review_task([0], labels), make_review_task([0, 1, 2, 3], [shown[0]])


def is_grid(task: Payload) -> bool:
    """Whether a task shows one class with images; of these only one may be left."""
    return bool(task.get(GRID))


def is_complete(task: Payload) -> bool:
    """Whether a task asks what is missing in its image."""
    return bool(task.get(COMPLETE))


def list_keys(task: Payload) -> list[str]:
    """What answers call the pairs: the class, or the place in the grid."""
    return [str(one) for one in (range(len(task["images"])) if is_grid(task) else task["classes"])]


def list_items(task: Payload) -> list[int]:
    """What the pairs are told apart by: the classes of the image, or the images of the grid."""
    return list(task["images"] if is_grid(task) else task["classes"])


def list_gold(task: Payload) -> dict[int, int]:
    """The items whose verdict is known beforehand, each with its `Control`."""
    gold = task.get(GOLD)
    if not gold:
        return {}
    return {item: gold[str(item)] for item in list_items(task) if str(item) in gold}


def view(task: Payload, context: TaskContext) -> Mapping[str, Any]:
    """The labels in an order of the annotator's own; nobody is told which of them is the dataset's or who answered them."""
    if is_grid(task):
        (index,) = task["classes"]
        items = [
            {"key": key, **_tell_score(task, image)} for key, image in zip(list_keys(task), task["images"], strict=True)
        ]
        return {
            "target": context.number_class(index),
            "items": [_tell_referral(task, one) for one in items],
            "known": [],
            "is_complete": False,
            "n_cells": len(items),
            "expertise": "",
        }
    (image,) = task["images"]
    items = [
        {"key": str(index), **context.number_class(index), **_tell_score(task, index)}
        for index in _shuffle(task, context.order)
    ]
    said = {int(index): VERDICT_OF[word] for index, word in task.get(SAID, {}).items()}
    judged = {**context.verdicts.get(image, {}), **said}
    known = [
        {**context.number_class(index), "verdict": verdict.name.lower()}
        for index, verdict in sorted(judged.items())
        if index not in task["classes"] and str(index) not in task.get(GOLD, {}) and EXPERTISE not in task
    ]
    return {
        "target": None,
        "items": [_tell_referral(task, one) for one in items],
        "known": known,
        "is_complete": is_complete(task),
        "n_cells": 1,
        "expertise": task.get(EXPERTISE, [""])[0],
    }


def describe_asked(task: Payload, context: TaskContext) -> Mapping[str, Any]:
    """The classes, in the order in which the annotator saw them."""
    return {"classes": task["classes"] if is_grid(task) else _shuffle(task, context.order)}


def parse(task: Payload, answer: Payload) -> Payload:
    """The verdicts in the order of the task, with reasons, what is wrong with the image, and what else is in it.

    A pair of which nothing is said was skipped; an answer says something, or hands the image or the grid back and says why.
    """
    if is_report(answer):
        return NOTHING_SHOWN
    if is_returned(answer):
        return {"version": VERSION, **parse_return(answer)}
    keys = list_keys(task)
    verdicts = _read_words(answer, "verdicts", keys)
    for word in verdicts.values():
        if word not in VOTES:
            raise InputError(f"A verdict is one of {', '.join(reversed(VOTES))}.")
    reasons = _read_words(answer, "reasons", keys)
    for key, reason in reasons.items():
        if reason not in REASONS.get(verdicts.get(key, "wrong"), ()):
            raise InputError(f"{reason!r:.40} is no reason for that verdict.")
    refers = _read_refers(answer, keys, verdicts)
    problems, more = _read_problems(task, answer), _read_more(task, answer)
    nothing_more = _read_nothing_more(task, answer, more)
    if not (verdicts or refers or problems or more or nothing_more):
        raise InputError("Judge at least one label, or say what is wrong with the image.")
    parsed: dict[str, Any] = {"version": VERSION, "verdicts": {key: verdicts[key] for key in keys if key in verdicts}}
    given = {key: reasons[key] for key in keys if key in reasons}
    away = _read_away(task, answer, {*verdicts, *refers})
    optional = {
        "reasons": given,
        REFERS: refers,
        AWAY: away,
        "problems": problems,
        "more": more,
        NOTHING_MORE: nothing_more,
    }
    return {
        **parsed,
        **{name: said for name, said in optional.items() if said},
        **parse_comment(answer),
        **parse_link(answer),
    }


def find_not_shown(task: Payload, answer: Payload) -> list[int]:
    """The one image, if it was not shown; of a grid all, or those that were put away."""
    if is_report(answer):
        return list_images(task)
    return [task["images"][int(key)] for key in answer.get(AWAY, ())]


def remove_images(task: Payload, images: Collection[int]) -> Payload | None:
    """The task without some images; None where none is left."""
    kept = [one for one in task["images"] if one not in images]
    return {**task, "images": kept} if kept else None


def _shuffle(task: Payload, order: int) -> list[int]:
    shuffled: list[int] = np.random.default_rng(order).permutation(task["classes"]).tolist()
    return shuffled


def _tell_score(task: Payload, item: int) -> dict[str, float]:
    """The score of a label of a task that shows scores; an image that was taken out of a grid takes its own along."""
    scores = task.get(SCORES)
    return {"score": scores[str(item)]} if scores else {}


def _read_words(answer: Payload, name: str, keys: Sequence[str]) -> dict[str, str]:
    """Words by the pairs that they are about."""
    found = answer.get(name, {})
    if not isinstance(found, Mapping) or not all(isinstance(word, str) for word in found.values()):
        raise InputError(f"An answer has {name} by the labels that they are about.")
    unknown = next((key for key in found if key not in keys), None)
    if unknown is not None:
        raise InputError(f"The task asks nothing about {unknown!r:.40}.")
    return dict(found)


def _read_refers(answer: Payload, keys: Sequence[str], verdicts: Mapping[str, str]) -> dict[str, str]:
    """Pairs that are referred to experts, who judge them; whoever refers one does not judge it."""
    found = {key: " ".join(words.split()) for key, words in _read_words(answer, REFERS, keys).items()}
    if any(not simplify(words) or len(words) > MAX_EXPERTISE or not words.isprintable() for words in found.values()):
        raise InputError(f"A label is referred to an expertise of 1 to {MAX_EXPERTISE} characters, letters among them.")
    if set(found) & set(verdicts):
        raise InputError("A label that is referred to an expert has no verdict.")
    return {key: found[key] for key in keys if key in found}


def _tell_referral(task: Payload, item: Mapping[str, Any]) -> Mapping[str, Any]:
    """An item, and to whom it was referred; nobody is told by whom."""
    referred = task.get(REFERRED, {}).get(item["key"])
    return {**item, REFERRED: referred[0]} if referred else item


def _read_problems(task: Payload, answer: Payload) -> list[str]:
    found = answer.get("problems", [])
    if not isinstance(found, list) or not all(one in PROBLEMS for one in found):
        raise InputError(f"What is wrong with an image is one of: {', '.join(PROBLEMS)}.")
    if found and is_grid(task):
        raise InputError("A grid asks about one label; what is wrong with an image is said where it is shown alone.")
    return [one for one in PROBLEMS if one in found]


def _read_more(task: Payload, answer: Payload) -> list[int]:
    """Classes that the task does not ask about and that are in the image."""
    found = answer.get("more", [])
    is_list = isinstance(found, list) and all(isinstance(one, int) and not isinstance(one, bool) for one in found)
    if not is_list or len(found) > MAX_MORE or any(one < 0 for one in found):
        raise InputError(f"What else is in the image is a list of up to {MAX_MORE} classes by their numbers.")
    if found and is_grid(task):
        raise InputError("A grid asks about one label; what else is in an image is said where it is shown alone.")
    if any(one >= task.get(N_CLASSES, MAX_CLASSES) for one in found):
        raise InputError(f"There is no class of the number {max(found)}.")
    return sorted(set(found) - set(task["classes"]))


def _read_nothing_more(task: Payload, answer: Payload, more: Sequence[int]) -> bool:
    """Whether nothing is missing, which only tasks ask that look for it; either that is said or what is missing."""
    said = answer.get(NOTHING_MORE, False)
    if not isinstance(said, bool) or (said and (more or not is_complete(task))):
        raise InputError(
            "That nothing more is in the image is said, without naming anything, where a task asks for it."
        )
    if is_complete(task) and not (said or more or answer.get("problems")):
        raise InputError("Name what else is in the image, or say that there is nothing more.")
    return said


def _read_away(task: Payload, answer: Payload, said: Collection[str]) -> list[str]:
    """The places of images of a grid that were reported; nothing else is said of them."""
    found = answer.get(AWAY, [])
    if not isinstance(found, list) or not set(found) <= (set(list_keys(task)) if is_grid(task) else set()):
        raise InputError("Only images of a grid can be put away, by their places.")
    if set(found) & set(said):
        raise InputError("An image that was put away has no verdict, and is not referred.")
    return [key for key in list_keys(task) if key in found]
