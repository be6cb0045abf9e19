"""The manager's pages of a campaign: made with a table, texts, annotators, images, label sets and the log, used for real."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect
from tests.browser.browser_visitor import PHONE, Meet, count_overflow, settle
from tests.browser.manager import Worker, get_figure, open_manager, wait_for_picture
from tests.browser.server_process import DRAFT, GRID, HOSTILE, LABELS, Served, serve

TABLE = "image_id,class\n" + "".join(f"new-{label}-1,{label}\nnew-{label}-1,{(label + 1) % 12}\n" for label in range(6))


@pytest.fixture(scope="module")
def managed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of its own."""
    with serve(tmp_path_factory.mktemp("campaign")) as running:
        yield running


@pytest.fixture(scope="module")
def workers(browser: Browser, managed: Served) -> list[Worker]:
    """Four people who have each answered every grid; the last one did not look."""
    people = [Worker.come_in(browser, managed, managed.invite()[1], is_careless=number == 3) for number in range(4)]
    for worker in people:
        worker.agree(GRID)
        while worker.work(GRID):
            pass
    return people


def test_a_campaign_of_single_images_is_made_with_a_table(meet: Meet, managed: Served) -> None:
    page = open_manager(meet, managed, "/manage/campaigns/new")
    expect(page.get_by_label("Images per grid")).to_be_visible()
    page.get_by_label("CLASSIFY").check()
    expect(page.get_by_label("Images per grid")).to_be_hidden()
    expect(page.get_by_label("Every image with its dataset label", exact=True)).to_be_hidden()
    page.get_by_label("Name", exact=True).fill(f"Table {HOSTILE}")
    page.get_by_label("A CSV file").check()
    wrong = FilePayload(name="t.csv", mimeType="text/csv", buffer=b"image_id,class\nnobody,1\n")
    page.get_by_label("File", exact=True).set_input_files([wrong])
    page.get_by_role("button", name="Create draft").click()
    expect(page.locator("#mistake-source")).to_contain_text("no image 'nobody'")
    expect(page.get_by_label("Name", exact=True)).to_have_value(f"Table {HOSTILE}")
    right = FilePayload(name="t.csv", mimeType="text/csv", buffer=TABLE.encode())
    page.get_by_label("File", exact=True).set_input_files([right])
    page.get_by_role("button", name="Create draft").click()
    page.wait_for_url("**/manage/campaigns/*")
    expect(page.locator("h1")).to_contain_text(f"Table {HOSTILE}")
    expect(page.locator(".heading")).to_contain_text("6 tasks · 9 answers per task")
    expect(page.locator("#estimate")).to_contain_text("54")
    page.get_by_role("spinbutton", name="People").fill("1")
    page.get_by_role("button", name="Update the estimate").click()
    page.wait_for_url("**people=1**")
    expect(page.locator("#estimate")).to_contain_text("1 person")


def test_the_plan_and_the_audit_of_a_review_are_sent_along(meet: Meet, managed: Served) -> None:
    page = open_manager(meet, managed, "/manage/campaigns/new")
    for label in ("Plan", "Audit", "Audit, images to draw"):
        expect(page.get_by_label(label, exact=True)).to_be_hidden()
    page.get_by_role("radio", name="REVIEW").check()
    page.get_by_label("Name", exact=True).fill("Experts")
    other = FilePayload(name="other.json", mimeType="application/json", buffer=b"{}")
    page.get_by_label("Plan", exact=True).set_input_files([other])
    page.get_by_label("A task shows").select_option("class-pair")
    page.get_by_role("button", name="Create draft").click()
    expect(page.locator("#mistake-by")).to_contain_text("The images of a plan are judged one by one")
    page.get_by_label("A task shows").select_option("image")
    page.get_by_label("Audit", exact=True).set_input_files([other])
    page.get_by_label("Audit, images to draw", exact=True).fill("3")
    page.get_by_role("button", name="Create draft").click()
    expect(page.locator("#mistake-audit_size")).to_contain_text("The audit in the file has its images already")
    assert count_overflow(page) == 0


def test_a_preset_and_a_quiz_fill_in_their_fields(meet: Meet, managed: Served) -> None:
    page = open_manager(meet, managed, "/manage/campaigns/new")
    page.get_by_label("As in", exact=True).select_option("tsipras2020")
    expect(page.get_by_label("Answers per task")).to_have_value("9")
    expect(page.get_by_label("Negative controls")).to_have_value("0")
    expect(page.get_by_label("Pass mark, %")).to_be_hidden()
    page.get_by_label("A quiz before the first task").check()
    expect(page.get_by_label("Pass mark, %")).to_be_visible()


