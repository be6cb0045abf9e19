"""CLASSIFY in a real browser on a real server: labels, the main object, and what is stored of them."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from tests.browser.browser_visitor import LAPTOP, PHONE, Meet, audit, count_overflow, settle
from tests.browser.server_process import LABELS, NAMES, SHORT


def list_labels(page: Page) -> list[int]:
    """The classes in the order in which they are shown."""
    return [NAMES.index(name.inner_text()) for name in page.locator(".choice .name").all()]


def get_choice(page: Page, place: int):
    return page.locator(".choice").nth(place)


def find_picture(page: Page) -> str:
    return str(page.locator(".picture img").get_attribute("src"))


def go_on(page: Page, picture: str) -> None:
    """Wait for the next task."""
    expect(page.locator(".picture img")).not_to_have_attribute("src", picture)
    settle(page)


def test_what_is_clicked_is_what_is_stored(meet: Meet):
    visitor = meet()
    page = visitor.begin(LABELS)
    labels, picture = list_labels(page), find_picture(page)
    get_choice(page, 0).locator(".label").click()
    get_choice(page, 2).locator(".label").click()
    get_choice(page, 2).get_by_role("radio").click()
    page.get_by_role("button", name="Submit").click()
    go_on(page, picture)
    (answer,) = visitor.get_answers(1, page=page)
    assert answer["answer"]["main"] == labels[2]
    assert set(answer["answer"]["selected"]) == {labels[0], labels[2]}


def test_everything_can_be_done_by_keyboard_alone(meet: Meet):
    visitor = meet()
    page = visitor.come_in()
    page.goto(f"{visitor.served.address}/campaigns/{LABELS}")
    page.keyboard.press("Enter")
    settle(page)
    labels, picture = list_labels(page), find_picture(page)
    for key in ("1", "3", "Shift+Digit3", "Enter"):
        page.keyboard.press(key)
    go_on(page, picture)
    (answer,) = visitor.get_answers(1, page=page)
    assert answer["answer"]["main"] == labels[2]
    assert set(answer["answer"]["selected"]) == {labels[0], labels[2]}
    labels, picture = list_labels(page), find_picture(page)
    for key in ("ArrowDown", "Space", "Control+Enter"):
        page.keyboard.press(key)
    go_on(page, picture)
    _, answer = visitor.get_answers(2, page=page)
    assert (answer["answer"]["selected"], answer["answer"]["main"]) == ([labels[1]], labels[1])


def test_a_single_label_is_the_main_object_by_itself(meet: Meet):
    page = meet().begin(LABELS)
    page.keyboard.press("2")
    expect(get_choice(page, 1).get_by_role("radio")).to_be_checked()
    expect(get_choice(page, 0).get_by_role("radio")).to_be_hidden()


def test_with_a_second_label_the_main_object_has_to_be_chosen(meet: Meet):
    visitor = meet()
    page = visitor.begin(LABELS)
    page.keyboard.press("2")
    page.keyboard.press("1")
    assert page.locator(".choice input[type=radio]:checked").count() == 0
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="main object")).to_be_visible()
    expect(get_choice(page, 0).get_by_role("radio")).to_be_focused()
    assert visitor.served.find_answers(visitor.name) == []
    page.keyboard.press("m")
    expect(get_choice(page, 0).get_by_role("radio")).to_be_checked()
    page.keyboard.press("m")
    expect(get_choice(page, 1).get_by_role("radio")).to_be_checked()
    expect(page.locator("#problem")).to_be_empty()
    page.keyboard.press("Enter")
    visitor.get_answers(1, page=page)


def test_a_main_object_that_is_no_longer_selected_is_none(meet: Meet):
    page = meet().begin(LABELS)
    for key in ("1", "2", "3", "Shift+Digit2", "2"):
        page.keyboard.press(key)
    assert page.locator(".choice input[type=radio]:checked").count() == 0
    page.keyboard.press("3")
    expect(get_choice(page, 0).get_by_role("radio")).to_be_checked()


def test_an_answer_without_a_label_is_asked_about_once(meet: Meet):
    visitor = meet()
    page = visitor.begin(LABELS)
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("alert").filter(has_text="If none of them is right, submit once more")).to_be_visible()
    assert visitor.served.find_answers(visitor.name) == []
    page.keyboard.press("1")
    expect(page.locator("#problem")).to_be_empty()
    page.keyboard.press("1")
    picture = find_picture(page)
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("alert").filter(has_text="submit once more")).to_be_visible()
    page.get_by_role("button", name="Submit").click()
    go_on(page, picture)
    (answer,) = visitor.served.find_answers(visitor.name)
    assert (answer["answer"]["selected"], answer["answer"]["main"]) == ([], None)


def test_candidates_past_the_ninth_have_letters(meet: Meet):
    visitor = meet()
    page = visitor.begin(LABELS)
    while len(list_labels(page)) < 12:
        picture = find_picture(page)
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        go_on(page, picture)
    expect(get_choice(page, 9).locator("kbd")).to_have_text("a")
    page.keyboard.press("a")
    expect(get_choice(page, 9).get_by_role("checkbox")).to_be_checked()
    page.keyboard.press("Shift+D")
    expect(get_choice(page, 11).get_by_role("radio")).to_be_checked()
    assert sorted(list_labels(page)) == list(range(12))


def test_undo_takes_back_the_last_selection(meet: Meet):
    page = meet().begin(LABELS)
    for key in ("1", "2", "u"):
        page.keyboard.press(key)
    expect(page.locator("#facts")).to_have_text("1 selected")
    expect(get_choice(page, 0).get_by_role("radio")).to_be_checked()


def test_a_label_is_explained_on_demand(meet: Meet):
    page = meet().begin(LABELS)
    gloss = f"gloss {list_labels(page)[1]}"
    get_choice(page, 1).hover()
    expect(page.locator("#explained")).to_contain_text(gloss)
    page.keyboard.press("2")
    page.keyboard.press("?")
    expect(get_choice(page, 1).locator(".gloss")).to_have_text(gloss)
    why = get_choice(page, 1).locator(".why")
    expect(why).to_have_attribute("aria-expanded", "true")
    why.click()
    expect(get_choice(page, 1).locator(".gloss")).to_be_hidden()
    link = get_choice(page, 1).get_by_role("link")
    assert (link.get_attribute("rel"), link.get_attribute("target")) == ("noreferrer noopener", "_blank")


def test_the_image_can_be_enlarged(meet: Meet):
    page = meet().begin(LABELS)
    for way in ("key", "click"):
        if way == "key":
            page.keyboard.press("z")
        else:
            page.get_by_role("button", name="Enlarge the image").click()
        expect(page.get_by_role("dialog", name="Enlarged image")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog", name="Enlarged image")).to_be_hidden()


def test_the_order_of_the_labels_stays_when_one_comes_back(meet: Meet):
    page = meet().begin(LABELS)
    while len(list_labels(page)) < 12:
        picture = find_picture(page)
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        go_on(page, picture)
    labels = list_labels(page)
    assert labels != sorted(labels)
    page.reload()
    settle(page)
    assert list_labels(page) == labels


def test_a_break_keeps_what_was_selected(meet: Meet):
    page = meet().begin(LABELS)
    for key in ("1", "3", "Shift+Digit3"):
        page.keyboard.press(key)
    page.reload()
    settle(page)
    expect(get_choice(page, 0).get_by_role("checkbox")).to_be_checked()
    expect(get_choice(page, 2).get_by_role("radio")).to_be_checked()
    page.keyboard.press("2")
    expect(get_choice(page, 2).get_by_role("radio")).to_be_checked()


def test_the_previous_answer_can_be_changed(meet: Meet):
    visitor = meet()
    page = visitor.begin(LABELS)
    labels, picture = list_labels(page), find_picture(page)
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    go_on(page, picture)
    page.keyboard.press("Backspace")
    expect(page.locator(".picture img")).to_have_attribute("src", picture)
    settle(page)
    assert list_labels(page) == labels
    page.keyboard.press("1")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    go_on(page, picture)
    _, new = visitor.get_answers(2, page=page)
    assert (new["revision"], new["answer"]["main"], new["answer"]["selected"]) == (1, labels[1], [labels[1]])


def test_when_all_is_done_the_page_says_thank_you(meet: Meet):
    visitor = meet()
    page = visitor.begin(SHORT)
    picture = find_picture(page)
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    go_on(page, picture)
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    page.wait_for_url("**/thanks")
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    expect(page.locator(".lead")).to_have_text("You have done 2 tasks in Short, and everything is saved.")
    expect(page.locator("main")).to_contain_text("There may be more later")
    assert len(visitor.served.find_answers(visitor.name, SHORT)) == 2
    assert audit(page) == []
    page.get_by_role("link", name="Look again").click()
    page.wait_for_url("**/thanks")


@pytest.mark.parametrize("viewport", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_image_labels_and_submit_are_in_view_at_once(meet: Meet, viewport):
    page = meet(viewport=viewport).begin(SHORT)
    for part in (".picture img", ".choice", "#submit"):
        box = page.locator(part).first.bounding_box()
        assert box is not None
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= viewport["height"], part
    assert count_overflow(page) <= 0
    picture, labels = page.locator(".picture").bounding_box(), page.locator(".choices").bounding_box()
    assert picture is not None
    assert labels is not None
    is_beside = picture["x"] + picture["width"] <= labels["x"]
    assert is_beside == (viewport is LAPTOP)


def test_long_names_break_nothing_on_a_phone(meet: Meet):
    page = meet(viewport=PHONE, has_touch=True, is_mobile=True).begin(LABELS)
    while True:
        assert count_overflow(page) <= 0
        if 0 in list_labels(page) and 1 in list_labels(page):
            break
        picture = find_picture(page)
        page.locator(".choice .label").first.tap()
        page.locator("#submit").tap()
        go_on(page, picture)
    page.locator(".choice .label").nth(0).tap()
    page.locator(".choice .label").nth(1).tap()
    assert count_overflow(page) <= 0


def test_the_page_works_for_screen_readers(meet: Meet):
    page = meet().begin(LABELS)
    page.keyboard.press("1")
    page.keyboard.press("2")
    assert audit(page) == []
    names = [NAMES[label] for label in list_labels(page)]
    assert page.get_by_role("checkbox").count() == len(names)
    expect(page.get_by_role("radio", name=f"{names[0]} is the main object")).to_be_visible()
    expect(page.get_by_role("button", name=f"What is {names[0]}?")).to_be_visible()
