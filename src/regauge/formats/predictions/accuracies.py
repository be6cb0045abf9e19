"""Tables of accuracies: `model,n,n_correct`, `model,accuracy,n`, or as timm publishes them; and the packaged ones.

Whether a number is a fraction or a percentage follows from the name of its column and from nothing else: `accuracy` is a
fraction, `accuracy_percent`, `top1` and `top5` are percentages. What lies outside is refused, and so are percentages none of
which is above 1, for these are more likely fractions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import polars as pl

from regauge.errors import FormatError, InputError
from regauge.formats.text import Table, read_table, require_columns
from regauge.records.evaluation.accuracies import ACCURACY_COLUMNS, AccuracyTable, suggest

PACKAGED: Mapping[str, str] = {
    "recht2019": (
        "Recht, Roelofs, Schmidt, Shankar (2019), Do ImageNet Classifiers Generalize to ImageNet?, ICML; "
        "ReaL labels: Beyer, Hénaff, Kolesnikov, Zhai, van den Oord (2020), Are we done with ImageNet?"
    )
}
"""The tables that come with Regauge, and where their numbers come from."""

MAX_N = 100_000_000
TOP1 = "top1"
PERCENT_COLUMNS = ("top1", "top5")
"""As timm publishes them: percentages, each with its complement in a column `…_err`."""
FORMS = "model,n,n_correct or model,accuracy,n or model,accuracy_percent,n or model,top1,top5 as timm publishes them"


@dataclass(frozen=True, slots=True)
class _Value:
    """A column that tells accuracies: the metric that it is of, unless a column says so, and what 1 is in it."""

    column: str
    metric: str
    whole: float

    @property
    def kind(self) -> str:
        """What its numbers are."""
        return "fractions" if self.whole == 1 else "percentages"


def load_accuracies(source: str | Path, *, n: int | None = None) -> AccuracyTable:
    """The accuracies in a file, or in a table that comes with Regauge.

    Args:
        source: a CSV or TSV file, or the name of a packaged table: recht2019, the 67 models of Recht et al. (2019).
        n: how many images each accuracy was counted on, for a file that does not tell; without it, accuracies stay alone
            until the test set is known.

    Raises:
        InputError: there is no such file or table.
        FormatError: the file holds something else; the error names the line.

    >>> table = load_accuracies("recht2019")
    >>> table.sets
    ('val', 'matched-frequency', 'threshold-0.7')
    >>> table.find_n("val", "real")
    46837
    """
    if str(source) in PACKAGED:
        if n is not None:
            raise InputError(f"{source} tells how many images its accuracies were counted on; leave n out.")
        return _load_packaged(str(source))
    path = Path(source)
    if not path.suffix and not path.exists():
        raise InputError(
            f"There is no file and no packaged table of accuracies {str(source)!r}{suggest(str(source), list(PACKAGED))}; "
            f"packaged: {', '.join(PACKAGED)}."
        )
    return _load_table(path, n)


def _load_packaged(name: str) -> AccuracyTable:
    with resources.as_file(resources.files("regauge.formats") / "data" / f"{name}-accuracies.csv") as path:
        frame = _load_table(path, None).frame
    return AccuracyTable(name, frame, citation=PACKAGED[name])


def _load_table(path: Path, n: int | None) -> AccuracyTable:
    table = read_table(path)
    require_columns(table, ("model",), purpose=f"a table of accuracies ({FORMS})")
    models = table.get_column("model")
    sets = table.get_column("set") if "set" in table.frame.columns else pl.Series([path.stem] * len(models))
    sizes = _read_sizes(table, n)
    base = pl.DataFrame({"model": models, "set": sets, "n": pl.Series(sizes, dtype=pl.Int64)})
    if "n_correct" in table.frame.columns:
        frame, notes = _read_counts(table, base), [f"{path.name}: right answers read from the column n_correct."]
    else:
        parts = [_read_value(table, base, value) for value in _find_values(table)]
        frame, notes = pl.concat([part for part, _ in parts]), [note for _, own in parts for note in own]
    _check_distinct(table, frame)
    return AccuracyTable(
        path.stem, frame.select(pl.col(name).cast(kind) for name, kind in ACCURACY_COLUMNS.items()), tuple(notes)
    )


def _find_values(table: Table) -> list[_Value]:
    """The columns that tell accuracies, of which a table has one kind."""
    columns = table.frame.columns
    known = [_Value("accuracy", TOP1, 1), _Value("accuracy_percent", TOP1, 100)]
    found = [value for value in known if value.column in columns]
    percents = [_Value(name, name, 100) for name in PERCENT_COLUMNS if name in columns]
    if not found and not percents:
        raise FormatError(
            table.path, f"a table of accuracies has the columns {FORMS}; this file has: {', '.join(columns)}.", line=1
        )
    if len(found) + bool(percents) > 1:
        names = ", ".join(value.column for value in (*found, *percents))
        raise FormatError(table.path, f"accuracies stand in one of the columns {names}; leave the others out.", line=1)
    if percents and "metric" in columns:
        raise FormatError(table.path, "a column top1 says which metric it is; leave the column metric out.", line=1)
    return found or percents


def _read_sizes(table: Table, n: int | None) -> list[int | None]:
    """How many images every row was counted on; None where nobody says."""
    has_column = "n" in table.frame.columns
    if has_column and n is not None:
        raise FormatError(table.path, f"the file tells n in a column of its own; leave the other n, {n}, out.", line=1)
    if not has_column:
        if n is not None and not 1 <= n <= MAX_N:
            raise InputError(f"n, the images of a test set, is a whole number from 1 to {MAX_N:,}, not {n}.")
        return [n] * table.frame.height
    return [_read_whole(table, row, "n", text, least=1) for row, text in enumerate(table.get_column("n"))]


def _read_counts(table: Table, base: pl.DataFrame) -> pl.DataFrame:
    texts = table.get_column("n_correct")
    if base["n"].null_count():
        raise FormatError(table.path, "n_correct needs a column n beside it: how many images were counted.", line=1)
    counts = [_read_whole(table, row, "n_correct", text, least=0) for row, text in enumerate(texts)]
    for row, (count, size) in enumerate(zip(counts, base["n"], strict=True)):
        if count > size:
            raise table.make_error(row, f"n_correct is at most n, and {count:,} of {size:,} is not.")
    right = pl.Series(counts, dtype=pl.Int64)
    return base.with_columns(
        _read_metrics(table, TOP1), right.alias("n_correct"), (right / base["n"]).alias("accuracy")
    )


def _read_whole(table: Table, row: int, column: str, text: str, *, least: int) -> int:
    value = int(text) if text.isascii() and text.isdigit() and len(text) < 12 else -1
    if not least <= value <= MAX_N:
        raise table.make_error(row, f"{column} is a whole number from {least} to {MAX_N:,}, not {text!r}.")
    return value


def _read_metrics(table: Table, default: str) -> pl.Series:
    if "metric" in table.frame.columns:
        return table.get_column("metric").alias("metric")
    return pl.Series("metric", [default] * table.frame.height, dtype=pl.String)


def _read_value(table: Table, base: pl.DataFrame, value: _Value) -> tuple[pl.DataFrame, list[str]]:
    """The rows of one column of accuracies, and what is said of it."""
    texts = table.get_column(value.column)
    numbers = [_read_number(table, row, value, text) for row, text in enumerate(texts)]
    if value.whole > 1:
        _check_percent(table, value, numbers)
    shares = [number / value.whole for number in numbers]
    counts = [None if size is None else round(share * size) for share, size in zip(shares, base["n"], strict=True)]
    frame = base.with_columns(
        _read_metrics(table, value.metric),
        pl.Series("n_correct", counts, dtype=pl.Int64),
        pl.Series("accuracy", shares, dtype=pl.Float64),
    )
    name = table.path.name
    note = (
        f"{name}: {value.column} read as {value.kind}, from {100 * min(shares):.1f}% to {100 * max(shares):.1f}%; right answers "
        "are accuracy · n, rounded to whole ones."
    )
    return frame, [note, *_doubt_n(table, value, texts.to_list(), base["n"].to_list())]


def _read_number(table: Table, row: int, value: _Value, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if 0 <= number <= value.whole:
        return number
    rule = "a fraction from 0 to 1" if value.whole == 1 else "a percentage from 0 to 100"
    hint = "; percentages belong in a column accuracy_percent" if value.whole == 1 and 1 < number <= 100 else ""
    raise table.make_error(row, f"{value.column} is {rule}, not {text!r}{hint}.")


def _check_percent(table: Table, value: _Value, numbers: Sequence[float]) -> None:
    """Refuse percentages that contradict their own errors, or that look like fractions."""
    errors = f"{value.column}_err"
    if errors in table.frame.columns:
        for row, text in enumerate(table.get_column(errors)):
            error = _read_number(table, row, _Value(errors, value.metric, 100), text)
            if abs(numbers[row] + error - 100) > 0.01:
                raise table.make_error(
                    row, f"{value.column} and {errors} add up to 100, not {numbers[row]} and {text}."
                )
    elif max(numbers) <= 1:
        raise FormatError(
            table.path,
            f"{value.column} holds percentages, and none here is above 1; fractions belong in a column accuracy.",
            line=1,
        )


def _doubt_n(table: Table, value: _Value, texts: Sequence[str], sizes: Sequence[int | None]) -> Iterator[str]:
    """A sentence where an accuracy, as exactly as it is written, is not a whole number of answers out of n."""
    for row, (text, size) in enumerate(zip(texts, sizes, strict=True)):
        if size is None or not text.replace(".", "", 1).isdigit():
            continue
        n_decimals = len(text.partition(".")[2])
        answers = float(text) / value.whole * size
        # What rounding to these decimals can move the answers by, and a little for rounding here.
        if abs(answers - round(answers)) > 0.501 * 10.0**-n_decimals / value.whole * size + 1e-6:
            model = table.frame["model"][row]
            yield (
                f"{table.path.name}: {text} is not a whole number of answers out of {size:,} ({model}); look whether n is right, "
                "and whether the accuracy is a mean of several."
            )
            return


def _check_distinct(table: Table, frame: pl.DataFrame) -> None:
    keys = frame.select("model", "set", "metric")
    repeated = (~keys.select(pl.struct(pl.all()).is_first_distinct()).to_series()).arg_true()
    if len(repeated):
        row = int(repeated[0])
        model, name, metric = keys.row(row)
        raise FormatError(
            table.path,
            f"model {model!r} occurs a second time with {metric} on {name}.",
            line=table.list_lines()[row % table.frame.height],
        )
