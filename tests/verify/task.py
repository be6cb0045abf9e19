"""VERIFY: one image and one label; the annotator says whether it is right, alone at first and then knowing the others' votes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from regauge.campaigns.comments import parse_comment
from regauge.campaigns.visibility import TaskContext
from regauge.errors import InputError
from regauge.kinds.usual import (
    find_image_not_shown,
    is_never_unseen,
    keep_answer,
    keep_task,
    list_image,
    refuse_quiz,
    remove_image,
)
from regauge.records.campaigns.campaign import NOTHING_SHOWN, Payload, is_report
from regauge.records.labels.verdicts import Verdict

VERSION = 1
VOTES = tuple(verdict.name.lower() for verdict in sorted(Verdict))
"""What one can say, by the number of the verdict."""
list_images = list_image
find_not_shown = find_image_not_shown
is_unseen = is_never_unseen
remove_images = remove_image
arrange = keep_answer
is_right = refuse_quiz
shuffle = keep_task


def make_task(image: int, class_index: int, **more: Any) -> Payload:
    """The task of an image and a label; `more` says who may take it, what it may show, and how urgent it is."""
    return {"version": VERSION, "image": int(image), "class": int(class_index), **more}


def make_previews(shown: Sequence[int]) -> tuple[Payload, ...]:
    """A picture with its own label, and one with the label of another."""
    return make_task(0, shown[0]), make_task(1, shown[0])


def view(task: Payload, context: TaskContext) -> Mapping[str, Any]:
    """The label with what it means, what a label set says of it, and in the second round what the others said."""
    said = context.verdicts.get(task["image"], {}).get(task["class"])
    return {
        "target": context.describe_class(task["class"]),
        "verdict": None if said is None else said.name.lower(),
        "others": [{"vote": one["vote"], "comment": one.get("comment", "")} for one in context.votes],
    }


def describe_asked(task: Payload, context: TaskContext) -> Mapping[str, Any]:
    """The label."""
    return {"class": task["class"]}


def parse(task: Payload, answer: Payload) -> Payload:
    """The vote, and a comment if there is one."""
    if is_report(answer):
        return NOTHING_SHOWN
    vote = answer.get("vote")
    if vote not in VOTES:
        raise InputError(f"A vote is one of {', '.join(VOTES)}.")
    return {"version": VERSION, "vote": vote, **parse_comment(answer)}
