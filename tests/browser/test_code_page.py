"""CODE in a real browser on a real server: codes by one key each, overturning with a note, cards, and lists of a study's own."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, ViewportSize, expect
from tests.browser.axe import list_barriers, needs_axe
from tests.browser.browser_visitor import IMAGES_HAVE_COME, LAPTOP, PHONE, SETTLED, Meet, count_overflow
from tests.browser.server_process import HOSTILE, Served, make_served_study, open_served
from tests.browser.test_every_page import list_odd
from tests.workflows.campaign_studies import draw_picture

from regauge.kinds.registry import KINDS
from regauge.records.campaigns.campaign import CampaignPlan, Kind
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.predictions import Predictions
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.campaigns.campaign import Questions, create_campaign
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.discussions.acts import close_round
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.predictions import PredictionSource, add_predictions

STANDARD, OWN = 5, 6
"""The campaigns: with the standard categories and scores, and with two of the study's own."""


def prepare(folder: Path) -> Served:
    served = Served(make_served_study(folder))
    own = json.dumps({"texture": "Its surface.", HOSTILE: "What it is."})
    (folder / "own.json").write_text(own, encoding="utf-8")
    with open_served(served.folder) as study, study.begin() as begun:
        images = load_test_set(begun, get_test_set(begun, "new"))
        ids, labels = images.image_ids, images.labels
        classes = ((labels + 1) % 12).astype(np.int32).reshape(-1, 1)
        scores = np.linspace(0.2, 0.99, len(ids), dtype=np.float32).reshape(-1, 1)
        add_predictions(begun, PredictionSource([Predictions("model", ids, classes, scores=scores)]), test_set="new")
        wrong = [[int(one)] if place % 2 else [] for place, one in enumerate(classes[:, 0])]
        correct = [[int(one), (int(one) + 5) % 12] for one in labels]
        add_labels(begun, Truth(label_sets=(LabelSet.from_lists("truth", ids.tolist(), correct=correct, wrong=wrong),)))
        few = np.where(np.arange(len(ids)) < 2, classes[:, 0], labels).astype(np.int32).reshape(-1, 1)
        add_predictions(begun, PredictionSource([Predictions("few", ids, few)]), test_set="new")
        for name, more in (("coding", {"show_score": True}), ("own coding", {"categories": str(folder / "own.json")})):
            settings = KINDS[Kind("code")].fields.settle({"participants": ("model",), "labels": "truth", **more})
            create_campaign(begun, CampaignPlan(name, Kind("code"), 40), Questions("new", settings=settings, seed=0))
            open_campaign(begun, name)
    return served


@pytest.fixture(scope="module")
def coded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = prepare(tmp_path_factory.mktemp("code"))
    served.start()
    yield served
    served.end(signal.SIGKILL)


def begin(meet: Meet, served: Served, campaign: int, **options: Any) -> tuple[Any, Page]:
    visitor = meet(served, **options)
    page = visitor.come_in()
    page.goto(f"{served.address}/campaigns/{campaign}")
    page.get_by_role("button", name="I agree").click()
    settle(page)
    return visitor, page


def settle(page: Page) -> None:
    page.locator("#code").wait_for()
    page.evaluate(IMAGES_HAVE_COME)
    page.wait_for_timeout(SETTLED)


def test_a_mistake_is_coded_by_keys_alone(meet: Meet, coded: Served):
    visitor, page = begin(meet, coded, STANDARD)
    for key in ("2", "l", "Enter"):
        page.keyboard.press(key)
    settle(page)
    (answer,) = visitor.get_answers(1, page=page)
    assert answer["answer"] == {"version": 1, "category": "fine-grained-oov", "severity": "borderline"}


def test_a_mistake_is_overturned_by_keys_alone_with_a_note(meet: Meet, coded: Served):
    visitor, page = begin(meet, coded, STANDARD)
    for key in ("1", "m", "e"):
        page.keyboard.press(key)
    expect(page.locator("#comment")).to_be_focused()
    expect(page.locator("#comment")).to_have_value("")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#problem")).to_have_text("Write down what you see: the verdict rests on it.")
    page.keyboard.type("There is one.")
    page.keyboard.press("Control+Enter")
    settle(page)
    (answer,) = visitor.get_answers(1, page=page)
    assert answer["answer"] == {"version": 1, "overturned": "missed object", "comment": "There is one."}
    # The keys for the next mistake are no part of its note, and what was typed in the field before is gone.
    for key in ("1", "i", "Enter"):
        page.keyboard.press(key)
    settle(page)
    answers = visitor.get_answers(2, page=page)
    assert answers[-1]["answer"] == {"version": 1, "category": "fine-grained", "severity": "minor"}


