"""Write the packaged table of accuracies: right answers of the models of Recht et al. (2019) on ImageNet and its new test sets.

python -m scripts.write_accuracies --data FOLDER [--data FOLDER …] [--out FILE]

The folders are clones of modestyachts/ImageNetV2 and google-research/reassessed-imagenet, or hold their content in the compact
files that docs/reproductions.md describes. A set is written where all models of the validation set have predictions on it; the
others are named. The same data give the same bytes.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from regauge.errors import FormatError, MissingDataError
from regauge.formats.releases.folders import DataFolders, open_folders
from regauge.formats.releases.loading import TOP_IMAGES, load_released_set
from regauge.formats.releases.published import MATCHED_FREQUENCY, THRESHOLD, VALIDATION, ReleasedSet
from regauge.formats.text import read_json

OUT = Path(__file__).resolve().parents[1] / "src" / "regauge" / "formats" / "data" / "recht2019-accuracies.csv"
HEADER = "model,set,metric,n,n_correct"
SETS = {
    VALIDATION: "val",
    MATCHED_FREQUENCY: "matched-frequency",
    THRESHOLD: "threshold-0.7",
    TOP_IMAGES: "top-images",
}
"""What the table calls the sets."""

Row: TypeAlias = tuple[str, str, str, int, int]


def make_rows(data: DataFolders) -> Iterator[Row]:
    """Right answers of every model, set by set, top-1 before top-5, ReaL last on the validation set."""
    validation = load_released_set(data, VALIDATION)
    for key, name in SETS.items():
        try:
            released = load_released_set(data, key)
        except MissingDataError as error:
            print(f"{name} is left out: {error}")
            continue
        missing = sorted(set(validation.models) - set(released.models))
        if missing:
            print(f"{name} is left out: it lacks {len(missing)} models, such as {missing[0]}.")
            continue
        yield from _count_labels(released, name)
        if key == VALIDATION:
            yield from _count_real(released, _load_real(data))


def format_rows(rows: Sequence[Row]) -> str:
    """The table as text."""
    return "\n".join([HEADER, *(",".join(map(str, row)) for row in rows)]) + "\n"


def _count_labels(released: ReleasedSet, name: str) -> Iterator[Row]:
    labels, n = released.test_set.labels, len(released.test_set)
    for metric, depth in (("top1", 1), ("top5", 5)):
        for model in sorted(released.models):
            answers = released.answers[released.models.index(model), :, :depth]
            yield model, name, metric, n, int((answers == labels[:, np.newaxis]).any(axis=1).sum())


def _load_real(data: DataFolders) -> list[list[int]]:
    path = data.get("real.json", "real2020_labels.json")
    content: Any = read_json(path)
    if not isinstance(content, list) or not all(isinstance(one, list) for one in content):
        raise FormatError(path, "ReaL labels are a list of lists, one per validation image in the order of file names.")
    return content


def _count_real(released: ReleasedSet, real: Sequence[Sequence[int]]) -> Iterator[Row]:
    """Images whose list is empty are left out, as Beyer et al. (2020) do."""
    accepted = np.zeros((len(real), 1_000), np.bool_)
    for row, labels in enumerate(real):
        accepted[row, list(labels)] = True
    # An image is ILSVRC2012_val_ and its number, which is its place in the list from 1.
    places = np.array([int(str(image)[-8:]) - 1 for image in released.test_set.image_ids])
    counts = accepted[places].any(axis=1)
    for model in sorted(released.models):
        first = released.answers[released.models.index(model), :, 0]
        yield model, "val", "real", int(counts.sum()), int(accepted[places, first][counts].sum())


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--data", action="append", required=True, type=Path, help="a clone or a folder of compact files"
    )
    parser.add_argument("--out", type=Path, default=OUT, help="where to write the table")
    asked = parser.parse_args()
    rows = list(make_rows(open_folders(asked.data)))
    asked.out.write_text(format_rows(rows), encoding="utf-8")
    print(f"{len(rows):,} rows in {asked.out}")


if __name__ == "__main__":
    main()
