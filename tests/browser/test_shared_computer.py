"""Several people on one computer, and several studies at one address: every answer goes out in the name of whoever gave it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import Dialog, Page, expect
from tests.browser.browser_visitor import LOST, Meet, Visitor, hold_back, settle
from tests.browser.server_process import GRID, Served, make_served_study, open_served, serve

from regauge.workflows.people.erasure import erase_annotator

FAILED = (*LOST, "Failed to load resource", "net::ERR_FAILED")


def submit(page: Page, place: int) -> None:
    page.locator(".cell").nth(place).click(position={"x": 20, "y": 20})
    page.get_by_role("button", name="Submit").click()


def share(visitor: Visitor, *, at: Served | None = None) -> Visitor:
    """Somebody else in front of the same browser."""
    served = at or visitor.served
    name, link = served.invite()
    return Visitor(served, visitor.context, name, link, visitor.troubles, visitor.allowed)


def take_over(visitor: Visitor) -> Page:
    """Open one's link where somebody else is signed in: they are asked to leave first."""
    page = visitor.open_tab()
    page.goto(visitor.link)
    page.get_by_role("button", name="Sign out and use this link").click()
    page.wait_for_url(f"{visitor.served.address}/")
    return page


def watch(page: Page, *, accept: bool) -> list[tuple[str, str]]:
    """What the page asks, and answer it."""
    asked: list[tuple[str, str]] = []

    def answer(dialog: Dialog) -> None:
        asked.append((dialog.type, dialog.message))
        (dialog.accept if accept else dialog.dismiss)()

    page.on("dialog", answer)
    return asked


def list_kept(page: Page, prefix: str) -> list[str]:
    found: list[str] = page.evaluate(
        "(prefix) => Object.keys(localStorage).filter((key) => key.startsWith(prefix))", prefix
    )
    return found


def go_home(page: Page, visitor: Visitor) -> None:
    page.goto(f"{visitor.served.address}/")
    page.wait_for_load_state("networkidle")


def test_leaving_with_unsent_answers_asks_and_they_wait_for_their_owner(meet: Meet) -> None:
    ann = meet()
    ann.allowed = FAILED
    page = ann.begin(GRID)
    let_through = hold_back(page)
    submit(page, 1)
    expect(page.locator("#status")).to_contain_text("1 answer is kept")
    go_home(page, ann)
    asked = watch(page, accept=False)
    page.get_by_role("button", name="Leave").click()
    expect(page.get_by_role("button", name="Leave")).to_be_visible()
    assert [kind for kind, _ in asked] == ["confirm"]
    assert asked[0][1].startswith("1 answer has not been sent yet. It stays in this browser")
    page.close()
    page = ann.open_tab()
    go_home(page, ann)
    watch(page, accept=True)
    page.get_by_role("button", name="Leave").click()
    expect(page.get_by_role("button", name="Leave")).to_be_hidden()
    let_through()
    bob = share(ann)
    page = bob.begin(GRID)
    submit(page, 2)
    expect(page.locator("#status")).to_have_text("Saved")
    assert [one["answer"]["mask"] for one in bob.served.find_answers(bob.name)] == ["4"]
    assert ann.served.find_answers(ann.name) == []
    page.close()
    page = take_over(ann)
    (found,) = ann.get_answers(1, page=page)
    assert found["answer"]["mask"] == "2"


def test_closing_the_tab_with_unsent_answers_asks(meet: Meet) -> None:
    visitor = meet()
    visitor.allowed = FAILED
    page = visitor.begin(GRID)
    asked = watch(page, accept=True)
    page.goto(f"{visitor.served.address}/me")
    assert asked == []
    page.goto(f"{visitor.served.address}/campaigns/{GRID}")
    settle(page)
    hold_back(page)
    submit(page, 1)
    expect(page.locator("#status")).to_contain_text("1 answer is kept")
    page.close(run_before_unload=True)
    page.wait_for_event("close")
    assert [kind for kind, _ in asked] == ["beforeunload"]


def test_a_page_of_somebody_who_was_there_before_sends_nothing_in_the_new_name(meet: Meet) -> None:
    ann = meet()
    ann.allowed = FAILED
    hers = ann.begin(GRID)
    let_through = hold_back(hers)
    submit(hers, 1)
    expect(hers.locator("#status")).to_contain_text("1 answer is kept")
    bob = share(ann)
    take_over(bob).close()
    his = bob.begin(GRID)
    let_through()
    hers.evaluate("window.dispatchEvent(new Event('online'))")
    expect(hers.locator("#status")).to_contain_text("Please open your personal link again")
    submit(his, 2)
    expect(his.locator("#status")).to_have_text("Saved")
    assert ann.served.find_answers(ann.name) == []
    assert len(bob.served.find_answers(bob.name)) == 1
    his.close()
    hers.close()
    ann.get_answers(1, page=take_over(ann))


