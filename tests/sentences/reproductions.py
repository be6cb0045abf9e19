"""Sentences of reproductions: names of figures, and notes beside them, from small made-up clones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
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
from tests.sentences.aggregation_data import printed
from tests.sentences.entries import Always, Entries, Maker, Pair
from tests.workflows.reproduce.test_clones import CIFAR, MODELS, ORIGINAL, code, write_human_accuracy

from regauge.cli.reproduce import _count, _print_table
from regauge.estimates import make_share
from regauge.records.reproductions import ReproducedFigure, Reproduction
from regauge.workflows.reproduce.checks import Figures
from regauge.workflows.reproduce.papers import reproduce
from regauge.workflows.reproduce.tsipras2020 import STAND_INS
from regauge.workflows.reproduce.tsipras2020_contains import _tell_unknown
from regauge.workflows.reproduce.tsipras2020_objects import _check_fifth, _tell_doubts
from regauge.workflows.reproduce.tsipras2020_release import _tell_ties
from regauge.workflows.reproduce.tsipras2020_study import N_FOLLOW_UP, ObjectStudy

Clone = Callable[[Path], None]


@cache
def run(paper: str, *clones: Clone) -> Reproduction:
    """A paper on made-up clones."""
    with TemporaryDirectory() as folder:
        for number, write in enumerate(clones):
            (Path(folder) / str(number)).mkdir()
            write(Path(folder) / str(number))
        return reproduce(paper, Path(folder))


def told(paper: str, *clones: Clone) -> Maker:
    """The title, and of every figure its name, its note and what was recomputed."""

    def make(_: Path) -> list[str]:
        result = run(paper, *clones)
        texts = [text for one in result.figures for text in (one.figure, one.note, one.recomputed)]
        return [result.title, *texts, *result.notes, _count(result)]

    return make


def whole(folder: Path) -> None:
    """All models on all five sets, and the labels that people gave."""
    world = World(folder, MODELS, np.random.default_rng(5)).write()
    write_human_accuracy(folder, world)


def corrected(folder: Path) -> None:
    """All models on the validation set, whose second answer is the dataset label wherever the first is not."""
    world = World(folder, MODELS, np.random.default_rng(5)).write()
    labels = np.array(world.labels[ORIGINAL])
    for model in MODELS:
        answers = world.answers[ORIGINAL, model].copy()
        is_wrong = answers[:, 0] != labels
        answers[is_wrong, 1] = labels[is_wrong]
        np.save(folder / f"data/predictions/{ORIGINAL}/{model}.npy", answers)


def standing_in(folder: Path) -> None:
    World(folder, STAND_INS, np.random.default_rng(1)).write()


def few(folder: Path) -> None:
    World(folder, ("alexnet", "fv_16k"), np.random.default_rng(1)).write()


def tried(folder: Path) -> None:
    """Likewise with a grid of a trial, which was smaller."""
    few(folder)
    images = [f"{number:040x}" for number in range(25)]
    trial = {"wnid": WNIDS[0], "images_all": images, "images_pos_control": images[:1], "images_neg_control": None}
    write_json(folder / "data/mturk/hit_data_live/2018-08-06_17:33_trial.json", [trial])


def attempted(make: Callable[[], Iterable[ReproducedFigure]]) -> Maker:
    """The notes of figures that were made or could not be."""
    return lambda _: [one.note for one in Figures("paper").attempt(make, [("a", "1")])]


def cifar(folder: Path) -> None:
    labels = write_cifar(folder, CIFAR, np.random.default_rng(2))
    np.save(folder / "cifar10_test_labels.npy", labels["original"])


def cifar_4(folder: Path) -> None:
    """Likewise without version 6."""
    cifar(folder)
    rmtree(folder / "model_predictions" / "v6_predictions")


def coded(folder: Path) -> None:
    """Ten and six mistakes of the two models on validation images."""
    images = [name_image(number) for number in range(1, 201)]
    vit = code(images[:6], "Fine-grained error", "Major") | code(images[6:10], "Spurious Correlation", "Minor")
    soups = code(images[3:6], "Fine-grained error", "Major") | code(images[6:8], "Spurious Correlation", "Minor", 7)
    write_coded(folder / "metadata" / "vit3b_mistakes.json", vit)
    write_coded(folder / "metadata" / "greedy_soups_mistakes.json", soups)
    write_json(folder / "metadata" / "class_confusion_wnids.json", [[WNIDS[0], WNIDS[1], 3], [WNIDS[2], WNIDS[3], 1]])


def classified(folder: Path) -> None:
    """A follow-up of 60 of the images that all models answered, and their split."""
    rows = [(name_image(number), (number - 1) // 5) for number in range(1, 201)]
    write_classified(folder, rows[:60], every_with_two=3)
    parts = ["fu"] * 60 + ["easy"] * 140
    write_frame(folder / "data/image_info.pkl", {"annotation": parts}, [image for image, _ in rows])


def asked(folder: Path) -> None:
    """Answers to CONTAINS on forty images, and those of one of the authors' models."""
    images = [(name_image(number), number % 10) for number in range(1, 41)]
    labels, names = [label for _, label in images], [image for image, _ in images]
    write_classified(folder, images[:20], every_with_two=2)
    write_frame(folder / "data/image_info.pkl", {"annotation": ["fu"] * 20 + ["easy"] * 20}, names)
    rows = [[image, WNIDS[label]] for image, label in images]
    write_json(folder / "data" / "datasets" / f"{ORIGINAL}.json", {"image_filenames": rows})
    contains = {
        "query": [[label, 500, 501] for label in labels],
        "selected": [[8, 8 if place < 10 else 2, 0] for place in range(40)],
        "total": [[9, 9, 9]] * 40,
        "imagenet_label": labels,
    }
    write_frame(folder / "data/annotations_contains_task.pkl", contains, names)
    answers = [[label if place >= 10 else 500, 600, 601, 602, 603] for place, label in enumerate(labels)]
    columns = {"img_number": range(40), "imagenet_label": labels, "pred_googlenet": answers}
    write_frame(folder / "data/model_predictions.pkl", columns)


