"""`reproduce` on small whole clones with made-up numbers: what is computed when all files are there, against plain NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.formats.clones import (
    WNIDS,
    World,
    name_image,
    write_cifar,
    write_classified,
    write_coded,
    write_frame,
    write_json,
)

from regauge.records.reproductions import Basis, FigureAgreement, ReproducedFigure, Reproduction
from regauge.workflows.reproduce.papers import reproduce
from regauge.workflows.reproduce.recht2019 import TABLE_1
from regauge.workflows.reproduce.tsipras2020 import APPENDIX_ACCURACIES

NETWORKS = (*(name for name in TABLE_1 if name != "fv_64k"), *(f"network{number}" for number in range(57)))
MODELS = (*NETWORKS, "fv_64k", "fv_16k", "fv_4k")
ORIGINAL = "imagenet-validation-original"


def find(result: Reproduction, start: str) -> ReproducedFigure:
    (figure,) = [one for one in result.figures if one.figure.startswith(start)]
    return figure


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    assert len(MODELS) == 67
    folder = tmp_path_factory.mktemp("clones") / "ImageNetV2"
    return World(folder, MODELS, np.random.default_rng(5)).write()


@pytest.fixture(scope="module")
def recht(world: World) -> Reproduction:
    return reproduce("recht2019", world.folder)


def count_hits(world: World, name: str, model: str, width: int) -> float:
    labels = np.array(world.labels[name])[:, np.newaxis]
    return float((world.answers[name, model][:, :width] == labels).any(axis=1).mean())


@pytest.mark.parametrize(
    ("name", "title"),
    [("imagenetv2-b-33", "MatchedFrequency"), ("imagenetv2-a-44", "Threshold0.7"), ("imagenetv2-c-12", "TopImages")],
)
def test_mean_changes_come_from_all_models_of_a_whole_clone(
    name: str, title: str, world: World, recht: Reproduction
) -> None:
    changes = []
    for width in (1, 5):
        new, old = (np.mean([count_hits(world, one, model, width) for model in MODELS]) for one in (name, ORIGINAL))
        changes.append(f"{100 * (new - old):+.1f}")
    figure = find(recht, f"Table 2, {title}: mean change")
    assert (figure.recomputed, figure.basis) == (" / ".join(changes), Basis.DATA)


@pytest.mark.parametrize(("name", "title"), [("imagenetv2-a-44", "Threshold0.7"), ("imagenetv2-c-12", "TopImages")])
def test_lines_are_fitted_on_every_set(name: str, title: str, world: World, recht: Reproduction) -> None:
    x, y = (np.array([world.accuracy(one, model) for model in NETWORKS]) for one in (ORIGINAL, name))
    slope, offset = np.polyfit(x, y, 1)
    recomputed = find(recht, f"Figure 2, {title}").recomputed
    assert recomputed.startswith(f"slope {slope:.2f} [")
    assert f"offset {100 * offset:.1f} [" in recomputed
    assert recomputed.endswith(f"R² {np.corrcoef(x, y)[0, 1] ** 2:.3f}")


def test_rows_have_ranks_when_all_models_are_there(world: World, recht: Reproduction) -> None:
    accuracies = {model: world.accuracy(ORIGINAL, model) for model in MODELS}
    rank = sorted(MODELS, key=lambda model: (-accuracies[model], model)).index("vgg19_bn") + 1
    recomputed = find(recht, "Table 1, ImageNet: vgg19_bn").recomputed
    assert recomputed.startswith(f"{rank} | {100 * accuracies['vgg19_bn']:.1f} [")
    assert len(recht.notes) == 3
    assert all("fv_16k is stored worst first" in note for note in recht.notes)


def test_grids_of_a_clone_are_counted(recht: Reproduction) -> None:
    assert find(recht, "§4: images per grid").recomputed == "48"
    assert find(recht, "§4: controls that are validation images of the nearest").recomputed == "117 of 117"
    # Three controls of each class are too few to tell, and more grids could show more.
    enough = find(recht, "§4: classes with at least 20")
    assert enough.agreement is FigureAgreement.NOT_COMPUTABLE
    assert "the 39 there show 20 or more for 0 classes of 1,000" in enough.note


def test_smaller_grids_of_trials_do_not_count_against_the_others(tmp_path: Path) -> None:
    world = World(tmp_path / "a", ("alexnet",), np.random.default_rng(1)).write()
    trial = {
        "wnid": WNIDS[0],
        "images_all": [f"{number:040x}" for number in range(25)],
        "images_pos_control": [f"{0:040x}"],
        "images_neg_control": None,
    }
    write_json(world.folder / "data/mturk/hit_data_live/2018-08-06_17:33_trial.json", [trial])
    result = reproduce("recht2019", tmp_path)
    size = find(result, "§4: images per grid")
    assert (size.recomputed, size.agreement) == ("48", FigureAgreement.EQUAL)
    assert size.note == "39 grids of this size are in the folders given; of another size, and left out below: 1"
    assert find(result, "§4: controls of a nearby class, at least").recomputed == "3"
    assert find(result, "§4: controls that are validation images of the grid's").recomputed == "117 of 117"


def test_files_without_grids_are_no_grids(tmp_path: Path) -> None:
    world = World(tmp_path / "a", ("alexnet",), np.random.default_rng(1)).write()
    for path in (world.folder / "data/mturk/hit_data_live").iterdir():
        write_json(path, [[{"images_all": None}]])
    size = find(reproduce("recht2019", tmp_path), "§4: images per grid")
    assert (size.agreement, size.note.split(": ")[0]) == (FigureAgreement.NOT_COMPUTABLE, "not in the folders given")


def test_controls_that_are_no_validation_images_are_counted_as_such(tmp_path: Path) -> None:
    world = World(tmp_path / "a", ("alexnet",), np.random.default_rng(1)).write()
    images = [f"{number:040x}" for number in range(48)]
    grid = {"wnid": WNIDS[0], "images_all": images, "images_pos_control": images[:3], "images_neg_control": images[3:6]}
    write_json(world.folder / "data/mturk/hit_data_live/third.json", [grid])
    result = reproduce("recht2019", tmp_path)
    assert find(result, "§4: controls that are validation images of the grid's").recomputed == "117 of 120"
    nearest = find(result, "§4: controls that are validation images of the nearest")
    assert (nearest.recomputed, nearest.note) == (
        "117 of 120",
        "the paper says a nearby class, not that it is the nearest",
    )
    # Nobody has seen these grids before, so that they may differ.
    assert not nearest.is_surprising


def test_models_that_are_absent_cost_the_ranks_and_the_fits_only(tmp_path: Path) -> None:
    World(tmp_path / "a", ("alexnet", "fv_16k"), np.random.default_rng(1)).write()
    result = reproduce("recht2019", tmp_path)
    row = find(result, "Table 1, ImageNet: alexnet")
    assert row.published == "56.5 [56.1, 57.0] | 44.0 [43.0, 45.0] | 12.5"
    assert "need all 67 models; 2 are in the folders given" in row.note
    assert find(result, "Table 1, ImageNet: resnet152").note.endswith(
        f"data/predictions/{ORIGINAL}/resnet152.npy, data/predictions/imagenetv2-b-33/resnet152.npy"
    )
    assert "predictions of all 67 models on val and matched_frequency; 2 have them" in find(result, "§3.3: slope").note


def test_frequencies_are_averaged_where_somebody_has_them(tmp_path: Path) -> None:
    world = World(tmp_path / "a", ("alexnet",), np.random.default_rng(1)).write()
    name = "imagenetv2-c-12"
    rows = [
        f"{image},{label},10,{place % 11}"
        for place, (image, label) in enumerate(zip(world.images[name], world.labels[name], strict=True))
    ]
    path = tmp_path / "recht2019_selection_frequencies.csv"
    path.write_text("\n".join(["image_id,class,n_shown,n_selected", *rows]), encoding="utf-8")
    figure = find(reproduce("recht2019", tmp_path), "Table 2, TopImages: mean selection frequency")
    assert figure.recomputed == f"{np.mean([place % 11 / 10 for place in range(len(rows))]):.2f}"
    assert figure.note == "over 80 of 80 images"


CIFAR = {"wrn_28_10": 0.96, "resnet_basic_110": 0.93, "cudaconvnet": 0.88, "random_features_256k_aug": 0.8}


def test_cifar_rows_and_line_come_from_version_4(tmp_path: Path, rng: np.random.Generator) -> None:
    labels = write_cifar(tmp_path / "CIFAR-10.1", CIFAR, rng)
    before = reproduce("recht2019", tmp_path)
    # Without the labels of CIFAR-10 the new accuracies are there, and what is missing for the rest is named.
    assert find(before, "Table 1, CIFAR-10: wide_resnet_28_10, new").agreement is not FigureAgreement.NOT_COMPUTABLE
    assert "cifar10_test_labels.npy" in find(before, "Table 1, CIFAR-10: wide_resnet_28_10, original").note
    np.save(tmp_path / "cifar10_test_labels.npy", labels["original"])
    result = reproduce("recht2019", [tmp_path / "CIFAR-10.1", tmp_path])
    x, y = ([np.mean(read(tmp_path, name, model) == labels[name]) for model in CIFAR] for name in ("original", "v4"))
    slope, offset = np.polyfit(x, y, 1)
    assert find(result, "§3.3, CIFAR-10: slope").recomputed == f"{slope:.2f}"
    assert find(result, "§3.3, CIFAR-10: offset of").recomputed == f"{100 * offset:.1f}"
    assert "150 images are in both versions" in find(result, "§3.3, CIFAR-10: slope").note
    row = find(result, "Table 1, CIFAR-10: cudaconvnet, original")
    assert row.recomputed.startswith(f"{100 * x[2]:.1f} [")
    assert row.recomputed.endswith(f"| {100 * (x[2] - y[2]):.1f}")
    assert "called wrn_28_10 there" in find(result, "Table 1, CIFAR-10: wide_resnet_28_10, new").note
    assert (
        "autoaug_pyramid_net_tf_predictions.json" in find(result, "Table 1, CIFAR-10: autoaug_pyramid_net_tf, new").note
    )


def test_images_of_two_versions_are_not_compared_without_their_places(tmp_path: Path, rng: np.random.Generator) -> None:
    labels = write_cifar(tmp_path, CIFAR, rng)
    np.save(tmp_path / "cifar10_test_labels.npy", labels["original"])
    for path in (tmp_path / "other_data").iterdir():
        path.unlink()
    assert "both versions" not in find(reproduce("recht2019", tmp_path), "§3.3, CIFAR-10: slope").note


def read(folder: Path, name: str, model: str) -> np.ndarray[Any, Any]:
    path = folder / "CIFAR-10.1" / f"model_predictions/{name}_predictions/{model}_predictions.json"
    return np.array([int(one) for one in path.read_text(encoding="utf-8").strip("[]").split(",")])


def test_unions_and_distinct_predictions_count_images_once(world: World) -> None:
    result = reproduce("shankar2020", world.folder)
    new = ("imagenetv2-b-33", "imagenetv2-a-44", "imagenetv2-c-12")
    union = {image for name in new for image in world.images[name]}
    assert len(union) < 3 * 80
    assert find(result, "§2: images of the three").recomputed == f"{len(union):,}"
    assert find(result, "§3.2: annotated images in all").recomputed == f"{len(union) + 80:,}"
    pairs = {
        (image, int(answer))
        for name in (*new, "imagenet-annotatedval20k-0")
        for model in MODELS
        for image, answer in zip(world.images[name], world.answers[name, model][:, 0], strict=True)
    }
    assert find(result, "§3.2: distinct predictions").recomputed == f"{len(pairs):,}"


def write_human_accuracy(folder: Path, world: World) -> Path:
    """Two correct labels on every third validation image, the last image being problematic."""
    rows = zip(world.images[ORIGINAL], world.labels[ORIGINAL], strict=True)
    annotations = {
        image: {"correct": [WNIDS[label], *([WNIDS[label + 1]] if place % 3 == 0 else [])]}
        for place, (image, label) in enumerate(rows)
    }
    content = {
        "initial_annots": annotations,
        "problematic_images": [world.images[ORIGINAL][-1]],
        "imagenet_m": world.images[ORIGINAL][:4],
    }
    return write_json(folder / "human_accuracy_v3.0.0.json", content)


def test_labels_of_version_3_give_multi_label_figures(world: World, tmp_path: Path) -> None:
    write_human_accuracy(tmp_path, world)
    result = reproduce("shankar2020", [world.folder, tmp_path])
    # Of 199 images, numbers 0, 3, …, 198 have two labels: 67.
    assert find(result, "§3.2: validation images with more").recomputed == f"{100 * 67 / 199:.1f}%"
    assert find(result, "§3.2: correct labels of these").recomputed == "2.0"
    labels = np.array(world.labels[ORIGINAL])[:-1]
    second = np.where(np.arange(199) % 3 == 0, labels + 1, -1)
    first = [world.answers[ORIGINAL, model][:-1, 0] for model in MODELS]
    gain = 100 * np.median([np.mean(answers == second) for answers in first])
    assert find(result, "§3.2: median of multi-label minus top-1").recomputed == f"{gain:.1f}"
    assert any("verdicts on 200 images" in note for note in result.notes)


def code(images: Sequence[str], category: str, severity: str, prediction: int = 5) -> dict[str, tuple[int, str, str]]:
    return dict.fromkeys(images, (prediction, category, severity))


def test_two_models_mistakes_are_compared(world: World, tmp_path: Path) -> None:
    images = world.images[ORIGINAL]
    vit = code(images[:6], "Fine-grained error", "Major") | code(images[6:10], "Spurious Correlation", "Minor")
    soups = code(images[3:6], "Fine-grained error", "Major") | code(images[6:8], "Spurious Correlation", "Minor", 7)
    soups |= code(images[20:21], "Non-prototypical", "Minor")
    folder = tmp_path / "imagenet-mistakes" / "metadata"
    write_coded(folder / "vit3b_mistakes.json", vit)
    write_coded(folder / "greedy_soups_mistakes.json", soups)
    write_human_accuracy(tmp_path, world)
    result = reproduce("vasudevan2022", [world.folder, tmp_path])
    assert find(result, "§4.3: mistakes of Greedy Soups").recomputed == "6"
    assert find(result, "Table 2, Greedy Soups on ImageNet: fine-grained, %").recomputed == "50.0"
    # Corrected: 10 − 5 common; new: one; common with another prediction: two.
    assert find(result, "§4.3: mistakes corrected").recomputed == "5 / 1 / 2"
    assert find(result, "§4.3: χ² of the severities").note.startswith("the paper prints N = 629, the files have N = 16")
    # ImageNet-M: the first four images, all fine-grained mistakes of ViT-3B; Greedy Soups makes one of them.
    assert find(result, "§5.1: images of ImageNet-M").recomputed == "4"
    assert find(result, "§5.1: ImageNet-M by category").recomputed == "4 / 0 / 0 / 0"
    assert find(result, "§5.1: ImageNet-M images that").recomputed == "3"
    assert "95.0% of" not in find(result, "Table 1: multi-label accuracy of ViT-3B, reviewed").note
    assert (
        f"{100 * (1 - 10 / 199):.2f}% of 199 images"
        in find(result, "Table 1: multi-label accuracy of ViT-3B, reviewed").note
    )


def test_a_whole_classify_study_is_compared_exactly(tmp_path: Path) -> None:
    images = [(name_image(number), number % 1_000) for number in range(1, 10_001)]
    clone = tmp_path / "ImageNetMultiLabel"
    # Every third of 6,761 images has two objects, the main one not being the dataset's: 2,254.
    write_classified(clone, images[:6_761], every_with_two=3)
    parts = ["fu"] * 6_761 + ["easy"] * 2_923 + ["amb"] * 166 + ["mis"] * 150
    write_frame(clone / "data/image_info.pkl", {"annotation": parts}, [image for image, _ in images])
    rows = [[image, WNIDS[label]] for image, label in images]
    write_json(tmp_path / "ImageNetV2" / "data" / "datasets" / f"{ORIGINAL}.json", {"image_filenames": rows})
    result = reproduce("tsipras2020", tmp_path)
    several = find(result, "§4.1: images with several objects, of the follow-up")
    assert (several.recomputed, several.agreement) == ("33.3% (2,254 of 6,761)", FigureAgreement.DIFFERS)
    assert find(result, "§4.1: images with several objects, of all 10,000").recomputed == "22.5%"
    own = find(result, "§4.1: main object is not the dataset's, by the release's own objects")
    assert own.recomputed == "100.0% (2,254 of 2,254)"
    assert find(result, "B.2: tasks kept").recomputed == "100.0% (60,849 of 60,849)"
    assert find(result, "§3: images of every class").recomputed == "10"
    assert find(result, "release: main label").recomputed == "6,761 of 6,761"


def test_sentences_about_networks_follow_from_their_answers(tmp_path: Path) -> None:
    images = [(name_image(number), number % 10) for number in range(1, 41)]
    clone = tmp_path / "ImageNetMultiLabel"
    write_classified(clone, images[:20], every_with_two=2)
    names = [image for image, _ in images]
    write_frame(clone / "data/image_info.pkl", {"annotation": ["fu"] * 20 + ["easy"] * 20}, names)
    folder = tmp_path / "ImageNetV2" / "data"
    rows = [[image, WNIDS[label]] for image, label in images]
    write_json(folder / "datasets" / f"{ORIGINAL}.json", {"image_filenames": rows})
    labels = np.array([label for _, label in images])
    for number in range(64):
        path = folder / "predictions" / ORIGINAL / f"network{number}.npy"
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, np.stack([labels, *(labels + place for place in range(500, 504))], axis=1))
    result = reproduce("tsipras2020", tmp_path)
    # Every network is right on all images, with one object as with two, where naming one at random is right on half of them.
    for start, recomputed in (
        ("Figure 4: gap between", "0.0 – 0.0 points"),
        ("§4.1: top-1 on images with several", "100.0 – 100.0% against 50.0%: of 64 networks 64 above, 0 below"),
        ("Figure 5: top-1 where", "100.0 – 100.0% against 50.0%: of 64 networks 64 above, 0 below"),
    ):
        figure = find(result, start)
        assert (figure.recomputed, figure.agreement) == (recomputed, FigureAgreement.CONSISTENT)


def test_potential_labels_come_from_the_ten_models_of_the_table(tmp_path: Path) -> None:
    images = [(name_image(number), number % 10) for number in range(1, 21)]
    clone = tmp_path / "ImageNetMultiLabel"
    write_classified(clone, images, every_with_two=2)
    write_frame(clone / "data/image_info.pkl", {"annotation": ["fu"] * 20}, [image for image, _ in images])
    rows = [[image, WNIDS[label]] for image, label in images]
    write_json(tmp_path / "ImageNetV2/data/datasets" / f"{ORIGINAL}.json", {"image_filenames": rows})
    frame: dict[str, Any] = {"img_number": range(20), "pred_aaa": [[900, 901, 902, 903, 904]] * 20}
    for model in APPENDIX_ACCURACIES:
        frame[f"pred_{model}"] = [[label, (label + 1) % 1_000, 700, 701, 702] for _, label in images]
    write_frame(clone / "data/model_predictions.pkl", frame)
    result = reproduce("tsipras2020", tmp_path)
    # The dataset label, the one after it and three more; the model that is not in the table adds nothing.
    assert find(result, "§3.1: potential labels").recomputed == "5.0"
    selected = find(result, "§3.1: labels selected")
    assert (selected.recomputed, selected.agreement) == ("100.0% (30 of 30)", FigureAgreement.CONSISTENT)
    write_frame(clone / "data/model_predictions.pkl", {name: frame[name] for name in ("img_number", "pred_aaa")})
    assert (
        find(reproduce("tsipras2020", tmp_path), "§3.1: potential labels").agreement is FigureAgreement.NOT_COMPUTABLE
    )


def test_answers_of_contains_and_own_models_give_the_figures_that_need_them(tmp_path: Path) -> None:
    images = [(name_image(number), number % 10) for number in range(1, 41)]
    labels = [label for _, label in images]
    clone = tmp_path / "ImageNetMultiLabel"
    write_classified(clone, images[:20], every_with_two=2)
    write_frame(
        clone / "data/image_info.pkl", {"annotation": ["fu"] * 20 + ["easy"] * 20}, [image for image, _ in images]
    )
    rows = [[image, WNIDS[label]] for image, label in images]
    write_json(tmp_path / "ImageNetV2" / "data" / "datasets" / f"{ORIGINAL}.json", {"image_filenames": rows})
    contains = {
        "query": [[label, 500, 501] for label in labels],
        # Another label is selected as often as the dataset's on the first ten images.
        "selected": [[8, 8 if place < 10 else 2, 0] for place in range(40)],
        "total": [[9, 9, 9]] * 40,
        "imagenet_label": labels,
    }
    write_frame(clone / "data/annotations_contains_task.pkl", contains, [image for image, _ in images])
    answers = [[label if place >= 10 else 500, 600, 601, 602, 603] for place, label in enumerate(labels)]
    write_frame(
        clone / "data/model_predictions.pkl",
        {"img_number": range(40), "imagenet_label": labels, "pred_googlenet": answers},
    )
    result = reproduce("tsipras2020", tmp_path)
    assert find(result, "§4.2: images with another label").recomputed == "25.0% (10 of 40)"
    assert find(result, "Figure 11: labels").recomputed == "3.0"
    assert find(result, "Appendix Table 1: googlenet").recomputed == "75.00 / 75.00"
    assert find(result, "Figure 8: mean selection frequency").recomputed == "0.889 (googlenet) and 0.889"
    # By the counts the first ten images go on and the other thirty are easy; the frame has twenty of each.
    assert find(result, "B.2: images in the part").recomputed == "75.0% (30 of 40)"


def test_votes_of_the_reassessed_labels_are_counted(tmp_path: Path) -> None:
    write_json(tmp_path / "real.json", [[1], [], [2, 3]])
    info = np.array([[name_image(1), "1"], [name_image(3), "2"], [name_image(3), "3"], [name_image(3), "4"]])
    np.savez(tmp_path / "scores.npz", tensor=np.array([0.9, 0.8, 1.0, 0.79]), info=info)
    tensor = np.zeros((3, 4, 3))
    tensor[:2, :, 2] = 1
    np.savez(tmp_path / "raters.npz", tensor=tensor, ids=np.arange(3))
    result = reproduce("beyer2020", tmp_path)
    assert find(result, "release: images asked about").recomputed == "2 of 2"
    assert find(result, "release: people, questions and answers").recomputed == "3, 4 and 8"
    assert find(result, "release: people, questions and answers").note == "2 answers to every question"
    assert find(result, "release: images that nobody").agreement is FigureAgreement.NOT_COMPUTABLE
