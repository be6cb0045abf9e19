"""Change what annotators of a campaign read first; nobody's words replace others that they have not seen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypedDict, Unpack

from regauge.errors import InputError
from regauge.records.campaigns.campaign import CampaignEntry, check_consent
from regauge.storage.campaigns.campaign import get_campaign, insert_texts
from regauge.storage.events import add_event
from regauge.storage.study import Study


class TextChanges(TypedDict, total=False):
    """New words for what annotators read first."""

    instructions: str | None
    consent: str | None
    warning: str | None
    training: str | None


class OutdatedTextsError(InputError):
    """Somebody else has changed the texts since they were read; knows what these are now."""

    def __init__(self, campaign: CampaignEntry, version: int) -> None:
        self.texts = campaign.plan.texts
        super().__init__(
            f"The texts of campaign {campaign.name} have been changed in the meantime: they are now at version "
            f"{self.texts.version}, and "
            f"your change was made from version {version}."
        )


def revise_texts(
    study: Study, name: str, *, version: int | None = None, **changes: Unpack[TextChanges]
) -> CampaignEntry:
    """A new version of what annotators read first; they will be asked to agree to it again. What is not given stays.

    Args:
        study: the study, inside a transaction that may write.
        name: the campaign.
        version: the version that was read when the change was made; whatever is there by default.
        changes: the new words.

    Raises:
        OutdatedTextsError: there is a later version, which somebody else wrote.
        InputError: there is no such campaign, the consent shows no text, or nothing changes: nobody is asked to agree again to
            what they have read.
    """
    campaign = get_campaign(study, name)
    given: dict[str, Any] = {which: text for which, text in changes.items() if text is not None}
    if all(getattr(campaign.plan.texts, which) == text for which, text in given.items()):
        raise InputError(f"Campaign {name} has these texts already; say what to change.")
    if version is not None and version != campaign.plan.texts.version:
        raise OutdatedTextsError(campaign, version)
    check_consent(given.get("consent", campaign.plan.texts.consent))
    new = replace(campaign.plan.texts, version=campaign.plan.texts.version + 1, **given)
    insert_texts(study, campaign.id, new)
    add_event(study, "campaign texts", {"campaign": name, "version": new.version})
    return get_campaign(study, name)
