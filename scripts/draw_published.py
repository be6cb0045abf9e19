"""Draw the figure of the README: 67 models on ImageNet's validation set and on the new set MatchedFrequency.

It writes the released predictions of Recht et al. (2019) as files that anybody would have, and runs `regauge shift` on them.

    python -m scripts.draw_published ../shared/published
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

from regauge.cli.main import cli

FIGURE = Path(__file__).resolve().parents[1] / "docs" / "images" / "recht2019.png"
RELEASED = "recht2019_imagenet_top1.npz"
SETS = {"validation": "val", "MatchedFrequency": "matched_frequency"}
LABELLED = ("alexnet", "vgg16", "resnet50", "inceptionresnetv2", "pnasnet_large_tf", "fv_64k")
N_PIXELS = 1200


def write_set(archive: np.lib.npyio.NpzFile, folder: Path, *, name: str) -> None:
    """One test set as a truth NAME.csv, and the answers of every model in a folder NAME."""
    key = SETS[name]
    ids = [one.decode() if isinstance(one, bytes) else str(one) for one in archive[f"{key}_ids"].tolist()]
    labels: npt.NDArray[np.int16] = archive[f"{key}_labels"]
    rows = (f"{image_id},{label}\n" for image_id, label in zip(ids, labels.tolist(), strict=True))
    (folder / f"{name}.csv").write_text("image_id,label\n" + "".join(rows), encoding="utf-8")
    (folder / name).mkdir()
    for model, answers in zip(archive["models"].tolist(), archive[f"{key}_top1"], strict=True):
        np.savez(folder / name / f"{model}.npz", image_ids=np.array(ids), classes=answers[:, np.newaxis])


def draw_published(published: Path, figure: Path) -> None:
    """Draw the models of the released file in a folder."""
    original, new = SETS
    with tempfile.TemporaryDirectory() as folder, np.load(published / RELEASED, allow_pickle=False) as archive:
        files = Path(folder)
        for name in SETS:
            write_set(archive, files, name=name)
        words = ["shift", "--original-truth", f"{files / original}.csv", "--original", str(files / original)]
        words += ["--new-truth", f"{files / new}.csv", "--new", str(files / new), "--fit-except", "fv_*"]
        words += [word for name in LABELLED for word in ("--label", name)]
        words += ["--scale", "all", "--figure", str(figure), "--width", f"{N_PIXELS // 2}px"]
        cli.main(words, standalone_mode=False)
    shrink(figure)


def shrink(figure: Path) -> None:
    """Keep the picture in 128 colours, which it hardly has more of, in a third of the bytes."""
    with Image.open(figure) as drawn:
        sheet = Image.new("RGB", drawn.size, "white")
        sheet.paste(drawn, mask=drawn.getchannel("A") if drawn.mode == "RGBA" else None)
    sheet.quantize(128, dither=Image.Dither.NONE).save(figure, optimize=True)


if __name__ == "__main__":
    draw_published(Path(sys.argv[1]), FIGURE)
