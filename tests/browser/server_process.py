"""A real server in a process of its own, on a small study with drawn images, and what came into its database."""

from __future__ import annotations

import json
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw
from tests.waits import PATIENCE
from tests.warm_programs import WarmProgram, start_program

from regauge.records.campaigns.campaign import CampaignPlan, Kind
from regauge.records.responses.answers import GridShape
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.campaigns.texts import revise_texts
from regauge.workflows.demo.campaigns import ClassifyQuestions, ContainsQuestions, create_classify, create_contains
from regauge.workflows.people.invitations import invite_many
from regauge.workflows.studies.study import Circumstances, Study, init_study, open_study
from regauge.workflows.testsets.test_set import add_test_set

ABOUT = "Everything here is drawn for a test."
LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
HOSTILE = '<img src=x onerror="alert(1)">'
NAMES = (LONG, HOSTILE, *(f"class {number}" for number in range(2, 12)))
GRID, LABELS, SHORT, DRAFT = 1, 2, 3, 4
"""The campaigns: a grid for every class, six images with labels, two images, and one that is not open."""
N_ANSWERS = 500
GRIDS = ContainsQuestions("new", controls="original", shape=GridShape(8, n_positive=2, n_negative=1), seed=0)


def make_served_study(folder: Path) -> Path:
    """A study of twelve classes with two test sets and four campaigns."""
    taxonomy = folder / "taxonomy.json"
    taxonomy.write_text(
        json.dumps({"format": "regauge-taxonomy", "version": 1, "name": "drawn", "classes": _describe()})
    )
    for name, n in (("new", 4), ("original", 3)):
        _draw(folder / name, n)
    study = init_study(folder / "study", taxonomy=taxonomy, about=ABOUT, around=_find_circumstances())
    try:
        with study.begin() as begun:
            for name in ("new", "original"):
                add_test_set(begun, folder / name / "images.csv", name=name, images=folder / name)
            _ask(begun)
    finally:
        study.close()
    return study.paths.folder


@dataclass(slots=True, eq=False)
class Served:
    """A study being served."""

    folder: Path
    port: int = 0
    address: str = ""
    manager_link: str = ""
    program: WarmProgram | None = field(default=None, repr=False)

    def start(self) -> None:
        """Start the server; after the first time on the same port."""
        self.program = start_program("serve", "--guests", "--study", str(self.folder), "--port", str(self.port))
        for line in self.program.read_lines():
            if line.startswith("Serving"):
                self.address = line.split(" at ")[-1].strip()
                self.port = int(self.address.rsplit(":", 1)[1])
            elif line.startswith("Manager"):
                self.manager_link = line.split()[-1]
            elif line.startswith("Guests"):
                return
        raise AssertionError("the server did not start")

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        """Stop the server, politely or not."""
        assert self.program is not None
        self.program.end(how)

    def invite(self) -> tuple[str, str]:
        """A new annotator: name and link."""
        with open_served(self.folder) as study, study.begin() as begun:
            (invitation,) = invite_many(begun, 1)
        return invitation.annotator.name, f"{self.address}/join#{invitation.token}"

    def find_answers(self, name: str, campaign: int | None = None) -> list[dict[str, Any]]:
        """What an annotator's answers look like in the database, in the order in which they came."""
        query = (
            "select r.assignment_id, r.answer, r.claimed_seconds as seconds, r.revision, r.status, t.payload, t.campaign_id "
            "from responses r join annotators a on a.id = r.annotator_id join tasks t on t.id = r.task_id "
            "where a.name = ? order by r.id"
        )
        connection = sqlite3.connect(self.folder / "study.db")
        connection.row_factory = sqlite3.Row
        rows = [dict(row) for row in connection.execute(query, [name])]
        connection.close()
        read = [{**row, "answer": json.loads(row["answer"]), "payload": json.loads(row["payload"])} for row in rows]
        return [row for row in read if campaign in {None, row["campaign_id"]}]

    def lease_earlier(self, assignment_id: str) -> None:
        """As if a task had been taken an hour before, so that there was time to answer it."""
        connection = sqlite3.connect(self.folder / "study.db", timeout=PATIENCE)
        with connection:
            earlier = "strftime('%Y-%m-%dT%H:%M:%fZ', leased_at, '-1 hour')"
            connection.execute(f"update assignments set leased_at = {earlier} where id = ?", [assignment_id])  # noqa: S608
        connection.close()

    def count(self, table: str) -> int:
        """Rows of a table."""
        connection = sqlite3.connect(self.folder / "study.db")
        (n,) = connection.execute(f"select count(*) from {table}").fetchone()  # noqa: S608 - a name of ours
        connection.close()
        return int(n)

    def revise_instructions(self, campaign: str, text: str) -> None:
        """Change what annotators read first."""
        with open_served(self.folder) as study, study.begin() as begun:
            revise_texts(begun, campaign, instructions=text)

    def add_draft(self, name: str) -> int:
        """One more campaign that is not open; gives its number."""
        with open_served(self.folder) as study, study.begin() as begun:
            return create_contains(begun, CampaignPlan(name, Kind("contains"), 3), GRIDS).id


@contextmanager
def serve(folder: Path) -> Iterator[Served]:
    """A server on a new study; stopped afterwards."""
    served = Served(make_served_study(folder))
    served.start()
    try:
        yield served
    finally:
        served.end(signal.SIGKILL)


def _describe() -> list[dict[str, Any]]:
    return [
        {
            "index": n,
            "id": f"c{n}",
            "names": [name, f"synonym {n}"],
            "gloss": f"gloss {n}",
            "parents": [f"family {n // 2}"],
        }
        for n, name in enumerate(NAMES)
    ]


def _draw(folder: Path, n_per_class: int) -> None:
    """Squares, one colour for each class, of different shapes of image."""
    folder.mkdir()
    lines = ["image_id,label,file"]
    for label in range(len(NAMES)):
        for number in range(n_per_class):
            name = f"{folder.name}-{label}-{number}"
            image = Image.new("RGB", (96, 64) if number % 2 else (64, 96), "white")
            ImageDraw.Draw(image).rectangle((10, 10, 50, 50), fill=f"hsl({30 * label}, 80%, 50%)")
            image.save(folder / f"{name}.png")
            lines.append(f"{name},{label},{name}.png")
    (folder / "images.csv").write_text("\n".join(lines) + "\n")


def _ask(study: Study) -> None:
    create_contains(study, CampaignPlan("Grids", Kind("contains"), N_ANSWERS), GRIDS)
    candidates = {f"new-{label}-0": [label, (label + 1) % 12, (label + 2) % 12] for label in range(5)}
    labels = ClassifyQuestions({"new-5-0": list(range(12)), **candidates}, "new", seed=0)
    create_classify(study, CampaignPlan(f"Labels {LONG}", Kind("classify"), N_ANSWERS), labels)
    short = ClassifyQuestions({"new-6-0": [6, 7], "new-7-0": [7, 8]}, "new", seed=0)
    create_classify(study, CampaignPlan("Short", Kind("classify"), N_ANSWERS), short)
    for name in ("Grids", f"Labels {LONG}", "Short"):
        open_campaign(study, name)
    create_contains(study, CampaignPlan("Draft", Kind("contains"), 3), GRIDS)


def _find_circumstances() -> Circumstances:
    return Circumstances(clock=lambda: datetime.now(UTC), rng=np.random.default_rng(), who="tester")


@contextmanager
def open_served(folder: Path) -> Iterator[Study]:
    """The study itself, beside the server."""
    study = open_study(folder, around=_find_circumstances())
    try:
        yield study
    finally:
        study.close()
