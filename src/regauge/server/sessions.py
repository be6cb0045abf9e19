"""Who sends a request: a signed cookie, and a token against requests that other sites make in somebody's name."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from itsdangerous import BadData, URLSafeSerializer
from starlette.requests import Request
from starlette.responses import Response

from regauge.records.campaigns.campaign import AnnotatorEntry, Role
from regauge.workflows.people.access import SESSION_DAYS, EndedSessions

COOKIE = "regauge_session"
SECURE_COOKIE = "__Host-regauge_session"
CSRF_HEADER = "x-csrf-token"
MAX_AGE = SESSION_DAYS * 24 * 3600
FRAME_MAX_AGE = 24 * 3600
"""Seconds that the token of a frame is good for: as long as an assignment may take, and a reload gives a new one."""
BEARER = "Bearer "
MAX_KNOWN = 4_096
ID_LENGTH = 12
"""Characters of the study's id in the name of its cookie: browsers show names in short lists."""
KEY_LENGTH = 8
"""Digits that tell the key which signs."""
GUEST_ID = 0
ACTIVE_SECONDS = 300
MAX_AHEAD = 60
"""How many seconds a clock may have been ahead when a session began, of somebody whose sessions were ended since."""


@dataclass(frozen=True, slots=True)
class Session:
    """Who is at the other end.

    Attributes:
        annotator_id: their number in the study; `GUEST_ID` for a guest.
        name: what pages call them.
        role: what they may do.
        nonce: made anew whenever somebody comes in, so that a session cannot be planted beforehand.
        began_at: when they came in, in seconds by the clock of the study.
        campaign_id: the only campaign that they see; None for all. A page in another site's frame is for one campaign.
        visit_id: the visit that a frame belongs to.
    """

    annotator_id: int
    name: str
    role: Role
    nonce: str
    began_at: float
    campaign_id: int | None = None
    visit_id: int | None = None

    @property
    def is_framed(self) -> bool:
        """Whether they work in a frame of another site, where there are no cookies."""
        return self.campaign_id is not None

    @property
    def is_trying(self) -> bool:
        """Whether they only look: guests, and the manager who wants to see what annotators see. Nothing of it is kept."""
        return self.role is not Role.ANNOTATOR


