"""Compare several new test sets with one original, on the same models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from regauge.evaluation.strategies import ComparedSet, compare_strategies, find_mean_frequency
from regauge.records.progress import Track, track_silently
from regauge.records.shifts import ShiftSettings
from regauge.records.strategies import StrategyComparison
from regauge.workflows.inputs import TaxonomyLike, open_taxonomy
from regauge.workflows.shifts import JudgedAnswers, TestSetAnswers, judge_answers

__all__ = ["compare_sets"]


def compare_sets(
    original: TestSetAnswers,
    new: Sequence[TestSetAnswers],
    *,
    taxonomy: TaxonomyLike = None,
    settings: ShiftSettings | None = None,
    track: Track = track_silently,
) -> StrategyComparison:
    """How accuracies move from the original test set to each of the new ones, and whether sets or models differ more.

    Mean selection frequencies are told where a truth holds frequencies.

    Args:
        original: what models answered on the original test set, and its truth.
        new: likewise on two new ones or more.
        taxonomy: the classes, by name (imagenet-1k, cifar-10), file or record.
        settings: metric, scales, bootstrap and level.
        track: who is told how many models are judged.
    """
    settings = settings or ShiftSettings()
    classes = open_taxonomy(taxonomy)
    judged = [judge_answers(one, taxonomy=classes, settings=settings, track=track) for one in (original, *new)]
    sets = [ComparedSet(one.side, find_mean_frequency(one.target, settings=settings)) for one in judged]
    found = compare_strategies(sets[0], sets[1:], settings=settings)
    notes = dict.fromkeys(note for one in judged for note in one.notes)
    return replace(found, notes=(*notes, *found.notes, *_note_shared_images(judged[1:])))


def _note_shared_images(judged: Sequence[JudgedAnswers]) -> Iterator[str]:
    """One sentence for all pairs of new sets that have images in common."""
    sets = [(one.target.name, set(one.target.image_ids.tolist())) for one in judged]
    shared = [
        f"{one} and {other} {len(ids & more):,}" for (one, ids), (other, more) in combinations(sets, 2) if ids & more
    ]
    if shared:
        yield (
            f"New sets have images in common ({'; '.join(shared)}); each set is redrawn by itself, so the limits of what differs "
            "between two of them are too wide rather than too narrow."
        )
