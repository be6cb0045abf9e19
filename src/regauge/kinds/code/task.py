"""CODE: an image with a prediction that a label set does not accept; of what kind is the mistake, and how severe?

Whoever finds that it is none overturns it, and says why (Vasudevan et al. 2022, section 3.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from regauge.campaigns.comments import COMMENT, LINK, parse_comment, parse_link
from regauge.campaigns.discussions.words import parse_argument, parse_picture, tell_picture
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
from regauge.records.mistakes.coded import SEVERITIES, STANDARD_NAMES, Category
from regauge.records.mistakes.coders import CODER_REASONS

VERSION = 1
CATEGORY, SEVERITY, OVERTURNED = "category", "severity", "overturned"
"""What an answer says: a category and a severity, or why it is not a mistake; and where evidence is."""
SEVERITY_WORDS = tuple(severity.value for severity in SEVERITIES)
CATEGORIES = "categories"
"""Where a task names the categories that can be chosen, in their order."""
SCORE = "score"
"""Where a task says how sure the participant was, if the campaign shows that."""
list_images = list_image
find_not_shown = find_image_not_shown
is_unseen = is_never_unseen
remove_images = remove_image
arrange = keep_answer
is_right = refuse_quiz
shuffle = keep_task


def make_code_task(image: int, prediction: int, *, categories: Sequence[str], **more: Any) -> Payload:  # noqa: ANN401 - as JSON
    """The task of one mistake: the number of its image, and the class that was answered."""
    return {
        "version": VERSION,
        "image": int(image),
        "class": int(prediction),
        CATEGORIES: list(categories),
        **more,
    }


def make_previews(shown: Sequence[int]) -> tuple[Payload, ...]:
    """Two pictures, each with another picture's class."""
    others = [next(one for one in shown if one != shown[picture]) for picture in (0, 13)]
    return tuple(
        make_code_task(picture, other, categories=STANDARD_NAMES)
        for picture, other in zip((0, 13), others, strict=True)
    )


def view(task: Payload, context: TaskContext) -> Mapping[str, Any]:
    """The prediction with what the label set says of the image; nobody is told whose answer it is, or what others say of it."""
    judged = context.verdicts.get(task["image"], {})
    verdict = judged.get(task["class"])
    return {
        "prediction": context.number_class(task["class"]),
        "verdict": None if verdict is None else verdict.name.lower(),
        "accepted": _list(judged, context, (Verdict.CORRECT, Verdict.UNCLEAR), besides=task["class"]),
        "rejected": _list(judged, context, (Verdict.WRONG,), besides=task["class"]),
        **({SCORE: task[SCORE]} if SCORE in task else {}),
        CATEGORIES: task[CATEGORIES],
        "n_cells": 1,
        "discussion": None if context.discussion is None else context.discussion.to_json(),
    }


def describe_asked(task: Payload, context: TaskContext) -> Mapping[str, Any]:
    """The class that was answered."""
    return {"prediction": context.number_class(task["class"])}


def parse(task: Payload, answer: Payload) -> Payload:
    """A category and a severity, or why it is not a mistake; with a note where one is needed to understand that."""
    if is_report(answer):
        return NOTHING_SHOWN
    reason, comment = answer.get(OVERTURNED), parse_comment(answer)
    said = {**comment, **parse_link(answer), **parse_picture(answer), **parse_argument(answer)}
    if reason is not None:
        if answer.get(CATEGORY) is not None or answer.get(SEVERITY) is not None:
            raise InputError("What is not a mistake has neither a category nor a severity; choose one or the other.")
        if reason not in CODER_REASONS:
            raise InputError(f"Why it is not a mistake is one of: {', '.join(CODER_REASONS)}.")
        if not comment:
            raise InputError("The note says what you see: the verdict rests on it.")
        return {"version": VERSION, OVERTURNED: reason, **said}
    category, severity = answer.get(CATEGORY), answer.get(SEVERITY)
    if category not in task[CATEGORIES]:
        raise InputError(f"A category is one of: {', '.join(task[CATEGORIES])}.")
    if severity not in SEVERITY_WORDS:
        raise InputError(f"A severity is one of: {', '.join(SEVERITY_WORDS)}.")
    if category == Category.OTHER and not comment:
        raise InputError(f"The category {category} needs a note that says what kind of mistake it is.")
    return {"version": VERSION, CATEGORY: category, SEVERITY: severity, **said}


def tell_note(answer: Mapping[str, Any]) -> str:
    """What somebody wrote beside an answer, the link that they gave, and whether there is a picture."""
    return " ".join(text for text in (answer.get(COMMENT, ""), answer.get(LINK, ""), tell_picture(answer)) if text)


def _list(
    judged: Mapping[int, Verdict], context: TaskContext, verdicts: tuple[Verdict, ...], *, besides: int
) -> list[dict[str, Any]]:
    """The classes with one of some verdicts, those that are surely correct first."""
    found = sorted((verdicts.index(one), index) for index, one in judged.items() if one in verdicts)
    return [
        {**context.number_class(index), "verdict": verdicts[place].name.lower()}
        for place, index in found
        if index != besides
    ]
