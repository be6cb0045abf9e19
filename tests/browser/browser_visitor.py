"""Somebody in front of a browser: comes in by a link, and notes down whatever goes wrong on the pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Frame, Page, ViewportSize, expect
from tests import waits
from tests.browser.contrast import list_faint
from tests.browser.server_process import Served

LAPTOP: ViewportSize = {"width": 1366, "height": 768}
PHONE: ViewportSize = {"width": 390, "height": 844}
CIRCUMSTANCES: dict[str, dict[str, Any]] = {
    "light": {"viewport": LAPTOP},
    "dark": {"viewport": LAPTOP, "color_scheme": "dark"},
    "phone": {"viewport": PHONE, "has_touch": True},
}
PATIENCE = 1_000 * waits.PATIENCE
"""Milliseconds after which a page has failed; on a busy machine the first pages take long."""
SETTLED = 350
"""Milliseconds after which a new task takes an answer: a second click that comes sooner was meant for the one before."""
LOST = ("ERR_INTERNET_DISCONNECTED", "ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE")


@dataclass(eq=False)
class Visitor:
    """Somebody with a browser of their own."""

    served: Served
    context: BrowserContext
    name: str
    link: str
    troubles: list[str] = field(default_factory=list)
    allowed: tuple[str, ...] = ()
    """What the browser may complain about, because the test brings it about."""

    def open_tab(self) -> Page:
        """A new tab."""
        page = self.context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        return page

    def come_in(self) -> Page:
        """A tab on the start page, by the personal link."""
        page = self.open_tab()
        page.goto(self.link)
        page.wait_for_url(f"{self.served.address}/")
        return page

    def begin(self, campaign: int) -> Page:
        """A tab with the first task of a campaign, ready for an answer."""
        page = self.come_in()
        page.goto(f"{self.served.address}/campaigns/{campaign}")
        page.get_by_role("button", name="I agree").click()
        settle(page)
        return page

    def get_answers(self, n: int, *, page: Page, campaign: int | None = None) -> list[dict[str, Any]]:
        """The answers in the database once the page says that all are saved; there must be so many."""
        expect(page.locator("#status")).to_have_text("Saved")
        found = self.served.find_answers(self.name, campaign)
        assert len(found) == n
        return found

    def _note(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and not any(part in message.text for part in self.allowed):
            self.troubles.append(message.text)


Meet = Callable[..., Visitor]


def meet(browser: Browser, served: Served, **options: Any) -> Visitor:
    """A new annotator with a browser of their own."""
    name, link = served.invite()
    return Visitor(served, browser.new_context(**{"viewport": LAPTOP, **options}), name, link)


IMAGES_HAVE_COME = """() => Promise.all([...document.images].map((image) => image.complete || new Promise((resolve) => {
  for (const event of ['load', 'error']) image.addEventListener(event, resolve, { once: true });
}))).then(() => null)"""


def await_images(page: Page) -> None:
    """Wait until a task is there with its images."""
    page.locator(".cell, .choice").first.wait_for()
    page.evaluate(IMAGES_HAVE_COME)


def settle(page: Page) -> None:
    """Wait until a task is there with its images and takes an answer."""
    await_images(page)
    page.wait_for_timeout(SETTLED)


HOLD = """(() => {
  const send = window.fetch.bind(window);
  window.fetch = async (address, ...rest) => {
    if (String(address).includes("/api/answers") && (await window.isHeld())) throw new TypeError("held back");
    return send(address, ...rest);
  };
})()"""


def hold_back(page: Page) -> Callable[[], None]:
    """From now on no answer leaves the browser; everything else does. Gives what lets them through again.

    They are held back inside the page: one that is held back on its way goes on when its page is closed.
    """
    held = [True]
    page.context.expose_function("isHeld", lambda: bool(held))
    page.context.add_init_script(HOLD)
    for one in page.context.pages:
        one.evaluate(HOLD)
    return held.clear


def find_target(page: Page) -> str:
    """The class that a grid asks for."""
    return page.locator("#target").inner_text()


def count_overflow(page: Page) -> int:
    """Pixels that the page is wider than the screen."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


AUDIT = """() => {
  const troubles = [];
  const name = (e) => (e.getAttribute('aria-label') || e.labels?.[0]?.innerText || e.innerText || e.alt || e.title || '').trim()
    || (e.getAttribute('aria-labelledby') || '').split(' ').map((id) => document.getElementById(id)?.innerText).join('').trim();
  const shown = (e) => e.getClientRects().length > 0;
  for (const e of document.querySelectorAll('a[href], button, input, textarea, progress, dialog[open], [role=group], nav'))
    if (shown(e) && e.getAttribute('aria-hidden') !== 'true' && !name(e)) troubles.push('no name: ' + e.outerHTML.slice(0, 90));
  for (const e of document.querySelectorAll('img:not([alt])')) troubles.push('no alt: ' + e.outerHTML.slice(0, 90));
  const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) troubles.push('twice: ' + id);
  for (const e of document.querySelectorAll('[aria-labelledby], [aria-controls]'))
    for (const id of (e.getAttribute('aria-labelledby') || e.getAttribute('aria-controls')).split(' '))
      if (!document.getElementById(id)) troubles.push('no such id: ' + id);
  if ([...document.querySelectorAll('h1')].filter(shown).length !== 1) troubles.push('not one h1');
  if (!document.documentElement.lang || !document.title) troubles.push('no language or title');
  if (!document.querySelector('main')) troubles.push('no main');
  for (const e of document.querySelectorAll('[style], style, script:not([src])')) troubles.push('inline: ' + e.tagName);
  for (const e of document.querySelectorAll('[tabindex]')) if (e.tabIndex > 0) troubles.push('tab order: ' + e.tagName);
  for (const e of document.querySelectorAll('a[target=_blank]'))
    if (!/noreferrer/.test(e.rel) || !/noopener/.test(e.rel)) troubles.push('tells the referrer: ' + e.href);
  return troubles;
}"""
"""What screen readers and keyboards need: names, roles, headings, and an order that is the page's own."""


def audit(page: Page | Frame) -> list[str]:
    """What is wrong with a page for people who do not see it, do not see it well, or use no mouse."""
    # Words may be there before the styles that colour them.
    page.wait_for_load_state()
    return [*page.evaluate(AUDIT), *list_faint(page)]
