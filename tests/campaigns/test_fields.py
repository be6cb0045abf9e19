"""The tables of settings: each once, with a sentence, and in step with the records that hold the values."""

from __future__ import annotations

import dataclasses
from collections import Counter

import pytest

from regauge.campaigns.fields import COMMON, RULE, KindFields
from regauge.campaigns.rounds import ROUND
from regauge.campaigns.terms_fields import CHANGEABLE_TERMS, TERMS, change_terms, read_terms
from regauge.fields import Checkbox, Choice, Field, FieldError, KnownName, fill_in
from regauge.kinds.classify import fields as classify_fields
from regauge.kinds.contains import fields as contains_fields
from regauge.kinds.registry import KINDS
from regauge.ranges import Range
from regauge.records.campaigns.campaign import Kind
from regauge.records.campaigns.terms import Newness, Pay, Quiz, Terms
from regauge.records.labels.classify import ClassifySettings
from regauge.records.labels.contains import ContainsSettings

FIELDS = {name: kind.fields for name, kind in KINDS.items()}
TABLES = [pytest.param(table, id=kind) for kind, table in FIELDS.items()]
RULES = [pytest.param(table, id=kind) for kind, table in FIELDS.items() if table.rule]
EVERY = [*COMMON, *ROUND, *RULE, *(one for table in FIELDS.values() for one in (*table.own, *table.rule))]


@pytest.mark.parametrize("field", EVERY, ids=[one.name for one in EVERY])
def test_a_setting_has_one_sentence_of_help_and_a_default_that_it_may_be(field: Field):
    assert field.title
    assert field.help.endswith(".")
    assert ". " not in field.help
    if isinstance(field.type, Range) and field.default is not None:
        assert field.default in field.type
        assert field.parse(field.show(field.default)) == field.default
    if isinstance(field.type, Choice) and field.default is not None:
        assert field.default in field.type.options
    if isinstance(field.type, Checkbox):
        assert isinstance(field.default, bool)


@pytest.mark.parametrize("table", TABLES)
def test_no_name_and_no_option_is_taken_twice(table: KindFields):
    for fields in (table.campaign, table.rule, ROUND):
        for names in ([one.name for one in fields], [one.input_name for one in fields]):
            assert len(set(names)) == len(names)
        assert max(Counter(one.option for one in fields if one.option).values(), default=1) == 1


def test_a_setting_that_several_kinds_have_is_the_same_for_all():
    own = [one for table in FIELDS.values() for one in table.own]
    assert all(one == other for one in own for other in own if one.name == other.name)
    assert {one.name for one in own}.isdisjoint(one.name for one in COMMON)


def test_every_kind_has_a_table_and_the_modules_of_tables_have_the_same_names():
    assert all(table.kind == name for name, table in FIELDS.items())
    names = ("ASKED", "HOW", "RULE", "FIELDS", "settle", "suggest_rule", "make_rule", "parse_rule")
    assert all(hasattr(module, name) for module in (contains_fields, classify_fields) for name in names)


@pytest.mark.parametrize("table", RULES)
def test_a_rule_has_the_common_settings_and_makes_the_same_rule_from_all_defaults(table: KindFields):
    assert {one.name for one in RULE} <= {one.name for one in table.rule}
    assert table.make_rule({}) == table.make_rule(fill_in(table.rule, {}))
    rule = table.make_rule({"level": 0.9, "keep_annotators": ("ann",)})
    assert table.parse_rule(dataclasses.asdict(rule)) == rule


def test_rules_without_settings_are_those_of_the_records():
    assert contains_fields.make_rule({}) == ContainsSettings()
    assert classify_fields.make_rule({}) == ClassifySettings()
    assert contains_fields.make_rule({"screening": False, "verdicts_by": "posterior"}).rules is None


def test_each_setting_of_a_contains_rule_reaches_its_record():
    given = {
        "correct": 0.6,
        "unclear": 0.3,
        "min_shown": 2,
        "verdicts_by": "posterior",
        "method": "dawid-skene",
        "prior": 1.0,
        "annotator_controls": 0.1,
        "poor_tasks": 0.4,
        "task_controls": 0.3,
        "keep_annotators": ("ann",),
        "level": 0.9,
    }
    assert given.keys() | {"screening"} == {one.name for one in contains_fields.RULE}
    rule = contains_fields.make_rule(given)
    verdicts, rules = rule.verdicts, rule.rules
    assert rules is not None
    assert (verdicts.correct, verdicts.unclear, verdicts.min_shown, verdicts.name) == (0.6, 0.3, 2, "posterior")
    assert (rules.annotator_controls, rules.poor_tasks, rules.task_controls) == (0.1, 0.4, 0.3)
    assert (rule.method, rule.prior, rule.level, rule.keep_annotators) == ("dawid-skene", 1.0, 0.9, ("ann",))


def test_presets_have_titles_and_bring_grid_and_annotators():
    (preset,) = [one for one in contains_fields.HOW if one.name == "preset"]
    assert isinstance(preset.type, Choice)
    assert list(preset.type.options) == list(preset.type.brings) == list(contains_fields.PRESETS)
    values = fill_in(FIELDS[Kind("contains")].campaign, {"preset": "tsipras2020", "n_cells": 20})
    assert (values["n_cells"], values["n_positive"], values["n_negative"], values["n_annotators"]) == (20, 5, 0, 9)
    assert contains_fields.settle(values)["n_cells"] == 20


def test_a_grid_without_room_is_said_of_its_size():
    with pytest.raises(FieldError, match="no room") as caught:
        contains_fields.settle({"n_cells": 4, "n_positive": 2, "n_negative": 2, "also": ""})
    assert caught.value.field_name == "n_cells"


def test_terms_change_only_in_what_is_given():
    old = Terms(Pay(0.1), quiz=Quiz(4), repeats=0.1)
    new = change_terms(old, {"fee": 0.2, "pass_mark": 0.5, "newness": Newness.REQUIRED})
    assert new == Terms(Pay(0.1, fee=0.2), Newness.REQUIRED, Quiz(4, 0.5), 0.1)
    assert {one.name for one in CHANGEABLE_TERMS} < {one.name for one in TERMS}


@pytest.mark.parametrize(
    ("given", "words"), [({"fee": 0.1}, "go with `pay=…`"), ({"max_attempts": 3}, "go with `quiz=…`")]
)
def test_terms_that_go_with_others_are_refused_alone(given: dict[str, float], words: str):
    with pytest.raises(FieldError, match=words):
        change_terms(Terms(), given)


def test_a_form_without_pay_and_quiz_has_neither_whatever_else_it_says():
    values = fill_in(COMMON, {"fee": 0.2, "pass_mark": 0.5})
    assert read_terms(values) == Terms()
    paid = read_terms({**values, "per_task": 0.1, "currency": "eur", "has_quiz": True})
    assert paid == Terms(Pay(0.1, "EUR", None, 0.2), quiz=Quiz(10, 0.5))
    with pytest.raises(FieldError, match="Say what a task pays") as caught:
        read_terms({**values, "minimum_hourly": 5.0})
    assert caught.value.field_name == "per_task"


def test_what_a_study_has_can_be_chosen_and_is_named():
    known = {one.type.what for one in EVERY if isinstance(one.type, KnownName)}
    assert known == {"test set", "campaign", "label set"}
