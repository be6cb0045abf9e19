"""The card of a class: what it is, reference images, all its images in the test set, and what it is confused with.

Nothing here tells which participant answered what, and nothing which images are controls of a campaign. Images are named by
their place on the card alone; places are the same whenever a card is made, so such a name stays good. An image that somebody
has still to judge keeps its place and is not shown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

import numpy as np

from regauge.campaigns.fields import SIMILAR
from regauge.campaigns.visibility import CARDS
from regauge.errors import InputError
from regauge.formats.releases.similar_classes import parse_similar
from regauge.records.campaigns.campaign import CampaignEntry, CampaignImage
from regauge.records.campaigns.discussions import CHAIRS
from regauge.records.campaigns.evaluations import is_blind
from regauge.records.guide.images import GUIDE_HIDES, NOTHING_WITHHELD, HiddenImages, WithheldImages
from regauge.records.studies import PicturedImage, TestSetEntry
from regauge.records.taxonomy import ClassIndex, NodeId, Taxonomy
from regauge.storage.campaigns.campaign import get_campaign
from regauge.storage.campaigns.documents import find_document
from regauge.storage.guide import load_tested
from regauge.storage.predictions import load_first_answers
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import (
    get_test_set,
    list_image_sets,
    list_pictured,
    list_test_sets,
)
from regauge.taxonomy.hierarchy import find_classes_below, find_sibling_classes
from regauge.workflows.annotation.withheld import UnfinishedMemory
from regauge.workflows.exposure.memories import EvaluatedMemory
from regauge.workflows.exposure.recording import find_task_role
from regauge.workflows.guide.pictures import find_hidden, list_kept_back

N_REFERENCES = 100
N_CONFUSED = 8
N_SIBLINGS = 12


class CardList(Enum):
    """The two lists of images on a card."""

    REFERENCE = "reference"
    TESTED = "tested"


@dataclass(frozen=True, slots=True)
class CardPicture:
    """An image on a card, and its place there, which stays the same however many others are shown."""

    place: int
    image: CampaignImage


@dataclass(frozen=True, slots=True)
class CardImages:
    """Where the images of cards come from.

    Attributes:
        tested: the test set whose images of a class are all on its card; empty for none.
        reference: the set of images from which some are drawn; empty for none.
        hidden: sets whose images, and exact copies of them, are on no card.
        seed: which reference images are drawn, and the order of all.
    """

    tested: str = ""
    reference: str = ""
    hidden: tuple[str, ...] = ()
    seed: int = 0

    def get_set(self, which: CardList) -> str:
        """The name of the set of a list."""
        return self.reference if which is CardList.REFERENCE else self.tested


@dataclass(frozen=True, slots=True)
class ConfusedClass:
    """A class that participants answer for images of another one.

    Attributes:
        index: the class.
        share: its share of all first answers to the images of the other class.
    """

    index: ClassIndex
    share: float


@dataclass(frozen=True, slots=True)
class ClassCard:
    """All that a card tells.

    Attributes:
        index: the class.
        references: images drawn from the reference set.
        tested: all images of the class in the test set that may be shown, in an order that says nothing.
        confused: classes that are answered for these, the most frequent first.
        similar: classes that a file of the campaign calls similar, the most similar first.
        siblings: the other classes below the nearest node that has any.
        n_unchecked: images of both sets that are not shown because they may be copies of hidden ones: a checksum is missing.
        n_unfinished: images of both that are not shown because whoever looks has still to judge them.
        guide: what the labeling guide says of the class; None where it says nothing.
    """

    index: ClassIndex
    references: tuple[CardPicture, ...]
    tested: tuple[CardPicture, ...]
    confused: tuple[ConfusedClass, ...]
    siblings: tuple[ClassIndex, ...]
    n_unchecked: int = 0
    n_unfinished: int = 0
    similar: tuple[ClassIndex, ...] = ()
    guide: str | None = None


def find_source(campaign: CampaignEntry) -> CardImages:
    """What annotators of a campaign see on cards: nothing but words, unless the campaign names sets.

    What the guide hides from them is on no card either.
    """
    settings = campaign.plan.settings
    given: Mapping[str, Any] = settings.get(CARDS, {})
    hidden = tuple(dict.fromkeys(str(name) for name in (*given.get("hidden", ()), *settings.get(GUIDE_HIDES, ()))))
    return CardImages(str(given.get("tested", "")), str(given.get("reference", "")), hidden, int(given.get("seed", 0)))


def list_set_names(study: Study) -> tuple[str, ...]:
    """The sets of images of a study, which cards can show or hide, the oldest first."""
    return tuple(entry.name for entry in list_image_sets(study))


def keep_known_sets(study: Study, source: CardImages) -> CardImages:
    """The sets of cards that the study still has; none where one is gone that would be hidden, for nobody can tell its images."""
    names = {"", *list_set_names(study)}
    if not names.issuperset(source.hidden):
        return CardImages()
    tested, reference = (name if name in names else "" for name in (source.tested, source.reference))
    return replace(source, tested=tested, reference=reference)


def suggest_source(study: Study) -> CardImages:
    """The first test set, and for references the first other set of images."""
    tested = next((entry.name for entry in list_test_sets(study)), "")
    return CardImages(tested, next((name for name in list_set_names(study) if name != tested), ""))


@dataclass(slots=True)
class CardMemory:
    """Which images are on no card, kept while cards are shown: there are many, and every picture of a card asks."""

    kept: dict[tuple[str, ...], HiddenImages] = field(default_factory=dict)
    tested: dict[tuple[int, ...], HiddenImages] = field(default_factory=dict)
    unfinished: UnfinishedMemory = field(default_factory=UnfinishedMemory)
    evaluated: EvaluatedMemory = field(default_factory=EvaluatedMemory)
    similar: dict[int, Mapping[int, tuple[int, ...]]] = field(default_factory=dict)

    def get(self, study: Study, names: tuple[str, ...]) -> WithheldImages:
        """What sets of these names hide; they never change.

        Raises:
            InputError: the study has no such set.
        """
        if not names:
            return NOTHING_WITHHELD
        hidden = self.kept.get(names) or find_hidden(study, names)
        self.kept = {names: hidden}
        return WithheldImages(hidden)

    def get_tested(self, study: Study, campaign: CampaignEntry, names: tuple[str, ...]) -> WithheldImages:
        """What sets of these names hide, and what people are tested with where those of a campaign must not meet that."""
        found, numbers = self.get(study, names), list_kept_back(study, campaign)
        # The images of a campaign never change.
        tested = self.tested.get(numbers) or load_tested(study, numbers)
        self.tested = {numbers: tested}
        return replace(found, hidden=found.hidden | tested)

    def get_for(
        self, study: Study, campaign: CampaignEntry, names: tuple[str, ...], *, annotator_id: int
    ) -> WithheldImages:
        """The same, what somebody is measured by, and what they have still to judge in a campaign."""
        found = self.get_tested(study, campaign, names)
        role = find_task_role(study, campaign, is_lesson=False)
        hidden = found.hidden | self.evaluated.get(study, annotator_id, role=role)
        if CHAIRS in campaign.plan.settings:
            # A panel is told every dataset label, so that cards tell nothing new; they show all images of a class.
            return replace(found, hidden=hidden)
        if is_blind(campaign.plan.settings):
            # Nothing of such a campaign is ever shown elsewhere, finished or not.
            return replace(found, hidden=hidden)
        unfinished = self.unfinished.get(study, campaign, annotator_id=annotator_id)
        return replace(found, hidden=hidden, unfinished=unfinished)


def find_similar(study: Study, campaign: CampaignEntry, known: CardMemory) -> Mapping[int, tuple[int, ...]]:
    """Per class those that the file of a campaign calls similar; a campaign keeps its file as it was."""
    if SIMILAR.name not in campaign.plan.settings:
        return {}
    found = known.similar.get(campaign.id)
    if found is None:
        found = parse_similar(find_document(study, campaign, SIMILAR.name) or "{}")
        known.similar[campaign.id] = found
    return found


def make_card(
    study: Study,
    class_index: int,
    *,
    source: CardImages,
    off: WithheldImages = NOTHING_WITHHELD,
    similar: Sequence[int] = (),
) -> ClassCard:
    """The card of a class.

    Raises:
        InputError: there is no such class, or no such set of images.
    """
    index = _get_index(study.taxonomy, class_index)
    lists = {which: _list_places(study, [index], which=which, source=source, hidden=off.hidden) for which in CardList}
    places = {which: found.get(index, []) for which, found in lists.items()}
    return ClassCard(
        index=index,
        references=_pick(study, places[CardList.REFERENCE], source.reference, off),
        tested=_pick(study, places[CardList.TESTED], source.tested, off),
        confused=_find_confused(study, index, source=source, hidden=off.hidden),
        siblings=find_sibling_classes(study.taxonomy, index)[:N_SIBLINGS],
        n_unchecked=_count_unchecked(study, index, source=source, hidden=off.hidden),
        n_unfinished=sum(off.unfinished.has(image) for images in places.values() for image in images),
        similar=tuple(ClassIndex(one) for one in similar[:N_CONFUSED] if one < len(study.taxonomy)),
    )


def list_card_images(
    study: Study,
    class_index: int,
    *,
    which: CardList,
    source: CardImages,
    off: WithheldImages = NOTHING_WITHHELD,
) -> tuple[CardPicture, ...]:
    """The images of one list of a card: of the reference set so many at random, of the test set all.

    The order is drawn by the seed, so the place of an image on a card does not tell its place in its set.
    """
    index = _get_index(study.taxonomy, class_index)
    found = _list_places(study, [index], which=which, source=source, hidden=off.hidden)
    return _pick(study, found.get(index, []), source.get_set(which), off)


def find_card_places(
    study: Study,
    classes: Collection[int],
    *,
    which: CardList,
    source: CardImages,
    off: WithheldImages = NOTHING_WITHHELD,
) -> dict[int, list[int]]:
    """The places of the images that a list has on the card of each of some classes; only of classes that have any."""
    found = _list_places(study, classes, which=which, source=source, hidden=off.hidden)
    shown = {
        index: [place for place, image in enumerate(images) if not off.keeps(image)] for index, images in found.items()
    }
    return {index: places for index, places in shown.items() if places}


def find_pictured(study: Study, *, source: CardImages, off: WithheldImages = NOTHING_WITHHELD) -> list[int]:
    """The classes that have an image on their card, in index order."""
    classes = range(len(study.taxonomy))
    found = [find_card_places(study, classes, which=which, source=source, off=off) for which in CardList]
    return sorted(set().union(*found))


def find_node_image(
    study: Study, node: str, *, source: CardImages, off: WithheldImages = NOTHING_WITHHELD
) -> CampaignImage | None:
    """An image of a class at or below a node, of the test set or else of the reference set; None where there is none."""
    below = find_classes_below(study.taxonomy, NodeId(node))
    for name in (source.tested, source.reference):
        entry = _find_set(study, name)
        if entry is None or not below:
            continue
        # Thousands of images may be below a node, and one is wanted.
        limit = 1 if off == NOTHING_WITHHELD else None
        shown = [one for one in list_pictured(study, entry, below, limit=limit) if not off.keeps(one)]
        if shown:
            return CampaignImage(entry.id, shown[0].row)
    return None


def count_references(study: Study, name: str | int) -> list[dict[str, Any]]:
    """Per class how many reference images its card shows to people of a campaign, those with the fewest first.

    Raises:
        InputError: there is no such campaign, or its cards show no reference images.
    """
    campaign = get_campaign(study, name)
    source = find_source(campaign)
    if not source.reference:
        raise InputError(
            f"Cards of campaign {campaign.name} show no reference images; a new one takes them from `references=…`."
        )
    off = CardMemory().get_tested(study, campaign, source.hidden)
    classes = range(len(study.taxonomy))
    found = find_card_places(study, classes, which=CardList.REFERENCE, source=source, off=off)
    counts = {index: len(found.get(index, ())) for index in classes}
    return [
        {"class": index, "name": study.taxonomy.classes[index].name, "n_references": n, "n_wanted": N_REFERENCES}
        for index, n in sorted(counts.items(), key=lambda one: (one[1], one[0]))
    ]


def _list_places(
    study: Study, classes: Collection[int], *, which: CardList, source: CardImages, hidden: HiddenImages
) -> dict[int, list[PicturedImage]]:
    """Per class the images that a list of its card has places for, in the order of these."""
    entry = _find_set(study, source.get_set(which))
    images_of: dict[int, list[PicturedImage]] = defaultdict(list)
    for image in () if entry is None else _list_shown(study, entry, classes, hidden):
        images_of[image.label].append(image)
    n_most = N_REFERENCES if which is CardList.REFERENCE else None
    orders = {
        index: np.random.default_rng([source.seed, index]).permutation(len(images)).tolist()
        for index, images in images_of.items()
    }
    return {index: [images[place] for place in orders[index][:n_most]] for index, images in images_of.items()}


def _pick(study: Study, images: Sequence[PicturedImage], name: str, off: WithheldImages) -> tuple[CardPicture, ...]:
    """Those images of a list that are shown, with their places."""
    entry = _find_set(study, name)
    if entry is None:
        return ()
    shown = [(place, image) for place, image in enumerate(images) if not off.keeps(image)]
    return tuple(CardPicture(place, CampaignImage(entry.id, image.row)) for place, image in shown)


def _find_confused(
    study: Study, index: ClassIndex, *, source: CardImages, hidden: HiddenImages
) -> tuple[ConfusedClass, ...]:
    entry = _find_set(study, source.tested)
    rows = [] if entry is None else [image.row for image in _list_shown(study, entry, [index], hidden)]
    if entry is None or not rows:
        return ()
    answers = load_first_answers(study, entry, rows)
    classes, counts = np.unique(answers[answers >= 0], return_counts=True)
    n_answers = int(counts.sum())
    ranked = sorted(zip(counts.tolist(), classes.tolist(), strict=True), key=lambda one: (-one[0], one[1]))
    others = [(n, other) for n, other in ranked if other != index and other < len(study.taxonomy)]
    return tuple(ConfusedClass(ClassIndex(other), n / n_answers) for n, other in others[:N_CONFUSED])


def _count_unchecked(study: Study, index: ClassIndex, *, source: CardImages, hidden: HiddenImages) -> int:
    entries = filter(None, (_find_set(study, name) for name in {source.tested, source.reference}))
    images = [image for entry in entries for image in list_pictured(study, entry, [index])]
    return sum(hidden.hides(image) and not hidden.has(image) for image in images)


def _list_shown(
    study: Study, entry: TestSetEntry, labels: Collection[int], hidden: HiddenImages
) -> list[PicturedImage]:
    return [image for image in list_pictured(study, entry, labels) if not hidden.hides(image)]


def _find_set(study: Study, name: str) -> TestSetEntry | None:
    return get_test_set(study, name) if name else None


def _get_index(taxonomy: Taxonomy, class_index: int) -> ClassIndex:
    if not 0 <= class_index < len(taxonomy):
        raise InputError(f"There is no class {class_index}: classes run from 0 to {len(taxonomy) - 1}.")
    return ClassIndex(class_index)
