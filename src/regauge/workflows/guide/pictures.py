"""Pictures of the study in the guide: which images texts name, who must not see them, and entries as pages show them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple, TypeAlias

from regauge.errors import InputError
from regauge.guide.markdown import check_text, list_pictures, render_markdown
from regauge.records.campaigns.campaign import CampaignEntry, CampaignImage
from regauge.records.campaigns.evaluations import HIDES_TESTED
from regauge.records.guide.entries import GuideCase, GuideEntry, ShownCase, ShownEntry
from regauge.records.guide.images import (
    ALL_HIDDEN,
    GUIDE_HIDES,
    NOTHING_HIDDEN,
    NOTHING_WITHHELD,
    HiddenImages,
    StudyImage,
    WithheldImages,
)
from regauge.storage.campaigns.campaign import get_campaign, set_settings
from regauge.storage.events import add_event
from regauge.storage.guide import find_images, list_tested, load_hidden, load_tested
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set, list_image_sets

FindAddress: TypeAlias = Callable[[StudyImage, int | GuideCase], str]
"""The address of an image: the picture at a place of a text, counted from 0, or that of a case."""


def resolve_pictures(study: Study, text: str) -> dict[str, StudyImage]:
    """The images that the pictures of a text stand for, by what is written after `image:`.

    That is the id of an image, or ID@SET where images of several sets have the id.

    Raises:
        InputError: the study has no such image, or several different ones.
    """
    return {source: get_image(study, source) for source in dict.fromkeys(list_pictures(text))}


def get_image(study: Study, source: str) -> StudyImage:
    """The image of an id, or of ID@SET.

    Raises:
        InputError: the study has no such image, or several different ones.
    """
    found = _find_candidates(study, source)
    if not found:
        raise InputError(f"The study has no image {source[:80]!r}; write the id of an image, or ID@SET.")
    # Images that were drawn from a pool, or are in two sets, are one image where their bytes are the same.
    if len(found) > 1 and (not found[0].sha256 or len({one.sha256 for one in found}) > 1):
        sets = ", ".join(one.test_set for one in found)
        raise InputError(
            f"Images of {len(found)} sets have the id {source[:80]!r}: {sets}. Say which one is meant with ID@SET."
        )
    return found[0]


def find_hidden(study: Study, names: Collection[str]) -> HiddenImages:
    """The images of some sets, and so their exact copies, as what neither the guide nor cards may show.

    Raises:
        InputError: there is no set of that name.
    """
    if not names:
        return NOTHING_HIDDEN
    return load_hidden(study, [get_test_set(study, name).name for name in names])


def find_campaign_hidden(study: Study, campaign_id: int) -> HiddenImages:
    """What annotators of a campaign must not meet in the guide: every picture where a set that it hides is gone.

    Where they must not meet what people are tested with, that as well.
    """
    campaign = get_campaign(study, campaign_id)
    names = campaign.plan.settings.get(GUIDE_HIDES, ())
    is_there = {*names} <= {entry.name for entry in list_image_sets(study)}
    return find_hidden(study, names) | load_tested(study, list_kept_back(study, campaign)) if is_there else ALL_HIDDEN


def list_kept_back(study: Study, campaign: CampaignEntry) -> tuple[int, ...]:
    """The campaigns whose images annotators of a campaign must not meet: those that test people, planned or open, and itself."""
    if not campaign.plan.settings.get(HIDES_TESTED):
        return ()
    return tuple(one.id for one in list_tested(study) if not one.is_closed or one.id == campaign.id)


def hide_from_campaign(study: Study, name: str, *, sets: Sequence[str]) -> HiddenImages:
    """From now on, show annotators of a campaign no image of these sets in the guide or on cards; of none, show all again.

    Raises:
        InputError: there is no such campaign, or no set of that name.
    """
    hidden = find_hidden(study, sets)
    campaign = get_campaign(study, name)
    set_settings(study, campaign, {**campaign.plan.settings, GUIDE_HIDES: list(dict.fromkeys(sets))})
    add_event(study, "guide hide", {"campaign": campaign.name, "sets": list(sets)})
    return hidden


def show_entry(
    study: Study, entry: GuideEntry, *, find_address: FindAddress, withheld: WithheldImages = NOTHING_WITHHELD
) -> ShownEntry:
    """An entry as a page shows it, without what is withheld; a picture whose image is gone is not shown either."""
    text = show_text(study, entry.text, find_address=find_address, withheld=withheld)
    seen = [case for case in entry.cases if not withheld.keeps(case.image)]
    n_hidden = sum(withheld.hidden.hides(case.image) for case in entry.cases)
    unfinished = {case.image.place for case in entry.cases if _is_unfinished(case.image, withheld)} | text.unfinished
    cases = tuple(ShownCase(case, find_address(case.image, case)) for case in seen)
    return ShownEntry(entry, text.html, cases, text.n_hidden + n_hidden, len(unfinished))


class ShownText(NamedTuple):
    """A text as HTML, how many of its pictures are hidden, and the images that whoever reads has still to judge."""

    html: str
    n_hidden: int
    unfinished: frozenset[CampaignImage]


def show_text(
    study: Study, text: str, *, find_address: FindAddress, withheld: WithheldImages = NOTHING_WITHHELD
) -> ShownText:
    """A text as it is shown, without what is withheld."""
    sources = list_pictures(text)
    images = {source: _find_image(study, source) for source in dict.fromkeys(sources)}
    there = {source: image for source, image in images.items() if image is not None}

    def find(source: str) -> str | None:
        image = there.get(source)
        return None if image is None or withheld.keeps(image) else find_address(image, sources.index(source))

    return ShownText(
        render_markdown(text, find),
        sum(withheld.hidden.hides(there[source]) for source in sources if source in there),
        frozenset(image.place for image in there.values() if _is_unfinished(image, withheld)),
    )


def _is_unfinished(image: StudyImage, withheld: WithheldImages) -> bool:
    """Whether an image is withheld for no other reason than that it is still to be judged."""
    return withheld.unfinished.has(image) and not withheld.hidden.hides(image)


def preview_text(study: Study, text: str, *, find_address: FindAddress) -> str:
    """A text as it would look.

    Raises:
        InputError: it may not stand in the guide.
    """
    checked = check_text(text)
    resolve_pictures(study, checked)
    return show_text(study, checked, find_address=find_address).html


def is_image(study: Study, place: CampaignImage) -> bool:
    """Whether the study has an image there."""
    return any(one.id == place.test_set_id and place.row < one.n_images for one in list_image_sets(study))


def _find_image(study: Study, source: str) -> StudyImage | None:
    try:
        return get_image(study, source)
    except InputError:
        return None


def _find_candidates(study: Study, source: str) -> tuple[StudyImage, ...]:
    found = find_images(study, [source])
    image_id, _, test_set = source.rpartition("@")
    if found or not image_id:
        return found
    return tuple(one for one in find_images(study, [image_id]) if one.test_set == test_set)