def test_a_link_may_have_an_at_sign_behind_its_host(meet: Meet, coded: Served):
    visitor, page = begin(meet, coded, STANDARD)
    for key in ("1", "m"):
        page.keyboard.press(key)
    for wrong in ("javascript:alert(1)", "https://me@example.org"):
        page.locator("#link").fill(wrong)
        page.keyboard.press("Control+Enter")
        expect(page.locator("#problem")).to_contain_text("A link begins with http:// or https://")
    page.locator("#link").fill("https://example.org/@somebody/post")
    content = draw_picture(1, size=(64, 48))
    page.locator("#evidence-file").set_input_files({"name": "a.png", "mimeType": "image/png", "buffer": content})
    page.locator("#evidence-picture img").wait_for()
    page.locator("#link").press("Control+Enter")
    settle(page)
    (answer,) = visitor.get_answers(1, page=page)
    assert answer["answer"]["link"] == "https://example.org/@somebody/post"
    assert len(answer["answer"]["evidence"]["picture"]) == 32
    # The picture of one mistake is no evidence of the next.
    expect(page.locator("#evidence-picture img")).to_have_count(0)


def test_what_is_missing_is_said_and_choices_can_be_undone(meet: Meet, coded: Served):
    _, page = begin(meet, coded, STANDARD)
    page.keyboard.press("Enter")
    expect(page.locator("#problem")).to_have_text("Choose a category, or say why it is not a mistake.")
    page.keyboard.press("5")
    page.keyboard.press("Enter")
    expect(page.locator("#problem")).to_have_text("Say how severe the mistake is.")
    page.keyboard.press("m")
    page.keyboard.press("Enter")
    expect(page.locator("#problem")).to_have_text("Write down what kind of mistake it is.")
    page.keyboard.press("Escape")
    for key in ("u", "Escape", "y"):
        page.keyboard.press(key)
    expect(page.locator("#categories input:checked")).to_have_value("other")
    expect(page.locator("#severities input:checked")).to_have_value("major")
    expect(page.locator("#reasons input:checked")).to_have_count(0)


def test_the_page_says_what_words_mean(meet: Meet, coded: Served):
    _, page = begin(meet, coded, STANDARD)
    page.keyboard.press("2")
    expect(page.locator("#category-gloss")).to_contain_text("belongs to no class")
    page.keyboard.press("i")
    expect(page.locator("#severity-gloss")).to_contain_text("argue about it")
    assert page.locator("#meanings dt").count() == 5 + 3 + 3
    expect(page.locator("#prediction")).to_contain_text("Score 0.")
    page.keyboard.press("w")
    page.reload()
    settle(page)
    expect(page.locator("#meanings")).not_to_have_attribute("open", "")


def test_cards_show_the_images_of_a_class(meet: Meet, coded: Served):
    _, page = begin(meet, coded, STANDARD)
    page.keyboard.press("g")
    expect(page.locator("#card article")).to_be_visible()
    page.keyboard.press("Escape")
    page.locator("#labels button").first.click()
    expect(page.locator("#card article")).to_be_visible()


def test_categories_of_a_study_are_text_and_no_markup(meet: Meet, coded: Served):
    visitor, page = begin(meet, coded, OWN)
    expect(page.locator("#categories label")).to_have_count(2)
    assert page.locator("#categories img, #meanings img").count() == 0
    for key in ("2", "m", "Enter"):
        page.keyboard.press(key)
    settle(page)
    (answer,) = visitor.get_answers(1, page=page, campaign=OWN)
    assert answer["answer"]["category"].startswith("<img")
    assert visitor.troubles == []