@cache
def surprising(*, is_equal: bool) -> Reproduction:
    """A figure that is known to match, and does or does not."""
    figure = Figures("paper").equal("a figure", published="1", recomputed="1" if is_equal else "2")
    return Reproduction("paper", "A paper", (figure,))


def fifth(*, is_whole: bool) -> Maker:
    """What is said of images with several objects, in a part of the follow-up or in all of it."""
    images: Any = (None,) * (N_FOLLOW_UP if is_whole else 100)
    study = ObjectStudy(images, None, 0, 0)  # type: ignore[arg-type]
    k, n = (2_156, N_FOLLOW_UP) if is_whole else (31, 100)
    found = make_share(k, n, limits=(0.0, 1.0), method="clopper-pearson")
    return lambda _: [_check_fifth(study, found).figure, _check_fifth(study, found).note]


RECHT, RECHT_FEW = told("recht2019", whole, cifar), told("recht2019", few)
SHANKAR, VASUDEVAN = told("shankar2020", whole), told("vasudevan2022", whole, coded)
PART, ASKED = told("tsipras2020", whole, classified), told("tsipras2020", asked)
BEYER = told("beyer2020", whole)
COUNTED = "It counts what is there."
READING = "It says how words are read, and counts."
PRINTED = "It is about printed numbers alone."

