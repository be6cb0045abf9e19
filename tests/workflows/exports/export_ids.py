"""`regauge export ids`: the ids of the images of a test set, one per line."""

from __future__ import annotations

from pathlib import Path

from regauge.storage.files import write_whole
from regauge.storage.study import Study
from regauge.workflows.exports.content import TEST_SET, ExportedFile, ExportFormat, ExportOrder, load_chosen_test_set


def write_ids(study: Study, path: Path, order: ExportOrder) -> tuple[ExportedFile, ...]:
    """Write the ids in row order."""
    _, test_set = load_chosen_test_set(study, order.choice)
    with write_whole(path) as partial:
        partial.write_text("".join(f"{image_id}\n" for image_id in test_set.image_ids.tolist()), encoding="utf-8")
    return (ExportedFile(path, len(test_set)),)


IDS = ExportFormat(
    name="ids",
    help="Write the ids of a test set's images to FILE, one per line.",
    is_folder=False,
    options=(TEST_SET,),
    write=write_ids,
)
