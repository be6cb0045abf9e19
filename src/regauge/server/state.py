"""What a server process holds while it runs."""

from __future__ import annotations

import contextlib
import os
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from anyio import CapacityLimiter, to_thread

from regauge.errors import StorageError
from regauge.records.campaigns import AssignmentId, CampaignImage
from regauge.server.sessions import Sessions
from regauge.server.writer import Writer
from regauge.workflows.renditions import list_campaign_images
from regauge.workflows.seen import SeenImages
from regauge.workflows.studies import Study

SECRET_NAME = "server.secret"  # noqa: S105 - the name of a file
SECRET_BYTES = 32
MAX_REMEMBERED = 4_096
N_READERS = 8
N_PAINTERS = 4

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How the server is reached.

    Attributes:
        base_url: the address that people use, without a slash at the end.
        has_guests: whether anybody may look at the tasks without a link; what they answer is not kept.
    """

    base_url: str = "http://127.0.0.1:8765"
    has_guests: bool = False

    @property
    def is_secure(self) -> bool:
        """Whether people reach it over HTTPS."""
        return self.base_url.startswith("https://")


@dataclass(slots=True, eq=False)
class ServerState:
    """A study being served."""

    study: Study
    settings: ServerSettings
    sessions: Sessions
    writer: Writer
    shown: OrderedDict[AssignmentId, tuple[int, tuple[CampaignImage, ...]]] = field(default_factory=OrderedDict)
    """Per assignment whose it is, and its images; the last ones asked for."""
    starts: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Per campaign its generation, and the position below which all tasks are done as long as that is the generation."""
    seen: SeenImages = field(default_factory=SeenImages)
    """Which images people were shown; only the writer uses it."""
    albums: dict[int, tuple[CampaignImage, ...]] = field(default_factory=dict)
    """Per campaign its images, which never change."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    readers: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(N_READERS))
    painters: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(N_PAINTERS))

    @classmethod
    def make(cls, study: Study, settings: ServerSettings) -> ServerState:
        """The state of a server that is about to start."""
        secret = load_secret(study.paths.folder)
        sessions = Sessions(secret, is_secure=settings.is_secure, clock=study.around.clock)
        return cls(study, settings, sessions, Writer(study))

    async def read(self, work: Callable[[Study], _Result]) -> _Result:
        """Look something up, beside the event loop."""
        return await self.beside(lambda: self.read_now(work))

    async def beside(self, work: Callable[[], _Result]) -> _Result:
        """Do something beside the event loop, at most `N_READERS` at a time: the writer must always find a connection."""
        return await to_thread.run_sync(work, limiter=self.readers)

    async def paint(self, work: Callable[[], _Result]) -> _Result:
        """Do something with images beside the event loop, at most `N_PAINTERS` at a time: large ones need much memory."""
        return await to_thread.run_sync(work, limiter=self.painters)

    def read_now(self, work: Callable[[Study], _Result]) -> _Result:
        """Look something up."""
        with self.study.read() as reading:
            return work(reading)

    def get_album(self, campaign_id: int) -> tuple[CampaignImage, ...]:
        """The images of a campaign by number."""
        if campaign_id not in self.albums:
            self.albums[campaign_id] = self.read_now(lambda study: list_campaign_images(study, campaign_id))
        return self.albums[campaign_id]

    def remember(self, assignment_id: AssignmentId, images: tuple[CampaignImage, ...], *, annotator_id: int) -> None:
        """Keep whose assignment it is and what it shows, for the images that will be asked for next."""
        with self.lock:
            self.shown[assignment_id] = (annotator_id, images)
            while len(self.shown) > MAX_REMEMBERED:
                self.shown.popitem(last=False)


def load_secret(folder: Path) -> bytes:
    """The key that signs cookies: a file that only the owner can read, made on first use.

    It gets its name only when it is whole: a process that is killed, or another that starts at the same moment, must never
    read half a key.

    Raises:
        StorageError: the file holds no key.
    """
    path = folder / SECRET_NAME
    if not path.exists():
        _make_secret(path)
    secret = path.read_bytes()
    if len(secret) != SECRET_BYTES:
        raise StorageError(f"{path} holds no key of {SECRET_BYTES} bytes; remove it, and a new one is made.")
    return secret


def _make_secret(path: Path) -> None:
    partial = path.with_name(f"{path.name}.{secrets.token_hex(8)}.partial")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(secrets.token_bytes(SECRET_BYTES))
        file.flush()
        os.fsync(file.fileno())
    try:
        # Unlike a renaming, a link does not replace the key of a process that was faster.
        with contextlib.suppress(FileExistsError):
            path.hardlink_to(partial)
    finally:
        partial.unlink()
