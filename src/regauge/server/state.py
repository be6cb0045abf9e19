"""What a server process holds while it runs."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from anyio import CapacityLimiter, to_thread
from jinja2 import Environment

from regauge.errors import StorageError
from regauge.records.campaigns.campaign import AssignmentId, CampaignEntry, CampaignImage, Role
from regauge.records.exposure.exposures import NO_CAMPAIGN_ID, ExposureRole
from regauge.server.exposures import ExposureLog
from regauge.server.kind_pages import make_templates
from regauge.server.logs import LogFormat
from regauge.server.metrics import Metrics
from regauge.server.rate_limits import PER_MINUTE, RateLimit
from regauge.server.sessions import GUEST_ID, Session, Sessions
from regauge.server.writer import Writer
from regauge.workflows.annotation.class_cards import CardMemory
from regauge.workflows.annotation.class_finder import FinderFile, make_finder_file
from regauge.workflows.annotation.renditions import list_campaign_images
from regauge.workflows.campaigns.estimates import TaskTime, find_task_time
from regauge.workflows.exposure.memories import RecentImages, SeenImages
from regauge.workflows.live.campaigns import LiveCampaigns
from regauge.workflows.live.standings import StandingMemory
from regauge.workflows.people.access import (
    KNOWN_SECONDS,
    AccessCount,
    find_ended_sessions,
    has_servers_elsewhere,
    mark_server,
)
from regauge.workflows.site.serving import SiteMemory
from regauge.workflows.studies.study import Study, load_key
from regauge.workflows.testsets.draw_reviews import DrawMemory

SECRET_NAME = "server.secret"  # noqa: S105 - the name of a file
MAX_REMEMBERED = 4_096
N_READERS = 8
N_PAINTERS = 4
LOOK_SECONDS = 2.0
"""How often a process looks whose sessions were ended on another machine; what is ended on this one it sees at once."""

TIMES_KEPT = 60.0
"""Seconds for which it is relied on how long tasks take."""

_LOG = logging.getLogger(__name__)

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How the server is reached.

    Attributes:
        base_url: the address that people use, without a slash at the end.
        has_guests: whether anybody may look at the tasks without a link; what they answer is not kept.
        shows_results: whether guests may browse images, labels and scores, without pictures.
        metrics_token: what whoever reads the metrics must send; where it is empty, nobody can.
        log_format: how requests and failures are written down.
        paints_ahead: whether images of open campaigns are made ready before anybody asks for them.
        frame_origins: sites that stand in for Mechanical Turk in tests: they may show its page in a frame and take what is
            handed in.
        answers_per_minute: what one person may send in a minute; 0 for any number.
    """

    base_url: str = "http://127.0.0.1:8765"
    has_guests: bool = False
    shows_results: bool = False
    metrics_token: str = field(default="", repr=False)
    log_format: LogFormat = LogFormat.TEXT
    paints_ahead: bool = False
    frame_origins: tuple[str, ...] = ()
    answers_per_minute: int = PER_MINUTE

    @property
    def is_secure(self) -> bool:
        """Whether people reach it over HTTPS."""
        return self.base_url.startswith("https://")


@dataclass(frozen=True, slots=True, eq=False)
class ShownImages:
    """What an assignment shows, or an example or a question.

    Attributes:
        annotator_id: whose it is.
        images: in display order; None for what was taken out.
        campaign_id: of which campaign.
        role: as what it shows them.
    """

    annotator_id: int
    images: tuple[CampaignImage | None, ...]
    campaign_id: int
    role: ExposureRole


