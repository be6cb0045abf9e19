"""Results that were stored by other rules are known by their version and by what they hold."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from regauge.records.rules import RULE_CHANGES, list_old_rules, say_old_rules


@dataclass(frozen=True)
class Made:
    code_version: str
    old_rules: tuple[str, ...]


@pytest.mark.parametrize("change", RULE_CHANGES, ids=lambda change: change.subject)
def test_a_change_touches_what_was_made_before_it_and_holds_such_numbers(change):
    parts = [glob.replace("*", "top1") for glob in change.parts]
    assert change.subject in list_old_rules("0.0.9", parts)
    assert change.subject not in list_old_rules(change.since, parts)
    assert change.subject not in list_old_rules("0.0.9", ["something else"])


def test_versions_are_ordered_as_numbers():
    assert list_old_rules("0.1.10", ["top1_balanced"])
    assert not list_old_rules("0.10.0", ["top1_balanced"])
    assert not list_old_rules("0.2.0rc1", ["top1_balanced"])


def test_the_sentence_names_version_and_numbers():
    assert say_old_rules("This was made", Made("0.1.0", ("a",))) == (
        "This was made by Regauge 0.1.0, which had other rules for a."
    )
    assert say_old_rules("These were made", Made("0.1.0", ("a", "b", "c"))) == (
        "These were made by Regauge 0.1.0, which had other rules for a, b and c."
    )
