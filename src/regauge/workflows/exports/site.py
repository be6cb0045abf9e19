"""`regauge export site`: the website of a study as a folder that opens by a double click and from any web host."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from regauge.errors import InputError
from regauge.formats.site.page import IN_FOLDER, make_page, make_policy, read_static
from regauge.records.site import SitePictures, SiteSettings, read_size, write_size
from regauge.storage.files import write_whole_folder
from regauge.storage.study import Study
from regauge.workflows.exports.content import (
    ANY_LABELS,
    ANY_TEST_SET,
    PARTICIPANT,
    ExportedFile,
    ExportFormat,
    ExportOption,
    ExportOrder,
)
from regauge.workflows.site.pictures import write_pictures
from regauge.workflows.site.source import SiteSource, open_site

PICTURES = ExportOption(
    "pictures",
    "WHICH",
    "Pictures: thumbnails or renditions (copies of at most 256 or 512 pixels), or links; none by default.",
)
URL_PREFIX = ExportOption("image_url_prefix", "URL", "With links to pictures: what stands before an image's path.")
MAX_SIZE = ExportOption("max_size", "SIZE", "Write nothing if the website is larger than that, such as 500MB.")

TITLE = ExportOption("title", "TEXT", "What the first page is called; the name of the study's folder by default.")

_PARTS = {
    "l": "verdicts, frequencies and objects of label sets",
    "a": "answers by participant",
    "b": "answers by image",
    "w": "wrong answers by class",
    "t": "pairs of classes",
    "s": "where images went after CONTAINS",
    "": "image ids and labels",
}
"""What the files of a set are about, by the letter behind its number."""


def export_site(
    study: Study, folder: Path, *, settings: SiteSettings | None = None, max_bytes: int | None = None
) -> tuple[ExportedFile, ...]:
    """Write the website of a study: one page, one script, styles, and the data in chunks.

    Args:
        study: the study, inside a transaction.
        folder: a folder that is new or empty.
        settings: which test set, labels and participants, and whether pictures.
        max_bytes: how large it may be; without a limit by default.

    Raises:
        InputError: the folder holds something, there is nothing to show, or the website would be larger than it may be.
        StorageError: the folder cannot be written.
    """
    chosen = settings or SiteSettings()
    policy = make_policy(chosen.link_prefix)
    with write_whole_folder(folder) as partial_folder:
        source, budget = open_site(study, chosen), _Budget(max_bytes)
        n_pictures = write_pictures(
            study,
            source.sets,
            partial_folder / "pictures",
            mode=chosen.pictures,
            spend=partial(budget.spend, "pictures"),
        )
        (partial_folder / "data").mkdir()
        for name in study.around.track(source.list_chunks(), "Writing the website"):
            content = source.make_chunk(study, name)
            budget.spend(_name_part(name), len(content))
            (partial_folder / "data" / f"{name}.js").write_bytes(content)
        for file, content in read_static().items():
            budget.spend("scripts and styles", len(content))
            (partial_folder / file).write_bytes(content)
        page = make_page(IN_FOLDER, title=chosen.title or study.paths.folder.name, policy=policy)
        (partial_folder / "index.html").write_text(page, encoding="utf-8")
    return _list_files(folder, source, n_pictures)


@dataclass(slots=True)
class _Budget:
    """How many bytes each part took, and how many all may take."""

    max_bytes: int | None
    spent: Counter[str] = field(default_factory=Counter)

    def spend(self, part: str, n_bytes: int) -> None:
        """Count the bytes of a part.

        Raises:
            InputError: all parts together are larger than they may be.
        """
        self.spent[part] += n_bytes
        if self.max_bytes is not None and self.spent.total() > self.max_bytes:
            ((largest, size),) = self.spent.most_common(1)
            raise InputError(
                f"The website is larger than {write_size(self.max_bytes)}; the largest part by then is {largest}, with "
                f"{write_size(size)}. Leave out participants, label sets or pictures, or allow more with `max_bytes=…`."
            )


def _name_part(chunk: str) -> str:
    """What a chunk is about, for whoever wonders why a website is so large."""
    first, _, rest = chunk.partition("-")
    is_of_set = first.startswith("s") and first[1:].isdigit()
    return _PARTS.get(rest[:1], "names, classes and scores") if is_of_set else "names, classes and scores"


def _list_files(folder: Path, source: SiteSource, n_pictures: int) -> tuple[ExportedFile, ...]:
    """The folder with the images that it shows, and the pictures that are there."""
    files = [ExportedFile(folder, sum(len(one.test_set) for one in source.sets))]
    if n_pictures:
        files.append(ExportedFile(folder / "pictures", n_pictures))
    return tuple(files)


def _write(study: Study, path: Path, order: ExportOrder) -> tuple[ExportedFile, ...]:
    given, choice = order.given, order.choice
    size = given.get(MAX_SIZE.name)
    settings = SiteSettings(
        test_set=choice.test_set,
        labels=choice.labels,
        participants=choice.participants,
        pictures=_read_pictures(given.get(PICTURES.name, SitePictures.NONE.value)),
        link_prefix=given.get(URL_PREFIX.name, ""),
        title=given.get(TITLE.name, "").strip(),
    )
    return export_site(study, path, settings=settings, max_bytes=None if size is None else read_size(size))


def _read_pictures(text: str) -> SitePictures:
    allowed = [one.value for one in SitePictures if one is not SitePictures.SERVED]
    if text not in allowed:
        raise InputError(f"Pictures are {', '.join(allowed[:-1])} or {allowed[-1]}, not {text!r}.")
    return SitePictures(text)


SITE = ExportFormat(
    name="site",
    help="Write a website to DIR that people browse: classes, participants, images, labels; it needs no server.",
    is_folder=True,
    options=(ANY_TEST_SET, ANY_LABELS, PARTICIPANT, PICTURES, URL_PREFIX, TITLE, MAX_SIZE),
    write=_write,
)
