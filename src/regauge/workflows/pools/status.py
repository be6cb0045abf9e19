"""What is left of the pool per class, and what must still be gathered."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from regauge.arrays import BoolArray
from regauge.errors import InputError
from regauge.records.testsets.pool import DrawSources, ExclusionRule
from regauge.records.testsets.pool_tables import PoolStatus
from regauge.records.testsets.sampling import SamplingPlan, Strategy
from regauge.storage.study import Study
from regauge.storage.testsets.draws import find_originals
from regauge.storage.testsets.pool import find_excluded
from regauge.storage.testsets.test_set import load_test_set
from regauge.testsets.pools import summarise_pool
from regauge.testsets.quotas import Quotas, make_class_quotas, make_keyword_quotas
from regauge.workflows.testsets.draw_inputs import DrawInputs, load_inputs, load_keywords

DEFAULT_PER_CLASS = 10
DEFAULT_ANNOTATIONS = 10
MAX_PER_CLASS = 1_000_000


@dataclass(frozen=True, slots=True)
class PoolStatusRequest:
    """What `pool status` counts.

    Attributes:
        pools: the batches; all by default.
        per_class: how many images of every class are wanted.
        original: the test set whose classes are wanted, and whose keywords, where the file names its images; all that were not
            drawn from a pool by default.
        keywords: the keywords of original images, a file as `testset sample` reads it; None where keywords do not matter.
        frequencies: label sets or tables that say who saw what; all label sets that have frequencies by default.
        min_annotations: annotators that a candidate needs, where anybody was asked.
    """

    pools: tuple[str, ...] = ()
    per_class: int = DEFAULT_PER_CLASS
    original: str = ""
    keywords: Path | None = None
    frequencies: tuple[str, ...] = ()
    min_annotations: int = DEFAULT_ANNOTATIONS

    def __post_init__(self) -> None:
        if not 1 <= self.per_class <= MAX_PER_CLASS or self.min_annotations < 0:
            raise InputError(f"Images per class are 1 to {MAX_PER_CLASS:,}, and annotators per candidate 0 or more.")


def describe_pool(study: Study, request: PoolStatusRequest) -> PoolStatus:
    """The candidates per class, or per class and keyword: gathered, excluded, annotated, usable, wanted and to gather.

    Args:
        study: the study, inside a transaction.
        request: what to count.

    Raises:
        InputError: there is no such batch, test set or label set.
        FormatError: a file cannot be read.
    """
    # As a draw sees the pool, whatever its strategy; without frequencies nothing is asked of annotators.
    plan = SamplingPlan(strategy=Strategy.TOP_IMAGES, min_annotations=0)
    inputs = load_inputs(study, plan, sources=DrawSources(request.pools, frequencies=request.frequencies))
    has_counts = bool((inputs.candidates.n_shown > 0).any())
    min_annotations = request.min_annotations if has_counts else None
    rows = summarise_pool(
        inputs.candidates,
        _find_excluded(study, inputs),
        quotas=_make_quotas(study, inputs, request),
        min_annotations=min_annotations,
    )
    n_empty = len(study.taxonomy) - len(np.unique(inputs.candidates.classes))
    notes = [f"{n_empty:,} of {len(study.taxonomy):,} classes have no candidates."] if n_empty else []
    if not has_counts:
        notes.append(
            "No selection frequencies of the candidates are known, so all that are not excluded count as usable."
        )
    return PoolStatus(rows, inputs.sources.pools, min_annotations, inputs.sources.frequencies, (*inputs.notes, *notes))


def _find_excluded(study: Study, inputs: DrawInputs) -> dict[ExclusionRule, BoolArray]:
    """Per rule, which candidates it excludes."""
    held: dict[ExclusionRule, set[str]] = {rule: set() for rule in ExclusionRule}
    for entry in inputs.pools:
        for image_id, found in find_excluded(study, entry).items():
            for one in found:
                held[one.rule].add(image_id)
    ids = inputs.candidates.image_ids.tolist()
    return {rule: np.array([one in images for one in ids], np.bool_) for rule, images in held.items()}


def _make_quotas(study: Study, inputs: DrawInputs, request: PoolStatusRequest) -> Quotas:
    if request.keywords is None:
        originals = find_originals(study, (request.original,) if request.original else ())
        # A class of the original that nothing was gathered for lacks most.
        classes = [inputs.candidates.classes, *(load_test_set(study, entry).labels for entry in originals)]
        return make_class_quotas(np.concatenate(classes), per_class=request.per_class)
    found: dict[int, dict[str, int]] = {}
    for index, keyword, n in load_keywords(study, request.keywords, original=request.original):
        found.setdefault(index, {})[keyword] = n
    return make_keyword_quotas(found, per_class=request.per_class)
