"""Write docs/reproductions.md from the papers' data, and the figures of docs/shift.md.

python scripts/write_reproductions.py --data FOLDER [--data FOLDER …]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import regauge
from regauge.formats.releases.folders import DataFolders, open_folders
from regauge.formats.releases.loading import load_released_set
from regauge.formats.releases.published import MATCHED_FREQUENCY, VALIDATION
from regauge.records.evaluation.shifts import Shift
from regauge.records.reproductions import Basis, FigureAgreement, Reproduction
from regauge.workflows.inputs import TestSetAnswers
from regauge.workflows.reproduce.papers import PAPERS, reproduce

DOCS = Path(__file__).resolve().parents[1] / "docs"

INTRODUCTION = """\
# Reproductions

This page compares, figure by figure, what the papers print with what their data give, and says why the two differ where they do. Anybody
can check: clone the repositories below and say where they are, with one `--data` for each or one for a folder that holds several.

    git clone https://github.com/modestyachts/ImageNetV2 clones/ImageNetV2
    regauge reproduce recht2019 --data clones

The command exits with 1 if a figure that is known to match does not. `scripts/write_reproductions.py` writes this page from the
parts of the data that the project has at hand, so some figures are not computable here but will be with complete clones. The page
never claims that something is unpublished: a row without data names the files that were looked for.

**Equal** means equal to the printed digits, and is followed by its basis: *recomputed from data* (from predictions,
answers or labels), *arithmetic* (from other printed numbers; this shows that they fit together, but nothing about the data), or
*count of rows* (a file has as many entries as it should). Complete data are compared exactly. **Consistent** means that the data
hold only a part of what the figure was computed from and the 99% interval of that part covers the figure, or that a claim the
paper makes in words holds.

## The data

