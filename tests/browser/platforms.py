"""Prolific and Mechanical Turk for tests: pages on another site that send people here, and take back what they bring."""

from __future__ import annotations

import html
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import BrowserContext, BrowserType, Page
from tests.browser.browser_visitor import settle
from tests.browser.server_process import make_served_study, open_served
from tests.server.served_study import listen

from regauge.records.campaigns.visits import Visit
from regauge.server.app import create_app
from regauge.server.state import ServerSettings
from regauge.storage.campaigns.campaign import get_campaign, set_terms
from regauge.workflows.people.visits import describe_visits
from regauge.workflows.studies.study import Study


@dataclass(eq=False)
class Platform:
    """Another site, at `localhost` while ours is at 127.0.0.1: to a browser they have nothing to do with each other."""

    address: str = ""
    page: str = ""
    """What it shows."""
    received: list[dict[str, str]] = field(default_factory=list)
    """The forms that were handed in."""
    referrers: list[str] = field(default_factory=list)
    """What browsers said about where they came from."""


@contextmanager
def stand_in() -> Iterator[Platform]:
    """A platform on a port of its own."""
    platform = Platform()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._reply(platform.page)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"])).decode()
            form = {name: values[0] for name, values in parse_qs(body, keep_blank_values=True).items()}
            platform.received.append({"path": urlsplit(self.path).path, **form})
            self._reply("<!doctype html><title>Done</title><h1>Handed in</h1>")

        def log_message(self, *_: object) -> None:
            pass

        def _reply(self, page: str) -> None:
            platform.referrers.append(self.headers.get("referer", ""))
            self.send_response(200)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(page.encode())

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    platform.address = f"http://localhost:{server.server_port}"
    try:
        yield platform
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@dataclass(frozen=True, slots=True, eq=False)
class Recruiting:
    """A study being served, and a platform that sends people to one of its campaigns."""

    study: Study
    address: str
    platform: Platform
    campaign_id: int

    def change_terms(self, **terms: object) -> None:
        with self.study.begin() as begun:
            campaign = get_campaign(begun, self.campaign_id)
            set_terms(begun, campaign, replace(campaign.plan.terms, **terms))  # type: ignore[arg-type]

    def list_visits(self) -> tuple[Visit, ...]:
        with self.study.read() as reading:
            return describe_visits(reading, self.campaign_id)


@contextmanager
def recruit(folder: Path, campaign_id: int) -> Iterator[Recruiting]:
    """A served study and a platform beside it."""
    with stand_in() as platform, open_served(make_served_study(folder)) as study:
        app = create_app(study, ServerSettings(frame_origins=(platform.address,)))
        with listen(app) as address:
            yield Recruiting(study, address, platform, campaign_id)


@contextmanager
def browse_without_third_party_cookies(chromium: BrowserType, folder: Path, program: str) -> Iterator[BrowserContext]:
    """A browser that gives pages in frames of other sites no cookies and no storage."""
    settings = folder / "Default" / "Preferences"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"profile": {"block_third_party_cookies": true, "cookie_controls_mode": 1}}')
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    context = chromium.launch_persistent_context(folder, executable_path=program, args=arguments)
    try:
        yield context
    finally:
        context.close()


def frame_page(address: str) -> str:
    """A page of Mechanical Turk that shows a HIT in a frame."""
    return f'<!doctype html><title>A HIT</title><iframe id="hit" width="1000" height="700" src="{html.escape(address)}"></iframe>'


def label_image(page: Page) -> None:
    """Answer the task on the screen: the first label."""
    settle(page)
    page.keyboard.press("1")
    page.keyboard.press("Enter")
