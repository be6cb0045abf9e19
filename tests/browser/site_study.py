"""A small study whose website has something on every page, with names that try to be markup."""

from __future__ import annotations

import json
from pathlib import Path

from tests.browser.server_process import NAMES, make_served_study, open_served

from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.labels.objects import ImageObjects
from regauge.records.site import SitePictures, SiteSettings
from regauge.storage.labels.evidence import insert_frequencies, insert_objects
from regauge.storage.labels.label_set import get_label_set
from regauge.workflows.exports.site import export_site
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.mistakes.codings import CodingSource, add_coding
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.studies.study import Study

GOOD, BAD = "good model", "<u>bad & model"
N_CLASSES, PER_CLASS = len(NAMES), 4
IDS = [f"new-{label}-{number}" for label in range(N_CLASSES) for number in range(PER_CLASS)]
LABELS = [label for label in range(N_CLASSES) for _ in range(PER_CLASS)]
BACKSLIDE = "new-0-3"
"""An image that nobody selected."""


def make_site_study(folder: Path) -> Path:
    """Images of twelve classes, two participants, a label set in two versions with counts and objects, and coded mistakes."""
    place = make_served_study(folder)
    # The good one errs on the last image of a class, the bad one on all but the first; both take 2 for 3.
    good = [label if i % PER_CLASS < 3 else (label + 1) % N_CLASSES for i, label in enumerate(LABELS)]
    bad = [label if i % PER_CLASS < 1 else (label + 1) % N_CLASSES for i, label in enumerate(LABELS)]
    files = {"good.csv": good, "bad.csv": bad}
    for name, answers in files.items():
        lines = "".join(f"{one},{index}\n" for one, index in zip(IDS, answers, strict=True))
        (folder / name).write_text(f"image_id,class\n{lines}")
    with open_served(place) as study, study.begin() as begun:
        for name, file in ((GOOD, "good.csv"), (BAD, "bad.csv")):
            source = PredictionSource([f"{name}={folder / file}"])
            add_predictions(begun, source, test_set="new")
        _add_labels(begun, folder)
        coded = "".join(
            f"{one},{(LABELS[IDS.index(one)] + 1) % N_CLASSES},FG,major\n" for one in ("new-1-3", "new-2-3")
        )
        (folder / "coded.csv").write_text(f"image_id,prediction,category,severity\n{coded}")
        add_coding(begun, CodingSource(folder / "coded.csv", GOOD, "people", test_set="new"))
    return place


def export(folder: Path, *, pictures: SitePictures = SitePictures.NONE) -> str:
    """The website of such a study; gives the address of its page on this machine."""
    with open_served(make_site_study(folder)) as study, study.read() as begun:
        export_site(begun, folder / "site", settings=SiteSettings(pictures=pictures))
    return (folder / "site" / "index.html").as_uri()


def _add_labels(study: Study, folder: Path) -> None:
    """Two versions, of which the second says that a dataset label is wrong."""
    for version in range(2):
        rows = [
            {
                "image_id": one,
                "correct": [label, (label + 1) % N_CLASSES] if i % PER_CLASS == 1 else [label],
                "wrong": [(label + 2) % N_CLASSES],
            }
            for i, (one, label) in enumerate(zip(IDS, LABELS, strict=True))
        ]
        if version:
            rows[3] = {"image_id": BACKSLIDE, "correct": [1], "wrong": [0]}
        (folder / "people.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        add_labels(study, folder / "people.jsonl", name="people")
    entry = get_label_set(study, "people")
    n_selected = [0 if one == BACKSLIDE else 10 - i % PER_CLASS for i, one in enumerate(IDS)]
    counts = SelectionCounts(IDS, range(len(IDS)), LABELS, [10] * len(IDS), n_selected)
    insert_frequencies(study, entry, counts)
    objects = [
        [[label], [(label + 1) % N_CLASSES]] if i % PER_CLASS == 1 else [[label]] for i, label in enumerate(LABELS)
    ]
    insert_objects(study, entry, ImageObjects.from_lists("people", IDS, objects=objects))