class Sessions:
    """Makes and reads the cookie.

    Args:
        secret: the key that signs.
        study_id: which study; browsers send the cookies of a host to all that is served there, whatever its port.
        is_secure: whether people come over HTTPS.
        clock: the time.
    """

    def __init__(self, secret: bytes, *, study_id: str, is_secure: bool, clock: Callable[[], datetime]) -> None:
        self._secret = secret
        self._is_secure = is_secure
        # Over HTTPS browsers tie the name to this very host. A study and a copy of it have one id and two keys.
        base = SECURE_COOKIE if is_secure else COOKIE
        self.cookie = f"{base}_{study_id[:ID_LENGTH]}_{self._make_mac('cookie')[:KEY_LENGTH]}"
        self._clock = clock
        how = {"digest_method": hashlib.sha256}
        self._serializer = URLSafeSerializer(secret, salt="session", signer_kwargs=how)
        self._frames = URLSafeSerializer(secret, salt="frame", signer_kwargs=how)
        # Cookies whose signature was found right. Nobody can fill it but with cookies that we made.
        self._known: dict[str, Session] = {}
        self._ended = EndedSessions()
        # Every change is checked by it, and a signature takes longer than most of what a request needs.
        self._make_csrf = lru_cache(MAX_KNOWN)(lambda nonce: self._make_mac(f"csrf:{nonce}"))
        # Per session when it was last seen, by a clock that only goes forwards.
        self._seen_at: dict[str, float] = {}

    def refuse(self, ended: EndedSessions) -> None:
        """From now on, refuse these sessions.

        They take the place of those before and are only read: a request costs no more than looking them up.
        """
        self._ended = ended

    def begin(self, response: Response, annotator: AnnotatorEntry) -> Session:
        """Put the session of somebody who came in into a cookie."""
        session = Session(annotator.id, annotator.name, annotator.role, secrets.token_hex(16), self._count_seconds())
        response.set_cookie(
            self.cookie,
            str(self._serializer.dumps(_list_fields(session))),
            max_age=MAX_AGE,
            path="/",
            secure=self._is_secure,
            httponly=True,
            samesite="lax",
        )
        return session

    def begin_frame(
        self, annotator: AnnotatorEntry, *, campaign_id: int, visit_id: int | None = None
    ) -> tuple[Session, str]:
        """Let somebody into a frame: a token in place of a cookie, which the page keeps to itself."""
        session = Session(
            annotator.id,
            annotator.name,
            annotator.role,
            secrets.token_hex(16),
            self._count_seconds(),
            campaign_id,
            visit_id,
        )
        return session, str(self._frames.dumps([*_list_fields(session), campaign_id, visit_id]))

    def end(self, response: Response) -> None:
        """Remove the cookie of somebody's session."""
        response.delete_cookie(self.cookie, path="/", secure=self._is_secure, httponly=True, samesite="lax")

    def find(self, request: Request) -> Session | None:
        """Whose request it is; None where the cookie is missing, forged, too old or from before somebody was put out.

        A cookie from the future is good: the clock was set back, and nobody should be turned out for it. Unless their sessions
        were ended: it cannot be told whether this one began before that.
        """
        sent = request.headers.get("authorization", "")
        if sent.startswith(BEARER):
            # Whoever sends a token means it, whatever cookies the browser adds.
            session = self._find_framed(sent.removeprefix(BEARER))
        else:
            value = request.cookies.get(self.cookie)
            session = None if value is None else self._known.get(value) or self._verify(value)
        if session is None or not self.is_good(session):
            return None
        self._note_seen(session)
        return session

    def count_active(self) -> int:
        """How many sessions this process has seen in the last five minutes."""
        since = time.monotonic() - ACTIVE_SECONDS
        self._seen_at = {nonce: at for nonce, at in self._seen_at.items() if at >= since}
        return len(self._seen_at)

    def is_good(self, session: Session) -> bool:
        """Whether a session whose signature is right still holds."""
        age = self._count_seconds() - session.began_at
        start = self._ended.starts.get(session.annotator_id)
        if self._ended.nonces and hash_nonce(session.nonce) in self._ended.nonces:
            return False
        return age <= MAX_AGE and (start is None or (session.began_at >= start and age >= -MAX_AHEAD))

    def make_csrf_token(self, session: Session) -> str:
        """What pages send along with every change."""
        return self._make_csrf(session.nonce)

    def is_own_request(self, request: Request, session: Session) -> bool:
        """Whether a change was asked for by one of our pages."""
        if session.is_framed:
            # It came by a header that no other site can make a browser send.
            return True
        sent = request.headers.get(CSRF_HEADER, "")
        return hmac.compare_digest(sent.encode(), self.make_csrf_token(session).encode())

    def sign(self, text: str) -> str:
        """A short signature of a text."""
        return self._make_mac(f"text:{text}")[:24]

    def _verify(self, value: str) -> Session | None:
        try:
            number, name, role, nonce, began_at = self._serializer.loads(value)
            session = Session(int(number), str(name), Role(role), str(nonce), float(began_at))
        except (BadData, ValueError, TypeError):
            return None
        if len(self._known) >= MAX_KNOWN:
            self._known.clear()
        self._known[value] = session
        return session

    def _find_framed(self, token: str) -> Session | None:
        try:
            number, name, role, nonce, began_at, campaign_id, visit_id = self._frames.loads(token)
            visit = None if visit_id is None else int(visit_id)
            session = Session(int(number), str(name), Role(role), str(nonce), float(began_at), int(campaign_id), visit)
        except (BadData, ValueError, TypeError):
            return None
        return session if self._count_seconds() - session.began_at <= FRAME_MAX_AGE else None

    def _note_seen(self, session: Session) -> None:
        if session.nonce not in self._seen_at and len(self._seen_at) >= MAX_KNOWN:
            self.count_active()
        self._seen_at[session.nonce] = time.monotonic()

    def _make_mac(self, text: str) -> str:
        return hmac.digest(self._secret, text.encode(), "sha256").hex()

    def _count_seconds(self) -> float:
        # To the millisecond, as the tables have it: what begins in the very moment of an end must be found to be not before it.
        moment = self._clock()
        return moment.replace(microsecond=moment.microsecond // 1_000 * 1_000).timestamp()


def hash_nonce(nonce: str) -> str:
    """The checksum by which a session that was ended is known."""
    return hashlib.sha256(nonce.encode()).hexdigest()


def _list_fields(session: Session) -> list[str | int | float]:
    """What cookies and tokens say."""
    return [session.annotator_id, session.name, session.role.value, session.nonce, session.began_at]
