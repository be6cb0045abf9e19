"""What people beside models say: whether they do better on the new set than models that match them on the original one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from regauge.estimates import Estimate, count_things, format_span, typeset
from regauge.records.evaluation.humans.report import HumanReport
from regauge.records.evaluation.humans.tables import PAIRS
from regauge.records.evaluation.scores import WHOLE
from regauge.records.evaluation.shifts import ModelShift, Shift
from regauge.report.content import HumanPart
from regauge.report.findings.ranks import Question, ReportFinding
from regauge.report.metrics import say_metric


def find_in_humans(part: HumanPart, anchor: str) -> Iterator[ReportFinding]:
    """On two sets, people against the line through the models; else who of people and models can be told apart."""
    found = part.found
    if found is None:
        return
    shift = found.shifts.get(WHOLE)
    people = [] if shift is None else _list_placed(shift)
    if shift is not None and people:
        yield _tell_line(shift, people, anchor)
        return
    yield from _tell_pairs(found, anchor)


def count_told_apart(found: HumanReport, test_set: str) -> tuple[int, int, int]:
    """Of the pairs of a person and a model on a set: how many people and how many models are clearly better, and of how many."""
    is_person = pl.col("first").is_in(found.people)
    rows = found.get_table(PAIRS).filter(
        pl.col("test_set") == test_set, is_person != pl.col("second").is_in(found.people)
    )
    # The better one of a pair comes first; open predictions are taken in the way that is least favourable to a difference.
    clear = rows.filter(pl.col("p_holm") <= 1 - found.settings.level)
    n_people = clear.filter(pl.col("first").is_in(found.people)).height
    return n_people, clear.height - n_people, rows.height


def _list_placed(shift: Shift) -> list[tuple[ModelShift, Estimate[float]]]:
    """The people whose distance from the line through the models has limits, the largest distance first."""
    found = [(one, one.effective_robustness) for one in shift.models if one.name in shift.people]
    placed = [(one, apart) for one, apart in found if apart is not None]
    return sorted(placed, key=lambda item: -item[1].value)


def _tell_line(shift: Shift, people: Sequence[tuple[ModelShift, Estimate[float]]], anchor: str) -> ReportFinding:
    n_up = sum(apart.low > 0 for _, apart in people)
    n_down = sum(apart.high < 0 for _, apart in people)
    models = [one for one in shift.models if one.name not in shift.people]
    first, last = people[0], people[-1]
    told = f"{typeset(last[1], scale=100, sign=True)} ({last[0].name})"
    if len(people) > 1:
        told += f" to {typeset(first[1], scale=100, sign=True)} points ({first[0].name})"
    else:
        told += " points"
    n_old, n_new = (format_span([getattr(one, side).n for one, _ in people]) for side in ("original", "new"))
    evidence = (
        f"{told} from the line through {count_things(len(models), 'model')}, each with limits of its own; "
        f"{say_metric(shift.settings.metric)} on {n_old} and {n_new} images."
    )
    n_beyond = sum(one.original.value > max(model.original.value for model in models) for one, _ in people)
    if n_beyond:
        verb = "is" if n_beyond == 1 else "are"
        evidence += f" {n_beyond} of them {verb} more accurate than any model, so the line is extrapolated there."
    claim = _claim(shift, len(people), up=n_up, down=n_down)
    size = 100 * max((abs(apart.value) for _, apart in people), default=0.0)
    return ReportFinding(Question.PEOPLE, claim, evidence, is_clear=bool(n_up or n_down), size=size, anchor=anchor)


def _claim(shift: Shift, n: int, *, up: int, down: int) -> str:
    """How many people are clearly above the line, and how many below."""
    who = "the only person" if n == 1 else "{} of " + f"{n} people"
    than = f"than models that match them on {shift.original}"
    if up and down:
        return f"On {shift.new}, {up} of {n} people do clearly better and {down} clearly worse {than}."
    if not up and not down:
        nobody = "the only person does" if n == 1 else f"none of {n} people does"
        return f"On {shift.new}, {nobody} {'not ' if n == 1 else ''}clearly better or worse {than}."
    verb = "does" if up + down == 1 else "do"
    return f"On {shift.new}, {who.format(up + down)} {verb} clearly {'better' if up else 'worse'} {than}."


def _tell_pairs(found: HumanReport, anchor: str) -> Iterator[ReportFinding]:
    name = found.test_sets[0]
    n_people, n_models, n = count_told_apart(found, name)
    if not n:
        return
    pairs = f"{count_things(n, 'pair')} of a person and a model"
    if n_people or n_models:
        claim = f"On {name}, the person is clearly better in {n_people} and the model in {n_models} of {pairs}."
    else:
        claim = f"On {name}, no person can be told apart from a model."
    rows = found.get_table(PAIRS)
    images = format_span(rows.filter(test_set=name)["n"].to_list())
    evidence = (
        f"McNemar's exact test of {pairs}, adjusted by Holm over all {rows.height:,} tests; "
        f"{say_metric(found.metrics[0])} on {images} images."
    )
    yield ReportFinding(Question.PEOPLE, claim, evidence, is_clear=bool(n_people or n_models), anchor=anchor)
