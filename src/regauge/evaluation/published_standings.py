"""Where models stand among published ones, of which only counts of right answers are known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from regauge.arrays import CountArray
from regauge.errors import InputError
from regauge.estimates import Estimate, Share, to_fields
from regauge.evaluation.published_lines import compare_published, measure_distances, note_line, note_same_names
from regauge.evaluation.published_metrics import find_lines, note_lines
from regauge.evaluation.published_sets import choose_published, find_one_n, keep_common, leave_out
from regauge.records.evaluation.accuracies import AccuracyTable, Beside, SetAccuracies
from regauge.records.evaluation.scores import WHOLE, Score, Scores
from regauge.records.evaluation.shifts import PublishedShift, Shift
from regauge.records.evaluation.standings import RESIDUAL_FIELDS, PublishedRank, PublishedScores, Residual
from regauge.stats.intervals import newcombe


def find_rank(score: Share[float], published: CountArray, *, level: float) -> tuple[int, int, int]:
    """The rank of a model among published ones, and the limits of the rank.

    A published model is told from the model where Newcombe's limits of their difference leave 0 out. There are as many
    differences as published models, so each has limits of Bonferroni's level: with the nominal probability all of them hold at
    once, and so does the range of ranks that they leave. Where both were measured on the same images they differ less by
    chance than here, and the range is too wide rather than too short.

    Args:
        score: the model's right answers.
        published: [models, 2], right answers and images of the published ones.
        level: nominal coverage of the range.

    Reference:
        Newcombe (1998), Interval estimation for the difference between independent proportions; Mogstad, Romano, Shaikh,
        Wilhelm (2024), Inference for ranks with applications to mobility across neighbourhoods and academic achievement.
    """
    n_correct, n = published.T
    each = 1 - (1 - level) / len(published)
    low, high = newcombe(n_correct, n, n_correct_b=np.full_like(n, score.k), n_b=np.full_like(n, score.n), level=each)
    # By cross products of whole numbers, in which equal shares are equal.
    rank = 1 + int((n_correct * score.n > score.k * n).sum())
    return rank, 1 + int((low > 0).sum()), 1 + len(published) - int((high < 0).sum())


def stand_beside(shift: Shift, table: AccuracyTable, request: Beside) -> Shift:
    """The comparison with published models beside it: their line, and the rank and the residual of each of its models.

    Raises:
        InputError: a set cannot be found in the table, or has another number of images.
    """
    settings = shift.settings
    if settings.is_balanced:
        raise InputError(
            f"Published models have counts of right answers only, and {settings.metric} is a mean over classes; compare a plain "
            "metric such as top1."
        )
    kept = leave_out(table, request.without)
    sizes = [{settings.metric: find_one_n(column)} for column in _list_sizes(shift)]
    asked = (
        (shift.original, request.original_set, "original_set"),
        (shift.new, request.new_set, "new_set"),
    )
    found, left_out = keep_common(
        [
            choose_published(kept, name, asked=chosen, sizes=own, keyword=keyword)
            for (name, chosen, keyword), own in zip(asked, sizes, strict=True)
        ]
    )
    theirs = compare_published(found, settings)
    published = PublishedShift(
        source=table.name,
        citation=table.citation,
        shift=theirs,
        standings=tuple(_stand_on_both(shift, found)),
    )
    if theirs.fits:
        published = _add_residuals(published, shift, found)
    notes = (*shift.notes, *table.notes, *left_out, *_note_published(shift, published))
    return replace(shift, published=published, notes=notes)


def stand_scores_beside(scores: Scores, table: AccuracyTable, request: Beside) -> Scores:
    """The scores with published models beside them: ranks under all metrics that both have, and distances from their line.

    Raises:
        InputError: the table has no set that fits, none of the metrics, or another number of images.
    """
    # A metric that several label sets give is left out: the table does not tell which of them it is by.
    once = {one.metric: one.labels for one in scores}
    several = {one.metric for one in scores if once[one.metric] != one.labels}
    shares = [one for one in scores if one.subset == WHOLE and one.n_correct is not None and one.n]
    whole = [one for one in shares if one.metric not in several]
    if not whole:
        raise InputError(
            "No participant has a share of right answers, so there is nothing to see published models beside."
        )
    metrics = dict.fromkeys(one.metric for one in whole)
    sizes = {metric: find_one_n([one.n for one in whole if one.metric == metric]) for metric in metrics}
    found = choose_published(
        leave_out(table, request.without), whole[0].test_set, asked=request.original_set, sizes=sizes
    )
    standings = tuple(
        _stand(score.participant, _to_share(score), found, metric=score.metric, level=scores.settings.level)
        for score in whole
        if score.metric in found.counts
    )
    published = PublishedScores(table.name, table.citation, found, standings, find_lines(scores, whole, found=found))
    notes = (
        *scores.notes,
        *table.notes,
        *note_lines(scores, published),
        *note_same_names(dict.fromkeys(one.participant for one in whole), found.models, source=table.name),
        _assume(whole[0].test_set, found.name, table.name),
    )
    return replace(scores, frame=_join_standings(scores.frame, published), published=published, notes=notes)


def _join_standings(frame: pl.DataFrame, published: PublishedScores) -> pl.DataFrame:
    """The scores with the rank of each among published models and its distance from their line; else empty."""
    key = ["participant", "metric", "subset"]
    ranks = pl.DataFrame(
        [
            {"participant": one.model, "metric": one.metric, "subset": WHOLE, **one.to_ranks("beside_rank")}
            for one in published.standings
        ]
    )
    distances = pl.DataFrame(
        [
            {"participant": one.model, "metric": line.metrics[1], "subset": WHOLE}
            | to_fields(one.distance, "beside_residual")
            for line in published.lines
            for one in line.residuals
        ],
        schema=dict.fromkeys(key, pl.String) | dict.fromkeys(RESIDUAL_FIELDS, pl.Float64),
    )
    for columns in (ranks, distances):
        frame = frame.join(columns, on=key, how="left", maintain_order="left")
    return frame


def _list_sizes(shift: Shift) -> tuple[list[int], list[int]]:
    return [one.original.n for one in shift.models], [one.new.n for one in shift.models]


def _to_share(score: Score) -> Share[float]:
    k = score.n_correct or 0
    return Share(k / score.n, score.low or 0.0, 1.0 if score.high is None else score.high, n=score.n, k=k)


def _stand(name: str, accuracy: Share[float], found: SetAccuracies, *, metric: str, level: float) -> PublishedRank:
    counts = found.counts[metric]
    return PublishedRank(name, found.name, metric, accuracy, len(counts), *find_rank(accuracy, counts, level=level))


def _stand_on_both(shift: Shift, found: Sequence[SetAccuracies]) -> Iterator[PublishedRank]:
    metric, level = shift.settings.metric, shift.settings.level
    for model in shift.models:
        for accuracy, one in zip((model.original, model.new), found, strict=True):
            yield _stand(model.name, accuracy, one, metric=metric, level=level)


def _add_residuals(published: PublishedShift, shift: Shift, found: Sequence[SetAccuracies]) -> PublishedShift:
    """Effective robustness of the user's models against the line through the published ones."""
    own = [
        np.array([(share.k, share.n) for share in column], np.int64)
        for column in zip(*((one.original, one.new) for one in shift.models), strict=True)
    ]
    measured = measure_distances(own, found, settings=shift.settings)
    columns = zip(shift.models, *(column.tolist() for column in measured.columns), strict=False)
    residuals = tuple(Residual(model.name, Estimate(*numbers, n=model.new.n)) for model, *numbers in columns)
    return replace(published, residuals=residuals, baseline=measured.baseline)


def _note_published(shift: Shift, published: PublishedShift) -> Iterator[str]:
    names = [one.name for one in published.shift.models]
    yield from note_line(len(names), published.source, has_line=bool(published.shift.fits))
    yield from note_same_names((one.name for one in shift.models), names, source=published.source)
    yield _assume(
        f"{shift.original} and {shift.new}", f"{published.shift.original} and {published.shift.new}", published.source
    )


def _assume(own: str, theirs: str, source: str) -> str:
    are = "are" if " and " in own else "is"
    return f"{own} {are} taken to be {theirs} of {source}: counts can only show that the numbers of images agree."
