"""Images as pages show them: every one through the same decoder, size and quality, so that nobody can tell where it is from."""

from __future__ import annotations

import secrets
from contextlib import suppress
from enum import IntEnum
from pathlib import Path

from regauge.formats.images.contents import read_image
from regauge.formats.images.pictures import make_rendition
from regauge.records.campaigns.campaign import CampaignImage
from regauge.storage.campaigns.campaign import get_campaign, load_campaign_images
from regauge.storage.files import make_private, make_private_folder
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import find_place

END_OF_JPEG = b"\xff\xd9"


class RenditionSide(IntEnum):
    """Pixels of the longer side: no others can be asked for, so that an address tells nothing and a cache stays small."""

    SMALL = 256
    USUAL = 512
    LARGE = 1024


def list_campaign_images(study: Study, campaign_id: int) -> tuple[CampaignImage, ...]:
    """The images of a campaign by number."""
    return load_campaign_images(study, get_campaign(study, campaign_id).id)


def has_rendition(study: Study, image: CampaignImage, *, side: RenditionSide = RenditionSide.USUAL) -> bool:
    """Whether the image was made before."""
    with suppress(OSError):
        return _find_path(study, image, side).exists()
    return False


def load_rendition(study: Study, image: CampaignImage, *, side: RenditionSide = RenditionSide.USUAL) -> bytes:
    """The image as a JPEG file; made once and then kept in the study's cache, or made each time where that cannot be written.

    Raises:
        FormatError: the image cannot be read or decoded.
    """
    path = _find_path(study, image, side)
    with suppress(OSError):
        kept = path.read_bytes()
        # After a power cut a file may have its name and not all of its content.
        if kept.endswith(END_OF_JPEG):
            return kept
    with study.read() as reading:
        root, place = find_place(reading, image.test_set_id, image.row)
    content = make_rendition(read_image(root, place), side=side)
    # On a full disk, or with a cache that is not ours, nobody should be shown less.
    with suppress(OSError):
        _keep(path, content)
    return content


def _keep(path: Path, content: bytes) -> None:
    make_private_folder(path.parent)
    partial = path.with_suffix(f".{secrets.token_hex(4)}.partial")
    try:
        make_private(partial)
        partial.write_bytes(content)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _find_path(study: Study, image: CampaignImage, side: RenditionSide) -> Path:
    return study.paths.cache / "renditions" / str(side.value) / f"{image.test_set_id}-{image.row}.jpg"
