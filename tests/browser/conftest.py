"""A real browser: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect, sync_playwright
from tests.browser import browser_visitor
from tests.browser.browser_visitor import Meet, Visitor
from tests.browser.server_process import Served, serve

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
WITHOUT_WINDOWS = "chromium-headless-shell"
"""The same engine in a program that cannot show a window, which does a quarter less work; it has no settings of a user."""


def find_program(*, has_settings: bool = False) -> str | None:
    """Where the browser is, if there is one.

    Args:
        has_settings: whether it must be one that a person could have set up.
    """
    names = PROGRAMS if has_settings else (WITHOUT_WINDOWS, *PROGRAMS)
    return next(filter(None, map(shutil.which, names)), None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs a browser where there is none; by a mark, so that one line says how many tests that are."""
    if find_program(has_settings=True) is None:
        skip = pytest.mark.skip(reason="Chromium is not installed; apt-get install chromium")
        for item in items:
            if "browser" in getattr(item, "fixturenames", ()):
                item.add_marker(skip)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A running browser, gone when the tests of a module are done: while it is driven, this thread can have no other loop."""
    program = find_program()
    assert program is not None
    # There is no graphics card, and to imitate one costs more than to draw.
    arguments = ["--disable-gpu", "--disable-gpu-rasterization"]
    # Chromium refuses to run as root with its sandbox.
    arguments += ["--no-sandbox"] if os.geteuid() == 0 else []
    expect.set_options(timeout=browser_visitor.PATIENCE)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=arguments)
        yield running
        running.close()


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that all tests share; everybody who visits it is a new annotator."""
    with serve(tmp_path_factory.mktemp("served")) as running:
        yield running


@pytest.fixture
def meet(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Meet]:
    """New annotators, each with a browser of their own; whatever went wrong on their pages fails the test."""
    visitors: list[Visitor] = []

    def make(server: Served | None = None, **options: Any) -> Visitor:
        # The server that tests share is started for those only who visit it.
        visitors.append(browser_visitor.meet(browser, server or request.getfixturevalue("served"), **options))
        return visitors[-1]

    yield make
    for visitor in visitors:
        visitor.context.close()
    assert [trouble for visitor in visitors for trouble in visitor.troubles] == []
