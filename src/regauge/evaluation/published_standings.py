"""Where models stand among published ones, of which only counts of right answers are known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from regauge.arrays import CountArray
from regauge.errors import InputError
from regauge.estimates import Estimate, Share, count_things
from regauge.evaluation.count_sides import make_count_side
from regauge.evaluation.published_sets import choose_published, find_one_n, keep_common, leave_out
from regauge.evaluation.robustness import FEW_RESAMPLED, measure_robustness
from regauge.evaluation.shifts import compare_sides
from regauge.evaluation.side_pairs import Pair
from regauge.records.evaluation.accuracies import AccuracyTable, Beside, SetAccuracies
from regauge.records.evaluation.scores import WHOLE, Score, Scores
from regauge.records.evaluation.shifts import PublishedShift, Shift, ShiftSettings
from regauge.records.evaluation.standings import PublishedRank, PublishedScores, Residual
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
    asked = (shift.original, request.original_set), (shift.new, request.new_set)
    found, left_out = keep_common(
        [
            choose_published(kept, name, asked=chosen, sizes=own)
            for (name, chosen), own in zip(asked, sizes, strict=True)
        ]
    )
    sides = [make_count_side(one, settings=settings) for one in found]
    theirs = compare_sides(sides[0], sides[1], settings=_simplify(settings))
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
    """The scores with published models beside them: the rank of each participant under every metric that both have.

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
    published = PublishedScores(table.name, table.citation, found, standings)
    notes = (*scores.notes, *table.notes, _assume(whole[0].test_set, found.name, table.name))
    return replace(scores, frame=_join_ranks(scores.frame, standings), published=published, notes=notes)


def _join_ranks(frame: pl.DataFrame, standings: Sequence[PublishedRank]) -> pl.DataFrame:
    """The scores with the rank of each among published models; empty for other subsets and metrics."""
    rows = [
        {"participant": one.model, "metric": one.metric, "subset": WHOLE, **one.to_ranks("beside_rank")}
        for one in standings
    ]
    return frame.join(pl.DataFrame(rows), on=["participant", "metric", "subset"], how="left", maintain_order="left")


def _list_sizes(shift: Shift) -> tuple[list[int], list[int]]:
    return [one.original.n for one in shift.models], [one.new.n for one in shift.models]


def _simplify(settings: ShiftSettings) -> ShiftSettings:
    """The settings of the published models' own line: through all of them, each drawn anew by itself."""
    return replace(settings, fit_models=("*",), fit_except=(), baseline=(), resample=None, families={})


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
    """Effective robustness of the user's models against the line through the published ones.

    Right answers of all models are drawn from binomial distributions, each model by itself, the user's as well: whether hers and
    theirs err on the same images is not known. The models of the line are drawn anew too; the user's stay.
    """
    settings, n_own = _simplify(shift.settings), len(shift.models)
    own = [
        np.array([(share.k, share.n) for share in column], np.int64)
        for column in zip(*((one.original, one.new) for one in shift.models), strict=True)
    ]
    # Numbers in place of names, which both may have.
    names = tuple(map(str, range(n_own + len(found[0].models))))
    joined = [
        SetAccuracies(one.name, names, {settings.metric: np.concatenate([mine, one.counts[settings.metric]])})
        for mine, one in zip(own, found, strict=True)
    ]
    sides = [make_count_side(one, settings=settings) for one in joined]
    pair = Pair(sides[0], sides[1], settings)
    measured = measure_robustness(pair, names[n_own:])
    columns = zip(shift.models, *(column.tolist() for column in measured.columns), strict=False)
    residuals = tuple(Residual(model.name, Estimate(*numbers, n=model.new.n)) for model, *numbers in columns)
    return replace(published, residuals=residuals, baseline=replace(measured.baseline, models=found[0].models))


def _note_published(shift: Shift, published: PublishedShift) -> Iterator[str]:
    n = len(published.shift.models)
    if not published.shift.fits:
        models = count_things(n, "model")
        yield f"There is no line through {models} of {published.source}, so nobody has a distance from it."
    elif n < FEW_RESAMPLED:
        yield (
            f"The limits of distances from the line come from resampling the {n} models of {published.source}, which "
            "are too few to trust them."
        )
    names = {one.name for one in published.shift.models}
    same = [one.name for one in shift.models if one.name in names]
    if same:
        more = f" (and {len(same) - 1} more)" if len(same) > 1 else ""
        yield (
            f"{same[0]}{more} is also the name of a model of {published.source}; if it is the same model, it is seen beside "
            "itself."
        )
    yield _assume(
        f"{shift.original} and {shift.new}", f"{published.shift.original} and {published.shift.new}", published.source
    )


def _assume(own: str, theirs: str, source: str) -> str:
    are = "are" if " and " in own else "is"
    return f"That {own} {are} {theirs} of {source} is taken for granted: by counts only the numbers of images can be compared."
