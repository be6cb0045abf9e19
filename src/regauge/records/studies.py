"""What a study holds, as its workflows hand it out: one entry per test set, participant, label-set version and result.

Moments (`*_at`) are texts in UTC such as 2026-01-31T12:00:00.000Z.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from regauge.errors import InputError
from regauge.records.evaluation.two_sample import TwoSampleEntry
from regauge.records.labels.label_set import LabelKind, Unlisted
from regauge.records.mistakes.coding import CodingEntry
from regauge.records.next_steps import Step
from regauge.records.predictions import EVERYBODY, ParticipantChoice, ParticipantKind
from regauge.records.slices.slice import SliceEntry
from regauge.records.testsets.test_set import TestSet

CAMPAIGN, SUPERSEDED, DERIVED_FROM = "campaign", "superseded", "derived_from"
"""Where the provenance of a label set names the campaign that it came from, and what made it void."""


class TestSetKind(StrEnum):
    """How the images of a test set lie on disk."""

    # Told to pytest, which would otherwise take a class of this name for tests.
    __test__ = False

    IMAGE_FOLDER = "image-folder"
    """One folder per class."""
    TABLE = "table"
    """A file that lists ids and labels, with or without the image files."""
    METADATA_FOLDER = "metadata-folder"
    """Images beside a metadata.csv or metadata.jsonl, as Hugging Face has them."""
    SHARDS = "shards"
    """Tar files, as WebDataset has them."""


class TestSetRole(StrEnum):
    """What images are for."""

    # Told to pytest, as above.
    __test__ = False

    TEST = "test"
    """Participants are measured on them."""
    POOL = "pool"
    """They were gathered as candidates, and test sets are drawn from them."""


@dataclass(frozen=True, slots=True)
class PicturedImage:
    """An image that has a file: its row in its set, its id, its dataset label, and its SHA-256, empty where that is not known."""

    row: int
    image_id: str
    label: int
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class ImagePlace:
    """Where one image lies: a file below the root of its test set, or a piece of a shard.

    Attributes:
        path: the file or the shard, relative to the root; empty where the images are not at hand.
        offset: first byte inside the shard; None for a file of its own.
        n_bytes: length inside the shard; None for a file of its own.
        sha256: checksum of the image; None where it was not asked for.
    """

    path: str = ""
    offset: int | None = None
    n_bytes: int | None = None
    sha256: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class LocatedTestSet:
    """A test set with the place of each image, in row order; what a reader of test sets gives.

    Attributes:
        test_set: image ids and dataset labels.
        kind: how the images lie on disk.
        root: the folder that all places are below.
        places: one per image.
        notes: what the reader found, a sentence each.
    """

    test_set: TestSet
    kind: TestSetKind
    root: str
    places: tuple[ImagePlace, ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.places) != len(self.test_set):
            raise InputError(
                f"Test set {self.test_set.name} has {len(self.test_set):,} images and {len(self.places):,} places; "
                "every image needs one."
            )


@dataclass(frozen=True, slots=True)
class TestSetEntry:
    """A test set of a study; `digest` stands for its image ids and labels in row order, and predictions are bound to it.

    A batch of a pool of candidates is kept in the same way, with another role. The parent of a test set is the one that it
    revises.
    """

    # Told to pytest, which would otherwise take a class of this name for tests.
    __test__ = False

    name: str
    kind: TestSetKind
    root: str
    n_images: int
    digest: str
    added_at: str
    provenance: Mapping[str, Any] = field(default_factory=dict)
    id: int = 0
    role: TestSetRole = TestSetRole.TEST
    parent_id: int | None = None


@dataclass(frozen=True, slots=True)
class PredictionsEntry:
    """One participant's stored answers on one test set: k answers per image, for `n_answered` of its images."""

    participant: str
    test_set: str
    k: int
    n_answered: int
    has_scores: bool
    test_set_digest: str
    sha256: str
    added_at: str
    scores_sha256: str | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict)
    seconds_sha256: str | None = None
    kind: ParticipantKind = ParticipantKind.MODEL
    family: str | None = None

    @property
    def has_seconds(self) -> bool:
        """Whether it is known how long answers took."""
        return self.seconds_sha256 is not None


@dataclass(frozen=True, slots=True)
class ParticipantEntry:
    """What a study knows of a participant beside the answers."""

    name: str
    kind: ParticipantKind = ParticipantKind.MODEL
    family: str | None = None


