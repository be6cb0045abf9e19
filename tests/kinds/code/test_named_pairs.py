"""Answers that a file names are coded alone: of several participants, each with a coding of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.kinds.code.coded_study import GONE, LINE, MAJOR, MINOR, N_MISTAKES, code_all, told
from tests.kinds.code.test_all_the_way import list_codes, load
from tests.server.manager_forms import FORM, fill_in
from tests.verify.verify_study import Told
from tests.workflows.conftest import database, postgres, postgres_database

from regauge.errors import InputError
from regauge.storage.mistakes.codings import get_coding
from regauge.workflows.mistakes.coders import preview_codes
from regauge.workflows.people.erasure import erase_annotator

__all__ = ["database", "postgres", "postgres_database", "told"]

HEAD = "image_id,class,needs,participants\n"
QUEUE = HEAD + "i1,2,severity,bad|other\ni6,9,verdict,other\ni4,5,severity,bad\n"
"""A mistake of both, one of each; as `slice create` writes its queue."""


def ask(told: Told, content: str, *words: str, labels: str = "truth") -> None:
    path = told.study.paths.folder / "queue.csv"
    path.write_text(content)
    told.run("campaign", "create", "code", "some", "--labels", labels, "--pairs", str(path), *words)


def test_named_answers_of_several_participants_are_coded_once_and_kept_by_participant(
    told: Told, capsys: pytest.CaptureFixture[str]
) -> None:
    ask(told, QUEUE)
    assert "3 pairs named in the file; other mistakes are not asked about." in capsys.readouterr().err
    assert told.get("some").n_tasks == 3
    told.run("campaign", "open", "some")
    code_all(told, lambda place, number: {1: MAJOR, 8: GONE, 4: (LINE, MINOR)[place]}[number], name="some")
    capsys.readouterr()
    told.run("campaign", "coding", "some", "--format", "json")
    one, other = json.loads(capsys.readouterr().out)["codings"]
    assert (one["name"], one["participant"], one["n_coded"]) == ("some-bad", "bad", 1)
    assert "Only the mistakes of bad that a file named are coded: 2 of 5." in one["notes"]
    assert "1 mistake left out: as many coders say one thing as another (category 1, severity 1)." in one["notes"][1]
    assert (other["name"], other["n_coded"], other["n_overturned"]) == ("some-other", 1, 1)
    assert "Only the mistakes of other that a file named are coded: 2 of 3." in other["notes"]
    assert list_codes(load(told, "some-bad")) == [("i1", 2, "fine-grained", 0)]
    assert list_codes(load(told, "some-other")) == [("i1", 2, "fine-grained", 0)]
    assert load(told, "some-other").overturned.image_ids.tolist() == ["i6"]
    # What is decided is taken over by whoever codes all, and each coding is made again after an erasure.
    told.run("campaign", "create", "code", "all", "--participant", "bad", "--labels", "truth")
    assert told.get("all").n_tasks == N_MISTAKES - 1
    with told.study.begin() as begun:
        done = erase_annotator(begun, told.panel[1].annotator.name, with_answers=True, reason="asked for")
        names = [one.after.full_name for one in done.codings if one.after is not None]
        assert names == ["some-bad@2", "some-other@2"]
        assert get_coding(begun, "some-bad").n_coded == 2
        with pytest.raises(InputError, match=r"codes mistakes of bad and other, none is named; name one of them"):
            preview_codes(begun, "some")


def test_an_image_with_two_answers_is_asked_about_twice(told: Told, tmp_path: Path) -> None:
    third = tmp_path / "third.csv"
    third.write_text(
        "image_id,rank,class,score\n" + "".join(f"i{one},1,{7 if one == 1 else one % 4},0.5\n" for one in range(24))
    )
    told.run("predictions", "add", str(third))
    ask(told, HEAD + "i1,2,severity,bad\ni1,7,severity,third\n")
    assert told.get("some").n_tasks == 2
    # The file says whose answers they are; that somebody else gives one of them, too, is no matter.
    assert told.get("some").plan.settings["participants"] == ["bad", "third"]


def test_what_cannot_be_coded_of_a_file_is_a_sentence(told: Told, capsys: pytest.CaptureFixture[str]) -> None:
    for content, words, problem in (
        (HEAD + "x,2,,\n", (), r"has no image 'x'; leave 1 such pair out"),
        (HEAD + "i1,8,,\n", (), r"Nobody answers class 8 on image 'i1', so there is no mistake to code"),
        (QUEUE, ("--participant", "bad"), r"Nobody who is named answers class 9 on image 'i6'.*leave 1 such pair out"),
        (QUEUE, ("--participant", "nobody"), r"No participant on"),
        (HEAD + "i2,2,,\n", ("--participant", "other"), r"truth@1 accepts every answer that the file names"),
        (HEAD, (), r"a header and no rows"),
        ("image_id\ni1\n", (), r"class"),
        (HEAD + "i1,elephant seal of doom,,\n", (), r"elephant"),
    ):
        with pytest.raises(InputError, match=problem):
            ask(told, content, *words)
    capsys.readouterr()
    # What is accepted beside what is not is counted, and twice is once.
    ask(told, HEAD + "i2,2,,\ni1,2,,\ni1,2,,\n", "--participant", "other", "--participant", "bad")
    assert "1 named pair not asked about: truth@1 accepts the answer" in capsys.readouterr().err
    assert told.get("some").n_tasks == 1


def test_a_form_takes_a_file_of_answers(told: Told) -> None:
    form = {**FORM, "kind": "code", "name": "sent", "source": "file", "labels": "truth@1", "participants": ""}
    reply = fill_in(told.enter(told.manager), form, table=QUEUE)
    assert reply.status_code == 201, reply.text
    assert told.get("sent").n_tasks == 3
