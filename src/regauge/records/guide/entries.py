"""The labeling guide: what classes mean and how to tell them apart, in versions, with verdicts cited as cases."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from regauge.arrays import NO_CLASS
from regauge.errors import InputError
from regauge.records.campaigns.campaign import CampaignImage
from regauge.records.guide.images import StudyImage
from regauge.records.labels.verdicts import Verdict
from regauge.records.taxonomy import Taxonomy

MAX_TEXT = 20_000
"""Characters of an entry: some pages, and little enough that a page shows it at once."""
MAX_NOTE = 1_000
"""Characters of what is noted beside a case."""


@dataclass(frozen=True, slots=True, order=True)
class GuideTopic:
    """What an entry is about: one class, or two that are to be told apart, in whichever order they are given.

    Attributes:
        class_index: the class, or the first of the two.
        other_index: the second; `NO_CLASS` where there is one.
    """

    class_index: int
    other_index: int = NO_CLASS

    def __post_init__(self) -> None:
        if self.class_index == self.other_index:
            raise InputError(f"Class {self.class_index} cannot be told apart from itself; name two classes.")
        if self.class_index < 0 or self.other_index < NO_CLASS:
            raise InputError(f"The guide is about classes of 0 or more, not {min(self.class_index, self.other_index)}.")
        if self.is_pair and self.other_index < self.class_index:
            first, second = self.other_index, self.class_index
            object.__setattr__(self, "class_index", first)
            object.__setattr__(self, "other_index", second)

    @property
    def is_pair(self) -> bool:
        """Whether two classes are told apart."""
        return self.other_index != NO_CLASS

    @property
    def classes(self) -> tuple[int, ...]:
        """The one class, or both in order."""
        return (self.class_index, self.other_index) if self.is_pair else (self.class_index,)

    @property
    def key(self) -> str:
        """What addresses call it: `12` or `12-57`."""
        return "-".join(map(str, self.classes))


@dataclass(frozen=True, slots=True)
class GuideVersion:
    """One text of an entry. Versions are counted in the whole guide, so that a number names all that stood in it then.

    Attributes:
        version: the number of the change; 0 before it is stored.
        topic: what the text is about.
        text: the Markdown; empty where an entry was emptied.
        who: the author.
        reason: why it was changed; may be empty.
        at: when.
        edited: the version that the author had before them; 0 where there was none.
        client_id: made by the page that saved it, so that saving again changes nothing; empty elsewhere.
    """

    version: int
    topic: GuideTopic
    text: str
    who: str = ""
    reason: str = ""
    at: str = ""
    edited: int = 0
    client_id: str = ""


@dataclass(frozen=True, slots=True)
class GuideEdit:
    """What somebody wants an entry to say.

    Attributes:
        text: the Markdown; empty to empty the entry.
        reason: why; may be empty.
        edited: the version of the entry that they had before them; 0 where there was none.
        client_id: as in `GuideVersion`.
    """

    text: str
    reason: str = ""
    edited: int = 0
    client_id: str = ""


@dataclass(frozen=True, slots=True)
class GuideCase:
    """A verdict on an image that the guide cites.

    Attributes:
        version: the number of the change; 0 before it is stored.
        class_index: the class that was judged.
        image: the image.
        verdict: what was found.
        note: why, for whoever reads the guide; may be empty.
        other_index: the class that it helps to tell apart; `NO_CLASS` where it stands with its own class alone.
        labels: the label set that the verdict is of, as NAME@VERSION; empty where somebody gave it otherwise.
        is_cited: False where it was taken out of the guide again.
        who: who cited it.
        at: when.
    """

    version: int
    class_index: int
    image: StudyImage
    verdict: Verdict
    note: str = ""
    other_index: int = NO_CLASS
    labels: str = ""
    is_cited: bool = True
    who: str = ""
    at: str = ""

    @property
    def topics(self) -> tuple[GuideTopic, ...]:
        """The entries that it stands in: that of its class, and that of the pair if it has one."""
        own = GuideTopic(self.class_index)
        return (own,) if self.other_index == NO_CLASS else (own, GuideTopic(self.class_index, self.other_index))


@dataclass(frozen=True, slots=True)
class GuideEntry:
    """An entry as it stands at some version of the guide.

    Attributes:
        topic: what it is about.
        current: its text; None where nobody wrote one.
        cases: the cases that stand in it, the oldest first.
        n_versions: how many texts it has had.
    """

    topic: GuideTopic
    current: GuideVersion | None = None
    cases: tuple[GuideCase, ...] = ()
    n_versions: int = 0

    @property
    def text(self) -> str:
        """The Markdown; empty where there is none."""
        return "" if self.current is None else self.current.text

    @property
    def version(self) -> int:
        """The version of its text; 0 where there is none."""
        return 0 if self.current is None else self.current.version

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to read: no text and no case."""
        return not self.text and not self.cases


