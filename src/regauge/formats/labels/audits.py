"""The images of an audit as a JSON file, so that what was drawn before a review is what is reported after it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from regauge.errors import FormatError, InputError
from regauge.formats.labels.json_fields import check_version, get_text, get_texts
from regauge.formats.text import read_json
from regauge.records.evaluation.audits import AuditSample

FORMAT = "regauge audit sample"
VERSION = 1


def write_audit(sample: AuditSample, path: Path) -> None:
    """Write the images of an audit."""
    path.write_text(dump_audit(sample), encoding="utf-8")


def dump_audit(sample: AuditSample) -> str:
    """The images of an audit as the text of their file."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "test_set": sample.test_set,
        "participants": list(sample.participants),
        "image_ids": sample.image_ids.tolist(),
        "agreed_ids": sample.agreed_ids.tolist(),
    }
    return json.dumps(content, ensure_ascii=False)


def load_audit(path: Path) -> AuditSample:
    """Read the images of an audit.

    Raises:
        FormatError: the file is not an audit, or one of a later version.
    """
    return parse_audit(read_json(path), path)


def parse_audit(content: object, path: Path) -> AuditSample:
    """The audit that the JSON of a file holds.

    Raises:
        FormatError: the file is not an audit, or one of a later version.
    """
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise FormatError(path, "this is not an audit; regauge labels draw-audit FILE writes one.")
    check_version(content, VERSION, path=path, what="audit")
    try:
        sample = AuditSample(
            image_ids=np.array(get_texts(content, "image_ids"), np.str_),
            agreed_ids=np.array(get_texts(content, "agreed_ids"), np.str_),
            test_set=get_text(content, "test_set"),
            participants=tuple(get_texts(content, "participants")),
        )
    except InputError as error:
        problem = f"{error}".rstrip(".")[:200]
        raise FormatError(path, f"this audit is damaged ({problem}); draw a new one.") from None
    if not set(sample.image_ids.tolist()) <= set(sample.agreed_ids.tolist()):
        raise FormatError(path, "this audit is damaged (its images are not among those agreed on); draw a new one.")
    return sample