def test_another_kind_brings_its_own_defaults_and_leaves_what_was_typed(meet: Meet, managed: Served) -> None:
    page = open_manager(meet, managed, "/manage/campaigns/new")
    page.get_by_label("Images per grid").fill("20")
    page.get_by_label("CLASSIFY").check()
    expect(page.get_by_label("Answers per task")).to_have_value("9")
    page.get_by_role("radio", name="CONTAINS A grid").check()
    expect(page.get_by_label("Answers per task")).to_have_value("10")
    expect(page.get_by_label("Images per grid")).to_have_value("20")


def test_texts_are_changed_and_everybody_is_asked_again(meet: Meet, managed: Served) -> None:
    worker = meet(managed)
    task = worker.begin(LABELS)
    page = open_manager(meet, managed, f"/manage/campaigns/{LABELS}")
    page.get_by_text("Read and change").click()
    version = int(page.locator("#texts-form").get_attribute("data-version") or 0)
    page.get_by_label("Instructions").fill(f"Look twice. {HOSTILE}")
    page.get_by_role("button", name=f"Save as version {version + 1}").click()
    expect(page.locator("#texts-saved")).to_have_text(f"Saved as version {version + 1}")
    expect(page.locator("#texts-version")).to_have_text(f"version {version + 1}")
    # Without a change there is no version for people to agree to once more.
    expect(page.get_by_role("button", name=f"Save as version {version + 2}")).to_be_disabled()
    task.reload()
    expect(task.get_by_role("button", name="I agree")).to_be_visible()
    expect(task.locator("#consent")).to_contain_text(f"Look twice. {HOSTILE}")


def test_two_managers_who_save_at_once_see_both_texts(meet: Meet, managed: Served) -> None:
    first, second = (open_manager(meet, managed, f"/manage/campaigns/{LABELS}") for _ in range(2))
    for page, words in ((first, "First words."), (second, f"Second words. {HOSTILE}")):
        page.get_by_text("Read and change").click()
        page.get_by_label("Consent").fill(words)
    version = int(first.locator("#texts-form").get_attribute("data-version") or 0)
    first.locator("#save-texts").click()
    expect(first.locator("#texts-saved")).to_have_text(f"Saved as version {version + 1}")
    second.locator("#save-texts").click()
    expect(second.locator("#problem")).to_contain_text(f"made from version {version}")
    expect(second.locator("#theirs-consent")).to_contain_text("First words.")
    expect(second.locator("#theirs-warning")).to_be_hidden()
    expect(second.get_by_label("Consent")).to_have_value(f"Second words. {HOSTILE}")
    second.get_by_role("button", name=f"Save as version {version + 2}").click()
    expect(second.locator("#texts-saved")).to_have_text(f"Saved as version {version + 2}")
    expect(second.locator("#theirs-consent")).to_be_hidden()


@pytest.mark.usefixtures("workers")
def test_the_figures_follow_what_people_do(meet: Meet, managed: Served) -> None:
    page = open_manager(meet, managed, f"/manage/campaigns/{GRID}")
    figure = get_figure(page, "Answers that count")
    before = int(figure.inner_text().split()[0])
    assert before >= 48
    page.get_by_text("As numbers").click()
    expect(page.locator("#hour-list li")).to_have_count(24)
    worker = meet(managed)
    task = worker.begin(GRID)
    settle(task)
    task.keyboard.press("Space")
    task.keyboard.press("Control+Enter")
    expect(figure).to_contain_text(str(before + 1))
    # What was unfolded stays so.
    expect(page.locator("#hour-list")).to_be_visible()
    assert page.locator(".hours").get_attribute("aria-label") != ""


@pytest.mark.parametrize("options", [{}, {"viewport": PHONE, "color_scheme": "dark"}], ids=["laptop", "phone"])
def test_somebody_is_dropped_by_keyboard_and_restored(
    meet: Meet, managed: Served, workers: list[Worker], options: dict[str, object]
) -> None:
    careless = workers[-1].name
    page = open_manager(meet, managed, f"/manage/campaigns/{GRID}/annotators", **options)
    expect(page.locator("#rows tr").first).to_contain_text(careless)
    assert count_overflow(page) == 0
    page.get_by_role("button", name=f"Drop {careless}").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("12 answers will no longer count")
    expect(dialog.get_by_label("Why")).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("button", name=f"Drop {careless}")).to_be_focused()
    page.keyboard.press("Enter")
    expect(dialog.get_by_label("Why")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name=f"Restore {careless}")).to_be_focused()
    restore(page, careless)


def restore(page: Page, name: str) -> None:
    page.get_by_role("button", name=f"Restore {name}").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Why").fill(HOSTILE)
    dialog.get_by_role("button", name="Restore").click()
    expect(page.get_by_role("button", name=f"Drop {name}")).to_be_focused()


def is_above(page: Page, one: Worker, other: Worker) -> bool:
    """Whether somebody stands above somebody else; there may be others, of other tests."""
    names = page.locator("#rows th[scope=row]").all_inner_texts()
    return names.index(one.name) < names.index(other.name)