@pytest.mark.parametrize("screen", [LAPTOP, PHONE], ids=["laptop", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_the_screen(meet: Meet, coded: Served, screen: ViewportSize, scheme: Any):
    _, page = begin(meet, coded, STANDARD, viewport=screen, color_scheme=scheme)
    assert count_overflow(page) == 0
    assert list_odd(page) == []


def disagree(meet: Meet, coded: Served, name: str) -> tuple[list[Any], list[Page], int]:
    """Two coders who differ in severity on two mistakes, after round 1."""
    visitors = [meet(coded), meet(coded)]
    values = {"participants": ("few",), "labels": "truth", "coders": tuple(one.name for one in visitors)}
    with open_served(coded.folder) as study, study.begin() as begun:
        settings = KINDS[Kind("code")].fields.settle(values)
        made = create_campaign(begun, CampaignPlan(name, Kind("code"), 2), Questions("new", settings=settings, seed=0))
        open_campaign(begun, name)
    pages = []
    for visitor, keys in zip(visitors, (("1", "m"), ("1", "i")), strict=True):
        page = visitor.come_in()
        page.goto(f"{coded.address}/campaigns/{made.id}")
        page.get_by_role("button", name="I agree").click()
        for _ in range(2):
            settle(page)
            expect(page.locator("#stances")).to_be_hidden()
            expect(page.locator("#argument-line")).to_be_hidden()
            for key in (*keys, "Enter"):
                page.keyboard.press(key)
        page.wait_for_url("**/thanks")
        assert len(coded.find_answers(visitor.name, made.id)) == 2
        pages.append(page)
    with open_served(coded.folder) as study, study.begin() as begun:
        close_round(begun, name, by=None)
    return visitors, pages, made.id


def test_coders_talk_about_what_they_disagree_on(meet: Meet, coded: Served):
    visitors, pages, number = disagree(meet, coded, "talk")
    for page in pages:
        page.goto(f"{coded.address}/campaigns/{number}")
        settle(page)
        expect(page.locator("#stance-list > li")).to_have_count(2)
        expect(page.locator("#stance-list")).to_contain_text("fine-grained, minor")
        assert count_overflow(page) == 0
        assert list_odd(page) == []
    page = pages[0]
    expect(page.locator("#severities input:checked")).to_have_value("major")
    page.keyboard.press("i")
    page.keyboard.press("Enter")
    expect(page.locator("#problem")).to_have_text("Say why you change your vote: the others read the reason.")
    expect(page.locator("#argument")).to_be_focused()
    page.keyboard.type("It is <b>blurred</b>.")
    page.keyboard.press("Control+Enter")
    settle(page)
    pages[1].reload()
    settle(pages[1])
    expect(pages[1].locator("#stance-list")).to_contain_text("It is <b>blurred</b>.")
    # A chair sees where every mistake stands, opens one of them, and locks what is unanimous.
    chair = pages[0]
    chair.goto(f"{coded.address}/campaigns/{number}/discussion")
    expect(chair.locator("#rows tr")).to_have_count(2)
    chair.get_by_role("button", name="Lock all that are unanimous").click()
    expect(chair.locator("#rows")).to_contain_text("locked")
    chair.get_by_role("link", name="Item 1").click()
    settle(chair)
    expect(chair.locator("#locked")).to_be_visible()
    assert not [one for visitor in visitors for one in visitor.troubles]


def test_a_note_of_a_later_answer_is_shown_to_the_others(meet: Meet, coded: Served):
    _, (page, other), number = disagree(meet, coded, "notes")
    page.goto(f"{coded.address}/campaigns/{number}")
    settle(page)
    page.keyboard.press("e")
    page.keyboard.type("One is behind it.")
    page.keyboard.press("Escape")
    page.keyboard.press("r")
    page.keyboard.type("I see it now.")
    page.keyboard.press("Control+Enter")
    settle(page)
    other.goto(f"{coded.address}/campaigns/{number}")
    settle(other)
    expect(other.locator("#stance-list")).to_contain_text("no mistake: missed object")
    expect(other.locator("#stance-list")).to_contain_text("One is behind it.")


@needs_axe
def test_nothing_bars_the_way(meet: Meet, coded: Served):
    _, page = begin(meet, coded, STANDARD)
    assert list_barriers(page) == []