| repository | commit that was read | for |
|---|---|---|
| [modestyachts/ImageNetV2](https://github.com/modestyachts/ImageNetV2) | 0b0c3fe | `recht2019`, `shankar2020`; dataset labels for the others |
| [modestyachts/CIFAR-10.1](https://github.com/modestyachts/CIFAR-10.1) | d9982ab | `recht2019` |
| [MadryLab/ImageNetMultiLabel](https://github.com/MadryLab/ImageNetMultiLabel) | f939d1f | `tsipras2020` |
| [google-research/imagenet-mistakes](https://github.com/google-research/imagenet-mistakes) | 6fdda60 | `vasudevan2022` |
| [google-research/reassessed-imagenet](https://github.com/google-research/reassessed-imagenet) | bcd006f | `beyer2020` |

Two things are not in a repository. The labels of CIFAR-10's test set come with CIFAR-10: give the folder that holds
`cifar-10-batches-py/test_batch`, `test_batch.bin` or a plain `cifar10_test_labels.npy`. Version 3 of the labels of Shankar et al.
is one file, `human_accuracy_v3.0.0.json`, which the TensorFlow dataset `imagenet2012_multilabel` downloads; it is also a
[truth](formats.md#truth). Selection frequencies of ImageNetV2's candidates can be given as
`recht2019_selection_frequencies.csv`, the table that `regauge aggregate contains` prints.

Some of these files are pickles. They are never loaded: their opcodes are read one by one, only listed NumPy and pandas
constructors may occur, and a pickle that asks for anything else is refused, and the error names it. One defect is corrected, with a note below
the table: the answers of fv_16k are stored worst first on all sets except the original. It shows because the last answers are right
more often than the first.

A folder may also hold the same data as compact files. In these, class indices are ranks of the sorted WordNet ids, and validation
images are given by the numbers in their file names.

| compact file | holds |
|---|---|
| `recht2019_imagenet_top1.npz` | `models`; for `val`, `matched_frequency` and `threshold07`: `X_top1` [models, images], `X_labels`, `X_ids`; `val20k_rows` |
| `recht2019_imagenet_top2to5.npz` | `X_top2to5` [models, images, 4] |
| `recht2019_mturk_grids.npz` | `grid_class`, `image` [grids, 48] (below 0: minus a validation number), `role` (0 candidate, 1 own control, 2 nearby control) |
| `similar_classes.npz` | `most_similar` [classes, …], the class itself first |
| `tsipras2020_split.csv` | `image,split` |
| `tsipras2020_classify_half.jsonl` | answers and released results of half of the CLASSIFY images |
| `vasudevan2022_mistakes_vit3b.json` | coded mistakes |
| `vasudevan2022_class_confusions.json` | `[class, class, count]` |
| `real2020_labels.json` | label lists of the validation images |

## A study of all that was released

    regauge reproduce all --data clones --into released
    regauge context all --study released --test-set imagenet-val
    regauge export site site --study released

makes a [study](study.md) of everything released that can be in one, so that the analyses, the report and the website work on real data. It needs no
pictures. STUDY must be new or empty; it is made whole or not at all, and each thing that is not in the folders given has a line that names the file.

| in the study | from |
|---|---|
| `imagenet-val`, `imagenetv2-matched-frequency`, `imagenetv2-threshold-0.7`, `imagenetv2-top-images` | the sets of Recht et al. (2019) with the five answers of all participants |
| label set `beyer2020-real` | reassessed labels |
| label set `shankar2020-reviewed` | version 3 of the reviewed labels |
| label set `tsipras2020` | answers to CLASSIFY, aggregated by the rules of `aggregate classify`: objects, main labels, and how many of how many answers selected each. Easy images, where the split is there, have one object: the dataset label. The answers themselves lie in the folder `answers` of the study, where `context` finds them; a bundle leaves them behind |
| label set `tsipras2020-contains` | selection frequencies of CONTAINS |
| slices `tsipras2020-easy`, `-follow-up`, `-ambiguous`, `-mislabeled` | the split |
| codings `vit-3b`, `greedy-soups` | coded mistakes, under the reviewed labels if they are there, else under reassessed labels. Those that these accept are listed as overturned: 85 of the 378 of ViT-3B by reassessed labels |

ViT-3B and Greedy Soups have no score: of their answers only the mistakes are known. The models of Tsipras et al. answered some of the images and are called like
participants of Recht et al., so they are left out; so is CIFAR-10.1, whose classes are others. Lists of similar classes are no part of a study: a review campaign takes
the file `similar_classes.npz` as a setting. With half of the CLASSIFY answers, easy images weigh too much in scores under `tsipras2020`, which a note says.

With 67 participants on three sets (70,000 images) it takes 5 to 11 seconds of processor time and 0.4 GB of memory; the study has 110 MB. In Python it is `regauge.make_released_study(folders, into)`.

"""


def write_page(data: Sequence[Path]) -> str:
    """The whole page."""
    return INTRODUCTION + "\n".join("\n".join(write_section(reproduce(paper, data))) for paper in PAPERS)


def write_section(result: Reproduction) -> Iterator[str]:
    """The table of one paper."""
    equal = ", ".join(f"{result.count_equal(basis)} {basis}" for basis in Basis)
    others = ", ".join(f"{result.count(one)} {one}" for one in FigureAgreement if one is not FigureAgreement.EQUAL)
    yield f"## {result.title}\n"
    yield f"{len(result.figures)} figures: {result.count(FigureAgreement.EQUAL)} equal ({equal}), {others}.\n"
    yield "| figure | published | recomputed | | note |"
    yield "|---|---|---|---|---|"
    for one in result.figures:
        cells = (one.figure, one.published, one.recomputed, one.verdict, one.note)
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
    yield ""
    yield from (f"{note}\n" for note in result.notes)


def compare(data: DataFolders) -> Shift:
    """The main finding of Recht et al. (2019), on all three scales."""
    sides = []
    for name in (VALIDATION, MATCHED_FREQUENCY):
        released = load_released_set(data, name)
        sides.append(TestSetAnswers([released.get_predictions(model) for model in released.models], released.test_set))
    settings = regauge.ShiftSettings(scales=tuple(regauge.Scale), fit_except=("fv_*",))
    return regauge.shift(*sides, settings=settings)


def main() -> None:
    """Write the page and the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, action="append", help="folder with data; repeatable")
    data: list[Path] = parser.parse_args().data
    (DOCS / "reproductions.md").write_text(write_page(data), encoding="utf-8")
    shift = compare(open_folders(data))
    label = ("alexnet", "vgg19_bn", "resnet152", "nasnetalarge", "fv_64k")
    for scale in ("linear", "probit"):
        regauge.save_figure(regauge.plot_shift(shift, label=label, scale=scale), DOCS / "images" / f"shift-{scale}.png")


if __name__ == "__main__":
    main()
