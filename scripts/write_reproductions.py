"""Write docs/reproductions.md from the released data, and the figures of docs/shift.md.

python scripts/write_reproductions.py --data FOLDER
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import regauge
from regauge.formats.published import MATCHED_FREQUENCY, VALIDATION, load_released_set
from regauge.records.reproductions import Agreement, Reproduction
from regauge.records.shifts import Shift
from regauge.workflows.reproduce.papers import PAPERS, reproduce
from regauge.workflows.shifts import TestSetAnswers

DOCS = Path(__file__).resolve().parents[1] / "docs"

INTRODUCTION = """\
# Reproductions

Figure by figure: what the papers print, what their released data give, and why the two differ where they do. This page is
written by `scripts/write_reproductions.py`; the same comes from

    regauge reproduce recht2019|shankar2020|tsipras2020|vasudevan2022 --data DIR

which exits with 1 when a figure that is known to match does not. "Equal" means to the printed digits. "Consistent" means
that the data hold a part of what the figure was computed from, and that the 99% interval of the part covers it.

## The data

DIR holds the authors' releases as plain arrays and text; nothing is unpickled. A file that is missing makes its figures "not
computable". Class indices are the ranks of the sorted WordNet ids; validation images are the numbers in their file names.

| file | holds |
|---|---|
| `recht2019_imagenet_top1.npz` | `models`; for `val`, `matched_frequency` and `threshold07`: `X_top1` [models, images], `X_labels`, `X_ids`; `val20k_rows` |
| `recht2019_imagenet_top2to5.npz` | `X_top2to5` [models, images, 4] |
| `recht2019_mturk_grids.npz` | `grid_class`, `image` [grids, 48] (below 0: minus a validation number), `role` (0 candidate, 1 own control, 2 nearby control) |
| `similar_classes.npz` | `most_similar` [classes, …], the class itself first |
| `tsipras2020_split.csv` | `image,split` |
| `tsipras2020_classify_half.jsonl` | answers and released results of half of the CLASSIFY images |
| `vasudevan2022_mistakes_vit3b.json` | coded mistakes |
| `vasudevan2022_class_confusions.json` | `[class, class, count]` |

"""


def write_page(data: Path) -> str:
    """The whole page."""
    return INTRODUCTION + "\n".join("\n".join(write_section(reproduce(paper, data))) for paper in PAPERS)


def write_section(result: Reproduction) -> Iterator[str]:
    """The table of one paper."""
    counts = ", ".join(f"{result.count(agreement)} {agreement}" for agreement in Agreement)
    yield f"## {result.title}\n"
    yield f"{len(result.figures)} figures: {counts}.\n"
    yield "| figure | published | recomputed | | note |"
    yield "|---|---|---|---|---|"
    for one in result.figures:
        cells = (one.figure, one.published, one.recomputed, str(one.agreement), one.note)
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
    yield ""


def compare(data: Path) -> Shift:
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
    parser.add_argument("--data", type=Path, required=True, help="folder with the released data")
    data: Path = parser.parse_args().data
    (DOCS / "reproductions.md").write_text(write_page(data), encoding="utf-8")
    shift = compare(data)
    label = ("alexnet", "vgg19_bn", "resnet152", "nasnetalarge", "fv_64k")
    for scale in ("linear", "probit"):
        regauge.save_figure(regauge.draw_shift(shift, label=label, scale=scale), DOCS / "images" / f"shift-{scale}.png")


if __name__ == "__main__":
    main()
