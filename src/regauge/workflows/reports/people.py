"""What people answered to the campaigns of a study, for its report: from the ledgers that the manager's pages show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from regauge.kinds.contract import KindOutput
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.responses.figures import ImageCounts
from regauge.records.responses.quality import AnnotatorQuality, CampaignPulse, ImageRow, ListPage
from regauge.report.content import CampaignPart, SampleImage
from regauge.responses.summaries import summarise_answers
from regauge.storage.campaigns.ledgers import CampaignImageRow, find_images
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import list_image_sets, load_places, load_test_set
from regauge.workflows.reports.pictures import PictureAlbum, name_class, show_image

N_DISPUTED = 6
DISPUTED = ListPage(limit=4 * N_DISPUTED, is_descending=True)
"""How many of the images that annotators disagree about most are looked at; controls among them are not shown."""


class CampaignFigures(NamedTuple):
    """What the manager's pages know of a campaign.

    Attributes:
        pulse: answers, times and cost.
        annotators: everybody who has answered.
        counts: how often classes were selected for images.
        rows: the images that annotators disagree about most, as `DISPUTED` asks for them.
    """

    pulse: CampaignPulse
    annotators: Sequence[AnnotatorQuality]
    counts: ImageCounts
    rows: Sequence[ImageRow]


def describe_campaign(study: Study, campaign: CampaignEntry, *, figures: CampaignFigures) -> CampaignPart:
    """What people answered to a campaign, as a report tells it."""
    kind = find_kind(study.around.kinds, campaign.kind)
    annotators = tuple(sorted(figures.annotators, key=lambda one: (-one.n_answers, one.id)))
    has_pairs = KindOutput.SELECTION_COUNTS in kind.gives
    return CampaignPart(
        name=campaign.name,
        kind=kind.texts.name,
        state=campaign.state,
        pulse=figures.pulse,
        annotators=annotators,
        summary=summarise_answers(annotators, figures.counts, has_pairs=has_pairs),
        disputed=_show_disputed(study, campaign, figures.rows),
    )


def _show_disputed(study: Study, campaign: CampaignEntry, rows: Sequence[ImageRow]) -> tuple[SampleImage, ...] | None:
    """The images that annotators agree about least, those that all agree about never; None where no file is at hand."""
    disputed = [one for one in rows if one.disagreement and not one.is_control][:N_DISPUTED]
    images = find_images(study, campaign, numbers=[one.number for one in disputed])
    albums = {one.test_set: _open_album(study, one.test_set) for one in images.values()}
    shown = [_show(study, one, images[one.number], albums) for one in disputed]
    found = tuple(one for one in shown if one is not None)
    return None if disputed and not found else found


def _open_album(study: Study, name: str) -> PictureAlbum:
    entry = next(one for one in list_image_sets(study) if one.name == name)
    test_set = load_test_set(study, entry)
    return PictureAlbum(entry.root, load_places(study, entry), test_set.image_ids, test_set.labels, study.taxonomy)


def _show(study: Study, row: ImageRow, image: CampaignImageRow, albums: dict[str, PictureAlbum]) -> SampleImage | None:
    asked = "nothing" if row.class_index is None else name_class(study.taxonomy, row.class_index)
    votes = f"{asked}: {row.frequency.k} of {row.frequency.n} annotators"
    return show_image(albums[image.test_set], image.row, votes=votes)