def test_annotators_are_sorted_and_filtered(meet: Meet, managed: Served, workers: list[Worker]) -> None:
    page = open_manager(meet, managed, f"/manage/campaigns/{GRID}/annotators")
    page.get_by_role("link", name="controls").click()
    expect(page.locator("th[aria-sort=ascending]")).to_have_text("controls")
    assert is_above(page, workers[-1], workers[0])
    page.get_by_role("link", name="controls").click()
    expect(page.locator("th[aria-sort=descending]")).to_have_text("controls")
    assert is_above(page, workers[0], workers[-1])
    page.locator("#filters a").nth(1).click()
    expect(page.locator("#rows")).to_contain_text(workers[-1].name)
    expect(page.locator("#rows")).not_to_contain_text(workers[0].name)
    # The page goes on following what it shows, in the order that was chosen.
    with page.expect_response("**/api/manage/campaigns/*/annotators?*order=controls*show=flagged*descending=true*"):
        expect(page.locator("#alive")).to_have_text("live")
    expect(page.locator("th[aria-sort=descending]")).to_have_text("controls")


def test_annotators_are_found_by_name_and_followed(meet: Meet, managed: Served, workers: list[Worker]) -> None:
    page = open_manager(meet, managed, f"/manage/campaigns/{GRID}/annotators?order=answers")
    page.get_by_label("Name").fill(workers[1].name[-4:])
    page.keyboard.press("Enter")
    expect(page.locator("#rows tr")).to_have_count(1)
    expect(page.locator("#rows")).to_contain_text(workers[1].name)
    expect(page.locator("th[aria-sort]")).to_have_text("answers")
    with page.expect_response("**/api/manage/campaigns/*/annotators?name=*"):
        expect(page.locator("#pages")).to_contain_text("1 to 1 of 1 annotators")
    expect(page.locator("#rows tr")).to_have_count(1)
    page.get_by_role("link", name="everybody").click()
    expect(page.locator("#rows tr").nth(3)).to_be_visible()


@pytest.mark.usefixtures("workers")
def test_images_are_browsed(meet: Meet, managed: Served) -> None:
    page = open_manager(meet, managed, f"/manage/campaigns/{GRID}/images")
    page.get_by_role("link", name="Frequency").click()
    page.locator(".gallery a").first.click()
    wait_for_picture(page)
    expect(page.get_by_role("heading", name="How often each label was selected")).to_be_visible()
    page.goto(f"{managed.address}/manage/campaigns/{GRID}/images/0")
    page.get_by_role("link", name="Next ›").click()
    page.wait_for_url("**/images/1")
    page.get_by_role("link", name="Images of Grids").click()
    expect(page.locator(".gallery")).to_be_visible()


@pytest.mark.usefixtures("workers")
def test_what_is_built_is_what_was_previewed(meet: Meet, managed: Served) -> None:
    page = open_manager(meet, managed, f"/manage/campaigns/{GRID}/labels")
    expect(page.locator("#build")).to_be_hidden()
    page.get_by_label("Judged from").fill("2")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("region", name="Preview")).to_contain_text("Left out by screening")
    expect(page.get_by_role("button", name="Build label set")).to_be_visible()
    page.get_by_label("Correct from").fill("0.9")
    expect(page.locator("#build")).to_be_hidden()
    page.get_by_label("Unclear from").fill("0.95")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#problem")).to_contain_text("unclear ≤ correct")
    page.get_by_label("Unclear from").fill("0.5")
    page.get_by_role("button", name="Preview").click()
    page.get_by_label("Name of the label set").fill("a@b")
    page.get_by_role("button", name="Build label set").click()
    expect(page.locator("#problem")).to_contain_text("without /, \\ and @")
    page.get_by_label("Name of the label set").fill(HOSTILE)
    page.get_by_role("button", name="Build label set").click()
    expect(page.locator("#said")).to_have_text(f"{HOSTILE}@1 was built.")


def test_a_draft_is_tried_without_a_trace(meet: Meet, managed: Served) -> None:
    n = managed.count("assignments")
    page = open_manager(meet, managed, f"/manage/campaigns/{DRAFT}")
    page.get_by_role("link", name="Try it", exact=True).click()
    page.wait_for_url(f"{managed.address}/campaigns/{DRAFT}")
    page.get_by_role("button", name="I agree").click()
    settle(page)
    page.keyboard.press("Space")
    page.keyboard.press("Control+Enter")
    settle(page)
    assert managed.count("assignments") == n


def test_a_campaign_that_is_opened_elsewhere_is_open_here(meet: Meet, managed: Served) -> None:
    page = open_manager(meet, managed, f"/manage/campaigns/{managed.add_draft('Another draft')}")
    other = page.context.new_page()
    other.goto(page.url)
    other.get_by_role("button", name="Open").click()
    other.get_by_role("dialog").get_by_role("button", name="Open campaign").click()
    expect(other.locator("#state")).to_have_text("open")
    page.bring_to_front()
    expect(page.locator("#state")).to_have_text("open")
