"""A study opens with its folder alone, and is closed where its block ends."""

from __future__ import annotations

import getpass
from datetime import UTC, datetime

import pytest

import regauge
from regauge.errors import InputError
from regauge.workflows.studies.study import make_circumstances


def test_a_study_needs_no_hand_made_circumstances(tmp_path, monkeypatch):
    monkeypatch.setattr(getpass, "getuser", lambda: "ada")
    with regauge.init_study(tmp_path / "study", taxonomy="cifar-10") as made:
        assert made.around.who == "ada"
    with regauge.open_study(tmp_path / "study") as study, study.read() as begun:
        assert regauge.describe_status(begun).n_classes == 10
        assert study.id == made.id


def test_the_database_is_let_go_at_the_end_of_the_block_also_after_an_error(tmp_path, monkeypatch):
    study = regauge.init_study(tmp_path / "study", taxonomy="cifar-10")
    closed: list[object] = []
    monkeypatch.setattr(type(study.engine), "dispose", lambda engine: closed.append(engine))  # noqa: PLW0108 - a function, to be bound
    with pytest.raises(InputError, match="needs a transaction"), study:
        regauge.describe_status(study)
    assert closed == [study.engine]


def test_usual_circumstances_are_the_clock_chance_and_who_is_logged_in(monkeypatch):
    first, second = make_circumstances(), make_circumstances()
    assert abs((first.clock() - datetime.now(UTC)).total_seconds()) < 60
    assert first.rng.bytes(16) != second.rng.bytes(16)

    def refuse() -> str:
        raise KeyError("no such user")

    monkeypatch.setattr(getpass, "getuser", refuse)
    assert make_circumstances().who == ""
