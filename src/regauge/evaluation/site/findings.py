"""What the first page of a website says in sentences: who is right most often, and how many dataset labels people found wrong."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from regauge.estimates import count_things, format_estimate, join_words, make_share
from regauge.evaluation.metrics.multilabel import MULTILABEL_LENIENT
from regauge.evaluation.metrics.top1 import TOP_1
from regauge.evaluation.outcomes import Outcome, RightOrWrong
from regauge.evaluation.targets import Target
from regauge.stats.intervals import clopper_pearson

MAX_NAMED = 3
MAX_GROUPS = 3


def tell_best(scores: pl.DataFrame, test_set: str) -> Iterator[str]:
    """Who has the highest top-1 accuracy, all of those who share it, among participants who answered as many images.

    People usually answer few of the images, so their accuracy is not set against that of models on all of them. Nothing where
    fewer than two participants answered as many.

    Args:
        scores: the columns of `Scores` for one test set.
        test_set: what it is called.
    """
    known = scores.filter(pl.col("metric") == TOP_1.name).drop_nulls("value")
    for (n,), rows in sorted(known.group_by("n"), key=lambda group: -group[0][0])[:MAX_GROUPS]:
        if rows.height < 2:
            continue
        best = rows.filter(pl.col("value") == rows["value"].max())
        names = best["participant"].to_list()
        named = join_words(names[:MAX_NAMED]) if len(names) <= MAX_NAMED else count_things(len(names), "participant")
        first = best.row(0, named=True)
        share = make_share(
            first["n_correct"], first["n"], limits=(first["low"], first["high"]), method=first["interval"]
        )
        verb = "has" if len(names) == 1 else "have"
        yield (
            f"Of {rows.height:,} participants who answered {count_things(n, 'image')} of {test_set}, {named} {verb} the highest "
            f"top-1 accuracy: {format_estimate(share)}."
        )


def tell_wrong_labels(target: Target) -> Iterator[str]:
    """How many dataset labels each label set calls wrong, of those that it judges; nothing where none judges any.

    Label sets that call none wrong share a sentence.
    """
    outcome = MULTILABEL_LENIENT.outcome
    if not isinstance(outcome, RightOrWrong):
        return
    none_wrong = []
    for judge in outcome.find(target):
        found = judge.judge(target.dataset_labels[:, np.newaxis])
        k, n = int((found == Outcome.WRONG).sum()), int(np.isin(found, (Outcome.WRONG, Outcome.RIGHT)).sum())
        if not n:
            continue
        low, high = clopper_pearson(k, n)
        share = make_share(k, n, limits=(float(low), float(high)), method="clopper-pearson")
        if not k:
            none_wrong.append(f"{judge.labels} (0 of {n:,}: {format_estimate(share)})")
            continue
        yield (
            f"By {judge.labels}, {k:,} of {n:,} dataset labels of {target.name} that were judged are wrong: "
            f"{format_estimate(share)}."
        )
    if none_wrong:
        yield f"No dataset label of {target.name} that was judged is wrong by {join_words(none_wrong)}."
