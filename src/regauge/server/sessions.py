"""Who sends a request: a signed cookie, and a token against requests that other sites make in somebody's name."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from itsdangerous import BadData, URLSafeSerializer
from starlette.requests import Request
from starlette.responses import Response

from regauge.records.campaigns import AnnotatorEntry, Role

COOKIE = "regauge_session"
SECURE_COOKIE = "__Host-regauge_session"
CSRF_HEADER = "x-csrf-token"
MAX_AGE = 30 * 24 * 3600
MAX_KNOWN = 4_096
GUEST_ID = 0


@dataclass(frozen=True, slots=True)
class Session:
    """Who is at the other end.

    Attributes:
        annotator_id: their number in the study; `GUEST_ID` for a guest.
        name: what pages call them.
        role: what they may do.
        nonce: made anew whenever somebody comes in, so that a session cannot be planted beforehand.
        began_at: when they came in, in seconds by the clock of the study.
    """

    annotator_id: int
    name: str
    role: Role
    nonce: str
    began_at: int

    @property
    def is_trying(self) -> bool:
        """Whether they only look: guests, and the manager who wants to see what annotators see. Nothing of it is kept."""
        return self.role is not Role.ANNOTATOR


class Sessions:
    """Makes and reads the cookie."""

    def __init__(self, secret: bytes, *, is_secure: bool, clock: Callable[[], datetime]) -> None:
        self._secret = secret
        self._is_secure = is_secure
        self._clock = clock
        self._serializer = URLSafeSerializer(secret, salt="session", signer_kwargs={"digest_method": hashlib.sha256})
        # Cookies whose signature was found right. Nobody can fill it but with cookies that we made.
        self._known: dict[str, Session] = {}

    @property
    def cookie(self) -> str:
        """What the cookie is called; over HTTPS browsers tie the name to this very host."""
        return SECURE_COOKIE if self._is_secure else COOKIE

    def begin(self, response: Response, annotator: AnnotatorEntry) -> Session:
        """Let somebody in."""
        session = Session(annotator.id, annotator.name, annotator.role, secrets.token_hex(16), self._count_seconds())
        fields = [session.annotator_id, session.name, session.role.value, session.nonce, session.began_at]
        response.set_cookie(
            self.cookie,
            str(self._serializer.dumps(fields)),
            max_age=MAX_AGE,
            path="/",
            secure=self._is_secure,
            httponly=True,
            samesite="lax",
        )
        return session

    def end(self, response: Response) -> None:
        """Let somebody out."""
        response.delete_cookie(self.cookie, path="/", secure=self._is_secure, httponly=True, samesite="lax")

    def find(self, request: Request) -> Session | None:
        """Whose request it is; None where the cookie is missing, forged or too old.

        A cookie from the future is good: the clock was set back, and nobody should be turned out for it.
        """
        value = request.cookies.get(self.cookie)
        session = None if value is None else self._known.get(value) or self._verify(value)
        return None if session is None or self._count_seconds() - session.began_at > MAX_AGE else session

    def make_csrf_token(self, session: Session) -> str:
        """What pages send along with every change."""
        return self._make_mac(f"csrf:{session.nonce}")

    def is_own_request(self, request: Request, session: Session) -> bool:
        """Whether a change was asked for by one of our pages."""
        sent = request.headers.get(CSRF_HEADER, "")
        return hmac.compare_digest(sent.encode(), self.make_csrf_token(session).encode())

    def sign(self, text: str) -> str:
        """A short signature of a text."""
        return self._make_mac(f"text:{text}")[:24]

    def _verify(self, value: str) -> Session | None:
        try:
            number, name, role, nonce, began_at = self._serializer.loads(value)
            session = Session(int(number), str(name), Role(role), str(nonce), int(began_at))
        except (BadData, ValueError, TypeError):
            return None
        if len(self._known) >= MAX_KNOWN:
            self._known.clear()
        self._known[value] = session
        return session

    def _make_mac(self, text: str) -> str:
        return hmac.digest(self._secret, text.encode(), "sha256").hex()

    def _count_seconds(self) -> int:
        return int(self._clock().timestamp())
