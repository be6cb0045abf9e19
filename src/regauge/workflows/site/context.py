"""What people's labels say beyond single images: classes that come together, classes they accept for each other, the split."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from regauge.evaluation.context.basis.ambiguity import ClassPairs, Redraws, find_by_frequency
from regauge.evaluation.context.basis.selections import line_up_selections
from regauge.evaluation.context.contract import ContextMaterial
from regauge.evaluation.context.material import KnownOfImages, line_up_context
from regauge.evaluation.context.several.company import RankedPairs, find_company, rank_pairs
from regauge.evaluation.context.several.images import find_object_images
from regauge.evaluation.targets import line_up
from regauge.formats.site.context import pack_pairs, pack_parts
from regauge.records.evaluation.context.report import ContextSettings
from regauge.records.labels.label_set import Truth
from regauge.records.labels.objects import ImageObjects
from regauge.storage.study import Study
from regauge.workflows.site.facts import find_truth
from regauge.workflows.site.sets import SiteSet

Payload = Mapping[str, Any]


def pack_together(study: Study, one: SiteSet) -> Payload | None:
    """Classes that come together in images of the set, and those that people accept for each other; None where neither is known.

    Both go by the latest versions of the label sets: objects are those of the one that knows most images, and selection counts
    of several are put together.
    """
    material = _line_up(study, one)
    if material is None:
        return None
    company, ambiguous = _find_company(material), _find_ambiguous(material)
    if company is None and ambiguous is None:
        return None
    found: dict[str, Any] = {}
    if company is not None and material.objects is not None:
        found["company"] = {
            "by": material.objects.name,
            **pack_pairs(
                {
                    "first": company.labels,
                    "second": company.others,
                    "n_images": company.n_images,
                    "n": company.n,
                    **company.shares._asdict(),
                }
            ),
        }
    if ambiguous is not None:
        found["ambiguous"] = pack_pairs(
            {
                "first": ambiguous.first,
                "second": ambiguous.second,
                "n": ambiguous.n,
                "value": ambiguous.values,
                **ambiguous.limits._asdict(),
                "is_ambiguous": ambiguous.is_ambiguous,
            }
        )
    return found


def pack_split(study: Study, one: SiteSet) -> Payload | None:
    """Where images went after CONTAINS, by the selection counts; None where these are not known."""
    material = _line_up(study, one)
    if material is None or not material.parts:
        return None
    return pack_parts(material.parts, one.test_set.image_ids.tolist())


def _line_up(study: Study, one: SiteSet) -> ContextMaterial | None:
    """What is known of the images of a set; None where neither objects nor selection counts are."""
    truth = find_truth(study, one)
    own = set(one.test_set.image_ids.tolist())
    counts = tuple(table for table in truth.frequencies if not own.isdisjoint(table.image_ids.tolist()))
    count = partial(_count_known, ids=one.test_set.image_ids)
    objects = max(truth.objects, key=count, default=None)
    if objects is not None and not count(objects):
        objects = None
    if objects is None and not counts:
        return None
    kept = Truth(one.test_set, objects=() if objects is None else (objects,), frequencies=counts)
    target = line_up(kept, n_classes=one.n_classes)
    return line_up_context(target, (), taxonomy=study.taxonomy, known=KnownOfImages(), settings=ContextSettings())


def _count_known(objects: ImageObjects, *, ids: np.ndarray[Any, np.dtype[np.str_]]) -> int:
    """Images of a set with an object."""
    return int(np.isin(ids, objects.image_ids[objects.n_objects > 0]).sum())


def _find_company(material: ContextMaterial) -> RankedPairs | None:
    # The easy images of the split have objects too, but only where CLASSIFY gave the others theirs.
    if not material.target.objects:
        return None
    images = find_object_images(material)
    return rank_pairs(images, find_company(images), level=ContextSettings().level)


def _find_ambiguous(material: ContextMaterial) -> ClassPairs | None:
    votes = line_up_selections(material)
    if votes is None:
        return None
    settings = ContextSettings()
    return find_by_frequency(material, votes, redraws=Redraws(1, settings.seed, settings.level))
