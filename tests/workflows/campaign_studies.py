"""Studies with campaigns for tests: pictures, people, a clock that is set by hand, and tasks that are taken and answered."""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
from PIL import Image
from tests.storage.small_studies import NOW

from regauge.records.campaigns.campaign import (
    Assignment,
    CampaignEntry,
    CampaignPlan,
    CampaignTexts,
    Kind,
    NewAnswer,
    Receipt,
)
from regauge.records.responses.answers import GridShape
from regauge.workflows.annotation.choosing import take_tasks
from regauge.workflows.annotation.submissions import submit_answers
from regauge.workflows.annotation.tasks import consent
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.demo.campaigns import ClassifyQuestions, ContainsQuestions, create_classify, create_contains
from regauge.workflows.people.invitations import Invitation, invite_many
from regauge.workflows.studies.study import Circumstances, Study, init_study
from regauge.workflows.testsets.test_set import add_test_set

N_IMAGES = 24
N_CLASSES = 4
SHAPE = GridShape(8, n_positive=2, n_negative=2)
LEASE = 600
QUOTA = 2

_numbers = itertools.count()


@dataclass(slots=True)
class Clock:
    """A clock that goes only when it is told to."""

    moment: datetime = NOW

    def __call__(self) -> datetime:
        return self.moment

    def jump(self, seconds: float) -> None:
        """Forwards, or backwards."""
        self.moment += timedelta(seconds=seconds)


def draw_picture(number: int, *, size: tuple[int, int] = (12, 9), image_format: str = "PNG") -> bytes:
    """A picture of its own."""
    pixels = np.random.default_rng(number).integers(0, 255, (size[1], size[0], 3), dtype=np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, image_format)
    return buffer.getvalue()


def write_pictures(folder: Path, *, n_images: int = N_IMAGES, prefix: str = "i", first: int = 0) -> Path:
    """A table of pictures, the classes taking turns; those of two tables are the same unless they begin with another one."""
    folder.mkdir(parents=True)
    lines = ["image_id,label,file"]
    for number in range(n_images):
        (folder / f"{prefix}{number}.png").write_bytes(draw_picture(first + number))
        lines.append(f"{prefix}{number},{number % N_CLASSES},{prefix}{number}.png")
    (folder / "set.csv").write_text("\n".join(lines) + "\n")
    return folder / "set.csv"


@contextmanager
def make_pictured(folder: Path, *, database: str = "", seed: int = 0) -> Iterator[Study]:
    """A study with one test set of small pictures and a clock that is set by hand; its id comes from the seed."""
    clock = Clock()
    around = Circumstances(clock=clock, rng=np.random.default_rng(seed), who="tester")
    study = init_study(folder / "study", taxonomy="cifar-10", database=database, around=around)
    with study.begin() as begun:
        add_test_set(begun, write_pictures(folder / "pictures"), name="pictures")
    try:
        yield study
    finally:
        study.close()


def get_clock(study: Study) -> Clock:
    """The clock of such a study."""
    assert isinstance(study.around.clock, Clock)
    return study.around.clock


def add_contains(study: Study, name: str = "grids", *, quota: int = QUOTA, is_open: bool = True) -> CampaignEntry:
    """A campaign of six grids: four pairs each, of 24 images with their labels, and four controls each."""
    with study.begin() as begun:
        plan = CampaignPlan(name, Kind("contains"), quota, LEASE, CampaignTexts("Look.", "Agree?"))
        entry = create_contains(begun, plan, ContainsQuestions(shape=SHAPE, seed=0))
        return open_campaign(begun, name) if is_open else entry


def add_classify(study: Study, name: str = "labels", *, quota: int = QUOTA, n_images: int = 5) -> CampaignEntry:
    """A campaign of some images with three candidates each."""
    candidates = {f"i{number}": [number % N_CLASSES, 7, 9] for number in range(n_images)}
    with study.begin() as begun:
        plan = CampaignPlan(name, Kind("classify"), quota, LEASE, CampaignTexts("Look.", "Agree?"))
        create_classify(begun, plan, ClassifyQuestions(candidates, seed=0))
        return open_campaign(begun, name)


def add_people(study: Study, campaign: CampaignEntry | None, n: int) -> tuple[Invitation, ...]:
    """People who have agreed to the text of a campaign."""
    with study.begin() as begun:
        made = invite_many(begun, n)
        for one in made if campaign is not None else ():
            assert campaign is not None
            version = campaign.plan.texts.version
            consent(begun, campaign.id, annotator_id=one.annotator.id, version=version)
    return made


def take(study: Study, campaign: CampaignEntry, who: Invitation, n: int = 1) -> tuple[Assignment, ...]:
    """Tasks for somebody, in a transaction of its own."""
    with study.begin() as begun:
        return take_tasks(begun, campaign.id, annotator_id=who.annotator.id, n=n)


def make_answer(one: Assignment, mask: str = "3", *, revision: int = 0, client_id: str = "") -> NewAnswer:
    """An answer to a grid."""
    name = client_id or f"client-{next(_numbers):08d}"
    return NewAnswer(name, one.id, one.annotator_id, {"mask": mask}, 1.5, revision)


def answer(study: Study, *answers: NewAnswer) -> tuple[Receipt, ...]:
    """Hand answers in together, in a transaction of their own."""
    with study.begin() as begun:
        return submit_answers(begun, answers)
