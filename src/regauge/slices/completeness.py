"""Whether complete labelling covered a slice: reviewers looked at every image for classes that nobody predicted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from regauge.arrays import IdArray
from regauge.records.labels.label_set import LabelSet
from regauge.records.labels.results import CompleteImages


@dataclass(frozen=True, slots=True)
class SliceCoverage:
    """What campaigns of complete labelling say of the images of a slice.

    Attributes:
        campaigns: those that cover one of them.
        missing: images that none covers: too few reviewers looked, or somebody found more.
        outdated: images of which a class that reviewers judged or named has no verdict in the label set.
        ahead: the campaigns that judged or named these.
    """

    campaigns: tuple[str, ...]
    missing: tuple[str, ...]
    outdated: tuple[str, ...]
    ahead: tuple[str, ...] = ()


def find_coverage(
    image_ids: IdArray, label_set: LabelSet, *, campaigns: Iterable[tuple[str, CompleteImages]]
) -> SliceCoverage:
    """Which images no campaign covers, and of which the label set does not hold what it found.

    Args:
        image_ids: the images.
        label_set: the label set of the slice.
        campaigns: what campaigns of complete labelling found, by their names.
    """
    wanted = set(image_ids.tolist())
    covered: set[str] = set()
    judged: dict[str, set[tuple[str, int]]] = {}
    names: list[str] = []
    for name, found in campaigns:
        own = found.image_ids & wanted
        if own:
            names.append(name)
            covered |= own
            judged[name] = {pair for pair in found.judged if pair[0] in own}
    known = set(zip(label_set.image_ids[label_set.rows].tolist(), label_set.classes.tolist(), strict=True))
    ahead = {name: pairs - known for name, pairs in judged.items() if pairs - known}
    lacking = {image_id for pairs in ahead.values() for image_id, _ in pairs}
    missing, outdated = (_keep_order(image_ids, one) for one in (wanted - covered, lacking))
    return SliceCoverage(tuple(names), missing, outdated, tuple(ahead))


def _keep_order(image_ids: IdArray, chosen: set[str]) -> tuple[str, ...]:
    return tuple(one for one in image_ids.tolist() if one in chosen)
