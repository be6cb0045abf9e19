"""Can the source of an image be told from all that somebody who is tested receives of it? A classifier tries.

Two sets of drawn pictures differ in nothing but their names, folders, kind of file and place in the study. One person takes
every image of an evaluation, and a script in their browser notes the address, the headers, the bytes, the dimensions, the
position and the latency of each. `python -m tests.kinds.label.source_leaks` does it at full size.
"""

from __future__ import annotations

import csv
import io
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from starlette.testclient import TestClient
from tests.kinds.label.label_study import Examined, send
from tests.workflows.campaign_studies import Clock, add_people

from regauge.arrays import FloatArray
from regauge.estimates import DEFAULT_LEVEL
from regauge.records.campaigns.campaign import AssignmentId, CampaignImage, Role
from regauge.server.annotate import images
from regauge.server.app import create_app
from regauge.server.state import ServerSettings
from regauge.stats.two_sample import Separation, find_components, separate
from regauge.storage.campaigns.campaign import load_campaign_images
from regauge.storage.testsets.test_set import get_test_set
from regauge.workflows.annotation.renditions import RenditionSide, load_rendition
from regauge.workflows.annotation.tasks import get_own_assignment
from regauge.workflows.people.invitations import renew_link
from regauge.workflows.studies.study import Circumstances, Study, init_study
from regauge.workflows.testsets.test_set import add_test_set

N_PER_SET = 2_000
N_CLASSES = 10
N_FOLDS = 5
N_COMPONENTS = 40
N_FIRST_BYTES = 640
"""The head of a JPEG file with its tables."""
SHAPES = ((320, 240), (240, 320), (300, 300), (400, 300))
NAMES: Mapping[str, tuple[str, str]] = {"original": ("ILSVRC2012_val_{:08d}", "JPEG"), "new": ("{:x}", "png")}
"""Per set how its images are called, and as what they are stored."""

Features = Mapping[str, FloatArray]
"""Per kind of trace one row for each image."""


@dataclass(frozen=True, slots=True)
class Traces:
    """What was noted of every image, in the order in which they came, and whether it is of the new set."""

    features: Features
    is_new: np.ndarray[Any, np.dtype[np.bool_]]
    labels: np.ndarray[Any, np.dtype[np.int64]]

    def judge(self, *, names: tuple[str, ...] = (), level: float = DEFAULT_LEVEL) -> Separation:
        """How well the sets are told apart by some kinds of traces, or by all of them."""
        chosen = [self.features[name] for name in names or self.features]
        components = find_components(
            np.concatenate(chosen, axis=1), n_components=N_COMPONENTS, rng=np.random.default_rng(0)
        )
        # Pairs within a class, at random.
        rng = np.random.default_rng(1)
        order = rng.permutation(len(self.labels))
        order = order[np.argsort(self.labels[order], kind="stable")]
        first, second = order[~self.is_new[order]], order[self.is_new[order]]
        folds = rng.permutation(np.arange(len(first)) % N_FOLDS)
        swaps = np.zeros((0, len(first)), np.bool_)
        return separate(components[first], components[second], folds=folds, swaps=swaps, level=level)

    def tell(self, names: tuple[str, ...]) -> str:
        """The AUC of some kinds of traces, or of all, in words."""
        if names and all((self.features[name] == self.features[name][0]).all() for name in names):
            return "the same for every image"
        found = self.judge(names=names)
        low, high = float(found.limits.low), float(found.limits.high)
        return f"AUC {found.auc:.3f} [{low:.3f}, {high:.3f}], half-width {(high - low) / 2:.3f}"


