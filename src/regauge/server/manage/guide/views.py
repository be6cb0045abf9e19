"""What the pages of the labeling guide show: one record for each page."""

from __future__ import annotations

from dataclasses import dataclass

from regauge.records.guide.entries import (
    MAX_TEXT,
    DiffLine,
    GuideCoverage,
    GuideEntry,
    GuideHit,
    GuideTopic,
    GuideVersion,
    ShownEntry,
    name_topic,
)
from regauge.records.guide.images import StudyImage
from regauge.records.taxonomy import Taxonomy
from regauge.server.manage.views import Pages

PATH = "/manage/guide"


@dataclass(frozen=True, slots=True)
class GuideRow:
    """A class in the list: its entry, if it has one, and the pairs that it is told apart in."""

    class_index: int
    entry: GuideEntry
    pairs: tuple[GuideTopic, ...]


@dataclass(frozen=True, slots=True)
class GuideView:
    """All classes with their entries, or what a search has found."""

    taxonomy: Taxonomy
    coverage: GuideCoverage
    rows: tuple[GuideRow, ...]
    pages: Pages
    show: str
    words: str = ""
    hits: tuple[GuideHit, ...] = ()
    classes: tuple[int, ...] = ()
    """Classes that are called as the words of the search, with an entry or without."""

    def name(self, topic: GuideTopic) -> str:
        """What an entry is on."""
        return name_topic(topic, self.taxonomy)

    def name_class(self, class_index: int) -> str:
        """What a class is called."""
        return name_topic(GuideTopic(class_index), self.taxonomy)

    def find_other(self, row: GuideRow, pair: GuideTopic) -> str:
        """What the class is called that a class is told apart from."""
        return self.name_class(next(index for index in pair.classes if index != row.class_index))


@dataclass(frozen=True, slots=True)
class GuideEntryView:
    """An entry: as it stands or stood, its history, and what else there is on its classes.

    Attributes:
        taxonomy: what classes are called.
        shown: the entry at the version that is looked at.
        current: the entry as it stands.
        history: its texts, the newest first.
        pairs: other entries that one of its classes is in.
        diff: from the text before the version that is looked at to its own; empty where nothing was asked for.
        version: the version of the guide that is looked at; None for what stands.
        label_sets: label sets whose verdicts can be cited.
    """

    taxonomy: Taxonomy
    shown: ShownEntry
    current: GuideEntry
    history: tuple[GuideVersion, ...]
    pairs: tuple[GuideTopic, ...]
    diff: tuple[DiffLine, ...] = ()
    version: int | None = None
    label_sets: tuple[str, ...] = ()

    max_text = MAX_TEXT

    @property
    def topic(self) -> GuideTopic:
        """What it is on."""
        return self.current.topic

    @property
    def title(self) -> str:
        """The name of the class, or both."""
        return self.name(self.topic)

    @property
    def is_gone(self) -> bool:
        """Whether one of its classes is no longer in the taxonomy: it can be read and not be changed."""
        return max(self.topic.classes) >= len(self.taxonomy)

    def name(self, topic: GuideTopic) -> str:
        """What an entry is on."""
        return name_topic(topic, self.taxonomy)

    def name_class(self, class_index: int) -> str:
        """What a class is called."""
        return self.name(GuideTopic(class_index))

    def gloss(self, class_index: int) -> str:
        """What a class means; empty where the taxonomy does not say."""
        return self.taxonomy.classes[class_index].gloss if class_index < len(self.taxonomy) else ""


@dataclass(frozen=True, slots=True)
class ConflictView:
    """That somebody else has changed an entry: what stands now, and how it differs from what was to be saved."""

    current: GuideVersion
    diff: tuple[DiffLine, ...]


def find_entry_address(topic: GuideTopic) -> str:
    """The page of an entry."""
    return f"{PATH}/{topic.key}"


def find_picture(image: StudyImage, _place: object = 0) -> str:
    """The address of an image, for managers."""
    return f"{PATH}/pictures/{image.place.test_set_id}/{image.place.row}"
