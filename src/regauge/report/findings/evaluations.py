"""What an evaluation says: how far labels lift models, who can be told apart, whether ranks change, which classes are hard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from regauge.estimates import count_things, format_estimate, format_percent, join_words, typeset
from regauge.evaluation.outcomes import DATASET_LABELS
from regauge.evaluation.standings import compare_standings
from regauge.records.evaluation.details import ClassAccuracy, EvaluationDetails, LabelLift, Standings, TurnedPairs
from regauge.report.content import EvaluationPart
from regauge.report.findings.ranks import Question, ReportFinding
from regauge.report.metrics import say_metric
from regauge.report.sentences import join_some, name_labels

N_NAMED = 4
"""Participants or classes that a finding names at most."""


def find_in_evaluation(part: EvaluationPart, anchor: str) -> Iterator[ReportFinding]:
    """The findings of one evaluation; nothing where its answers are no longer stored as they were evaluated."""
    details = part.details
    if details is None:
        return
    if details.lifts:
        yield _tell_lift(details, part.test_set.name, anchor)
    standings = details.standings[details.measure]
    if len(standings.names) > 1:
        yield _tell_ties(details, standings, place=(part.test_set.name, anchor))
        by_dataset = details.standings.get(("top1", DATASET_LABELS))
        if by_dataset is not None and details.measure[1] != DATASET_LABELS:
            ways = (f"by {name_labels(DATASET_LABELS)}", f"by {name_labels(details.measure[1])}")
            yield tell_order(
                compare_standings(by_dataset, standings), ways, where=f" on {part.test_set.name}", anchor=anchor
            )
    if len(details.classes) > 1:
        yield _tell_classes(details, part.test_set.name, anchor)


def _tell_lift(details: EvaluationDetails, test_set: str, anchor: str) -> ReportFinding:
    lifts = sorted(details.lifts, key=lambda one: one.change.value)
    n_up, n_down = sum(one.change.low > 0 for one in lifts), sum(one.change.high < 0 for one in lifts)
    metric, labels = details.measure
    best = next((one for one in lifts if one.participant == details.best), lifts[-1])
    evidence = (
        f"{_tell_range(lifts)}, from top-1 accuracy to {say_metric(metric)} on the same {best.change.n:,} images."
    )
    if len(lifts) > 1:
        evidence += f" {_tell_best(best)}"
    return ReportFinding(
        Question.LIFT,
        f"{_name_lift(labels, n_up, n_down, lifts)} on {test_set}.",
        evidence,
        is_clear=bool(n_up or n_down),
        anchor=anchor,
    )


def _name_lift(labels: str, n_up: int, n_down: int, lifts: Sequence[LabelLift]) -> str:
    """What the labels do to how many models, by limits that do not hold 0; without the end of the sentence."""
    n, who = len(lifts), name_labels(labels)
    if n_up and n_down:
        return f"The {who} lift {n_up} and lower {n_down} of {n} models clearly"
    if not n_up and not n_down:
        return f"The {who} do not clearly move {'any model' if n > 1 else lifts[0].participant}"
    n_moved, verb = (n_up, "lift") if n_up else (n_down, "lower")
    if n_moved < n:
        return f"The {who} {verb} {n_moved} of {n} models clearly"
    return f"The {who} {verb} {lifts[0].participant if n == 1 else f'all {n} models'}"


def _tell_range(lifts: Sequence[LabelLift]) -> str:
    low, high = lifts[0], lifts[-1]
    if low.change.value == high.change.value:
        return f"{typeset(high.change, scale=100, sign=True)} points"
    return (
        f"{typeset(low.change, scale=100, sign=True)} ({low.participant}) to "
        f"{typeset(high.change, scale=100, sign=True)} points ({high.participant})"
    )


def _tell_best(best: LabelLift) -> str:
    return (
        f"{best.participant}, the best, goes from {format_percent(best.before)} to {format_percent(best.after)}: "
        f"{typeset(best.change, scale=100, sign=True)}."
    )


def _tell_ties(details: EvaluationDetails, standings: Standings, *, place: tuple[str, str]) -> ReportFinding:
    test_set, anchor = place
    beside, n_open = standings.list_beside(details.best), standings.n_pairs - standings.n_clear
    n = len(standings.names)
    if n_open == standings.n_pairs:
        claim = f"No two of the {n} models can be told apart on {test_set}."
    elif beside:
        others = join_some(beside, "model", limit=N_NAMED)
        claim = f"{details.best} leads on {test_set}, but cannot be told apart from {others}."
    else:
        claim = f"{details.best} is clearly the best of {n} models on {test_set}."
    pairs = "the only pair" if standings.n_pairs == 1 else f"{n_open:,} of {standings.n_pairs:,} pairs"
    told = "can be told apart" if standings.n_pairs == 1 and not n_open else "cannot be told apart"
    evidence = (
        f"By {say_metric(details.measure[0])}, {pairs} of models {told} ({_name_test(standings)}; n ≥ {standings.n:,})."
    )
    return ReportFinding(Question.TIES, claim, evidence, is_clear=True, anchor=anchor)


def _name_test(standings: Standings) -> str:
    return f"McNemar’s test, {100 * (1 - standings.level):g}% over all pairs"


def tell_order(found: TurnedPairs, ways: tuple[str, str], *, where: str, anchor: str) -> ReportFinding:
    """Whether pairs of models swap places between two ways to measure them, such as two test sets."""
    before, after = ways
    n_turned = len(found.turned)
    if n_turned:
        better, worse = found.turned[0]
        claim = (
            f"{count_things(n_turned, 'pair')} of models clearly {'swaps' if n_turned == 1 else 'swap'} places{where}."
        )
        evidence = (
            f"{better} is clearly better than {worse} {before}, and clearly worse {after}; of "
            f"{count_things(found.n_pairs, 'pair')}, {found.n_clear:,} can be told apart both times."
        )
    elif found.n_clear:
        claim = f"No two models clearly swap places{where}."
        evidence = (
            f"{found.n_clear:,} of {found.n_pairs:,} pairs can be told apart both {before} and {after}, all in the same order; "
            "the order of the others stays open."
        )
    else:
        claim = f"Whether models swap places{where} stays open."
        evidence = f"Of {count_things(found.n_pairs, 'pair')}, none can be told apart both {before} and {after}."
    return ReportFinding(Question.ORDER, claim, evidence, is_clear=bool(found.n_clear), anchor=anchor)


def _tell_classes(details: EvaluationDetails, test_set: str, anchor: str) -> ReportFinding:
    hard = [one for one in details.classes if one.is_hard]
    worst = details.classes[0]
    if hard:
        names = join_words([one.name for one in hard]) if len(hard) <= N_NAMED else _name_many(hard)
        claim = f"On {test_set}, {details.best} is clearly weaker on {names}."
    else:
        claim = f"No class of {test_set} is clearly harder for {details.best} than the others."
    shown = " ".join(_tell_class(one) for one in (hard[:2] or [worst]))
    said = say_metric(details.measure[0])
    evidence = f"{said[0].upper()}{said[1:]}: {shown}"
    return ReportFinding(Question.CLASSES, claim, evidence, is_clear=bool(hard), anchor=f"{anchor}-classes")


def _name_many(hard: Sequence[ClassAccuracy]) -> str:
    rest = count_things(len(hard) - N_NAMED, "more class", many="more classes")
    return f"{', '.join(one.name for one in hard[:N_NAMED])} and {rest}"


def _tell_class(one: ClassAccuracy) -> str:
    """The accuracy on a class and on the rest, and what is answered instead; equal counts are named together."""
    text = (
        f"{one.name} {format_estimate(one.share)} (n = {one.share.n:,}), the other classes {format_estimate(one.rest)}"
    )
    if not one.confusions:
        return f"{text}."
    first = one.confusions[0].share
    names = [other.name for other in one.confusions if other.share.k == first.k]
    each = " each" if len(names) > 1 else ""
    return f"{text}; mistaken for {join_words(names)} ({first.k:,} of {count_things(first.n, 'mistake')}{each})."
