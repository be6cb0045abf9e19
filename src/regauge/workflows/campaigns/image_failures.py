"""Which images of a campaign people could not be shown, why, and who says so."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from regauge.estimates import count_things
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.studies import TestSetEntry
from regauge.storage.campaigns.campaign import load_campaign_images
from regauge.storage.campaigns.image_failures import (
    NotedFailure,
    count_failing,
    list_failures,
    list_files,
    note_failures,
)
from regauge.storage.campaigns.image_reports import list_reports
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import find_test_set
from regauge.workflows.annotation.renditions import has_rendition

__all__ = ["FailingImage", "Failures", "count_failing", "describe_failures", "note_failures"]

N_PROBED = 5
"""Files of a set that are looked for; where none of them is there, its folder is not either."""


@dataclass(frozen=True, slots=True)
class FailingImage:
    """An image that was not shown to somebody.

    Attributes:
        number: its number in the campaign.
        image_id: its id.
        test_set: the set that it is of.
        reason: why the server could not show it; empty where only people's pages say that it was not shown.
        annotators: to whom.
        n_times: how often.
        last_at: when last.
        is_ready: whether the server has made it ready, and so can show it; it may be able to where it was not asked to yet.
    """

    number: int
    image_id: str
    test_set: str
    reason: str
    annotators: tuple[str, ...]
    n_times: int
    last_at: str
    is_ready: bool


@dataclass(frozen=True, slots=True)
class Failures:
    """What of a campaign was not shown.

    Attributes:
        images: one by one.
        sentences: the same in short, and folders that are not there.
    """

    images: tuple[FailingImage, ...]
    sentences: tuple[str, ...]


def describe_failures(study: Study, campaign: CampaignEntry) -> Failures:
    """Which images of a campaign could not be shown, and which folders of images are not there."""
    noted = list_failures(study, campaign)
    album = load_campaign_images(study, campaign.id) if noted else ()
    images = tuple(
        _join(list(own), is_ready=has_rendition(study, album[number]))
        for number, own in groupby(noted, key=lambda one: one.number)
    )
    gone = dict(_find_gone(study, campaign))
    others = [one for one in images if one.test_set not in gone]
    said = {(one.number, one.annotator) for one in list_reports(study, campaign)} if images else set()
    sentences = [*gone.values(), *_describe(campaign, others, said)]
    return Failures(images, tuple(sentences))


def _join(noted: Sequence[NotedFailure], *, is_ready: bool) -> FailingImage:
    first = noted[0]
    return FailingImage(
        number=first.number,
        image_id=first.image_id,
        test_set=first.test_set,
        reason=next((one.reason for one in noted if one.reason), ""),
        annotators=tuple(one.annotator for one in noted),
        n_times=sum(one.n_times for one in noted),
        last_at=max(one.last_at for one in noted),
        is_ready=is_ready,
    )


def _describe(
    campaign: CampaignEntry, images: Sequence[FailingImage], said: Collection[tuple[int, str]]
) -> Iterator[str]:
    """What did not come; an image that somebody reported came to them, as their page put it away."""
    broken = [one for one in images if one.reason and not one.is_ready]
    if broken:
        first = broken[0]
        yield (
            f"{_count(broken)} of campaign {campaign.name} could not be shown, the first being {first.image_id!r}: "
            f"{first.reason} See: regauge campaign failures {campaign.name}."
        )
    people_of = {
        one.number: {name for name in one.annotators if (one.number, name) not in said}
        for one in images
        if not one.reason
    }
    reported = [one for one in images if people_of.get(one.number)]
    if reported:
        people = {name for one in reported for name in people_of[one.number]}
        yield (
            f"By what the pages of {', '.join(sorted(people)[:N_PROBED])}{' and others' if len(people) > N_PROBED else ''} say, "
            f"{_count(reported)} of campaign {campaign.name} did not come; the server knows no reason. See: regauge campaign "
            f"failures {campaign.name}."
        )


def _count(images: Sequence[FailingImage]) -> str:
    return count_things(len(images), "image")


def _find_gone(study: Study, campaign: CampaignEntry) -> Iterator[tuple[str, str]]:
    """The sets of which no file is there, each with a sentence that names the folder."""
    settings = campaign.plan.settings
    names = dict.fromkeys((settings.get("test_set"), *settings.get("also", ()), settings.get("controls")))
    for entry in filter(None, (find_test_set(study, name) for name in names if name)):
        root = Path(entry.root)
        # The first files are there as a rule; only where they are not, files of other folders are looked for.
        if _is_any_there(root, list_files(study, entry, campaign, limit=N_PROBED)):
            continue
        if not _is_any_there(root, list_files(study, entry, campaign)):
            yield entry.name, _describe_gone(entry, campaign)


def _describe_gone(entry: TestSetEntry, campaign: CampaignEntry) -> str:
    return (
        f"None of the images of {entry.name} is there below {entry.root}, so campaign {campaign.name} cannot show them; mount "
        "that folder, or say where they are now with: regauge testset relocate."
    )


def _is_any_there(root: Path, files: Sequence[str]) -> bool:
    """Whether one of the files is there, or none is needed."""
    return not files or any((root / file).exists() for file in files)
