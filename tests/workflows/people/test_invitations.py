"""Inviting the people on a list: all or none, and links that only their owner can read."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import event
from tests.storage.small_studies import make_study

from regauge.errors import FormatError, InputError
from regauge.storage.people.annotators import list_annotators
from regauge.workflows.people.invitations import PersonalLink, come_in, invite, invite_listed, write_links
from regauge.workflows.studies.study import Study

URL = "https://labels.example/"


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with make_study(tmp_path) as made:
        yield made


def write(folder: Path, text: str) -> Path:
    (folder / "people.csv").write_text(text)
    return folder / "people.csv"


def test_everybody_on_the_list_gets_a_link_of_their_own(study, tmp_path):
    path = write(tmp_path, "email,name,desk\nann@example.org,Ann,3\n,Bob,4\n\n")
    with study.begin() as begun:
        links = invite_listed(begun, path, base_url=URL)
        found = [come_in(begun, one.link.partition("#")[2]) for one in links]
    assert [(one.name, one.email) for one in links] == [("Ann", "ann@example.org"), ("Bob", "")]
    assert [one and one.name for one in found] == ["Ann", "Bob"]
    assert all(one.link.startswith("https://labels.example/join#") for one in links)


def test_addresses_are_not_stored(study, tmp_path):
    path = write(tmp_path, "name,email\nAnn,ann@example.org\n")
    with study.begin() as begun:
        invite_listed(begun, path, base_url=URL)
    for file in study.paths.folder.rglob("*"):
        assert not file.is_file() or b"ann@example.org" not in file.read_bytes()


def test_every_bad_line_gets_its_sentence_and_nobody_is_invited(study, tmp_path):
    with study.begin() as begun:
        invite(begun, ["Eve"])
    rows = ["name,email", "Ann,ann@example.org", ",x@y", "Bob,nowhere", "Ann,", "Eve,", "manager,", '"a\nb",']
    path = write(tmp_path, "\n".join(rows) + "\nCid,\n")
    with pytest.raises(InputError) as refused, study.begin() as begun:
        invite_listed(begun, path, base_url=URL)
    words = str(refused.value)
    for line, part in (
        (3, "1 to 200 printable"),
        (4, "not an address of e-mail"),
        (5, "on line 2 already"),
        (6, "There already is or was somebody called 'Eve'"),
        (7, "is the manager"),
        (8, "1 to 200 printable"),
    ):
        assert f"Line {line}: " in words
        assert part in words.split(f"Line {line}: ")[1].split("Line ", maxsplit=1)[0]
    with study.read() as reading:
        assert [one.name for one in list_annotators(reading)] == ["Eve"]


def test_a_list_with_very_many_bad_lines_names_some(study, tmp_path):
    path = write(tmp_path, "name\n" + "Ann\n" * 40)
    with pytest.raises(InputError, match="And 19 more"), study.begin() as begun:
        invite_listed(begun, path, base_url=URL)


def test_a_file_without_names_is_refused(study, tmp_path):
    with pytest.raises(FormatError, match="needs the columns name"), study.begin() as begun:
        invite_listed(begun, write(tmp_path, "who\nAnn\n"), base_url=URL)


def test_links_are_for_the_owner_only_and_never_replace_a_file(tmp_path):
    path = tmp_path / "links.csv"
    write_links(path, [PersonalLink('A "b", c', "", "https://x/join#1")])
    assert path.read_text() == 'name,email,link\n"A ""b"", c",,https://x/join#1\n'
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(InputError, match="exists"):
        write_links(path, [])


def test_a_long_list_takes_as_few_statements_as_a_short_one(study):
    statements: list[str] = []
    event.listen(study.engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    with study.begin() as begun:
        invite(begun, ["Ann"])
    n_short = len(statements)
    with study.begin() as begun:
        made = invite(begun, [f"person-{number}" for number in range(500)])
    assert len(statements) == 2 * n_short
    assert [one.annotator.name for one in made] == [f"person-{number}" for number in range(500)]
    with study.read() as reading:
        assert {come_in(reading, one.token) for one in made} == {one.annotator for one in made}


def test_a_name_that_is_given_twice_is_refused_and_nobody_is_added(study):
    with study.begin() as begun, pytest.raises(InputError, match="'Ann'; names are distinct"):
        invite(begun, ["Bob", "Ann", "Eve", "Ann"])
    with study.read() as reading:
        assert list_annotators(reading) == ()