NAMES: dict[str, Maker] = {
    "recht2019.py:_check_section_2: §2: half width of a …% interval at": RECHT,
    "recht2019.py:_name_changes: Table 2, …: mean change of top-1 /": RECHT,
    "recht2019.py:_check_controls: §4: controls that are validation images of the": RECHT,
    "recht2019.py:: §4: classes with at least … annotated validation": RECHT,
    "recht2019.py:_name_frequency: Table 2, …: mean selection frequency": RECHT,
    "recht2019_cifar.py:_check_sizes: Table 1, CIFAR-10: rows whose new interval is": RECHT,
    "recht2019_cifar.py:_name_new: Table 1, CIFAR-10: …, new accuracy": RECHT,
    "recht2019_cifar.py:_name_old: Table 1, CIFAR-10: …, original accuracy | gap": RECHT,
    "recht2019.py:: Recht et al. 2019, Do ImageNet Classifiers Generalize": RECHT,
    "shankar2020.py:: Shankar et al. 2020, Evaluating Machine Accuracy on": SHANKAR,
    "shankar2020.py:_check_intervals: Table 1, ImageNet: rows whose interval is Clopper–Pearson": SHANKAR,
    "shankar2020.py:_check_intervals: Table 1, ImageNetV2: rows whose interval is Clopper–Pearson": SHANKAR,
    "shankar2020.py:_list_absent: Tables 1 and 2: accuracies of the five": SHANKAR,
    "tsipras2020.py:: Tsipras et al. 2020, From ImageNet to Image": PART,
    "tsipras2020.py:: A.1.1: classes of every superclass, by the release": PART,
    "tsipras2020.py:: Figure 3: top-1 drop on images with several": PART,
    "tsipras2020.py:_name_model: Appendix Table 1: …, top-1 / top-5": PART,
    "tsipras2020_contains.py:: Figure 11: labels that people were asked about,": PART,
    "tsipras2020_contains.py:: B.2: images in the part of the study": PART,
    "tsipras2020_contains.py:: Figure 8: mean selection frequency of the best": PART,
    "tsipras2020_contains.py:: Figure 3: top-1 drop on images with several": PART,
    "tsipras2020_networks.py:check_predictions: Figure 3: top-1 drop on images with several": PART,
    "tsipras2020_networks.py:_check_any_object: Figure 4: gap between images with one and": PART,
    "tsipras2020_networks.py:: Figure 5: top-1 where the main object is": PART,
    "tsipras2020_networks.py:_check_main_labels: Figure 8: main-label accuracy of the best network": PART,
    "tsipras2020_networks.py:: C.1: top-5 corrections that are another object of": PART,
    "tsipras2020_objects.py:_check_counts: B.2: responses that our screening ignores, the authors'": PART,
    "tsipras2020_objects.py:_check_counts: B.2: tasks kept, of nine per image": PART,
    "tsipras2020_objects.py:_check_confidence: Figure 16: annotators agree on the number of": PART,
    "tsipras2020_objects.py:_check_confidence: Figure 22b: labels that two or more chose": PART,
    "vasudevan2022.py:: Vasudevan et al. 2022, When does dough become": VASUDEVAN,
    "vasudevan2022.py:: Table 1: multi-label accuracy of ViT-3B, reviewed": VASUDEVAN,
    "vasudevan2022.py:_name_level: §4.1: fine-grained, of mistakes with the common ancestor": VASUDEVAN,
    "vasudevan2022.py:_list_absent: Table 1: multi-label accuracy of ViT-3B, before the": VASUDEVAN,
    "vasudevan2022.py:_list_absent: Table 3: models and the best human": VASUDEVAN,
    "beyer2020.py:: Beyer et al. 2020, Are we done with": BEYER,
}
"""Titles of papers and names of figures, by the rest of their key."""

