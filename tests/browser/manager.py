"""The manager in front of a browser, and annotators who work over HTTP and look at the pictures."""

from __future__ import annotations

import colorsys
import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PIL import Image
from playwright.sync_api import APIRequestContext, Browser, Locator, Page, expect
from tests.browser.browser_visitor import LOST, Meet
from tests.browser.server_process import NAMES, Served

Look = Callable[[str], bytes]
"""From the address of an image to the image."""


def open_manager(meet: Meet, managed: Served, path: str = "", **options: Any) -> Page:
    """The manager's overview, or another of their pages."""
    manager = meet(managed, **options)
    manager.allowed = ("status of 422", "status of 409", *LOST)
    page = manager.open_tab()
    page.goto(managed.manager_link)
    page.wait_for_url("**/manage")
    if path:
        page.goto(f"{managed.address}{path}")
    return page


def get_card(page: Page, name: str) -> Locator:
    """A campaign on the overview."""
    return page.locator(".campaign").filter(has=page.get_by_role("heading", name=name))


def get_figure(page: Page, title: str) -> Locator:
    """A figure of a campaign."""
    return page.locator("#figures > div").filter(has=page.get_by_text(title, exact=True)).locator("dd")


def wait_for_picture(page: Page) -> None:
    """Until the large image is there."""
    large = page.locator(".large")
    expect(large).to_have_js_property("complete", value=True)
    assert large.evaluate("image => image.naturalWidth") > 0


def find_label(content: bytes) -> int:
    """The class of a drawn image, by the colour of its square."""
    with Image.open(io.BytesIO(content)) as image:
        # The square begins at a tenth to a sixth of either side, however large the rendition is.
        red, green, blue = image.convert("RGB").getpixel((image.width * 3 // 10, image.height * 3 // 10))  # type: ignore[misc]
    return round(colorsys.rgb_to_hls(red / 255, green / 255, blue / 255)[0] * 12) % 12


def find_mask(target: str, images: list[str], look: Look) -> int:
    """Which images of a grid contain the class, one bit each."""
    wanted = NAMES.index(target)
    return sum(1 << cell for cell, address in enumerate(images) if find_label(look(address)) == wanted)


@dataclass(eq=False)
class Worker:
    """Somebody who works over HTTP, as a page would."""

    served: Served
    client: APIRequestContext
    name: str
    csrf: str
    is_careless: bool = False

    @classmethod
    def come_in(cls, browser: Browser, served: Served, link: str, *, is_careless: bool = False) -> Worker:
        """By a personal link."""
        client = browser.new_context(base_url=served.address).request
        session = client.post("/api/session", data={"token": link.split("#")[1]}).json()
        return cls(served, client, session["name"], session["csrf"], is_careless)

    def agree(self, campaign: int) -> None:
        """To the first version of the text."""
        reply = self._post(f"/api/campaigns/{campaign}/consent", {"version": 1})
        assert reply.ok, reply.text()

    def work(self, campaign: int) -> bool:
        """Take a task and answer it; False where there is none. Careless people select nothing."""
        tasks = self._post(f"/api/campaigns/{campaign}/tasks", {"n": 1}).json()
        if not tasks:
            return False
        (task,) = tasks
        mask = 0 if self.is_careless else find_mask(task["view"]["target"]["name"], task["images"], self._look)
        self.served.lease_earlier(task["id"])
        body = {"client_id": f"client-{task['id']}", "assignment_id": task["id"], "answer": {"mask": f"{mask:x}"}}
        reply = self._post("/api/answers", {**body, "seconds": 2.0 if self.is_careless else 20.0})
        assert reply.ok, reply.text()
        return True

    def _post(self, path: str, body: object) -> Any:
        return self.client.post(path, data=body, headers={"x-csrf-token": self.csrf})

    def _look(self, address: str) -> bytes:
        reply = self.client.get(address)
        assert reply.ok
        return reply.body()
