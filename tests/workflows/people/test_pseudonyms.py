"""What leaves a study calls people by pseudonyms: the same everywhere, by name only where somebody asks for names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.kinds.label.label_study import Examined, serve_examined
from tests.kinds.review.test_final_review import create, prepare, review

from regauge.records.campaigns.campaign import Role
from regauge.records.exposure.exposures import NamedPerson
from regauge.storage.exposure.people import say_same
from regauge.storage.people.pseudonyms import NAMED, Pseudonyms, find_pseudonyms
from regauge.workflows.people.erasure import erase_annotator
from regauge.workflows.people.invitations import renew_link

NAMES = ("alice", "Ann Lee", "ann", "bob", "carol")


@pytest.fixture
def tested(tmp_path: Path) -> Iterator[Examined]:
    """People whose names say who they are, tested and reviewed."""
    with serve_examined(tmp_path, n_people=0) as made:
        with made.study.begin() as begun:
            people = tuple(renew_link(begun, name, role=Role.ANNOTATOR) for name in NAMES)
        yield replace(made, people=people)


def export(tested: Examined, capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, str]:
    """Everything with people in it that can be taken out of the study, as text."""
    names, place = ("--names",) * ("--names" in more), len(list(tested.folder.glob("*.jsonl")))
    found = {}
    for campaign in ("test", "train", "final"):
        path = tested.folder / f"{campaign}-{place}.jsonl"
        tested.run("campaign", "export", campaign, str(path), *names)
        found[f"export {campaign}"] = path.read_text()
    if not names:
        path = tested.folder / f"labels-{place}.jsonl"
        tested.run("labels", "export", "known", str(path))
        found["labels export"] = path.read_text()
    capsys.readouterr()
    for words in (("labels", "diff", "known@1", "known@2"), ("campaign", "learning", "train")):
        tested.run(*words, *names, "--format", "json")
        found[" ".join(words[:2])] = capsys.readouterr().out
    return found


def fill(tested: Examined) -> None:
    prepare(tested)
    create(tested, "final")
    tested.run("campaign", "open", "final")
    review(tested, "final", tested.people)
    tested.run("campaign", "labels", "final", "--name", "known")
    words = ("--mode", "training", "--from", "refs", "--classes", "cat", "--seed", "2")
    tested.run("campaign", "create", "label", "train", *words)
    tested.run("campaign", "open", "train")
    for who in tested.people:
        tested.answer_all(who, tested.get("train"), n=2)


def find_named(texts: dict[str, str]) -> dict[str, set[str]]:
    """Which names stand in quotes or as the first word of a vote in which text."""
    return {
        where: {name for name in NAMES if f'"{name}"' in text or f"{name}:" in text} for where, text in texts.items()
    }


def test_nothing_that_leaves_a_study_has_names_unless_they_are_asked_for(
    tested: Examined, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(tested)
    found = export(tested, capsys)
    assert find_named(found) == {where: set() for where in found}
    people = [f"person-{one.annotator.id}" for one in tested.people]
    for where in ("export test", "export train", "campaign learning"):
        assert all(f'"{one}"' in found[where] for one in people), where
    named = export(tested, capsys, "--names")
    assert all(find_named(named).values())
    # But for what people are called, nothing differs.
    for where, text in named.items():
        for name, pseudonym in sorted(zip(NAMES, people, strict=True), key=lambda pair: -len(pair[0])):
            text = text.replace(f'"{name}"', f'"{pseudonym}"').replace(f"{name}: ", f"{pseudonym}: ")  # noqa: PLW2901
        assert sorted(text) == sorted(found[where]), where


def test_somebody_is_called_what_their_participant_is(tested: Examined, capsys: pytest.CaptureFixture[str]) -> None:
    fill(tested)
    tested.run("campaign", "predictions", "test", "--name", "alice=Human A", "--replace")
    with tested.study.begin() as begun:
        bob, carol = (
            NamedPerson(tested.people[place].annotator.name, tested.people[place].annotator.id) for place in (3, 4)
        )
        say_same(begun, [bob, carol], why="they said so")
        called = find_pseudonyms(begun).called
    # Made before under one name for both, which a person with two participants cannot have.
    assert called["alice"] == f"person-{tested.people[0].annotator.id}"
    assert called["bob"] == f"person-{bob.annotator_id}"
    assert called["carol"] == f"person-{bob.annotator_id}-2"


def test_a_name_that_the_manager_gave_is_the_pseudonym_everywhere(
    tested: Examined, capsys: pytest.CaptureFixture[str]
) -> None:
    for who in tested.people[:2]:
        tested.answer_all(who, tested.test() if who is tested.people[0] else tested.get("test"))
    tested.run("campaign", "predictions", "test", "--name", "alice=Human A")
    path = tested.folder / "answers.jsonl"
    tested.run("campaign", "export", "test", str(path))
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert {row["annotator_id"] for row in rows} == {"Human A", f"person-{tested.people[1].annotator.id}"}
    capsys.readouterr()
    tested.run("annotators", "list", "--format", "json")
    listed = {one["name"]: one["pseudonym"] for one in json.loads(capsys.readouterr().out)["annotators"]}
    assert listed["alice"] == "Human A"
    assert listed["manager"] == "manager"


def test_whoever_was_erased_has_the_name_that_says_nothing(tested: Examined) -> None:
    with tested.study.begin() as begun:
        gone = erase_annotator(begun, "alice", reason="asked").annotator
        called = find_pseudonyms(begun).called
    assert called[gone] == gone
    assert "alice" not in called


def test_names_in_sentences_are_replaced_as_words_at_once_and_as_commands_have_them() -> None:
    people = Pseudonyms({"ann": "person-1", "Ann Lee": "person-2", "person-1": "person-3"})
    assert people.write("Ann and ann-marie, 'Ann Lee' and ann lee, person-1") == (
        "person-1 and ann-marie, person-2 and person-2, person-3"
    )
    assert people.write("nobody") == "nobody"
    assert people.call("somebody else") == "somebody else"
    assert NAMED.write("ann") == "ann"


def test_a_report_tells_what_was_done_to_whom_by_pseudonym(tested: Examined) -> None:
    tested.run("annotators", "expertise", "alice", "--add", "cats")
    tested.run("annotators", "expertise", "Ann Lee", "--add", "cats")
    campaign = tested.test()
    tested.answer_all(tested.people[0], campaign)
    tested.run("report", "--output", str(tested.folder / "report"))
    text = (tested.folder / "report" / "report.html").read_text()
    assert f"person-{tested.people[0].annotator.id}" in text
    assert "alice" not in text
    assert "Ann Lee" not in text
