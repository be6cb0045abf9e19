"""Files that list images → image ids: a text with an id per line, a table with image_id, or one list of a file of subsets."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from regauge.errors import FormatError
from regauge.formats.releases.human_accuracy import MAJOR_SLICE
from regauge.formats.subsets import load_subsets
from regauge.formats.text import read_lines, read_table, require_columns, split_part


@dataclass(frozen=True, slots=True)
class ListedImages:
    """The images that a file lists, each once in the order of the file.

    Attributes:
        name: what the file calls the list.
        image_ids: the images.
    """

    name: str
    image_ids: tuple[str, ...]


def load_image_list(path: Path | str) -> ListedImages:
    """The images of a file; of several lists PATH#NAME chooses one, and otherwise the one called imagenet_m is meant.

    Raises:
        FormatError: the file lists no image, or several lists of which none is chosen.
    """
    file, part = split_part(path)
    suffix = file.suffix.lower()
    if suffix == ".json" or part is not None:
        found = _choose(file, load_subsets(file).images, part)
    elif suffix in {".csv", ".tsv"}:
        table = read_table(file)
        if "subset" in table.frame.columns:
            found = _choose(file, load_subsets(file).images, part)
        else:
            require_columns(table, ("image_id",), purpose="a list of images")
            found = ListedImages(file.stem, tuple(table.get_column("image_id").to_list()))
    else:
        found = ListedImages(file.stem, tuple(line.strip() for line in read_lines(file) if line.strip()))
    if not found.image_ids:
        raise FormatError(file, "it lists no image.")
    return ListedImages(found.name, tuple(dict.fromkeys(found.image_ids)))


def _choose(path: Path, lists: dict[str, list[str]], part: str | None) -> ListedImages:
    name = part or (MAJOR_SLICE if MAJOR_SLICE in lists else next(iter(lists), ""))
    if name not in lists or (part is None and len(lists) > 1 and name != MAJOR_SLICE):
        known = ", ".join(lists) or "none"
        raise FormatError(path, f"it has these lists of images: {known}; choose one with {path.name}#NAME.")
    return ListedImages(name, tuple(lists[name]))
