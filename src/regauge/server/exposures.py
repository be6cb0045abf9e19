"""Images that were sent to people and not written down yet: they wait for the next transaction, and no answer waits for them."""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence

from regauge.records.campaigns.campaign import CampaignImage
from regauge.records.exposure.exposures import ExposureRole, NewExposure

WAIT_SECONDS = 0.25
"""How long what was sent waits for a transaction of others, before it gets one of its own."""
AGAIN_SECONDS = 60.0
"""For so long an image that is sent again is no news: pages ask for small and large ones, and look back."""
MAX_RECENT = 65_536

_Key = tuple[int, CampaignImage, ExposureRole, int]


class ExposureLog:
    """What was sent to whom, until it is written down.

    Args:
        now: gives the moment as the tables have it.
    """

    def __init__(self, now: Callable[[], str]) -> None:
        self._now = now
        self._waiting: deque[NewExposure] = deque()
        self._recent: OrderedDict[_Key, float] = OrderedDict()

    @property
    def is_waiting(self) -> bool:
        """Whether anything is to be written down."""
        return bool(self._waiting)

    def note(self, annotator_id: int, image: CampaignImage, *, role: ExposureRole, campaign_id: int) -> bool:
        """Take in that an image was sent; returns whether nothing else waits yet. To be called from the event loop alone."""
        key, moment = (annotator_id, image, role, campaign_id), time.monotonic()
        if moment < self._recent.get(key, 0.0):
            return False
        self._recent[key] = moment + AGAIN_SECONDS
        self._recent.move_to_end(key)
        if len(self._recent) > MAX_RECENT:
            self._recent.popitem(last=False)
        is_first = not self._waiting
        self._waiting.append(NewExposure(annotator_id, image.test_set_id, image.row, role, campaign_id, self._now()))
        return is_first

    def take(self) -> list[NewExposure]:
        """All that waits, for the one who writes."""
        taken = []
        while self._waiting:
            taken.append(self._waiting.popleft())
        return taken

    def put_back(self, taken: Sequence[NewExposure]) -> None:
        """What could not be written down waits again, before what came since."""
        self._waiting.extendleft(reversed(taken))
