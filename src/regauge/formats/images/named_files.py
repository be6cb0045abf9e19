"""The files that rows about candidates name: each lies below the folder of the images, and nowhere else."""

from __future__ import annotations

import os
import stat
from functools import cached_property
from pathlib import Path

from regauge.errors import InputError
from regauge.formats.images.contents import is_outside
from regauge.formats.images.folders import IMAGE_SUFFIXES
from regauge.formats.text import name_from_file


class NoFileError(InputError):
    """The file of an image is not there."""


class ImageFiles:
    """The image files below a folder.

    A link may lead to another file below the folder, never out of it: what a table names must not make us read other files.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._top = os.path.realpath(root)
        self._parents: dict[str, bool] = {}

    def check(self, file: str) -> None:
        """Refuse a file that is not there or not below the folder.

        Raises:
            NoFileError: there is no such file.
            InputError: the path is not a file, or leads out of the folder.
        """
        if is_outside(file):
            raise InputError(f"{file!r} is not below {self.root}; files are written relative to that folder.")
        # Texts, since a pool may have a hundred thousand files.
        path = f"{self.root}/{file}"
        parent = path.rpartition("/")[0]
        if parent not in self._parents:
            self._parents[parent] = self._is_inside(parent)
        try:
            mode = os.lstat(path).st_mode
        except (OSError, ValueError):
            raise NoFileError(
                f"there is no file {file!r} in {self.root}; fetch it, or leave its row out with `skips_missing=True`."
            ) from None
        if not self._parents[parent] or (stat.S_ISLNK(mode) and not self._is_inside(path)):
            raise InputError(f"{file!r} is a link that leads out of {self.root}; only files below it are read.")
        if not (stat.S_ISREG(mode) or Path(path).is_file()):
            raise InputError(f"{file!r} in {self.root} is not a file.")

    def get(self, image_id: str) -> str:
        """The one file that stands for an image, by its base name without extension.

        Raises:
            NoFileError: no file has the name of the image.
            InputError: there are several.
        """
        found = self.by_id.get(image_id, ())
        if not found:
            raise NoFileError(
                f"there is no file for image {image_id!r} below {self.root}; fetch it, or leave its row out with "
                "`skips_missing=True`."
            )
        if len(found) > 1:
            raise InputError(f"{found[0]} and {found[1]} both stand for image {image_id!r}; name one in a column file.")
        self.check(found[0])
        return found[0]

    @cached_property
    def by_id(self) -> dict[str, tuple[str, ...]]:
        """Image id → files below the folder, in alphabetical order; hidden ones are left alone."""
        found: dict[str, tuple[str, ...]] = {}
        for folder, folders, names in os.walk(self.root):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            below = Path(folder).relative_to(self.root)
            for name in sorted(names):
                if Path(name).suffix.lower() in IMAGE_SUFFIXES and not name.startswith("."):
                    image_id = name_from_file(name)
                    found[image_id] = (*found.get(image_id, ()), (below / name).as_posix())
        return found

    def _is_inside(self, path: str) -> bool:
        real = os.path.realpath(path)
        return real == self._top or real.startswith(self._top + os.sep)