@dataclass(frozen=True, slots=True)
class ShownCase:
    """A case that may be shown, and the address of its picture."""

    case: GuideCase
    address: str


@dataclass(frozen=True, slots=True)
class ShownEntry:
    """An entry as a page shows it.

    Attributes:
        entry: the entry.
        html: its text, rendered.
        cases: those of its cases that may be shown.
        n_hidden: pictures and cases that may not.
        n_unfinished: images that its pictures and cases would show, but for whoever reads has still to judge them.
    """

    entry: GuideEntry
    html: str
    cases: tuple[ShownCase, ...] = ()
    n_hidden: int = 0
    n_unfinished: int = 0


@dataclass(frozen=True, slots=True)
class GuideCoverage:
    """How much of the taxonomy the guide covers.

    Attributes:
        version: the version of the guide; 0 where nobody has written anything.
        n_classes: classes of the taxonomy.
        missing: those without a text.
        n_pairs: pairs of classes with a text.
        n_cases: verdicts that are cited.
    """

    version: int
    n_classes: int
    missing: tuple[int, ...]
    n_pairs: int
    n_cases: int

    @property
    def n_covered(self) -> int:
        """Classes with a text."""
        return self.n_classes - len(self.missing)


class LineChange(StrEnum):
    """What became of a line from one text to another."""

    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of one text or of both."""

    change: LineChange
    text: str


@dataclass(frozen=True, slots=True)
class GuideHit:
    """An entry that was found, and the line of it in which the first of the words stands; empty where only a name has it."""

    entry: GuideEntry
    line: str = ""


@dataclass(frozen=True, slots=True)
class GuideFile:
    """An entry as a file of a folder has it.

    Attributes:
        topic: what it is about.
        text: the Markdown.
        version: the version of the entry that the file was made of; 0 where it says none.
        source: the file, for messages.
    """

    topic: GuideTopic
    text: str
    version: int = 0
    source: str = field(default="", compare=False)


def name_topic(topic: GuideTopic, taxonomy: Taxonomy) -> str:
    """What people call it: the name of the class, or both names; a class that is gone from the taxonomy has its number."""
    names = (
        taxonomy.classes[index].name if index < len(taxonomy) else f"class {index}, which {taxonomy.name} does not have"
        for index in topic.classes
    )
    return " or ".join(names)


def join_entries(
    texts: Iterable[tuple[GuideVersion, int]], cases: Iterable[GuideCase], *, at_version: int | None = None
) -> tuple[GuideEntry, ...]:
    """All entries, in the order of their classes, as they stood at a version of the guide; by default as they stand.

    Args:
        texts: the text of each entry at that version, and how many it has had until then.
        cases: all that was ever cited or taken out, in that order; of a case only the last word counts.
        at_version: the version.
    """
    written = {text.topic: (text, n) for text, n in texts}
    held: dict[tuple[int, int, CampaignImage], GuideCase] = {}
    for case in cases:
        if at_version is None or case.version <= at_version:
            held[case.class_index, case.other_index, case.image.place] = case
    standing: dict[GuideTopic, list[GuideCase]] = {}
    for case in sorted(held.values(), key=lambda one: one.version):
        for topic in case.topics if case.is_cited else ():
            standing.setdefault(topic, []).append(case)
    return tuple(
        GuideEntry(topic, text, tuple(standing.get(topic, ())), n)
        for topic in sorted(written.keys() | standing.keys())
        for text, n in [written.get(topic, (None, 0))]
    )
