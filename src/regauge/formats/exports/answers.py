"""Answers to CLASSIFY, and where images went after CONTAINS, as files that are read again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from regauge.arrays import NO_CLASS
from regauge.records.candidates import SplitPart
from regauge.records.cells import format_rows
from regauge.records.responses.answers import ClassifyResponses


def write_classify(responses: ClassifyResponses, path: Path) -> None:
    """JSON Lines, an answer each, with classes by index; without candidates and seconds."""
    images, annotators = responses.image_ids.tolist(), responses.annotator_ids.tolist()
    ends, selected = responses.starts.tolist(), responses.selected.tolist()
    columns = (responses.response_images, responses.response_annotators, responses.main)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    with path.open("w", encoding="utf-8") as file:
        for number, (image, annotator, main) in enumerate(rows):
            line = {
                "image_id": images[image],
                "annotator_id": annotators[annotator],
                "selected": selected[ends[number] : ends[number + 1]],
                "main": None if main == NO_CLASS else main,
            }
            file.write(json.dumps(line) + "\n")


def write_parts(parts: Mapping[str, SplitPart], path: Path) -> None:
    """A table of image_id and part."""
    rows = [("image_id", "part"), *((image_id, part.value) for image_id, part in parts.items())]
    path.write_text("".join(f"{row}\n" for row in format_rows(rows)), encoding="utf-8")