ENTRIES: Entries = {
    **{
        f"workflows/reproduce/{key}": Always("A title or a name, whatever comes out.", maker)
        for key, maker in NAMES.items()
    },
    "cli/reproduce.py:_print_table: Known to match and different here: …, marked": Pair(
        lambda _: printed(_print_table, surprising(is_equal=False)),
        lambda _: printed(_print_table, surprising(is_equal=True)),
    ),
    "cli/reproduce.py:_count: … figures: … equal (…), ….": Always(COUNTED, RECHT),
    "workflows/reproduce/checks.py:Figures.part: computed on the part that the data hold,": Pair(
        lambda _: Figures("paper").part("a", published=(2, 5), found=(30, 100)).note,
        lambda _: Figures("paper").whole("a", published=(2, 5), found=(2, 5), note="whole").note,
    ),
    "workflows/reproduce/checks.py:Figures.attempt: what the files hold does not fit together": Pair(
        attempted(lambda: [Figures("paper").equal("a", published="1", recomputed=str(1 // len([])))]),
        attempted(lambda: [Figures("paper").equal("a", published="1", recomputed="1", note="it fits")]),
    ),
    # Recht et al. (2019)
    "workflows/reproduce/recht2019.py:_check_row: without the ranks, which need all … models;": Pair(RECHT_FEW, RECHT),
    "workflows/reproduce/recht2019.py:_describe_drops: the … convolutional networks drop by … to": Always(
        "It counts, and names all that have the least drop.", RECHT
    ),
    "workflows/reproduce/recht2019.py:_check_line: over the … convolutional networks; the figure draws": Always(
        READING, RECHT
    ),
    "workflows/reproduce/recht2019.py:_check_grids: … grids of this size are in the": Always(COUNTED, RECHT),
    "workflows/reproduce/recht2019.py:_check_grids: ; of another size, and left out below:": Pair(
        told("recht2019", tried), RECHT
    ),
    "workflows/reproduce/recht2019_cifar.py:_check_sizes: that is version 4; … rows would be": Always(PRINTED, RECHT),
    "workflows/reproduce/recht2019_cifar.py:_check_new: …… of …, place … of the …": Always(COUNTED, RECHT),
    "workflows/reproduce/recht2019_cifar.py:_check_original: …place … of the … models there": Always(COUNTED, RECHT),
    "workflows/reproduce/recht2019_cifar.py:_describe_fit: … images are in both versions": Pair(
        RECHT, told("recht2019", cifar_4)
    ),
    "workflows/reproduce/recht2019_cifar.py:_describe_fit: …. On version 6: …": Pair(RECHT, told("recht2019", cifar_4)),
    # Shankar et al. (2020)
    "workflows/reproduce/shankar2020.py:_check_predictions: of the … models of Recht et al.": Always(COUNTED, SHANKAR),
    "workflows/reproduce/shankar2020.py:_check_medians: …; … models of Recht et al. (2019)": Always(COUNTED, SHANKAR),
    "workflows/reproduce/shankar2020.py:_check_intervals: n is not printed; … fits best": Always(PRINTED, SHANKAR),
    "workflows/reproduce/shankar2020_tables.py:_check_gaps: Table 1: gap of …, in points": Always(PRINTED, SHANKAR),
    "workflows/reproduce/shankar2020_tables.py:_check_twice_printed: Table 2: … on all images of …,": Always(
        PRINTED, SHANKAR
    ),
    "workflows/reproduce/shankar2020_tables.py:_check_gains: §5: mean gain of people …, …, in": Always(
        PRINTED, SHANKAR
    ),
    "workflows/reproduce/shankar2020_tables.py:_check_gains: Table 2 gives …, from numbers that are": Always(
        PRINTED, SHANKAR
    ),
    "workflows/reproduce/shankar2020_tables.py:_check_best_model: §5: change of the best model …, …,": Always(
        PRINTED, SHANKAR
    ),
    "workflows/reproduce/shankar2020_tables.py:_check_fast_images: …% needs … to … images that count": Always(
        PRINTED, SHANKAR
    ),
    "workflows/reproduce/shankar2020_tables.py:_check_test: by the exact test, of … pairs of": Always(PRINTED, SHANKAR),
    # Tsipras et al. (2020)
    "workflows/reproduce/tsipras2020.py:_check_split: of the others … are easy and …": Always(COUNTED, PART),
    "workflows/reproduce/tsipras2020.py:_check_potential: from the dataset label and five answers of": Always(
        COUNTED, told("tsipras2020", standing_in, classified)
    ),
    "workflows/reproduce/tsipras2020.py:_find_ten: half of them the authors' own; the others": Pair(
        told("tsipras2020", standing_in, classified), ASKED
    ),
    "workflows/reproduce/tsipras2020_contains.py:_check_rivals: 37 to 40 being our reading of nearly": Always(
        READING, ASKED
    ),
    "workflows/reproduce/tsipras2020_contains.py:_tell_unknown: ; … images whose label nobody was asked": Pair(
        lambda _: _tell_unknown(3), lambda _: _tell_unknown(0) or "nothing"
    ),
    "workflows/reproduce/tsipras2020_contains.py:_check_predicted: … being our reading of almost; an answer": Always(
        READING, ASKED
    ),
    "workflows/reproduce/tsipras2020_contains.py:_check_drops: … models on … images of the follow-up": Always(
        COUNTED, ASKED
    ),
    "workflows/reproduce/tsipras2020_networks.py:check_predictions: …, for … networks of Recht et al.": Always(
        COUNTED, PART
    ),
    "workflows/reproduce/tsipras2020_networks.py:_name_part: on the … images of the follow-up that": Always(
        COUNTED, PART
    ),
    "workflows/reproduce/tsipras2020_networks.py:_check_any_object: by the name that annotators gave the one": Always(
        READING, PART
    ),
    "workflows/reproduce/tsipras2020_networks.py:_check_random: no number is printed; … on … images": Always(
        COUNTED, PART
    ),
    "workflows/reproduce/tsipras2020_networks.py:_describe: … – …% against …%: of … networks": Always(COUNTED, PART),
    "workflows/reproduce/tsipras2020_networks.py:_describe_level: … of … cannot be told from chance": Always(
        COUNTED, PART
    ),
    "workflows/reproduce/tsipras2020_networks.py:_check_main_labels: the authors' best networks are of a later": Always(
        "It is about the years of papers, and says how words are read.", PART
    ),
    "workflows/reproduce/tsipras2020_networks.py:_check_corrections: the … most accurate of the … networks,": Pair(
        told("tsipras2020", corrected, classified), PART
    ),
    "workflows/reproduce/tsipras2020_objects.py:_check_counts: the paper calls … the total, but 6,761": Always(
        PRINTED, PART
    ),
    "workflows/reproduce/tsipras2020_objects.py:_check_fifth: the share of the images there, with a": Pair(
        fifth(is_whole=False), fifth(is_whole=True)
    ),
    "workflows/reproduce/tsipras2020_objects.py:_check_shares: with the … easy images, which count as": Always(
        COUNTED, PART
    ),
    "workflows/reproduce/tsipras2020_objects.py:_check_confidence: mean confidence, more than half being our reading": (
        Always(READING, PART)
    ),
    "workflows/reproduce/tsipras2020_objects.py:_tell_doubts: ; it is half or less on the": Pair(
        lambda _: _tell_doubts(np.array([1, 2, 2]), {1: 0.9, 2: 0.5}),
        lambda _: [_tell_doubts(np.array([1, 2, 2]), {1: 0.9, 2: 0.6}), "(end)"],
    ),
    "workflows/reproduce/tsipras2020_release.py:_tell_ties: on the other … images several partitions weigh": Pair(
        lambda _: _tell_ties(2), lambda _: [_tell_ties(0), "(end)"]
    ),
    # Vasudevan et al. (2022)
    "workflows/reproduce/vasudevan2022.py:_check_new_set: the paper prints N = 434, these are": Always(
        COUNTED, VASUDEVAN
    ),
    "workflows/reproduce/vasudevan2022_arithmetic.py:check_soups: 155 of 380 against 89, or 35.7%, of": Always(
        PRINTED, VASUDEVAN
    ),
    "workflows/reproduce/vasudevan2022_arithmetic.py:check_slice: begins above … of …, the best of": Always(
        PRINTED, VASUDEVAN
    ),
    "workflows/reproduce/vasudevan2022_arithmetic.py:_check_categories: they are those of 242, 54, 52 and": Always(
        PRINTED, VASUDEVAN
    ),
    "workflows/reproduce/vasudevan2022.py:_check_models: the paper prints N = 629, the files": Always(
        COUNTED, VASUDEVAN
    ),
    "workflows/reproduce/vasudevan2022.py:_check_overlap: the paper counts 341 mistakes of Greedy Soups": Always(
        COUNTED, VASUDEVAN
    ),
    "workflows/reproduce/vasudevan2022.py:_check_levels: … of …, by the dataset label and": Always(COUNTED, VASUDEVAN),
    "workflows/reproduce/vasudevan2022.py:_check_confusions: … occur three times or more": Always(COUNTED, VASUDEVAN),
    "workflows/reproduce/vasudevan2022.py:_check_accuracy: averaged over … classes; …% of … images": Always(
        COUNTED, VASUDEVAN
    ),
    "workflows/reproduce/vasudevan2022.py:_check_slice: of the … that are coded mistakes of": Always(
        COUNTED, VASUDEVAN
    ),
}