@dataclass(frozen=True, slots=True)
class LabelSetEntry:
    """One version of a label set; versions are never changed, a correction is a new version with this one as parent.

    `base_id` is the number of the version whose changes are stored; None where the version is stored whole.
    """

    name: str
    version: int
    kind: LabelKind
    unlisted: Unlisted
    n_images: int
    n_verdicts: int
    n_problematic: int
    parent: int | None
    added_at: str
    provenance: Mapping[str, Any] = field(default_factory=dict)
    id: int = 0
    base_id: int | None = None

    @property
    def full_name(self) -> str:
        """Name and version, as commands and score tables write them.

        >>> LabelSetEntry("real", 2, LabelKind.REAL, Unlisted.WRONG, 1, 1, 0, 1, "2026-01-31T12:00:00.000Z").full_name
        'real@2'
        """
        return f"{self.name}@{self.version}"

    @property
    def campaign(self) -> str | None:
        """The campaign whose answers it was made of; None where it came otherwise."""
        found = self.provenance.get(CAMPAIGN)
        return found if isinstance(found, str) else None


@dataclass(frozen=True, slots=True)
class Selection:
    """What to evaluate.

    Attributes:
        test_set: on which test set; the only one by default.
        labels: under which label sets, as NAME@VERSION or NAME for the latest; by default the latest version of each that
            covers an image of the test set. Dataset labels are always there.
        participants: globs on names; everybody by default.
        chosen: the kind and the families of those who are meant; everybody by default.
    """

    test_set: str | None = None
    labels: Sequence[str] = ()
    participants: Sequence[str] = ()
    chosen: ParticipantChoice = EVERYBODY


@dataclass(frozen=True, slots=True)
class EvaluationEntry:
    """One stored evaluation: which predictions (the checksum of each participant's) on which test set, and how.

    `old_rules` are the numbers in it that a new run would compute by another rule.
    """

    id: int
    test_set: str
    labels: tuple[str, ...]
    predictions: Mapping[str, str]
    settings: Mapping[str, Any]
    code_version: str
    created_at: str
    old_rules: tuple[str, ...] = ()

    @property
    def participants(self) -> tuple[str, ...]:
        """Who was evaluated."""
        return tuple(self.predictions)


@dataclass(frozen=True, slots=True)
class ComparisonEntry:
    """One stored comparison of two test sets: which predictions (two checksums per participant) on which sets, and how.

    `old_rules` are the numbers in it that a new run would compute by another rule.
    """

    id: int
    original: str
    new: str
    labels: tuple[str, ...]
    predictions: Mapping[str, tuple[str, str]]
    settings: Mapping[str, Any]
    code_version: str
    created_at: str
    old_rules: tuple[str, ...] = ()

    @property
    def participants(self) -> tuple[str, ...]:
        """Who was compared."""
        return tuple(self.predictions)


COMMAND = "command"
"""The parameter of an event that holds the command line behind it."""
REASON = "reason"
"""The parameter of an event that says why, where somebody was asked."""


@dataclass(frozen=True, slots=True)
class Event:
    """One change to a study: what was done, by whom, when, with which parameters and by which version of Regauge."""

    what: str
    who: str
    at: str
    parameters: Mapping[str, Any]
    code_version: str

    @property
    def command(self) -> str:
        """The command line behind it; empty where it was done from Python."""
        return str(self.parameters.get(COMMAND, ""))

    @property
    def reason(self) -> str:
        """Why it was done; empty where nobody was asked."""
        return str(self.parameters.get(REASON, ""))

    @property
    def summary(self) -> str:
        """Its parameters in one line; long lists by their length."""
        return "; ".join(f"{name} {_shorten(value)}" for name, value in self.parameters.items() if name != COMMAND)


@dataclass(frozen=True, slots=True)
class StudyStatus:
    """What a study holds, and what it lacks for the next step."""

    folder: str
    database: str
    taxonomy: str
    n_classes: int
    test_sets: tuple[TestSetEntry, ...]
    predictions: tuple[PredictionsEntry, ...]
    label_sets: tuple[LabelSetEntry, ...]
    evaluations: tuple[EvaluationEntry, ...]
    comparisons: tuple[ComparisonEntry, ...]
    next_steps: tuple[Step, ...]
    pools: tuple[TestSetEntry, ...] = ()
    two_samples: tuple[TwoSampleEntry, ...] = ()
    codings: tuple[CodingEntry, ...] = ()
    slices: tuple[SliceEntry, ...] = ()


def _shorten(value: object) -> str:
    if isinstance(value, Mapping | list | tuple):
        return ", ".join(map(str, value)) if len(value) <= 3 else f"({len(value):,})"
    text = str(value)
    return f"{text[:16]}…" if len(text) == 64 and text.isalnum() else text


def compute_digest(test_set: TestSet) -> str:
    """SHA-256 over image ids and labels in row order: two test sets of one digest have the same rows.

    >>> compute_digest(TestSet("one", ["a"], [0])) == compute_digest(TestSet("other", ["a"], [0]))
    True
    """
    rows = json.dumps([test_set.image_ids.tolist(), test_set.labels.tolist()], separators=(",", ":"))
    return hashlib.sha256(rows.encode()).hexdigest()
