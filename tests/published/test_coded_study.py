"""The 378 coded mistakes that Vasudevan et al. (2022) released as a coding of a study, under reassessed labels (ReaL)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from regauge.campaigns.fields import PARTICIPANTS
from regauge.campaigns.reviews.coding import TAKEN_OVER
from regauge.campaigns.visibility import LABELS
from regauge.formats.mistakes.coded import parse_taken_over
from regauge.records.labels.verdicts import Verdict
from regauge.records.mistakes.coded import SEVERITIES
from regauge.records.predictions import Predictions
from regauge.storage.testsets.test_set import get_test_set
from regauge.workflows.campaigns.reviews.remaining import find_remaining
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.mistakes.codings import AddedCoding, CodingSource, add_coding, show_coding
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.studies.study import Study, init_study
from regauge.workflows.testsets.test_set import add_test_set

RELEASED = "vasudevan2022_mistakes_vit3b.json"


@pytest.fixture(scope="module")
def coded(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Study, AddedCoding]]:
    folder = tmp_path_factory.mktemp("coded")
    with np.load(published / "recht2019_imagenet_top1.npz", allow_pickle=False) as archive:
        ids = [f"ILSVRC2012_val_{number:08d}" for number in archive["val_ids"].tolist()]
        labels, top1, models = archive["val_labels"].tolist(), archive["val_top1"], archive["models"].tolist()
    rows = "".join(f"{image_id},{label}\n" for image_id, label in zip(ids, labels, strict=True))
    (folder / "val.csv").write_text(f"image_id,label\n{rows}")
    study = init_study(folder / "study", taxonomy="imagenet-1k")
    best = int((top1 == np.array(labels)).sum(axis=1).argmax())
    answers = Predictions(models[best], np.array(ids), top1[best].astype(np.int32).reshape(-1, 1))
    with study.begin() as begun:
        add_test_set(begun, folder / "val.csv", name="val")
        add_labels(begun, published / "real2020_labels.json", name="real")
        add_predictions(begun, PredictionSource([answers]))
        added = add_coding(begun, CodingSource(f"{published / RELEASED}#vit_3b", "vit_3b", "real"))
    yield study, added
    study.close()


def test_85_of_378_are_listed_as_contradictions_between_label_sets(coded: tuple[Study, AddedCoding]) -> None:
    study, added = coded
    assert (added.entry.n_coded, added.entry.n_overturned) == (293, 85)
    assert any("85 of 378 coded mistakes contradict real@1, which accepts them" in note for note in added.notes)
    assert any("64 coded mistakes are on images on which real@1 judges no answer" in note for note in added.notes)
    with study.read() as begun:
        shown = show_coding(begun, "vit_3b")
    assert set(shown.coding.overturned.reasons) == {"label set"}
    assert set(shown.verdicts) == {Verdict.CORRECT}


def test_all_74_borderline_ones_stay_borderline(coded: tuple[Study, AddedCoding]) -> None:
    study, _ = coded
    with study.read() as begun:
        coding = show_coding(begun, "vit_3b").coding
    n = Counter(SEVERITIES[one] for one in coding.coded.severities)
    gone = sum("borderline" in note for note in coding.overturned.notes)
    assert (n["borderline"], gone) == (51, 23)
    assert n["borderline"] + gone == 74


def test_another_model_takes_over_the_codes_of_pairs_that_it_shares(coded: tuple[Study, AddedCoding]) -> None:
    study, added = coded
    with study.read() as begun:
        settings = {PARTICIPANTS.name: ["*"], LABELS: "real"}
        found = find_remaining(begun, get_test_set(begun, "val"), settings=settings)
        remaining = show_coding(begun, "vit_3b").coding.coded
    taken = {(one.image_id, one.prediction) for one in parse_taken_over(found.documents[TAKEN_OVER])}
    released = set(zip(remaining.image_ids.tolist(), remaining.predictions.tolist(), strict=True))
    # The best of the 67 models of Recht et al. makes 5,759 mistakes there, of which 76 are coded.
    assert (len(found.pairs), len(taken)) == (5_683, 76)
    assert taken <= released
    assert not released & set(found.pairs)
    assert found.settings[TAKEN_OVER] == {added.entry.full_name: 76}
