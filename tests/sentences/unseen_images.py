"""Sentences about images that nobody saw: those without an answer, and those that cannot be shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import numpy as np
from tests.sentences.entries import Always, Entries, Maker, Pair
from tests.workflows.campaign_studies import add_contains, add_people, make_pictured
from tests.workflows.testsets.test_set_checks import TEXT, write_folder

from regauge.errors import InputError
from regauge.formats.images.checks import find_broken
from regauge.kinds.contains.results import _describe_unanswered
from regauge.records.studies import ImagePlace
from regauge.storage.campaigns.image_failures import note_failures
from regauge.workflows.annotation.renditions import list_campaign_images, load_rendition
from regauge.workflows.campaigns.image_failures import describe_failures
from regauge.workflows.campaigns.openings import CheckedImages, check_images, describe_failing, describe_left_out
from regauge.workflows.testsets.test_set import TestSetRequest, prepare_test_set, store_test_set


def unanswered(*is_answered: bool) -> Maker:
    ids = np.array([f"i{number}" for number in range(len(is_answered))])
    return lambda _: [*_describe_unanswered(ids, np.array(is_answered)), "(end of notes)"]


def failing(*, reason: str | None = None, is_gone: bool = False, is_ready: bool = False) -> Maker:
    """What is said of a campaign of whose images one was not shown."""

    def make(folder: Path) -> list[str]:
        with make_pictured(folder) as study:
            campaign = add_contains(study)
            (who,) = add_people(study, campaign, 1)
            with study.begin() as begun:
                if is_ready:
                    load_rendition(study, list_campaign_images(begun, campaign.id)[3])
                if reason is not None:
                    note_failures(begun, campaign.id, {3: reason}, annotator_id=who.annotator.id)
            if is_gone:
                (folder / "pictures").rename(folder / "gone")
            with study.read() as reading:
                return [*describe_failures(reading, campaign).sentences, "(end of notes)"]

    return make


def opening(
    *, n_cut: int = 0, is_gone: bool = False, describe: Callable[[CheckedImages], tuple[str, ...]] = describe_left_out
) -> Maker:
    """What is said of images that cannot be shown, when a campaign is opened without them, or gets another round."""

    def make(folder: Path) -> list[str]:
        with make_pictured(folder) as study:
            add_contains(study, is_open=False)
            for number in range(n_cut):
                (folder / "pictures" / f"i{number}.png").write_bytes(TEXT)
            if is_gone:
                (folder / "pictures").rename(folder / "gone")
            with study.read() as reading:
                return [*describe(check_images(reading, "grids")), "(end of notes)"]

    return make


def adding(*, is_broken: bool = False, is_linked: bool = False, skips: bool = False) -> Maker:
    """What is said when a folder of three images is added."""

    def make(folder: Path) -> list[str]:
        with make_pictured(folder) as study, study.begin() as begun:
            path = write_folder(folder / "odd", TEXT if is_broken else b"")
            odd = path / "bird" / "odd.png"
            if not is_broken:
                odd.unlink()
            if is_linked:
                odd.unlink(missing_ok=True)
                odd.symlink_to(folder / "pictures" / "i1.png")
            request = TestSetRequest(skips_broken=skips)
            try:
                found = store_test_set(begun, prepare_test_set(begun, path, request=request))
            except InputError as error:
                return [str(error)]
        return [*found.notes, "(end of notes)"]

    return make


def read_nothing() -> list[str]:
    """What is said of an image that the system does not let us read."""
    error = PermissionError(13, "Permission denied")
    with patch("regauge.formats.images.checks._open", side_effect=error):
        return list(find_broken(Path(__file__).parent, [ImagePlace(Path(__file__).name)]).values())


ENTRIES: Entries = {
    "kinds/contains/results.py:_describe_unanswered: … of … images, the first being …,": Pair(
        unanswered(True, False), unanswered(True, True)
    ),
    "workflows/campaigns/image_failures.py:_describe: … of campaign … could not be shown,": Pair(
        failing(reason="it is cut."), failing(reason="it was cut.", is_ready=True)
    ),
    "workflows/campaigns/image_failures.py:_describe: By what the pages of …… say, …": Pair(
        failing(reason=""), failing(reason="it is cut.")
    ),
    "workflows/campaigns/image_failures.py:_describe_gone: None of the images of … is there": Pair(
        failing(is_gone=True), failing(reason="it is cut.")
    ),
    "workflows/campaigns/openings.py:FailingSet.describe: None of the … images of … is": Pair(
        opening(is_gone=True), opening(n_cut=24)
    ),
    "workflows/campaigns/openings.py:FailingSet.describe: … images of … cannot be shown: …….": Pair(
        opening(n_cut=5), opening(is_gone=True)
    ),
    "workflows/campaigns/openings.py:describe_left_out: … They are left out.": Pair(opening(n_cut=1), opening()),
    "workflows/campaigns/openings.py:describe_failing: … Whoever is given one reports it; repair": Pair(
        opening(n_cut=1, describe=describe_failing), opening(describe=describe_failing)
    ),
    "workflows/testsets/test_set.py:_leave_broken: … of … images of … cannot be": Pair(
        adding(is_broken=True), adding()
    ),
    "workflows/testsets/test_set.py:_leave_broken: Where links lead is up to you: `follows_links=True`": Pair(
        adding(is_linked=True), adding(is_broken=True)
    ),
    "workflows/testsets/test_set.py:_leave_broken: …; they were left out.": Pair(
        adding(is_broken=True, skips=True), adding(skips=True)
    ),
    "formats/images/checks.py:_check: it cannot be read: ….": Always("What the system says.", lambda _: read_nothing()),
}
