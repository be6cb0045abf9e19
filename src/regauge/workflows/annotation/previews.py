"""What those see who only look: guests and workers before they accept a HIT a few fixed tasks with drawn pictures.

The tasks of a campaign are for those who are counted. Whoever could look at them without being would learn, for instance, which
images stand in several of them; and no image of a campaign can be spared for it where all are asked about. Managers, who
see everything anyway, want to know how the images of the study look on the page: they get tasks of the campaign.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from regauge.campaigns.visibility import TaskContext, find_order
from regauge.formats.images.pictures import make_rendition
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import CampaignEntry, Payload
from regauge.records.taxonomy import Taxonomy
from regauge.storage.campaigns.campaign import list_task_ids
from regauge.storage.campaigns.extra_tasks import load_tasks_of
from regauge.storage.study import Study
from regauge.workflows.annotation.renditions import RenditionSide
from regauge.world.objects import INDEX, make_taxonomy
from regauge.world.sampling import ORIGINAL_HABITS, sample_scene
from regauge.world.scenes import render

DRAWN_SIDE = 256
_FIRST = [
    "daisy",
    "sunflower",
    "coin",
    "daisy",
    "kite",
    "moth",
    "daisy",
    "goldfish",
    "wheel",
    "sunflower",
    "daisy",
    "oak_leaf",
]
_SECOND = [
    "moth",
    "butterfly",
    "kite",
    "moth",
    "daisy",
    "angelfish",
    "butterfly",
    "moth",
    "coin",
    "willow_leaf",
    "moth",
    "sign",
]
_PICTURES = (*_FIRST, *_SECOND)
"""What is drawn, picture after picture."""


def list_previews(study: Study, campaign: CampaignEntry) -> tuple[Payload, ...]:
    """The tasks that show what a kind is like, the same for all campaigns."""
    return find_kind(study.around.kinds, campaign.kind).task.make_previews([INDEX[one] for one in _PICTURES])


def pick_tasks(study: Study, campaign: CampaignEntry, *, n: int) -> dict[int, Payload]:
    """Some tasks of a campaign at random, by their numbers; for those only who may see all of them."""
    everything = list_task_ids(study, campaign)
    chosen = study.around.rng.choice(everything, size=min(n, len(everything)), replace=False).tolist()
    return load_tasks_of(study, chosen)


def view_preview(study: Study, campaign: CampaignEntry, *, task: Payload, shown_id: str) -> Mapping[str, Any]:
    """What a page shows of such a task."""
    return find_kind(study.around.kinds, campaign.kind).task.view(
        task, TaskContext(_load_classes(), find_order(shown_id))
    )


@lru_cache(maxsize=len(RenditionSide) * len(_PICTURES))
def load_preview_picture(number: int, *, side: RenditionSide = RenditionSide.USUAL) -> bytes:
    """A picture of such a task as a JPEG file, by its number."""
    drawn = io.BytesIO()
    scene = sample_scene(_PICTURES[number], ORIGINAL_HABITS, rng=np.random.default_rng(number))
    render(scene, DRAWN_SIDE).save(drawn, "PNG")
    return make_rendition(drawn.getvalue(), side=side)


@lru_cache(maxsize=1)
def _load_classes() -> Taxonomy:
    return make_taxonomy()
