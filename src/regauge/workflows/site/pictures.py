"""Pictures of a website: copies in the folder, if they were asked for; those that cannot be read are counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from regauge.errors import FormatError, InputError
from regauge.formats.images.contents import read_image
from regauge.formats.images.pictures import make_rendition
from regauge.records.site import SitePictures
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import load_places
from regauge.workflows.site.sets import SiteSet

_SIDES = {SitePictures.THUMBNAILS: 256, SitePictures.RENDITIONS: 512}


def write_pictures(
    study: Study, sets: Sequence[SiteSet], folder: Path, *, mode: SitePictures, spend: Callable[[int], None]
) -> int:
    """Write every image as a JPEG of the side that was asked for, by the number of its set and its row.

    Args:
        study: the study inside a transaction.
        sets: whose images; each is told which of them have a picture now.
        folder: the folder of pictures, which need not be there.
        mode: which pictures; nothing is done where they are not copied.
        spend: told the bytes of each picture; raises where they are too many.

    Returns:
        How many pictures there are.

    Raises:
        InputError: pictures were asked for, and not one image can be read.
    """
    side = _SIDES.get(mode)
    if side is None:
        return 0
    for key, one in enumerate(sets):
        (folder / str(key)).mkdir(parents=True)
        one.is_pictured = np.zeros(len(one.test_set), np.bool_)
        places = load_places(study, one.entry)
        for row, place in enumerate(study.around.track(places, "Writing pictures", total=len(places))):
            try:
                content = make_rendition(read_image(Path(one.entry.root), place), side=side)
            except (FormatError, InputError):
                continue
            spend(len(content))
            (folder / str(key) / f"{row}.jpg").write_bytes(content)
            one.is_pictured[row] = True
    n_written = sum(int(one.is_pictured.sum()) for one in sets if one.is_pictured is not None)
    if not n_written:
        n = sum(len(one.test_set) for one in sets)
        raise InputError(
            f"Not one of {n:,} images can be read, so there is no picture to copy; leave out `pictures={mode.value!r}`, or say "
            "where the images are with: regauge testset relocate."
        )
    return n_written
