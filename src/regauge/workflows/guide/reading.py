"""The guide as annotators read it while they work at a campaign: with no name of a set, and without what is withheld.

That is what the campaign hides, and what they have still to judge: whoever finds an image of a task in the guide knows what was
found there before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from regauge.errors import InputError
from regauge.guide.markdown import list_pictures
from regauge.records.campaigns.campaign import CampaignImage
from regauge.records.guide.entries import GuideCase, GuideEntry, GuideTopic, ShownEntry
from regauge.records.guide.images import NOTHING_HIDDEN, HiddenImages, StudyImage, WithheldImages
from regauge.storage.guide import find_version
from regauge.storage.people.annotators import has_consented
from regauge.storage.study import Study
from regauge.workflows.annotation.tasks import get_own_campaign
from regauge.workflows.guide.cases import list_standing
from regauge.workflows.guide.entries import get_entry, read_guide
from regauge.workflows.guide.pictures import find_campaign_hidden, get_image, show_entry

NameAddress: TypeAlias = Callable[[int, int | None], str]
"""The address of a picture: by the version of its text and its place there, or by the version that cited a case and None."""

FindUnfinished: TypeAlias = Callable[[], HiddenImages]
"""What whoever reads has still to judge; it is asked for only where there are pictures, for finding it out may take a while."""

NO_PICTURE = "There is no such picture in the guide."


def check_reader(study: Study, campaign_id: int, *, annotator_id: int) -> None:
    """Refuse somebody who has not agreed to the text of a campaign: the guide shows images of the study.

    Raises:
        InputError: they have not, or there is no such campaign.
        AccessError: it is for a panel that they are not on.
    """
    if not has_consented(study, annotator_id, get_own_campaign(study, campaign_id, annotator_id=annotator_id)):
        raise InputError("Please agree to the text of the campaign first.")


def find_nothing_unfinished() -> HiddenImages:
    """Nothing: whoever reads judges no image."""
    return NOTHING_HIDDEN


def read_for_campaign(
    study: Study,
    campaign_id: int,
    *,
    class_index: int,
    name_address: NameAddress,
    find_unfinished: FindUnfinished = find_nothing_unfinished,
) -> tuple[ShownEntry, ...]:
    """What the guide says of a class: its own entry first, then how to tell it from others; entries that are empty are left out.

    Raises:
        InputError: there is no such class or campaign.
    """
    if not 0 <= class_index < len(study.taxonomy):
        raise InputError("There is no such class.")
    hidden = find_campaign_hidden(study, campaign_id)
    own = GuideTopic(class_index)
    entries = [one for one in read_guide(study) if class_index in one.topic.classes and not one.is_empty]
    has_pictures = any(one.cases or list_pictures(one.text) for one in entries)
    withheld = WithheldImages(hidden, find_unfinished() if has_pictures else NOTHING_HIDDEN)
    return tuple(
        show_entry(study, entry, find_address=_make_finder(entry, name_address), withheld=withheld)
        for entry in sorted(entries, key=lambda one: (one.topic != own, one.topic))
    )


def find_campaign_picture(
    study: Study,
    campaign_id: int,
    *,
    version: int,
    place: int,
    find_unfinished: FindUnfinished = find_nothing_unfinished,
) -> CampaignImage:
    """The image at a place of a text that stands in the guide, if whoever works at the campaign may see it.

    Raises:
        InputError: there is no such picture, or it is withheld.
    """
    found = find_version(study, version)
    is_standing = found is not None and get_entry(study, found.topic).version == version
    sources = list_pictures(found.text) if found is not None and is_standing else ()
    if not 0 <= place < len(sources):
        raise InputError(NO_PICTURE)
    return _check_withheld(study, campaign_id, get_image(study, sources[place]), find_unfinished)


def find_campaign_case(
    study: Study, campaign_id: int, *, version: int, find_unfinished: FindUnfinished = find_nothing_unfinished
) -> CampaignImage:
    """The image of a case that stands in the guide, if whoever works at the campaign may see it.

    Raises:
        InputError: that version cites no case, or its image is withheld.
    """
    found = next((case for case in list_standing(study) if case.version == version), None)
    if found is None:
        raise InputError(NO_PICTURE)
    return _check_withheld(study, campaign_id, found.image, find_unfinished)


def _check_withheld(
    study: Study, campaign_id: int, image: StudyImage, find_unfinished: FindUnfinished
) -> CampaignImage:
    withheld = WithheldImages(find_campaign_hidden(study, campaign_id), find_unfinished())
    if withheld.keeps(image):
        raise InputError(NO_PICTURE)
    return image.place


def _make_finder(entry: GuideEntry, name_address: NameAddress) -> Callable[[StudyImage, int | GuideCase], str]:
    def find(_image: StudyImage, place: int | GuideCase) -> str:
        return name_address(place.version, None) if isinstance(place, GuideCase) else name_address(entry.version, place)

    return find
