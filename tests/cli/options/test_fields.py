"""Options from tables of settings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from regauge.campaigns.terms_fields import CHANGEABLE_TERMS
from regauge.cli.campaigns.campaign import terms_command
from regauge.cli.campaigns.create import make_create
from regauge.cli.campaigns.labels import make_labels
from regauge.cli.labels.aggregate_classify import command as aggregate_classify
from regauge.cli.options.fields import AT_FIRST, UNLESS_GIVEN, field_options
from regauge.errors import InputError
from regauge.fields import Checkbox, Choice, Field, KnownName, Names, TextValue
from regauge.kinds.registry import KINDS
from regauge.ranges import SHARE, Range
from regauge.records.campaigns.campaign import Kind
from regauge.workflows.campaigns.fields import get_fields, list_rule

TABLE = (
    Field("n", "Count", Range(1, 50, is_whole=True), "So many.", 10, option="--count"),
    Field("share", "Share", SHARE, "A share.", 0.5, option="--share"),
    Field("way", "Way", Choice({"slow": "Slow", "fast": "Fast"}), "A way.", "slow", option="--way"),
    Field("screening", "Screen", Checkbox(), "Without it all count.", default=True, option="--no-screening"),
    Field("kept", "Kept", Names(), "They stay.", (), option="--keep", metavar="NAME"),
    Field("also", "Also", KnownName("set", nothing="nothing", is_repeatable=True), "These too.", "", option="--also"),
    Field("words", "Words", TextValue(100, has_lines=True), "To read.", "", option="--words"),
    Field("hidden", "Hidden", SHARE, "No option sets it.", 0.1),
)


def type_in(*words: str, usual: str = UNLESS_GIVEN) -> tuple[Mapping[str, Any], str]:
    """What a command gets of the table, and its help."""
    got: list[Mapping[str, Any]] = []

    @click.command()
    @field_options(TABLE[:3], usual=usual)
    @field_options(TABLE[3:], usual=usual)
    def command(given: Mapping[str, Any]) -> None:
        got.append(given)

    runner = CliRunner()
    result = runner.invoke(command, list(words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return got[0], " ".join(runner.invoke(command, ["--help"]).output.split())


def test_a_command_gets_what_was_typed_and_nothing_else(tmp_path: Path):
    assert type_in()[0] == {}
    (tmp_path / "words.txt").write_text(" Read this.\n", encoding="utf-8")
    typed = ("--count", "3", "--share", "0", "--way", "fast", "--no-screening", "--keep", "ann", "--keep", "ben")
    given, _ = type_in(*typed, "--also", "one", "--words", str(tmp_path / "words.txt"))
    assert given == {
        "n": 3,
        "share": 0.0,
        "way": "fast",
        "screening": False,
        "kept": ("ann", "ben"),
        "also": ("one",),
        "words": "Read this.",
    }


def test_help_has_the_sentence_and_what_holds_otherwise():
    _, shown = type_in()
    assert "So many; 10 by default." in shown
    assert "A way; slow by default." in shown
    assert "They stay. Repeatable." in shown
    assert "These too; nothing by default. Repeatable." in shown
    assert "--hidden" not in shown
    assert "So many; 10 at first." in type_in(usual=AT_FIRST)[1]


def test_a_file_without_words_is_refused(tmp_path: Path):
    (tmp_path / "words.txt").write_text(" ", encoding="utf-8")
    with pytest.raises(InputError, match="is empty"):
        type_in("--words", str(tmp_path / "words.txt"))


def list_options(command: click.Command) -> set[str]:
    return {one.opts[0] for one in command.params if isinstance(one, click.Option)}


@pytest.mark.parametrize("kind", KINDS)
def test_commands_have_an_option_for_every_setting_of_their_kind(kind: Kind):
    command = make_create(KINDS).commands[kind]
    assert {one.option for one in get_fields(kind).campaign if one.option} <= list_options(command)
    assert {one.option for one in list_rule()} <= list_options(make_labels(KINDS))
    assert {one.option for one in CHANGEABLE_TERMS} <= list_options(terms_command)


def test_what_a_preset_brings_along_says_so():
    (cells,) = [one for one in make_create(KINDS).commands["contains"].params if "--cells" in one.opts]
    assert isinstance(cells, click.Option)
    assert cells.help == "How many images a grid shows, controls included; that of --preset by default."


def read_help(command: click.Command) -> str:
    """The help of a command on one line."""
    return " ".join(CliRunner().invoke(command, ["--help"]).output.split())


def test_help_says_which_options_are_not_for_every_kind():
    help_text = read_help(make_labels(KINDS))
    assert "a class is correct (contains); 0.5 by default." in help_text
    assert "a table printed by candidates split (classify)." in help_text
    assert "Without screening every answer counts." in help_text


def test_without_a_study_counts_come_from_a_file_and_no_label_set():
    help_text = read_help(aggregate_classify)
    assert "--contains FILE Which images are easy, by the counts that aggregate contains printed." in help_text


def test_only_grids_have_hidden_controls():
    group = make_create(KINDS)
    assert "and, in grids, hidden controls" in read_help(group.commands["classify"])
