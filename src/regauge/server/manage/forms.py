"""The form of a new campaign: its fields, and the request that a browser sends with them; every mistake names its field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from regauge.errors import InputError
from regauge.fields import Field, FieldError, FileValue, parse_form, pick
from regauge.kinds.contract import Kinds
from regauge.records.campaigns.campaign import CampaignTexts, Kind
from regauge.records.option_names import name_options
from regauge.server.manage.form_fields import Input, Option, Things, make_input, make_inputs, make_rows
from regauge.workflows.campaigns.fields import (
    SOURCE,
    TEST_SET,
    TEXTS,
    KindFields,
    QuestionSource,
    list_fields,
    make_kind_field,
    read_terms,
)
from regauge.workflows.campaigns.requests import CampaignRequest

TABLE_FIELD = "table"
"""What the form calls the table of images and classes, which is not a setting."""


class MistakesError(InputError):
    """Some fields cannot be used: a sentence for each."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        super().__init__("Some of what was filled in cannot be used; see beside the fields.")
        self.fields = dict(fields)


@dataclass(frozen=True, slots=True)
class NewForm:
    """The fields of a new campaign.

    Attributes:
        kinds: what can be asked.
        common: what every campaign has, by name.
        asked: what campaigns of some kinds have, about what is asked.
        how: what they have about how it is asked.
        needs: per kind, how many answers its labels will need.
    """

    kinds: tuple[Option, ...]
    common: Mapping[str, Input]
    asked: tuple[Input, ...]
    how: tuple[Input, ...]
    needs: tuple[tuple[str, str], ...] = ()

    @property
    def asked_rows(self) -> tuple[tuple[Input, ...], ...]:
        """The former, line by line."""
        return make_rows(self.asked)

    @property
    def how_rows(self) -> tuple[tuple[Input, ...], ...]:
        """The latter, line by line."""
        return make_rows(self.how)


@dataclass(frozen=True, slots=True)
class FormLimits:
    """What the study allows.

    Attributes:
        problems: why questions cannot come from some sources now.
        class_sizes: per test set, how many images each class has.
    """

    problems: Mapping[QuestionSource, str]
    class_sizes: Mapping[str, Sequence[int]]


NO_VALUES: Mapping[str, Any] = {}


def make_new_form(values: Mapping[str, Any], *, kinds: Kinds, things: Things, limits: FormLimits) -> NewForm:
    """The form as it is shown first.

    Args:
        values: what some settings are at first.
        kinds: the kinds of task that can be chosen.
        things: what the study has that can be chosen.
        limits: what the study allows.
    """
    tables = list_fields(kinds)
    made = make_inputs(tables[0].common, values=values, things=things)
    inputs = {one.field.name: replace(one, kinds=_find_users(one.field, tables)) for one in made}
    source = inputs[SOURCE.name]
    proposed = {name: _propose(tables, sizes) for name, sizes in limits.class_sizes.items()}
    offered = inputs[TEST_SET.name]
    first = offered.options[0].value if offered.options else ""
    chosen = replace(offered, options=tuple(_bring(one, proposed) for one in offered.options))
    limited = replace(source, options=tuple(_limit(one, tables, limits.problems) for one in source.options))
    return NewForm(
        kinds=tuple(
            Option(str(name), kind.texts.name, kind.fields.about, {"n_annotators": str(kind.fields.n_annotators)})
            for name, kind in kinds.items()
        ),
        common={**inputs, SOURCE.name: limited, TEST_SET.name: chosen},
        asked=_make_own({one.kind: one.asked for one in tables}, things),
        how=_make_own({one.kind: one.how for one in tables}, things, values=proposed.get(first, {})),
        needs=tuple((str(one.kind), one.about_labels) for one in tables if one.about_labels),
    )


def parse_campaign(texts: Mapping[str, str], files: Mapping[str, bytes], *, kinds: Kinds) -> CampaignRequest:
    """The campaign that a form asks for.

    Args:
        texts: what was filled in, by field.
        files: what came along, by field; those that the kind of task has no field for are left alone.
        kinds: the kinds of task that can be chosen.

    Raises:
        MistakesError: some fields cannot be used.
    """
    chosen, mistakes = parse_form([make_kind_field(kinds)], texts)
    table = kinds[Kind(chosen.get("kind", next(iter(kinds))))].fields
    values, others = parse_form(table.campaign, texts)
    if mistakes or others:
        raise MistakesError({**mistakes, **others})
    documents = {
        one.name: files[one.input_name]
        for one in table.campaign
        if isinstance(one.type, FileValue) and files.get(one.input_name, b"").strip()
    }
    # Where the files will lie is known later; that they are there matters to other settings.
    values |= {name: name for name in documents}
    try:
        return CampaignRequest(
            table.kind,
            content=files.get(TABLE_FIELD, b""),
            documents=documents,
            texts=CampaignTexts(**pick(values, [one.name for one in TEXTS])),
            terms=read_terms(values),
            settings=table.settle(values),
            also=tuple(one for one in [values.get("also")] if one),
            **pick(values, _REQUESTED),
        )
    except FieldError as error:
        raise MistakesError({error.field_name: name_options(str(error))}) from error


_REQUESTED = (
    *("name", "test_set", "source", "source_campaign", "is_follow_up", "top", "controls", "n_annotators"),
    *("lease_seconds", "seed", "quiz_classes"),
)
"""What the request has under the same names."""


def _propose(tables: Sequence[KindFields], sizes: Sequence[int]) -> dict[str, Any]:
    """Settings of all kinds that work for a set of images."""
    return {name: value for table in tables for name, value in table.propose(sizes).items()}


def _bring(option: Option, proposed: Mapping[str, Mapping[str, Any]]) -> Option:
    return replace(option, brings={name: str(value) for name, value in proposed.get(option.value, {}).items()})


def _limit(option: Option, tables: Sequence[KindFields], problems: Mapping[QuestionSource, str]) -> Option:
    """A source of questions as those kinds have it whose questions can come from there, if they can now."""
    kinds = tuple(str(one.kind) for one in tables if option.value in one.sources)
    problem = problems.get(QuestionSource(option.value), "")
    shown = () if len(kinds) == len(tables) else kinds
    return replace(option, hint=problem, kinds=shown, is_disabled=bool(problem))


def _find_users(field: Field, tables: Sequence[KindFields]) -> tuple[str, ...]:
    """The kinds that have a setting, where not all do."""
    kinds = tuple(str(one.kind) for one in tables if field.name not in one.refused)
    return () if len(kinds) == len(tables) else kinds


def _make_own(
    fields: Mapping[Kind, Sequence[Field]], things: Things, *, values: Mapping[str, Any] = NO_VALUES
) -> tuple[Input, ...]:
    """The fields of all kinds, each once; a setting that several kinds have is the same for all of them."""
    kinds: dict[str, tuple[Field, list[str]]] = {}
    for kind, own in fields.items():
        for one in own:
            kinds.setdefault(one.name, (one, []))[1].append(str(kind))
    return tuple(
        make_input(one, values=values, things=things, kinds=tuple(names))
        for one, names in kinds.values()
        if one.in_form
    )
