"""The study of `soak_server.py`: grids, and two reviews of the same images, all open at once."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from PIL import Image

from regauge.records.campaigns.campaign import CampaignPlan, Kind
from regauge.records.responses.answers import GridShape
from regauge.workflows.campaigns.campaign import Questions, create_campaign
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.people.invitations import Invitation, invite_many
from regauge.workflows.studies.study import Circumstances, Study, init_study
from regauge.workflows.testsets.test_set import add_test_set

QUOTA, LEASE_SECONDS = 3, 1
SHAPE = GridShape(16, n_positive=2, n_negative=2)
CONTAINS, BY_IMAGE, BY_CLASS_PAIR = "contains", "review-by-image", "review-by-class-pair"
REVIEWS = (BY_IMAGE, BY_CLASS_PAIR)
CAMPAIGNS = (CONTAINS, *REVIEWS)


def make_circumstances(offset_file: Path) -> Circumstances:
    """A clock that is wrong by as many seconds as the file says."""
    return Circumstances(
        clock=lambda: datetime.now(UTC) + timedelta(seconds=float(offset_file.read_text() or 0)),
        rng=np.random.default_rng(),
        who="soak",
    )


def make_study(
    folder: Path, n_tasks: int, *, database: str, n_annotators: int
) -> tuple[tuple[int, ...], tuple[Invitation, ...]]:
    """A study whose campaigns have about so many tasks each; their numbers, and everybody's links."""
    n_images = max(100, n_tasks * SHAPE.n_pairs // 10)
    rng = np.random.default_rng(0)
    (folder / "images").mkdir()
    Image.fromarray(rng.integers(0, 255, (8, 8, 3), np.uint8)).save(folder / "images" / "same.png")
    names = [f"i{number}" for number in range(n_images)]
    rows = "".join(f"{name},{number % 10},same.png\n" for number, name in enumerate(names))
    (folder / "images" / "set.csv").write_text(f"image_id,label,file\n{rows}")
    offset = folder / "offset"
    offset.write_text("0")
    study = init_study(folder / "study", taxonomy="cifar-10", database=database, around=make_circumstances(offset))
    with study.begin() as begun:
        add_test_set(begun, folder / "images" / "set.csv")
        numbers = tuple(_open(begun, name, names) for name in CAMPAIGNS)
        invited = invite_many(begun, n_annotators)
    study.close()
    return numbers, invited


def _open(study: Study, name: str, images: list[str]) -> int:
    """One of the campaigns; reviewers of images are asked about every other class, so that they can name one more."""
    kind, step = Kind("contains" if name == CONTAINS else "review"), 2 if name == BY_IMAGE else 1
    pairs = [(image, index) for image in images for index in range(0, 10, step)]
    asked = {
        CONTAINS: asdict(SHAPE),
        BY_IMAGE: {"by": "image"},
        BY_CLASS_PAIR: {"by": "class-pair"},
    }[name]
    plan = CampaignPlan(name, kind, QUOTA, LEASE_SECONDS)
    entry = create_campaign(study, plan, Questions(pairs=pairs, settings=asked, seed=0))
    open_campaign(study, name)
    return entry.id
