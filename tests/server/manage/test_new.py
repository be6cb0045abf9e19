"""A campaign is made from a form: what is wrong is said beside the field, and nothing is stored."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.server.manager_forms import CLASSIFY, FORM, fill_in, get_log
from tests.server.served_study import Served, Visitor
from tests.workflows.campaign_studies import write_pictures
from tests.workflows.pool_studies import add_pool

from regauge.records.campaigns.campaign import CampaignState, Kind
from regauge.records.testsets.pool import Exclusion, ExclusionRule
from regauge.server.guard import MAX_BODY
from regauge.server.manage.new import MAX_FORM, MAX_TABLE
from regauge.storage.campaigns.campaign import get_campaign, list_campaigns
from regauge.storage.testsets.pool import insert_exclusions
from regauge.workflows.testsets.test_set import add_test_set


@pytest.fixture
def manager(served: Served) -> Visitor:
    return served.enter(served.manager)


def count_campaigns(served: Served) -> int:
    with served.study.read() as reading:
        return len(list_campaigns(reading))


def test_a_form_makes_a_draft_with_its_terms_and_texts(served: Served, manager: Visitor) -> None:
    changes = {
        "per_task": "0.12",
        "currency": "eur",
        "minimum_hourly": "12",
        "fee": "33.3",
        "repeats": "5",
        "break_minutes": "25",
        "is_new_only": "on",
        "instructions": "Look <b>well</b>.",
        "warning": "Spiders.",
        "training": "Like so.",
        "consent": "Agree?",
    }
    reply = fill_in(manager, **changes)
    assert reply.status_code == 201, reply.text
    with served.study.read() as reading:
        made = get_campaign(reading, reply.json()["id"])
    assert (made.name, made.kind, made.state) == ("new one", Kind("contains"), CampaignState.DRAFT)
    terms, texts = made.plan.terms, made.plan.texts
    assert terms.pay is not None
    assert (terms.pay.per_task, terms.pay.currency, terms.pay.minimum_hourly) == (0.12, "EUR", 12.0)
    assert terms.pay.fee == pytest.approx(0.333)
    assert (terms.repeats, terms.break_minutes, terms.newness.value) == (0.05, 25, "required")
    assert (texts.instructions, texts.warning, texts.training) == ("Look <b>well</b>.", "Spiders.", "Like so.")
    assert (made.plan.n_annotators, made.plan.lease_seconds) == (3, 1_800)
    assert made.plan.settings["n_cells"] == 8
    page = manager.get(f"/manage/campaigns/{made.id}").text
    assert "Look &lt;b&gt;well&lt;/b&gt;." in page
    assert "<td>manager</td><td><b>campaign create</b>" in get_log(manager)


def test_excluded_candidates_are_left_out_and_the_page_says_how_many(
    served: Served, manager: Visitor, tmp_path: Path
) -> None:
    assert "In a pool" not in manager.get("/manage/campaigns/new").text
    with served.study.begin() as begun:
        pool = add_pool(begun, tmp_path, with_files=True)
        excluded = Exclusion("c0-00", ExclusionRule.WINDOW, is_excluded=True, reason="too late")
        insert_exclusions(begun, pool, [excluded])
    assert "In a pool, candidates that are excluded or have no file" in manager.get("/manage/campaigns/new").text
    made = fill_in(manager, test_set="batch", n_positive="0", n_negative="0")
    assert made.status_code == 201, made.text
    assert "<dd>1 candidate</dd>" in manager.get(f"/manage/campaigns/{made.json()['id']}").text


def test_two_sets_can_stand_in_the_same_grids(served: Served, manager: Visitor, tmp_path: Path) -> None:
    with served.study.begin() as begun:
        add_test_set(begun, write_pictures(tmp_path / "other", prefix="o"), name="other")
    assert manager.get("/manage/campaigns/new").text.count('<option value="other"') == 4
    made = fill_in(manager, also="other")
    assert made.status_code == 201, made.text
    with served.study.read() as reading:
        settings = get_campaign(reading, made.json()["id"]).plan.settings
    assert (settings["test_set"], settings["also"]) == ("pictures", ["other"])
    assert fill_in(manager, name="twice", also="pictures").status_code == 422
    assert fill_in(manager, name="unknown", also="nothing").json()["fields"].keys() == {"also"}


def test_who_opens_a_campaign_that_pays_too_little_is_told_before(manager: Visitor) -> None:
    words = "per hour, less than the minimum of 12.00 USD that was set."
    for pay, is_told in (("0.001", True), ("9", False)):
        number = fill_in(manager, name=f"pays {pay}", per_task=pay, minimum_hourly="12").json()["id"]
        page = manager.get(f"/manage/campaigns/{number}").text
        assert (words in page.partition('<template id="open-effect">')[2]) is is_told


def test_what_a_task_pays_is_said_to_the_last_digit(manager: Visitor) -> None:
    for pay, words in (("0.1", "0.10 USD"), ("0.125", "0.125 USD"), ("3", "3.00 USD")):
        number = fill_in(manager, name=f"pays {pay}", per_task=pay).json()["id"]
        assert f"<dd>{words} per task</dd>" in manager.get(f"/manage/campaigns/{number}").text
        assert f"Each task pays {words}." in manager.get(f"/campaigns/{number}").text


def test_lines_end_as_everywhere_and_not_as_in_forms(served: Served, manager: Visitor) -> None:
    number = fill_in(manager, training=" First.\r\n\r\nThen\tso. ", consent="\r\n" * 6_000 + "Yes").json()["id"]
    with served.study.read() as reading:
        texts = get_campaign(reading, number).plan.texts
    assert (texts.training, texts.consent) == ("First.\n\nThen\tso.", "Yes")
    page = manager.get(f"/campaigns/{number}").text
    assert '<p class="text">First.</p>' in page


MISTAKES = [
    ({"name": " "}, "name", "A campaign needs a name."),
    ({"name": "grids"}, "name", "already has a campaign 'grids'"),
    ({"name": "n" * 201}, "name", "at most 200 characters"),
    ({"name": "two\nlines"}, "name", "cannot be shown"),
    ({"name": "a\x00b"}, "name", "cannot be shown"),
    ({"consent": "a\x00b"}, "consent", "cannot be shown"),
    ({"kind": "guess"}, "kind", "Choose one of contains, classify, review, panel, code, label."),
    ({"test_set": "none"}, "test_set", "no test set 'none'"),
    ({"controls": "none"}, "controls", "no test set 'none'"),
    ({"source": "nowhere"}, "source", "Choose one of"),
    ({"source": "predictions"}, "top", "whole number from 1 to 20"),
    ({"source": "predictions", "top": "5"}, "source", "redictions"),
    ({"source": "file"}, "table", "Choose a CSV file"),
    ({"preset": "nobody2000"}, "preset", "Choose one of recht2019"),
    ({"n_annotators": "0"}, "n_annotators", "from 1 to 1,000, not 0"),
    ({"n_annotators": "many"}, "n_annotators", "not many"),
    ({"n_annotators": "٣"}, "n_annotators", "whole number"),
    ({"n_cells": "9" * 30}, "n_cells", "from 1 to 64"),
    ({"n_cells": "4", "n_positive": "2", "n_negative": "2"}, "n_cells", "no room for a pair"),
    ({"n_cells": "40", "n_positive": "20"}, "n_positive", "would work; or take controls from"),
    ({"seed": "-1"}, "seed", "from 0"),
    ({"lease_minutes": ""}, "lease_minutes", "not empty"),
    ({"per_task": "-1"}, "per_task", "from 0 to 1,000"),
    ({"per_task": "nan"}, "per_task", "from 0 to 1,000"),
    ({"per_task": "1", "currency": "$"}, "currency", "three capital letters"),
    ({"minimum_hourly": "5"}, "per_task", "Say what a task pays"),
    ({"fee": "101"}, "fee", "from 0 to 100"),
    ({"repeats": "51"}, "repeats", "from 0 to 50"),
    ({"break_minutes": "241"}, "break_minutes", "from 0 to 240"),
    (
        {"has_quiz": "on", "n_questions": "0", "pass_mark": "50", "max_attempts": "1"},
        "n_questions",
        "from 1 to 50",
    ),
    (
        {"has_quiz": "on", "n_questions": "2", "pass_mark": "0", "max_attempts": "1"},
        "pass_mark",
        "from 1 to 100",
    ),
    (
        {
            "has_quiz": "on",
            "n_questions": "2",
            "pass_mark": "50",
            "max_attempts": "1",
            "quiz_classes": "cat, <b>nothing</b>",
        },
        "quiz_classes",
        "is not a class of cifar-10",
    ),
    ({"instructions": "x" * 10_001}, "instructions", "at most 10,000 characters"),
]


@pytest.mark.parametrize(("changes", "field", "sentence"), MISTAKES, ids=[f"{f}-{s[:20]}" for _, f, s in MISTAKES])
def test_a_mistake_is_said_of_its_field_and_nothing_is_stored(
    served: Served, manager: Visitor, changes: dict[str, str], field: str, sentence: str
) -> None:
    reply = fill_in(manager, **changes)
    assert reply.status_code == 422
    assert list(reply.json()["fields"]) == [field]
    assert sentence in reply.json()["fields"][field]
    assert count_campaigns(served) == 1


def test_all_mistakes_of_a_form_are_said_at_once(manager: Visitor) -> None:
    fields = fill_in(manager, name="", n_annotators="x", fee="200").json()["fields"]
    assert set(fields) == {"name", "n_annotators", "fee"}


def test_pairs_come_from_a_table(served: Served, manager: Visitor) -> None:
    reply = fill_in(manager, source="file", table="image_id,class\ni0,0\ni1,cat\n")
    assert reply.status_code == 201, reply.text
    with served.study.read() as reading:
        assert get_campaign(reading, reply.json()["id"]).plan.settings["n_pairs"] == 2


def test_candidates_come_from_a_table(served: Served, manager: Visitor) -> None:
    table = "image_id,class\ni0,0\ni0,3\ni1,5\n"
    reply = fill_in(manager, CLASSIFY, table=table)
    assert reply.json()["n_tasks"] == 2


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (b"image_id\ni0\n", "class"),
        (b"image_id,class\nnobody,0\n", "no image 'nobody'"),
        (b"image_id,class\ni0,unicorn\n", "Line 2: "),
        (b"\xff\xfe\x00", ""),
        (b"\x00" * 100, ""),
        (b'image_id,class\n"i0,0\n', ""),
    ],
)
def test_what_is_wrong_with_a_table_is_said(served: Served, manager: Visitor, table: bytes, sentence: str) -> None:
    reply = fill_in(manager, source="file", table=table)
    assert reply.status_code == 422
    (said,) = reply.json()["fields"].values()
    assert sentence in said
    assert "/tmp" not in said  # noqa: S108 - where it was kept is nobody's business
    assert count_campaigns(served) == 1


def test_a_table_may_be_large_but_not_larger(served: Served, manager: Visitor) -> None:
    line = b"i0,0\n"
    table = b"image_id,class\n" + line * (4 * MAX_BODY // len(line))
    assert len(table) > MAX_BODY
    # Far above what other requests take: it is read, and refused for what it says.
    assert "fields" in fill_in(manager, source="file", table=table).json()
    assert fill_in(manager, source="file", table=b"x" * (MAX_TABLE + 1)).status_code == 422
    assert fill_in(manager, source="file", table=b"x" * (MAX_FORM + 1)).status_code == 413
    assert count_campaigns(served) == 1


def test_a_large_form_of_somebody_else_is_refused(served: Served) -> None:
    reply = fill_in(served.enter(served.people[0]), source="file", table=b"x" * 1_000_000)
    assert reply.status_code == 403


def test_only_a_form_is_a_form(manager: Visitor) -> None:
    assert manager.post("/api/manage/campaigns", dict(FORM)).status_code == 415
    broken = {"Content-Type": "multipart/form-data; boundary=x"}
    reply = manager.ask("POST", "/api/manage/campaigns", content=b"--y\r\nnothing", headers=broken)
    assert reply.status_code in {400, 422}
    fields = {f"field{n}": (None, "x") for n in range(600)}
    assert manager.ask("POST", "/api/manage/campaigns", files=fields).status_code == 400


def test_the_files_of_all_kinds_of_tasks_can_be_sent_though_most_are_empty(served: Served, manager: Visitor) -> None:
    """A browser sends a file without a name and without content for every field that was left empty."""
    inputs = re.findall(r"<input[^>]*>", manager.get("/manage/campaigns/new").text)
    names = [re.findall(r'name="([^"]*)"', one)[0] for one in inputs if 'type="file"' in one]
    assert len(names) > 3
    parts = [f'name="{name}"\r\n\r\n{value}' for name, value in FORM.items()]
    parts += [f'name="{name}"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n' for name in names]
    body = "".join(f"--x\r\nContent-Disposition: form-data; {part}\r\n" for part in parts) + "--x--\r\n"
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    reply = manager.ask("POST", "/api/manage/campaigns", content=body.encode(), headers=headers)
    assert reply.status_code == 201, reply.text
    assert count_campaigns(served) == 2


def test_candidates_that_a_campaign_left_need_answers(manager: Visitor) -> None:
    reply = fill_in(manager, CLASSIFY, source="campaign", source_campaign="grids", is_follow_up="")
    assert "has no answers yet" in reply.json()["fields"]["source"]
    reply = fill_in(manager, CLASSIFY, source="campaign", source_campaign="none")
    assert "no campaign 'none'" in reply.json()["fields"]["source"]


def test_dataset_labels_alone_are_no_candidates(manager: Visitor) -> None:
    assert "nothing to choose" in fill_in(manager, CLASSIFY, source="labels").json()["fields"]["source"]


def test_all_problems_are_said_at_once_and_classes_by_their_names(manager: Visitor) -> None:
    reply = fill_in(manager, name="grids", test_set="none", controls="nothing")
    assert set(reply.json()["fields"]) == {"name", "test_set", "controls"}
    fields = fill_in(manager, name="many", n_cells="60", n_positive="25", n_negative="25").json()["fields"]
    assert set(fields) == {"n_positive", "n_negative"}
    assert "airplane has images for" in fields["n_positive"]
    assert "Class " not in " ".join(fields.values())
    assert "--" not in " ".join(fields.values())


def test_the_form_proposes_grids_that_work_and_says_what_labels_need(manager: Visitor) -> None:
    page = manager.get("/manage/campaigns/new").text
    proposed = {
        name: re.search(f'id="{name}"[^>]* value="([0-9]+)"', page) for name in ("n_cells", "n_positive", "n_negative")
    }
    values = {name: found[1] for name, found in proposed.items() if found}
    assert len(values) == 3
    assert fill_in(manager, name="proposed", **values).status_code == 201
    assert "gets a verdict once it has 5 accepted answers" in page
