"""A test set → tasks for Label Studio, and the labelling configuration that they fit.

The one configuration is that of a CLASSIFY task: which classes are in the image (`correct`), which ones may be (`unclear`),
and whether the image is `problematic`. A class is called by index, id and first name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import quoteattr

import numpy as np

from regauge.arrays import NO_CLASS, IntArray, ScoreArray
from regauge.errors import InputError
from regauge.records.labels.label_set import LabelSet
from regauge.records.labels.verdicts import Verdict
from regauge.records.studies import ImagePlace
from regauge.records.taxonomy import ImageClass, Taxonomy
from regauge.records.testsets.test_set import TestSet

LOCAL_FILES = "/data/local-files/?d="
PROBLEMATIC = "problematic"


@dataclass(frozen=True, slots=True, eq=False)
class FirstAnswers:
    """One participant's first answers in the row order of a test set.

    Attributes:
        participant: who answered.
        classes: [images]; `NO_CLASS` where there is no answer.
        scores: [images], where known.
    """

    participant: str
    classes: IntArray
    scores: ScoreArray | None


def name_choice(image_class: ImageClass) -> str:
    """What the configuration and the tasks call a class: index, id and first name, with no character that XML lacks.

    The index comes first, so that no two classes are called the same.
    """
    name = f"{image_class.index} {image_class.id}"
    name = name if image_class.name == image_class.id else f"{name} {image_class.name}"
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in name).strip()


def format_config(taxonomy: Taxonomy) -> str:
    """The labelling configuration."""
    choices = "\n".join(f"    <Choice value={quoteattr(name_choice(one))}/>" for one in taxonomy.classes)
    lists = "\n".join(
        f'  <Header value="{title}"/>\n  <Choices name="{name}" toName="image" choice="multiple" layout="select">\n{choices}\n'
        "  </Choices>"
        for name, title in (("correct", "In the image"), ("unclear", "Perhaps in the image"))
    )
    return (
        f'<View>\n  <Image name="image" value="$image"/>\n{lists}\n  <Choices name="{PROBLEMATIC}" toName="image">\n'
        f'    <Choice value="{PROBLEMATIC}"/>\n  </Choices>\n</View>\n'
    )


def make_addresses(test_set: TestSet, places: Sequence[ImagePlace], *, prefix: str | None) -> list[str]:
    """The address of every image: behind the prefix, or as a file that Label Studio itself serves.

    Raises:
        InputError: an image has no file of its own.
    """
    for image_id, place in zip(test_set.image_ids.tolist(), places, strict=True):
        if not place.path or place.offset is not None:
            where = "lies in a shard" if place.path else "is not at hand"
            raise InputError(
                f"Image {image_id!r} of {test_set.name} {where}, and Label Studio needs a file for each; write files with: "
                "regauge export huggingface."
            )
    start = LOCAL_FILES if prefix is None else prefix
    return [f"{start}{quote(place.path)}" for place in places]


def shape_tasks(
    test_set: TestSet,
    addresses: Sequence[str],
    *,
    answers: Sequence[FirstAnswers],
    label_set: LabelSet | None,
    taxonomy: Taxonomy,
) -> Iterator[dict[str, Any]]:
    """One task per image: first answers as predictions, verdicts as an annotation where the label set covers the image."""
    choices = [name_choice(one) for one in taxonomy.classes]
    row_of = {} if label_set is None else {one: row for row, one in enumerate(label_set.image_ids.tolist())}
    for row, (image_id, label) in enumerate(zip(test_set.image_ids.tolist(), test_set.labels.tolist(), strict=True)):
        task: dict[str, Any] = {
            "data": {"image": addresses[row], "image_id": image_id, **_describe_label(label, choices)},
            "predictions": [_make_prediction(one, row, choices) for one in answers if one.classes[row] != NO_CLASS],
        }
        if label_set is not None and image_id in row_of:
            results = _make_results(label_set, row_of[image_id], choices)
            task["annotations"] = [{"result": list(results), "ground_truth": False}]
        yield task


def _make_prediction(answers: FirstAnswers, row: int, choices: Sequence[str]) -> dict[str, Any]:
    made: dict[str, Any] = {
        "model_version": answers.participant,
        "result": [_make_result("correct", [choices[int(answers.classes[row])]])],
    }
    # Label Studio takes probabilities only; logits are left out.
    score = None if answers.scores is None else float(answers.scores[row])
    return made if score is None or not 0 <= score <= 1 else {**made, "score": score}


def _make_results(label_set: LabelSet, row: int, choices: Sequence[str]) -> Iterator[Mapping[str, Any]]:
    judged = slice(int(label_set.starts[row]), int(label_set.starts[row + 1]))
    for name, verdict in (("correct", Verdict.CORRECT), ("unclear", Verdict.UNCLEAR)):
        classes = label_set.classes[judged][np.equal(label_set.verdicts[judged], verdict)].tolist()
        if classes:
            yield _make_result(name, [choices[index] for index in classes])
    if label_set.is_problematic[row]:
        yield _make_result(PROBLEMATIC, [PROBLEMATIC])


def _make_result(name: str, choices: Sequence[str]) -> dict[str, Any]:
    return {"from_name": name, "to_name": "image", "type": "choices", "value": {"choices": list(choices)}}


def _describe_label(label: int, choices: Sequence[str]) -> dict[str, Any]:
    """The dataset label; null where the image has none."""
    return {"label": None, "label_name": None} if label == NO_CLASS else {"label": label, "label_name": choices[label]}
