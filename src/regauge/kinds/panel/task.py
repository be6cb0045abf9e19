"""PANEL: an image with predictions that nobody has judged; each is correct, unclear or wrong (Vasudevan et al. 2022, 3.1).

Two questions are about the image itself: whether its dataset label is wrong, and whether it is problematic. All of it is voted on
alone first; once round 1 is over, the task shows what everybody said, and whoever changes a vote says why.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from regauge.campaigns.comments import parse_comment
from regauge.campaigns.discussions.words import parse_argument, parse_evidence
from regauge.campaigns.reviews.votes import MAX_PAIRS, VOTES
from regauge.campaigns.visibility import TaskContext
from regauge.errors import InputError
from regauge.kinds.usual import find_image_not_shown, is_never_unseen, keep_answer, keep_task, list_shown, refuse_quiz
from regauge.records.campaigns.campaign import NOTHING_SHOWN, Payload, is_report
from regauge.records.campaigns.discussions import DISCUSSED

VERSION = 1
LABEL = "label"
"""Where a task names the dataset label of its image, if that is known."""
SCORES = "scores"
"""Where a task has the scores of predictions by their classes, as texts."""
LABEL_WRONG, PROBLEMATIC = "label_wrong", "problematic"
"""Where an answer says that of the image."""
FLAGS = (LABEL_WRONG, PROBLEMATIC)
find_not_shown = find_image_not_shown
list_images = list_shown
is_unseen = is_never_unseen
arrange = keep_answer
is_right = refuse_quiz
shuffle = keep_task


def make_panel_task(image: int, classes: Sequence[int], **more: Any) -> Payload:  # noqa: ANN401 - as JSON
    """The task of an image with predictions.

    Raises:
        InputError: it would ask about nothing, about too much, or about something twice.
    """
    if not 1 <= len(classes) <= MAX_PAIRS or len(set(classes)) != len(classes):
        raise InputError(f"A task asks about 1 to {MAX_PAIRS} different predictions for an image, not {len(classes)}.")
    return {"version": VERSION, "images": [int(image)], "classes": [int(one) for one in classes], DISCUSSED: 1, **more}


def make_previews(shown: Sequence[int]) -> tuple[Payload, ...]:
    """A picture with a prediction, and one with two."""
    labels = list(dict.fromkeys(shown))
    return make_panel_task(0, labels[1:2], label=shown[0]), make_panel_task(1, labels[1:3], label=shown[1])


def view(task: Payload, context: TaskContext) -> Mapping[str, Any]:
    """The predictions with their scores, the dataset label, what was judged before, and the discussion once it may be seen."""
    (image,) = task["images"]
    scores = task.get(SCORES, {})
    items = [
        {"key": str(index), **context.number_class(index), "score": scores.get(str(index), "")}
        for index in task["classes"]
    ]
    known = [
        {**context.number_class(index), "verdict": verdict.name.lower()}
        for index, verdict in sorted(context.verdicts.get(image, {}).items())
        if index not in task["classes"]
    ]
    label = task.get(LABEL)
    return {
        "items": items,
        "known": known,
        "label": None if label is None else context.number_class(label),
        "discussion": None if context.discussion is None else context.discussion.to_json(),
    }


def describe_asked(task: Payload, context: TaskContext) -> Mapping[str, Any]:  # noqa: ARG001 - it is the same for everybody
    """The predictions."""
    return {"classes": list(task["classes"])}


def parse(task: Payload, answer: Payload) -> Payload:
    """A vote on every prediction, what is said of the image, and why."""
    if is_report(answer):
        return NOTHING_SHOWN
    keys = [str(one) for one in task["classes"]]
    verdicts = answer.get("verdicts", {})
    if not isinstance(verdicts, Mapping) or set(verdicts) != set(keys):
        raise InputError("Vote on every prediction, and on nothing else.")
    if not all(isinstance(word, str) and word in VOTES for word in verdicts.values()):
        raise InputError(f"A vote is one of {', '.join(reversed(VOTES))}.")
    flags = {name: True for name in FLAGS if _read_flag(answer, name)}
    if LABEL_WRONG in flags and LABEL not in task:
        raise InputError("The dataset label of this image is not known, so it cannot be wrong.")
    return {
        "version": VERSION,
        "verdicts": {key: verdicts[key] for key in keys},
        **flags,
        **parse_argument(answer),
        **parse_evidence(answer),
        **parse_comment(answer),
    }


def remove_images(task: Payload, images: Collection[int]) -> Payload | None:
    """The task, if its image stays."""
    return None if set(task["images"]) & set(images) else task


def _read_flag(answer: Payload, name: str) -> bool:
    said = answer.get(name, False)
    if not isinstance(said, bool):
        raise InputError("What is said of the image is said or not.")
    return said
