"""Tables of settings: what each is called, what it may be, its default, and one sentence that explains it.

A setting is written once, as a `Field`. Options of commands, fields of forms, checks of values and the tables in docs/settings.md
are made from it. Records hold the values and refuse what no setting may be, by the same `Range`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, TypeAlias, TypeVar

from regauge.errors import InputError
from regauge.ranges import Range, Unit, write_number

TICKED = "on"
"""What a form sends for a box that is ticked."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
"""Characters that no name has and no page shows."""
_Result = TypeVar("_Result")


class FieldError(InputError):
    """What somebody filled in cannot be used, and in which field it stands."""

    def __init__(self, field_name: str, problem: str) -> None:
        super().__init__(problem)
        self.field_name = field_name


class FieldsError(InputError):
    """What stands in several fields cannot be used: a sentence for each, by their names."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        super().__init__(" ".join(dict.fromkeys(fields.values())))
        self.fields = dict(fields)


@dataclass(frozen=True, slots=True)
class TextValue:
    """A text without blanks around it, on one line unless it may have more; `missing` is said of an empty one that is needed."""

    max_length: int = 200
    has_lines: bool = False
    missing: str = ""

    @property
    def control(self) -> str:
        """What a form shows."""
        return "lines" if self.has_lines else "text"

    def __str__(self) -> str:
        return f"a text of up to {self.max_length:,} characters"

    def parse(self, text: str) -> str:
        """The text as it is kept; forms send the end of a line as two characters."""
        words = text.replace("\r\n", "\n").strip()
        if len(words) > self.max_length:
            raise InputError(f"This has at most {self.max_length:,} characters, not {len(words):,}.")
        if _CONTROL.search(words.replace("\n", "").replace("\t", "") if self.has_lines else words):
            raise InputError("This has a character that cannot be shown; type it again.")
        if not words and self.missing:
            raise InputError(self.missing)
        return words


@dataclass(frozen=True, slots=True)
class Names:
    """Several names: with commas between them in a form, an option for each on the command line."""

    control: ClassVar[str] = "text"
    max_length: ClassVar[int] = 10_000

    def __str__(self) -> str:
        return "names"

    def parse(self, text: str) -> tuple[str, ...]:
        """The names in a text with commas between them."""
        return tuple(one.strip() for one in TextValue(self.max_length).parse(text).split(",") if one.strip())


@dataclass(frozen=True, slots=True)
class KnownName:
    """The name of something that the study has; a form lists what there is.

    Attributes:
        what: what it is the name of, such as a test set.
        nothing: what a form calls the choice of none; empty where one is needed.
        is_repeatable: whether a command takes several.
    """

    what: str
    nothing: str = ""
    is_repeatable: bool = False

    control: ClassVar[str] = "select"

    def __str__(self) -> str:
        return f"{self.what}s" if self.is_repeatable else f"a {self.what}"

    def parse(self, text: str) -> str:
        """The name; whether there is such a thing is known to whoever looks it up."""
        return TextValue(300).parse(text)


@dataclass(frozen=True, slots=True)
class Choice:
    """A setting that is one of some words.

    Attributes:
        options: the words, with what a form calls each.
        brings: what a choice fills in of other settings, by the word and the names of these.
        ticked: where a form has a box instead of a list, what that stands for; the first of the options is then the other.
        is_open: whether a form shows all of them at once.
    """

    options: Mapping[str, str]
    brings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    ticked: str = ""
    is_open: bool = False

    @property
    def control(self) -> str:
        """A box, a list that is open, or one to open."""
        return "tick" if self.ticked else "radio" if self.is_open else "select"

    def __str__(self) -> str:
        return ", ".join(self.options)

    def parse(self, text: str) -> str:
        """The word that was chosen, as the table has it."""
        found = next((one for one in self.options if one == text), None)
        if found is None:
            raise InputError(f"Choose one of {self}.")
        return found


@dataclass(frozen=True, slots=True)
class Checkbox:
    """A setting that is yes or no."""

    control: ClassVar[str] = "tick"

    def __str__(self) -> str:
        return "yes or no"

    def parse(self, text: str) -> bool:
        """Whether a box is ticked."""
        return text == TICKED

    def check(self, value: object) -> bool:
        """Yes or no, if it is that."""
        if not isinstance(value, bool):
            raise InputError("This is true or false.")
        return value


@dataclass(frozen=True, slots=True)
class FileValue:
    """A file: its path on the command line; a form sends the file itself along, and never a path, for it is not the server's.

    Attributes:
        accept: what a form offers to choose.
    """

    accept: str = ""

    control: ClassVar[str] = "file"

    def __str__(self) -> str:
        return "a file"

    def parse(self, text: str) -> str:
        """Nothing: what is typed is not a file."""
        if text.strip():
            raise InputError("Choose a file; a path cannot be typed here.")
        return ""


ValueType: TypeAlias = Range | TextValue | Names | KnownName | Choice | Checkbox | FileValue
"""What a setting may be: `str` says it in a few words, `parse` reads what was typed or raises an `InputError` that says what it
should be, and `control` is what a form shows."""


@dataclass(frozen=True, slots=True)
class Field:
    """One setting.

    Attributes:
        name: in records and JSON.
        title: what a form calls it.
        type: what it may be.
        help: one sentence that explains it.
        default: what holds unless it is given; None where nothing does.
        option: what the command line calls it, or does to undo what is so by default; empty where no option sets it.
        metavar: what stands for its value there.
        usual: what holds unless it is given, in words, where the default does not say it.
        input: its name in a form, where that is another.
        in_form: whether a form has it.
        unit: what a form counts it in, where that is another.
        when: the choice with which alone it matters: the name of a box, or name=word.
        is_optional: whether its number may be left empty in a form; then the default holds.
    """

    name: str
    title: str
    type: ValueType
    help: str
    default: Any = None
    option: str = ""
    metavar: str = ""
    usual: str = ""
    input: str = ""
    in_form: bool = True
    unit: Unit | None = None
    when: str = ""
    is_optional: bool = False

    @property
    def input_name(self) -> str:
        """Its name in a form."""
        return self.input or self.name

    @property
    def shown_type(self) -> ValueType:
        """What may be typed into a form."""
        return self.type.count_in(self.unit) if self.unit and isinstance(self.type, Range) else self.type

    def parse(self, text: str) -> Any:  # noqa: ANN401 - each type has its own values
        """The value that was typed into a form.

        Raises:
            FieldError: the text is not a value that the setting may have.
        """
        if self.is_optional and not text.strip():
            return self.default
        if isinstance(self.type, Choice) and self.type.ticked:
            return self.type.ticked if text == TICKED else next(iter(self.type.options))
        typed: Any = in_field(self.input_name, lambda: self.shown_type.parse(text))
        if self.unit is None:
            return typed
        value = Fraction(typed) * self.unit.factor
        return int(value) if isinstance(self.type, Range) and self.type.is_whole else float(value)

    def check(self, value: object) -> Any:  # noqa: ANN401 - each type has its own values
        """The value, if it is one; texts are read as if they were typed.

        Raises:
            FieldError: the value is not one that the setting may have.
        """
        kind = self.type
        if isinstance(kind, Range | Checkbox):
            return in_field(self.name, lambda: kind.check(value))
        if not isinstance(value, str):
            raise FieldError(self.name, "This is a text.")
        return in_field(self.name, lambda: kind.parse(value))

    def explain(self, usual: str = "by default") -> str:
        """The sentence, and what holds otherwise.

        >>> Field("share", "Share", Range(0, 1), "A share.", 0.5).explain()
        'A share; 0.5 by default.'
        """
        nothing = self.type.nothing if isinstance(self.type, KnownName) else ""
        words = self.usual or nothing or self.show_default()
        return f"{self.help.removesuffix('.')}; {words} {usual}." if words else self.help

    @property
    def hint(self) -> str:
        """What a form says beneath it; a default that it shows is not said."""
        is_shown = isinstance(self.type, KnownName) or self.show_default()
        return self.help if is_shown else self.explain()

    def show_default(self) -> str:
        """The default as it is kept; empty where there is none, or where it is yes or no."""
        if isinstance(self.type, Checkbox) or self.default in (None, "", ()):
            return ""
        return write_number(self.default) if isinstance(self.default, int | float) else str(self.default)

    def show(self, value: Any) -> str:  # noqa: ANN401 - each type has its own values
        """A value as a form has it; empty for None, and names with commas between them.

        >>> Field("share", "Share, %", Range(0, 1), "A share.", unit=Unit(Fraction(1, 100))).show(0.8)
        '80'
        """
        if value is None or isinstance(value, tuple):
            return ", ".join(value or ())
        if self.unit is None:
            return f"{value:.15g}" if isinstance(value, float) else str(value)
        return f"{float(Fraction(str(value)) / self.unit.factor):.15g}"


def parse_form(fields: Iterable[Field], texts: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    """What a form says: the values by name, and a sentence for each field that cannot be used.

    A field that does not matter, for the choice that it goes with was not made, has its default.
    """
    values: dict[str, Any] = {}
    mistakes: dict[str, str] = {}
    for one in fields:
        try:
            text = texts.get(one.input_name, "")
            values[one.name] = one.parse(text) if one.in_form and _matters(one, texts) else one.default
        except FieldError as error:
            mistakes[error.field_name] = str(error)
    return values, mistakes


def check_values(fields: Iterable[Field], given: Mapping[str, object]) -> dict[str, Any]:
    """The values that are given, if they are values of these settings; others are left alone.

    Raises:
        FieldError: a value is not one that its setting may have.
    """
    return {one.name: one.check(given[one.name]) for one in fields if one.name in given}


def fill_in(fields: Iterable[Field], given: Mapping[str, Any]) -> dict[str, Any]:
    """Every setting: as it is given, else as a choice brings it along, else its default."""
    table = tuple(fields)
    values = {one.name: given.get(one.name, one.default) for one in table}
    brought = [one.type.brings.get(values[one.name], {}) for one in table if isinstance(one.type, Choice)]
    return {**values, **{name: value for one in brought for name, value in one.items()}, **given}


def pick(given: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Those of some values that have one of the names."""
    return {name: given[name] for name in names if name in given}


def in_field(name: str, work: Callable[[], _Result]) -> _Result:
    """What the work gives; what it refuses is said of the field, unless it says so of another.

    Raises:
        FieldError: the work refused something.
    """
    try:
        return work()
    except (FieldError, FieldsError):
        raise
    except InputError as error:
        raise FieldError(name, str(error)) from error


def _matters(one: Field, texts: Mapping[str, str]) -> bool:
    name, _, word = one.when.partition("=")
    return not name or texts.get(name, "") == (word or TICKED)
