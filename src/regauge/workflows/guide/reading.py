"""The guide as annotators read it while they work at a campaign: with no name of a set, and without what is withheld.

That is what the campaign hides, what an evaluation measures them by, and what they have still to judge: whoever finds an image
of a task in the guide knows what was found there before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from regauge.errors import InputError
from regauge.guide.markdown import list_pictures
from regauge.records.campaigns.campaign import CampaignImage
from regauge.records.campaigns.evaluations import GUIDE_VERSION
from regauge.records.guide.entries import GuideCase, GuideEntry, GuideTopic, ShownEntry
from regauge.records.guide.images import NOTHING_WITHHELD, StudyImage, WithheldImages
from regauge.storage.campaigns.campaign import get_campaign
from regauge.storage.guide import find_version
from regauge.storage.people.annotators import has_consented
from regauge.storage.study import Study
from regauge.workflows.annotation.admission import get_own_campaign
from regauge.workflows.guide.cases import list_standing
from regauge.workflows.guide.entries import get_entry, read_guide
from regauge.workflows.guide.pictures import find_campaign_hidden, get_image, show_entry

NameAddress: TypeAlias = Callable[[int, int | None], str]
"""The address of a picture: by the version of its text and its place there, or by the version that cited a case and None."""

FindWithheld: TypeAlias = Callable[[], WithheldImages]
"""What is withheld from whoever reads besides what the campaign hides; asked for only where there are pictures, for it may take
a while."""

NO_PICTURE = "There is no such picture in the guide."


def check_reader(study: Study, campaign_id: int, *, annotator_id: int) -> None:
    """Refuse somebody who has not agreed to the text of a campaign: the guide shows images of the study.

    Raises:
        InputError: they have not, or there is no such campaign.
        AccessError: it is for a panel that they are not on.
    """
    if not has_consented(study, annotator_id, get_own_campaign(study, campaign_id, annotator_id=annotator_id)):
        raise InputError("Please agree to the text of the campaign first.")


def find_nothing() -> WithheldImages:
    """Nothing: whoever reads judges no image and is measured by none."""
    return NOTHING_WITHHELD


def read_for_campaign(
    study: Study,
    campaign_id: int,
    *,
    class_index: int,
    name_address: NameAddress,
    find_withheld: FindWithheld = find_nothing,
) -> tuple[ShownEntry, ...]:
    """What the guide says of a class: its own entry first, then how to tell it from others; entries that are empty are left out.

    Raises:
        InputError: there is no such class or campaign.
    """
    if not 0 <= class_index < len(study.taxonomy):
        raise InputError("There is no such class.")
    own = GuideTopic(class_index)
    entries = [one for one in _read_frozen(study, campaign_id) if class_index in one.topic.classes and not one.is_empty]
    has_pictures = any(one.cases or list_pictures(one.text) for one in entries)
    withheld = _withhold(study, campaign_id, find_withheld if has_pictures else find_nothing)
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
    find_withheld: FindWithheld = find_nothing,
) -> CampaignImage:
    """The image at a place of a text that stands in the guide, if whoever works at the campaign may see it.

    Raises:
        InputError: there is no such picture, or it is withheld.
    """
    found, frozen = find_version(study, version), find_frozen(study, campaign_id)
    is_standing = found is not None and frozen != 0 and get_entry(study, found.topic, version=frozen).version == version
    sources = list_pictures(found.text) if found is not None and is_standing else ()
    if not 0 <= place < len(sources):
        raise InputError(NO_PICTURE)
    return _check_withheld(study, campaign_id, get_image(study, sources[place]), find_withheld)


def find_campaign_case(
    study: Study, campaign_id: int, *, version: int, find_withheld: FindWithheld = find_nothing
) -> CampaignImage:
    """The image of a case that stands in the guide, if whoever works at the campaign may see it.

    Raises:
        InputError: that version cites no case, or its image is withheld.
    """
    frozen = find_frozen(study, campaign_id)
    entries = () if frozen is None else _read_frozen(study, campaign_id)
    standing = list_standing(study) if frozen is None else [case for entry in entries for case in entry.cases]
    found = next((case for case in standing if case.version == version), None)
    if found is None:
        raise InputError(NO_PICTURE)
    return _check_withheld(study, campaign_id, found.image, find_withheld)


def find_frozen(study: Study, campaign_id: int) -> int | None:
    """The version at which people of a campaign read the guide, 0 where it was empty then; None for the latest."""
    frozen = get_campaign(study, campaign_id).plan.settings.get(GUIDE_VERSION)
    return None if frozen is None else int(frozen)


def _read_frozen(study: Study, campaign_id: int) -> tuple[GuideEntry, ...]:
    """The entries as people of a campaign read them."""
    frozen = find_frozen(study, campaign_id)
    return () if frozen == 0 else read_guide(study, version=frozen)


def _check_withheld(study: Study, campaign_id: int, image: StudyImage, find_withheld: FindWithheld) -> CampaignImage:
    if _withhold(study, campaign_id, find_withheld).keeps(image):
        raise InputError(NO_PICTURE)
    return image.place


def _withhold(study: Study, campaign_id: int, find_withheld: FindWithheld) -> WithheldImages:
    own = find_withheld()
    return replace(own, hidden=find_campaign_hidden(study, campaign_id) | own.hidden)


def _make_finder(entry: GuideEntry, name_address: NameAddress) -> Callable[[StudyImage, int | GuideCase], str]:
    def find(_image: StudyImage, place: int | GuideCase) -> str:
        return name_address(place.version, None) if isinstance(place, GuideCase) else name_address(entry.version, place)

    return find
