"""`make_released_study`: all released data that are there, as a study on which every command works."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

from regauge.errors import InputError, MissingDataError, StorageError
from regauge.formats.releases.folders import open_folders
from regauge.records.progress import track_silently
from regauge.records.reproductions import ReleasedPart, ReleasedStudy
from regauge.storage.files import PRIVATE_FOLDER
from regauge.storage.study import Circumstances
from regauge.storage.testsets.test_set import list_test_sets
from regauge.workflows.reproduce.study.labels import list_label_steps
from regauge.workflows.reproduce.study.mistakes import list_mistake_steps
from regauge.workflows.reproduce.study.sets import list_set_steps
from regauge.workflows.reproduce.study.steps import SETS, ReleaseStep, StudyInMaking
from regauge.workflows.studies.folders import find_topmost_missing, leaving_nothing
from regauge.workflows.studies.study import init_study, make_circumstances

ABOUT = (
    "What Recht et al. (2019), Shankar et al. (2020), Tsipras et al. (2020), Vasudevan et al. (2022) and Beyer et al. (2020) "
    "released, as far as it was at hand: answers and labels, without pictures."
)


def make_released_study(
    folders: Path | str | Sequence[Path | str], into: Path | str, *, around: Circumstances | None = None
) -> ReleasedStudy:
    """Make a study of the released data in some folders: test sets, predictions, labels, answers to CLASSIFY, coded mistakes.

    It has whatever is there of ImageNet, and says what is not. It is made whole or not at all.

    Args:
        folders: clones of the public repositories, folders that hold several, or folders of the compact files.
        into: the folder of the study, new or empty.
        around: clock, random generator and who is at work; by default those of this machine.

    Raises:
        InputError: the folder holds something, or the data have no test set of ImageNet.
        FormatError: a file does not hold what it should.
        StorageError: the study cannot be written.
    """
    data = open_folders([folders] if isinstance(folders, Path | str) else folders)
    folder, around = Path(into).resolve(), around or make_circumstances()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{into} exists and is not an empty folder; name one that is new or empty for the study.")
    unfinished = folder.with_name(f"{folder.name}.{os.getpid()}.partial")
    steps = (*list_set_steps(), *list_label_steps(), *list_mistake_steps())
    with leaving_nothing(find_topmost_missing(unfinished), unfinished):
        # One bar for all of it: what is added says nothing of its own.
        quiet = replace(around, track=track_silently)
        with (
            closing(init_study(unfinished, taxonomy="imagenet-1k", about=ABOUT, around=quiet)) as study,
            study.begin() as begun,
        ):
            making = StudyInMaking(begun, data)
            tracked = around.track(steps, "Adding released data", total=len(steps))
            parts = tuple(part for step in tracked for part in _add(making, step))
            _check_sets(making)
        _move(unfinished, folder)
    return ReleasedStudy(str(folder), parts, tuple(dict.fromkeys(making.notes)))


def _add(making: StudyInMaking, step: ReleaseStep) -> Iterator[ReleasedPart]:
    """What a step adds, or what it did not find."""
    try:
        yield from list(step.add(making))
    except MissingDataError as error:
        yield ReleasedPart(step.what, step.name, str(error), is_added=False)


def _check_sets(making: StudyInMaking) -> None:
    if not list_test_sets(making.study):
        names = ", ".join(SETS.values())
        raise InputError(
            f"No test set of ImageNet is in the folders given ({names}); add a clone of modestyachts/ImageNetV2 with "
            "another `data=…`."
        )


def _move(unfinished: Path, folder: Path) -> None:
    """Give the study its name; an empty folder that is there stays the folder that it is, and study.toml comes last."""
    try:
        if not folder.exists():
            unfinished.rename(folder)
            return
        with suppress(PermissionError):
            folder.chmod(PRIVATE_FOLDER)
        for entry in sorted(unfinished.iterdir()):
            entry.rename(folder / entry.name)
        unfinished.rmdir()
    except OSError as error:
        raise StorageError(f"A study cannot be made in {folder}: {error.strerror}.") from error