def test_two_studies_at_one_address_do_not_get_each_others_answers(meet: Meet, tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    with serve(tmp_path / "one") as first:
        ann = meet(first)
        ann.allowed = FAILED
        page = ann.begin(GRID)
        let_through = hold_back(page)
        submit(page, 1)
        expect(page.locator("#status")).to_contain_text("1 answer is kept")
        page.close()
        first.end()
        let_through()
        second = Served(make_served_study(tmp_path / "two"), port=first.port)
        second.start()
        try:
            namesake = share(ann, at=second)
            assert (namesake.name, second.address) == (ann.name, first.address)
            page = namesake.begin(GRID)
            submit(page, 3)
            (found,) = namesake.get_answers(1, page=page)
            assert found["answer"]["mask"] == "8"
            expect(page.locator("#refused")).to_be_hidden()
            page.close()
        finally:
            second.end()
        first.start()
        # The cookie of the one study has stayed beside that of the other.
        page = ann.open_tab()
        go_home(page, ann)
        (found,) = ann.get_answers(1, page=page)
        assert found["answer"]["mask"] == "2"


def find_task(page: Page) -> str:
    task: str = page.evaluate(
        """async () => (await (await fetch('/api/campaigns/1/tasks', {method: 'POST', body: '{"n": 1}',
        headers: {'x-csrf-token': document.body.dataset.csrf, 'content-type': 'application/json'}})).json())[0].id"""
    )
    return task


def keep(page: Page, key: str, entry: dict[str, Any] | str) -> None:
    text = entry if isinstance(entry, str) else json.dumps(entry)
    page.evaluate("([key, text]) => localStorage.setItem(key, text)", [key, text])


def test_what_an_earlier_version_kept_goes_out_if_it_is_ours_and_is_set_aside_if_not(meet: Meet) -> None:
    visitor, other = meet(), meet()
    visitor.allowed = FAILED
    page, others = visitor.begin(GRID), other.begin(GRID)
    old = f"regauge.outbox.{visitor.name}."
    shared = {"answer": {"mask": "2"}, "seconds": 3, "revision": 0, "campaign": GRID, "at": 1}
    ours, theirs = find_task(page), find_task(others)
    keep(page, f"{old}client-ours", {"client_id": "client-ours", "assignment_id": ours, **shared})
    keep(page, f"{old}client-theirs", {"client_id": "client-theirs", "assignment_id": theirs, **shared})
    keep(
        page,
        f"regauge.outbox.{other.name}.client-else",
        {"client_id": "client-else", "assignment_id": theirs, **shared},
    )
    go_home(page, visitor)
    expect(page.locator("#status")).to_contain_text(
        "1 answer that was kept in this browser cannot be read or is not yours"
    )
    (found,) = visitor.served.find_answers(visitor.name)
    assert found["assignment_id"] == ours
    assert visitor.served.find_answers(other.name) == []
    assert list_kept(page, "regauge.outbox.") == [f"regauge.outbox.{other.name}.client-else"]
    assert list_kept(page, "regauge.aside.") == [f"regauge.aside.{old}client-theirs"]


def test_what_cannot_be_read_is_set_aside_and_told_and_keeps_nothing_from_going_out(meet: Meet) -> None:
    visitor = meet()
    visitor.allowed = FAILED
    page = visitor.begin(GRID)
    let_through = hold_back(page)
    submit(page, 1)
    expect(page.locator("#status")).to_contain_text("1 answer is kept")
    (kept,) = list_kept(page, "regauge.answer.")
    prefix = kept.rpartition(".")[0]
    for number, broken in enumerate(("{", "null", "[]", '{"client_id": "broken-4", "at": 0}', '"text"')):
        keep(page, f"{prefix}.broken-{number}", broken)
    let_through()
    page.goto(f"{visitor.served.address}/campaigns/{GRID}")
    settle(page)
    expect(page.locator("#refused-text")).to_contain_text("5 answers that were kept in this browser cannot be read")
    assert len(visitor.served.find_answers(visitor.name)) == 1
    submit(page, 2)
    expect(page.locator("#status")).to_contain_text("Saved")
    assert len(visitor.served.find_answers(visitor.name)) == 2
    page.get_by_role("button", name="OK").click()
    expect(page.locator("#refused")).to_be_hidden()
    expect(page.locator("#status")).to_have_text("Saved")
    assert list_kept(page, "regauge.answer.") == []
    assert len(list_kept(page, "regauge.told.")) == 5


def test_whoever_is_invited_after_an_erasure_gets_nothing_of_whoever_was_erased(meet: Meet) -> None:
    gone = meet()
    gone.allowed = FAILED
    page = gone.begin(GRID)
    let_through = hold_back(page)
    submit(page, 1)
    expect(page.locator("#status")).to_contain_text("1 answer is kept")
    page.close()
    with open_served(gone.served.folder) as study, study.begin() as begun:
        erase_annotator(begun, gone.name, reason="asked")
    let_through()
    new = share(gone)
    assert new.name != gone.name
    page = new.begin(GRID)
    submit(page, 2)
    (found,) = new.get_answers(1, page=page)
    assert found["answer"]["mask"] == "4"
