"""Write docs/settings.md from the tables of settings: python -m scripts.write_settings."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from regauge.campaigns.fields import PLAN, QUESTIONS, KindFields
from regauge.campaigns.fields import RULE as COMMON_RULE
from regauge.campaigns.rounds import ROUND
from regauge.campaigns.terms_fields import CARE, HAS_QUIZ, PAYING, QUIZZING, SEEN, TEXTS
from regauge.fields import Checkbox, Choice, Field, KnownName
from regauge.workflows.campaigns.fields import list_fields

PAGE = Path(__file__).resolve().parents[1] / "docs" / "settings.md"

INTRODUCTION = """\
# Settings of campaigns and labels

Every setting of a [campaign](annotation.md) and of how its answers become [labels](labels.md): what records, JSON and stored
studies call it, the option of the command and the field of the form that set it, what it may be, and its default. A
form counts some of them in another unit, which its title names. This page is written by `python -m scripts.write_settings` from
the tables that the options, the forms and their checks come from.
"""

HEAD = "| setting | option | in the form | may be | default | meaning |\n|---|---|---|---|---|---|\n"


def make_page() -> str:
    """The whole page."""
    tables = list_fields()
    campaigns = [
        ("Every campaign", "", (*QUESTIONS, *PLAN)),
        *((f"{one.kind} campaigns", _introduce(one), one.own) for one in tables),
        ("Terms", "On which people work; `campaign terms` changes what can change later.", PAYING),
        ("Quiz", "", (HAS_QUIZ, *QUIZZING)),
        ("Quality and care", "", (*CARE, *SEEN)),
        ("Texts", "In the order in which people read them; options take a file.", TEXTS),
        ("More rounds", "Of `campaign extend` and `decisions`; what is not given is as in the last round.", ROUND),
        ("Rules for labels", "Of `campaign labels` and, without a study, of `aggregate`.", COMMON_RULE),
    ]
    rules = [
        (f"Labels of {one.kind} campaigns", one.about_rule, [field for field in one.rule if not _is_common(field)])
        for one in tables
    ]
    return INTRODUCTION + "".join(_make_section(*section) for section in (*campaigns, *rules))


def _introduce(table: KindFields) -> str:
    sources = [f"`{one}`" for one in table.sources]
    return (
        f"{table.about} Questions come from {', '.join(sources[:-1])} or {sources[-1]}, and {table.n_annotators} people answer a "
        "task unless told otherwise."
    )


def _make_section(title: str, about: str, fields: Iterable[Field]) -> str:
    rows = "".join(_make_row(one) for one in fields)
    words = f"{about}\n\n" if about else ""
    return f"\n## {title}\n\n{words}{HEAD + rows if rows else 'Nothing else.' + chr(10)}"


def _make_row(one: Field) -> str:
    option = f"`{one.option}`" if one.option else "–"
    title = (one.title if one.input_name == one.name else f"{one.title} (`{one.input_name}`)") if one.in_form else "–"
    cells = (f"`{one.name}`", option, title, _describe_values(one), _describe_default(one), one.help)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def _describe_values(one: Field) -> str:
    if isinstance(one.type, Choice):
        return ", ".join(f"`{value}`{_describe_brought(one.type, value)}" for value in one.type.options)
    return str(one.type)


def _describe_brought(choice: Choice, value: str) -> str:
    brought = choice.brings.get(value)
    return f" (`{'`, `'.join(f'{name}={number}' for name, number in brought.items())}`)" if brought else ""


def _describe_default(one: Field) -> str:
    if isinstance(one.type, Checkbox):
        return "yes" if one.default else "no"
    nothing = one.type.nothing if isinstance(one.type, KnownName) else ""
    return one.usual or nothing or one.show_default() or "–"


def _is_common(one: Field) -> bool:
    return one.name in {other.name for other in COMMON_RULE}


if __name__ == "__main__":
    PAGE.write_text(make_page(), encoding="utf-8")
