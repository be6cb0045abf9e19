"""`regauge export crowd-kit`: first answers as votes."""

from __future__ import annotations

from pathlib import Path

from regauge.formats.exports.tables import VOTE_COLUMNS, shape_votes, write_table
from regauge.storage.files import write_whole
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set
from regauge.workflows.exports.content import (
    PARTICIPANT,
    TEST_SET,
    ExportChoice,
    ExportedFile,
    ExportFormat,
    ExportOrder,
    load_answers,
)


def export_crowd_kit(study: Study, path: Path, *, choice: ExportChoice | None = None) -> ExportedFile:
    """Write the participants' first answers on a test set in crowd-kit's long format, `task,worker,label`.

    Raises:
        InputError: the file exists, or there is nothing of that name.
    """
    asked = choice or ExportChoice()
    entry = get_test_set(study, asked.test_set)
    frames = map(shape_votes, load_answers(study, entry, choice=asked))
    with write_whole(path) as partial:
        written = write_table(frames, partial, kind="csv", schema=VOTE_COLUMNS)
    return ExportedFile(path, written.n_rows)


def _write(study: Study, path: Path, order: ExportOrder) -> tuple[ExportedFile, ...]:
    return (export_crowd_kit(study, path, choice=order.choice),)


CROWD_KIT = ExportFormat(
    name="crowd-kit",
    help="Write participants' first answers as CSV `task,worker,label`, as crowd-kit reads it.",
    is_folder=False,
    options=(TEST_SET, PARTICIPANT),
    write=_write,
)
