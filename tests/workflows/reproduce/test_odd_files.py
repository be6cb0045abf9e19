"""`reproduce` on files that do not hold what they should: their figures say so, and the others are computed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.formats.clones import WNIDS, name_image, write_frame, write_json

from regauge.records.reproductions import FigureAgreement, ReproducedFigure, Reproduction
from regauge.workflows.reproduce.papers import reproduce

ORIGINAL = "imagenet-validation-original"


def find(result: Reproduction, start: str) -> ReproducedFigure:
    (figure,) = [one for one in result.figures if one.figure.startswith(start)]
    return figure


@pytest.mark.parametrize("image", ["zz.JPEG", "ILSVRC2012_val_abc.JPEG", name_image(4), name_image(0)])
def test_scores_of_images_without_lists_are_refused_by_name(image: str, tmp_path: Path) -> None:
    write_json(tmp_path / "real.json", [[1], [], [2, 3]])
    np.savez(tmp_path / "scores.npz", tensor=np.array([0.9]), info=np.array([[image, "1"]]))
    np.savez(tmp_path / "raters.npz", tensor=np.zeros((3, 0, 3)))
    np.savez(tmp_path / "golden.npz", tensor=np.full((2, 2, 3), "yes"))
    rows = [[name_image(1), WNIDS[0]]]
    write_json(tmp_path / "data/datasets" / f"{ORIGINAL}.json", {"image_filenames": rows})
    result = reproduce("beyer2020", tmp_path)
    assert image.removesuffix(".JPEG") in find(result, "release: images asked about").note
    # A figure of a part of the labels would be no share of the images with labels.
    assert find(result, "release: share of images").note.endswith("the dataset label of ILSVRC2012_val_00000002")
    for start in ("release: people, questions", "release: experts"):
        assert "answers are numbers [people, questions, 3]" in find(result, start).note


@pytest.mark.parametrize(("n_images", "problem"), [(0, "the frame has no rows"), (3, "does not fit together")])
def test_files_that_do_not_fit_together_cost_their_figures_only(n_images: int, problem: str, tmp_path: Path) -> None:
    images = [(name_image(number), number % 10) for number in range(1, 5)]
    clone = tmp_path / "ImageNetMultiLabel"
    rows = [[image, WNIDS[label]] for image, label in images]
    write_json(tmp_path / "ImageNetV2/data/datasets" / f"{ORIGINAL}.json", {"image_filenames": rows})
    parts = ["fu", "easy", "of no known part", "mis"]
    write_frame(clone / "data/image_info.pkl", {"annotation": parts}, [image for image, _ in images])
    others = [name_image(100 + number) for number in range(n_images)]
    contains: dict[str, list[Any]] = {"query": [[1, 2]], "selected": [[8, 2]], "total": [[9, 9]], "imagenet_label": [1]}
    columns = {name: value * n_images for name, value in contains.items()}
    write_frame(clone / "data/annotations_contains_task.pkl", columns, others)
    answers = [[label, 600, 601, 602, 603] for _, label in images]
    write_frame(clone / "data/model_predictions.pkl", {"img_number": range(4), "pred_googlenet": answers})
    result = reproduce("tsipras2020", tmp_path)
    assert find(result, "§3: images in the study").recomputed == "4"
    assert find(result, "Figure 8: mean selection").agreement is FigureAgreement.NOT_COMPUTABLE
    assert problem in find(result, "Figure 8: mean selection").note