@dataclass(slots=True, eq=False)
class ServerState:
    """A study being served."""

    study: Study
    settings: ServerSettings
    sessions: Sessions
    writer: Writer
    exposures: ExposureLog
    metrics: Metrics
    access: AccessCount
    """How often access has ended so far, by all processes of this machine."""
    known_access: tuple[int, float] = (-1, 0.0)
    """What the count was when ended sessions were last read, and until when they may be relied on."""
    began_at: float = field(default_factory=time.monotonic)
    shown: OrderedDict[AssignmentId, ShownImages] = field(default_factory=OrderedDict)
    """Per assignment what it shows; the last ones asked for."""
    starts: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Per campaign its generation, and the position below which all tasks are done as long as that is the generation."""
    seen: SeenImages = field(default_factory=SeenImages)
    """Which images people were shown in tasks; only the writer uses it."""
    recent: RecentImages = field(default_factory=RecentImages)
    """When they were shown images in whatever way; only the writer uses it."""
    own_starts: dict[tuple[int, int], int] = field(default_factory=dict)
    """Where people have an order of their own, by campaign and person how far they are in it; only the writer uses it."""
    albums: dict[int, tuple[CampaignImage, ...]] = field(default_factory=dict)
    """Per campaign its images, which never change."""
    templates: Environment = field(default_factory=Environment)
    """What pages are rendered with."""
    live: LiveCampaigns = field(default_factory=LiveCampaigns)
    """How campaigns go, for the manager's pages."""
    standings: StandingMemory = field(default_factory=StandingMemory)
    """Which comparisons review campaigns settle."""
    flagged: dict[int, tuple[tuple[int, ...], int]] = field(default_factory=dict)
    """Per campaign what its answers were when annotators were last looked through, and how many of them were odd."""
    task_times: dict[int, tuple[float, TaskTime]] = field(default_factory=dict)
    """Per campaign until when it is relied on how long its tasks take, and how long."""
    draws: DrawMemory = field(default_factory=DrawMemory)
    """What drawn test sets were drawn from, while people review them."""
    cards: CardMemory = field(default_factory=CardMemory)
    """What no card shows."""
    finder: FinderFile | None = None
    """What browsers find classes by, once somebody has asked for it."""
    site: SiteMemory = field(default_factory=SiteMemory)
    """The website of the study, and its chunks that somebody has asked for."""
    failed: OrderedDict[tuple[AssignmentId, int], None] = field(default_factory=OrderedDict)
    """Images of assignments that could not be shown and were noted; the last ones."""
    pace: RateLimit = field(default_factory=RateLimit)
    """How fast everybody sends."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    readers: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(N_READERS))
    painters: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(N_PAINTERS))
    watchers: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(1))
    """Who looks for ended sessions never waits for those who read for long."""

    @classmethod
    def make(cls, study: Study, settings: ServerSettings) -> ServerState:
        """The state of a server that is about to start."""
        secret = load_secret(study.paths.folder)
        sessions = Sessions(secret, study_id=study.id, is_secure=settings.is_secure, clock=study.around.clock)
        metrics = Metrics()
        access = AccessCount(study.paths.folder)
        mark_server(study, access)
        pace = RateLimit(settings.answers_per_minute)
        exposures, templates = ExposureLog(study.around.now), make_templates(study)
        writer = Writer(study, metrics=metrics, exposures=exposures)
        return cls(study, settings, sessions, writer, exposures, metrics, access, pace=pace, templates=templates)

    @property
    def is_behind(self) -> bool:
        """Whether somebody's access may have ended that this process has not heard of."""
        count, until = self.known_access
        return self.access.value != count or time.monotonic() > until

    async def catch_up(self) -> None:
        """Learn whose access has ended, if there is anything to learn; a request is looked at only after that.

        Raises:
            StorageError: the database does not tell.
        """
        if self.is_behind:
            await to_thread.run_sync(self._catch_up_now, limiter=self.watchers)

    async def tell_servers(self) -> None:
        """Wait until every server knows whose access has ended; to be called before that is acknowledged.

        Those of this machine see the count. One on another machine relies on what it knows for some seconds at most.
        """
        if await self.beside(lambda: has_servers_elsewhere(self.study)):
            await asyncio.sleep(KNOWN_SECONDS)

    async def watch_sessions(self) -> None:
        """Learn again and again whose sessions were ended on another machine."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                await to_thread.run_sync(self._read_ended, limiter=self.watchers)
            except StorageError as error:
                _LOG.warning("%s", error)

    def _catch_up_now(self) -> None:
        # Many requests may have waited for the first of them.
        if self.is_behind:
            self._read_ended()

    def _read_ended(self) -> None:
        # Looked at before the rows are: what is committed in between is read again, not missed.
        count, moment = self.access.value, time.monotonic()
        self.sessions.refuse(self.read_now(find_ended_sessions))
        self.known_access = (count, moment + KNOWN_SECONDS)

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

    def get_finder(self) -> FinderFile:
        """What browsers find classes by; made once in a process."""
        if self.finder is None:
            self.finder = make_finder_file(self.study.taxonomy)
        return self.finder

    def find_task_time(self, study: Study, campaign: CampaignEntry) -> TaskTime:
        """How long a task of a campaign takes, found out anew once in a while: it is a median of many answers."""
        until, time_of = self.task_times.get(campaign.id, (0.0, None))
        if time_of is None or time.monotonic() > until:
            time_of = find_task_time(study, campaign)
            self.task_times[campaign.id] = (time.monotonic() + TIMES_KEPT, time_of)
        return time_of

    def is_news(self, failure: tuple[AssignmentId, int]) -> bool:
        """Whether it was not noted yet that an image of an assignment could not be shown; from now on it was."""
        with self.lock:
            is_new = failure not in self.failed
            self.failed[failure] = None
            while len(self.failed) > MAX_REMEMBERED:
                self.failed.popitem(last=False)
            return is_new

    def forget_failure(self, failure: tuple[AssignmentId, int]) -> None:
        """Take back that it was noted."""
        with self.lock:
            self.failed.pop(failure, None)

    def remember(self, assignment_id: AssignmentId, shown: ShownImages) -> None:
        """Keep what an assignment shows and to whom, for the images that will be asked for next."""
        with self.lock:
            self.shown[assignment_id] = shown
            while len(self.shown) > MAX_REMEMBERED:
                self.shown.popitem(last=False)

    def note_sent(
        self, session: Session, image: CampaignImage, *, role: ExposureRole, campaign_id: int | None = None
    ) -> None:
        """Note that an image was sent to somebody; of guests nothing is kept, and managers see it as such."""
        if session.annotator_id == GUEST_ID:
            return
        seen_as = ExposureRole.MANAGER if session.role is Role.MANAGER else role
        where = NO_CAMPAIGN_ID if campaign_id is None else campaign_id
        if self.exposures.note(session.annotator_id, image, role=seen_as, campaign_id=where):
            self.writer.write_soon()


def load_secret(folder: Path) -> bytes:
    """The key that signs cookies.

    Raises:
        StorageError: the file holds no key.
    """
    return load_key(folder / SECRET_NAME)
