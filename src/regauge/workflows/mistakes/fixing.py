"""Whether others correct the major ones of coded mistakes first, from files or inside a study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

import numpy as np

from regauge.errors import InputError
from regauge.formats.mistakes.coded import load_mistakes
from regauge.mistakes import notes
from regauge.mistakes.finding import AppliedLabels
from regauge.mistakes.fixing import follow_coded
from regauge.records.keywords import FindKeywords, choose_settings
from regauge.records.mistakes.coded import CodedMistakes
from regauge.records.mistakes.found import FindSettings
from regauge.records.mistakes.summaries import FixedMistakes, MajorsFixed
from regauge.records.taxonomy import Taxonomy
from regauge.stats.multiplicity import holm
from regauge.workflows.mistakes.sources import MistakeSource, apply_one, load_each


def follow_majors(
    source: MistakeSource,
    coded: CodedMistakes | str | Path,
    *,
    settings: FindSettings | None = None,
    taxonomy: Taxonomy | None = None,
    **keywords: Unpack[FindKeywords],
) -> FixedMistakes:
    """Which coded mistakes other participants correct, and whether the major ones come first.

    Args:
        source: the answers of the others, and the label set.
        coded: one participant's coded mistakes, as a file or a record.
        settings: whether unclear answers are mistakes, and level.
        taxonomy: the classes of a file; those of the source by default.

    Raises:
        InputError: nobody else is meant, there are several label sets, or none of the mistakes is one under this label set.
    """
    chosen = choose_settings(FindSettings, settings, keywords=keywords)
    mistakes = coded if isinstance(coded, CodedMistakes) else load_mistakes(coded, taxonomy=taxonomy or source.taxonomy)
    applied = apply_one(source.target, chosen)
    others = tuple(one for one in source.chosen if one.name != mistakes.name)
    if not others:
        raise InputError(f"Nobody but {mistakes.name} is meant; name others who may correct its mistakes.")
    fixes = tuple(
        follow_coded(mistakes, one, applied=applied, level=chosen.level)
        for one in load_each(others, track=source.track, words="Following")
    )
    found = FixedMistakes(
        coded=mistakes.name,
        n=len(mistakes),
        n_major=int(mistakes.is_major.sum()),
        test_set=applied.target.name,
        labels=applied.label_set.name,
        fixes=fixes,
        p_adjusted=_adjust(fixes),
        is_strict=chosen.is_strict,
    )
    return replace(found, notes=(*mistakes.notes, *source.notes, *_describe(found, applied)))


def _adjust(fixes: Sequence[MajorsFixed]) -> tuple[float | None, ...]:
    adjusted = holm([np.nan if one.p_exact is None else one.p_exact for one in fixes]).tolist()
    return tuple(None if np.isnan(p) else p for p in adjusted)


def _describe(found: FixedMistakes, applied: AppliedLabels) -> Iterator[str]:
    yield from notes.describe_labels(applied)
    yield from notes.describe_fixes(found)
