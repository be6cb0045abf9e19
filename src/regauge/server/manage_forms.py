"""The form of a new campaign: its fields, and from what a browser sends to what was wished for; every mistake names its field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from regauge.errors import InputError
from regauge.fields import Field, FieldError, parse_form, pick
from regauge.records.campaigns import CampaignTexts, Kind
from regauge.server.forms import Input, Option, Things, make_input, make_inputs, make_rows
from regauge.workflows.campaign_fields import (
    KIND,
    SOURCE,
    TEXTS,
    Source,
    get_fields,
    list_fields,
    read_terms,
)
from regauge.workflows.campaign_wishes import CampaignWish


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
    """

    kinds: tuple[Option, ...]
    common: Mapping[str, Input]
    asked: tuple[Input, ...]
    how: tuple[Input, ...]

    @property
    def asked_rows(self) -> tuple[tuple[Input, ...], ...]:
        """The former, line by line."""
        return make_rows(self.asked)

    @property
    def how_rows(self) -> tuple[tuple[Input, ...], ...]:
        """The latter, line by line."""
        return make_rows(self.how)


def make_new_form(values: Mapping[str, Any], *, things: Things, problems: Mapping[Source, str]) -> NewForm:
    """The form as it is shown first.

    Args:
        values: what some settings are at first.
        things: what the study has that can be chosen.
        problems: why questions cannot come from some sources now.
    """
    tables = list_fields()
    inputs = {one.field.name: one for one in make_inputs(tables[0].common, values=values, things=things)}
    source = inputs[SOURCE.name]
    limited = replace(source, options=tuple(_limit(one, problems) for one in source.options))
    return NewForm(
        kinds=tuple(
            Option(one.kind.value, one.kind.upper(), one.about, {"n_annotators": str(one.n_annotators)})
            for one in tables
        ),
        common={**inputs, SOURCE.name: limited},
        asked=_make_own({one.kind: one.asked for one in tables}, things),
        how=_make_own({one.kind: one.how for one in tables}, things),
    )


def parse_wish(texts: Mapping[str, str], content: bytes) -> CampaignWish:
    """The campaign that was wished for.

    Raises:
        MistakesError: some fields cannot be used.
    """
    chosen, mistakes = parse_form([KIND], texts)
    table = get_fields(chosen.get(KIND.name, list_fields()[0].kind))
    values, others = parse_form(table.campaign, texts)
    if mistakes or others:
        raise MistakesError({**mistakes, **others})
    try:
        return CampaignWish(
            table.kind,
            content=content,
            texts=CampaignTexts(**pick(values, [one.name for one in TEXTS])),
            terms=read_terms(values),
            **table.settle(values),
            **pick(values, _WISHED),
        )
    except FieldError as error:
        raise MistakesError({error.field_name: str(error)}) from error


_WISHED = (
    *("name", "test_set", "source", "source_campaign", "is_follow_up", "top", "controls", "n_annotators"),
    *("lease_seconds", "seed", "quiz_classes"),
)
"""What the wish has under the same names."""


def _limit(option: Option, problems: Mapping[Source, str]) -> Option:
    """A source of questions as those kinds have it whose questions can come from there, if they can now."""
    tables = list_fields()
    kinds = tuple(one.kind.value for one in tables if option.value in one.sources)
    problem = problems.get(Source(option.value), "")
    shown = () if len(kinds) == len(tables) else kinds
    return replace(option, hint=problem, kinds=shown, is_disabled=bool(problem))


def _make_own(fields: Mapping[Kind, Sequence[Field]], things: Things) -> tuple[Input, ...]:
    """The fields of all kinds, each once; a setting that several kinds have is the same for all of them."""
    kinds: dict[str, tuple[Field, list[str]]] = {}
    for kind, own in fields.items():
        for one in own:
            kinds.setdefault(one.name, (one, []))[1].append(kind.value)
    return tuple(
        make_input(one, values={}, things=things, kinds=tuple(names)) for one, names in kinds.values() if one.in_form
    )
