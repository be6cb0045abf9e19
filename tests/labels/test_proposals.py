"""Relations that verdicts propose: worked counts, plain loops as oracle, and what is found in published labels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.labels.test_relations import CORRECT, UNCLEAR, WRONG, make_labels

import regauge
from regauge.errors import InputError
from regauge.labels.proposals import propose_relations
from regauge.records.labels.label_set import LabelSet, Unlisted
from regauge.records.labels.relations import ProposalSettings, RelationSupport
from regauge.records.labels.verdicts import Verdict
from regauge.records.taxonomy import RelationStatus

PUBLISHED = Path(__file__).resolve().parents[3] / "shared" / "published"


def propose(labels: LabelSet, **settings: Any) -> list[str]:
    return [str(entry.relation) for entry in propose_relations(labels, ProposalSettings(**settings))]


def test_a_class_that_is_correct_on_nine_of_ten_images_with_another_is_proposed_to_hold_it():
    images = [{1: CORRECT, 0: CORRECT}] * 9 + [{1: CORRECT, 0: WRONG}, {1: CORRECT}] + [{0: CORRECT, 1: WRONG}] * 2
    (entry,) = propose_relations(make_labels(*images))
    assert (str(entry.relation), entry.relation.status) == ("1 ⊂ 0", RelationStatus.PROPOSED)
    assert entry.relation.source == "verdicts of labels"
    support = entry.support
    assert support is not None
    # The image without a verdict on 0 is not among the ten. The lower limit p of 9 of 10 solves P(X ≥ 9) = 2.5%:
    # 10 p⁹(1 − p) + p¹⁰ = 0.025 at p = 0.5550; the upper 1 − p solves (1 − q)¹⁰ = 0.975 with q = 0.9975.
    forward = support.forward
    assert (forward.k, forward.n) == (9, 10)
    assert (forward.low, forward.high) == pytest.approx((0.5550, 0.9975), abs=1e-4)
    # The other way it is 9 of 11, which is too few for the classes to be the same.
    assert (support.backward.k, support.backward.n) == (9, 11)


def test_where_it_holds_both_ways_the_classes_are_proposed_to_be_the_same():
    images = [{1: CORRECT, 0: CORRECT}] * 9 + [{1: CORRECT, 0: UNCLEAR}]
    assert propose(make_labels(*images)) == ["0 = 1"]


@pytest.mark.parametrize(
    ("images", "settings", "found"),
    [
        ([{1: CORRECT, 0: CORRECT}] * 4, {}, []),
        ([{1: CORRECT, 0: CORRECT}] * 4, {"min_images": 4}, ["0 = 1"]),
        ([{1: CORRECT, 0: CORRECT}] * 8 + [{1: CORRECT, 0: WRONG}, {0: CORRECT, 1: WRONG}], {}, []),
        ([{1: CORRECT, 0: CORRECT}] * 8 + [{1: CORRECT, 0: WRONG}], {"min_share": 0.88}, ["0 = 1"]),
        ([{1: UNCLEAR, 0: CORRECT}] * 9, {}, []),
        ([{1: WRONG, 0: WRONG}] * 9, {}, []),
        ([{}], {}, []),
    ],
)
def test_too_few_images_too_small_a_share_or_no_correct_class_propose_nothing(images, settings, found):
    assert propose(make_labels(*images), **settings) == found


def test_where_unlisted_means_wrong_every_class_was_judged_everywhere():
    images = [{1: CORRECT, 0: CORRECT}] * 5 + [{1: CORRECT}, {0: CORRECT}]
    assert propose(make_labels(*images)) == ["0 = 1"]
    assert propose(make_labels(*images, unlisted=Unlisted.WRONG)) == []


def test_problematic_images_do_not_count():
    labels = make_labels(*[{1: CORRECT, 0: CORRECT}] * 5)
    assert propose(replace(labels, is_problematic=np.array([True] + [False] * 4))) == []


def test_examples_and_exceptions_are_images_to_look_at():
    images = [{1: CORRECT, 0: WRONG}] + [{1: CORRECT, 0: CORRECT}] * 10 + [{1: CORRECT}, {1: UNCLEAR, 0: CORRECT}]
    (entry,) = propose_relations(make_labels(*images))
    assert entry.support is not None
    assert entry.support.examples == ("i1", "i2", "i3")
    assert entry.support.exceptions == ("i12", "i0")
    assert RelationSupport.from_dict(entry.support.to_dict()) == entry.support


@given(
    st.lists(st.dictionaries(st.integers(0, 3), st.sampled_from(list(Verdict)), max_size=4), min_size=1, max_size=30),
    st.sampled_from(list(Unlisted)),
)
def test_counts_are_those_of_plain_loops(images, unlisted):
    expected: dict[tuple[int, int], tuple[int, int]] = {}
    for first in range(4):
        for second in set(range(4)) - {first}:
            with_first = [image for image in images if image.get(first) is CORRECT]
            judged = [image for image in with_first if second in image or unlisted is Unlisted.WRONG]
            k = sum(image.get(second) is CORRECT for image in judged)
            if len(judged) >= 2 and k >= 1 and k / len(judged) >= 0.75:
                expected[first, second] = k, len(judged)
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for entry in propose_relations(make_labels(*images, unlisted=unlisted), ProposalSettings(0.75, 2)):
        one, support = entry.relation, entry.support
        assert support is not None
        found[one.first, one.second] = support.forward.k, support.forward.n
        if one.kind == "same":
            found[one.second, one.first] = support.backward.k, support.backward.n
    assert found == expected


@pytest.mark.parametrize(("share", "images"), [(0.5, 5), (1.1, 5), (float("nan"), 5), (0.9, 0)])
def test_settings_that_propose_anything_or_nothing_are_refused(share, images):
    with pytest.raises(InputError, match="relation is proposed"):
        ProposalSettings(share, images)


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason=f"needs {PUBLISHED.name} data beside the repository")
def test_published_labels_propose_a_pair_of_synonyms_and_a_pair_that_stands_side_by_side():
    real = regauge.load_truth(PUBLISHED / "real2020_labels.json").label_sets[0]
    # Sunglasses are sunglasses. A desktop computer and its monitor are two things, which is why a person must accept.
    assert propose(real) == ["527 ⊂ 664", "837 ⊂ 836"]
