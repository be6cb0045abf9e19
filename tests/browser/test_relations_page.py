"""The page of relations in a real browser: proposals are accepted and rejected with a reason, on a phone and in the dark too."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from tests.browser.axe import list_barriers, needs_axe
from tests.browser.browser_visitor import LAPTOP, PHONE, Meet, audit, count_overflow
from tests.browser.manager import open_manager
from tests.browser.server_process import Served, make_served_study, open_served
from tests.browser.test_classes_page import CIRCUMSTANCES

from regauge.records.labels.label_set import LabelSet, Truth
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.labels.label_set import add_labels

PATH = "/manage/relations"
N_IMAGES = 6


@pytest.fixture(scope="module")
def related(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A study in which class 3 is correct wherever class 2 is; one image has no verdict on class 4, which another one has."""
    served = Served(make_served_study(tmp_path_factory.mktemp("relations")))
    with open_served(served.folder) as study, study.begin() as begun:
        ids = load_test_set(begun, get_test_set(begun, "new")).image_ids[:N_IMAGES].tolist()
        correct = [[2, 3]] * (N_IMAGES - 1) + [[3]]
        known = LabelSet.from_lists("known", ids, correct=correct, wrong=[[]] * (N_IMAGES - 1) + [[2]])
        add_labels(begun, Truth(label_sets=(known,)))
    served.start()
    yield served
    served.end(signal.SIGKILL)


def answer(page: Page, action: str, reason: str) -> None:
    dialog = page.locator("dialog[open]")
    dialog.get_by_label("Why").fill(reason)
    dialog.get_by_role("button", name=action).click()


def test_a_proposal_is_accepted_and_then_rejected_with_reasons(meet: Meet, related: Served) -> None:
    page = open_manager(meet, related, PATH)
    page.get_by_role("button", name="Propose from data").click()
    expect(page.locator("#said")).to_contain_text("proposed")
    row = page.get_by_role("region", name="Proposals").get_by_role("row").filter(has_text="class 2 ⊂ class 3")
    expect(row).to_contain_text("5 of 5")
    row.get_by_role("button", name="Accept").click()
    page.locator("dialog[open]").get_by_role("button", name="Accept").click()
    expect(page.locator("dialog[open]")).to_contain_text("Say why")
    answer(page, "Accept", "always together")
    expect(page.locator("#said")).to_contain_text("accepted")
    accepted = page.get_by_role("region", name="Relations that were accepted")
    expect(accepted).to_contain_text("always together")
    assert audit(page) == []
    accepted.get_by_role("button", name="Reject").click()
    answer(page, "Reject", "chance")
    expect(page.get_by_role("region", name="Relations that were rejected")).to_contain_text("chance")


@pytest.mark.parametrize("viewport", [LAPTOP, PHONE])
def test_the_page_fits(meet: Meet, related: Served, viewport: Any) -> None:
    page = open_manager(meet, related, PATH, viewport=viewport)
    expect(page.get_by_role("heading", name="Relations between classes")).to_be_visible()
    assert count_overflow(page) == 0


@needs_axe
@pytest.mark.parametrize("options", CIRCUMSTANCES.values(), ids=CIRCUMSTANCES)
def test_nothing_stands_in_the_way_of_deciding(meet: Meet, related: Served, options: dict[str, Any]) -> None:
    page = open_manager(meet, related, PATH, **options)
    expect(page.get_by_role("heading", name="Relations between classes")).to_be_visible()
    assert list_barriers(page) == []