@contextmanager
def serve_two_sources(folder: Path, *, n_per_set: int) -> Iterator[Examined]:
    """A study with two sets of pictures of one kind, served as it is in earnest: images are made ready ahead."""
    around = Circumstances(clock=Clock(), rng=np.random.default_rng(0), who="tester")
    study = init_study(folder / "study", taxonomy="cifar-10", around=around)
    try:
        with study.begin() as begun:
            _add_sets(begun, folder, n_per_set=n_per_set)
            manager = renew_link(begun, "manager", role=Role.MANAGER)
        people = add_people(study, None, 1)
        made = Examined(study, folder, None, people, manager)  # type: ignore[arg-type]
        words = ("--mode", "evaluation", "--sets", "original", "new", "--per-class", str(n_per_set // N_CLASSES))
        made.run("campaign", "create", "label", "test", *words, "--seed", "5")
        made.run("campaign", "open", "test")
        settings = ServerSettings(answers_per_minute=0, paints_ahead=True)
        with TestClient(create_app(study, settings), raise_server_exceptions=False) as client:
            _await_pictures(study, 2 * n_per_set)
            yield Examined(study, folder, client, people, manager)
    finally:
        study.close()


def note_traces(examined: Examined) -> Traces:
    """Take every image in the order of one person, and note what a script on the page could."""
    campaign = examined.get("test")
    visitor = examined.begin(examined.people[0], campaign)
    with examined.study.read() as reading:
        album = load_campaign_images(reading, campaign.id)
        new = get_test_set(reading, "new").id
    rows: dict[str, list[Any]] = {
        "address": [],
        "headers": [],
        "bytes": [],
        "dimensions": [],
        "position": [],
        "latency": [],
    }
    ids: list[str] = []
    while tasks := visitor.take(campaign, 5):
        for task in tasks:
            ids.append(task["id"])
            began = time.perf_counter()
            reply = visitor.get(task["images"][0])
            took = time.perf_counter() - began
            _note(rows, task, reply, took=took, position=len(ids))
            assert send(visitor, task, 0).status_code == 200
    shown = _find_images(examined, ids, album)
    labels = _find_labels(examined.study)
    return Traces(
        {name: np.array(values, np.float64) for name, values in rows.items()},
        np.array([one.test_set_id == new for one in shown]),
        np.array([labels[one] for one in shown], np.int64),
    )


@contextmanager
def plant_quality(study: Study, qualities: Mapping[str, int]) -> Iterator[None]:
    """As if the images of each set were sent with a JPEG quality of its own."""
    with study.read() as reading:
        of_set = {get_test_set(reading, name).id: quality for name, quality in qualities.items()}

    def load_planted(inside: Study, image: CampaignImage, *, side: RenditionSide) -> bytes:
        with Image.open(io.BytesIO(load_rendition(inside, image, side=side))) as opened:
            buffer = io.BytesIO()
            opened.save(buffer, "JPEG", quality=of_set[image.test_set_id])
        return buffer.getvalue()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(images, "load_rendition", load_planted)
        yield


def _add_sets(study: Study, folder: Path, *, n_per_set: int) -> None:
    """Pictures of one kind, dealt to the sets at random; only the names, the folders and the kind of file differ."""
    rng = np.random.default_rng(11)
    for name, (pattern, kind) in NAMES.items():
        (folder / name).mkdir(parents=True)
        rows = [("image_id", "label", "file")]
        for number in range(n_per_set):
            image_id = pattern.format(number + 1 if kind == "JPEG" else int(rng.integers(2**60)))
            file = f"{image_id}.{kind}"
            # Both are decoded from a JPEG of the same quality: what is in the pictures is of one kind.
            content = _draw(rng)
            if kind != "JPEG":
                buffer = io.BytesIO()
                Image.open(io.BytesIO(content)).save(buffer, "PNG", compress_level=1)
                content = buffer.getvalue()
            (folder / name / file).write_bytes(content)
            rows.append((image_id, str(number % N_CLASSES), file))
        with (folder / name / "set.csv").open("w", newline="", encoding="utf-8") as file_:
            csv.writer(file_).writerows(rows)
        add_test_set(study, folder / name / "set.csv", name=name)


def _draw(rng: np.random.Generator) -> bytes:
    """A soft picture with some grain, as a JPEG."""
    width, height = SHAPES[int(rng.integers(len(SHAPES)))]
    coarse = rng.integers(0, 256, (6, 8, 3), dtype=np.uint8)
    soft = np.asarray(Image.fromarray(coarse).resize((width, height), Image.Resampling.BICUBIC), np.float32)
    grain = rng.normal(0, rng.uniform(2, 12), (height, width, 1))
    buffer = io.BytesIO()
    Image.fromarray(np.clip(soft + grain, 0, 255).astype(np.uint8)).save(buffer, "JPEG", quality=92)
    return buffer.getvalue()


def _await_pictures(study: Study, n: int) -> None:
    """Until the server has made all images ready, as it does before anybody comes."""
    folder = study.paths.cache / "renditions" / str(RenditionSide.USUAL.value)
    while len(list(folder.glob("*.jpg"))) < n:
        time.sleep(0.2)


def _note(rows: dict[str, list[Any]], task: Mapping[str, Any], reply: Any, *, took: float, position: int) -> None:
    address = task["images"][0].encode().ljust(64, b"\0")[:64]
    content = reply.content
    head = np.frombuffer(content[:N_FIRST_BYTES].ljust(N_FIRST_BYTES, b"\0"), np.uint8)
    with Image.open(io.BytesIO(content)) as opened:
        width, height = opened.size
    told = "\n".join(f"{name}: {value}" for name, value in reply.headers.items() if name != "content-length")
    rows["address"].append([*address, len(task["images"][0]), *sorted(map(len, task))])
    rows["headers"].append([len(reply.headers), *told.encode().ljust(800, b"\0")[:800], reply.status_code])
    rows["bytes"].append(
        [*head, *(np.bincount(np.frombuffer(content, np.uint8), minlength=256) / len(content)), len(content)]
    )
    rows["dimensions"].append([width, height, width / height, *reply.content[-2:]])
    rows["position"].append([position, position % 5, position % 2])
    rows["latency"].append([took, np.log(took)])


def _find_images(examined: Examined, ids: Sequence[str], album: tuple[CampaignImage, ...]) -> list[CampaignImage]:
    """Per assignment its image, which nobody but the study knows."""
    who = examined.people[0].annotator.id
    with examined.study.read() as reading:
        tasks = [get_own_assignment(reading, AssignmentId(one), annotator_id=who)[1] for one in ids]
    return [album[task.payload["image"]] for task in tasks]


def _find_labels(study: Study) -> dict[CampaignImage, int]:
    with study.read() as reading:
        sets = [get_test_set(reading, name) for name in NAMES]
    return {CampaignImage(one.id, row): row % N_CLASSES for one in sets for row in range(one.n_images)}


def main(n_per_set: int) -> None:
    """Both tests at full size, with all kinds of traces alone and together."""
    for name, qualities in (("as it is", None), ("planted: JPEG quality 84 and 85", {"original": 84, "new": 85})):
        with tempfile.TemporaryDirectory() as folder, serve_two_sources(Path(folder), n_per_set=n_per_set) as examined:
            began = time.perf_counter()
            if qualities is None:
                traces = note_traces(examined)
            else:
                with plant_quality(examined.study, qualities):
                    traces = note_traces(examined)
            print(f"{name}: {n_per_set:,} images of each set, {time.perf_counter() - began:.0f} s")
            for names in ((), *((one,) for one in traces.features)):
                print(f"  {names[0] if names else 'all together'}: {traces.tell(names)}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else N_PER_SET)
