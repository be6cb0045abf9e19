"""What the steps share by which a study of released data is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from regauge.errors import MissingDataError
from regauge.formats.labels.splits import SPELLINGS
from regauge.formats.releases.folders import DataFolders
from regauge.formats.releases.loading import TOP_IMAGES, load_split
from regauge.formats.releases.published import MATCHED_FREQUENCY, THRESHOLD, VALIDATION, name_validation_image
from regauge.records.candidates import SplitPart
from regauge.records.reproductions import ReleasedPart
from regauge.records.testsets.test_set import TestSet
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import list_test_sets, load_test_set

SETS: Mapping[str, str] = {
    VALIDATION: "imagenet-val",
    MATCHED_FREQUENCY: "imagenetv2-matched-frequency",
    THRESHOLD: "imagenetv2-threshold-0.7",
    TOP_IMAGES: "imagenetv2-top-images",
}
"""What the study calls the sets."""
REAL, REVIEWED, CONTAINS, CLASSIFY = "beyer2020-real", "shankar2020-reviewed", "tsipras2020-contains", "tsipras2020"
"""What the study calls the label sets."""


@dataclass(slots=True)
class StudyInMaking:
    """A study that is being made.

    Attributes:
        study: it, inside a transaction.
        data: where released data are looked for.
        notes: what the reader should know, as it was found.
    """

    study: Study
    data: DataFolders
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ReleaseStep:
    """A part of the data that is looked for.

    Attributes:
        what: what it is.
        name: what the study calls it.
        add: adds it, and gives what was added; a `MissingDataError` says what is not there.
    """

    what: str
    name: str
    add: Callable[[StudyInMaking], Iterator[ReleasedPart]]


def load_validation(making: StudyInMaking) -> TestSet:
    """The validation set as the study has it.

    Raises:
        MissingDataError: it is not there.
    """
    for entry in list_test_sets(making.study):
        if entry.name == SETS[VALIDATION]:
            return load_test_set(making.study, entry)
    raise MissingDataError(f"the images of {SETS[VALIDATION]}")


def find_parts(making: StudyInMaking) -> dict[str, SplitPart]:
    """Where the images of Tsipras et al. (2020) went after CONTAINS, as far as the study has them."""
    known = set(load_validation(making).image_ids.tolist())
    named = {name_validation_image(number): part for number, part in load_split(making.data).items()}
    return {image_id: SPELLINGS[part] for image_id, part in named.items() if image_id in known}
