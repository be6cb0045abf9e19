"""Lint: one defect at a time, and what is known about ImageNet."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.formats.taxonomies import load_taxonomy
from regauge.records.taxonomy import ClassIndex, Grouping, GroupRule, ImageClass, NodeId, Taxonomy
from regauge.taxonomy.lint import count_searches, find_page, lint_taxonomy

LAP, NOTE = "laptop", "notebook"


def make_taxonomy(
    classes: Sequence[tuple[str, list[str]]],
    parents: Mapping[str, tuple[str, ...]] | None = None,
    *,
    link: str = "",
    groupings: tuple[Grouping, ...] = (),
) -> Taxonomy:
    """Classes are given as (id, names) and all have the same link."""
    records = tuple(ImageClass(ClassIndex(i), NodeId(c[0]), tuple(c[1]), link=link) for i, c in enumerate(classes))
    above = {NodeId(node): tuple(map(NodeId, nodes)) for node, nodes in (parents or {}).items()}
    return Taxonomy("toy", records, parents=above, groupings=groupings)


def list_codes(taxonomy: Taxonomy) -> list[str]:
    return [finding.code for finding in lint_taxonomy(taxonomy)]


def test_a_sound_taxonomy_has_no_findings() -> None:
    taxonomy = make_taxonomy([("a", ["tern"]), ("b", ["gull"])], {"a": ("bird",), "b": ("bird",), "bird": ()})
    assert lint_taxonomy(taxonomy) == ()


def test_a_shared_name_lists_the_classes() -> None:
    (finding,) = lint_taxonomy(make_taxonomy([("a", ["crane"]), ("b", ["gull"]), ("c", ["hoist", "crane"])]))
    assert (finding.severity, finding.code, finding.ids) == ("warning", "shared-name", ("a", "c"))
    assert "'crane' means 2 classes: crane (a), hoist (c)" in finding.message


def test_names_in_other_capitals_are_told_apart_from_shared_names() -> None:
    (finding,) = lint_taxonomy(make_taxonomy([("a", ["Cardigan"]), ("b", ["cardigan"])]))
    assert finding.code == "shared-name-in-other-capitals"
    assert "'Cardigan' and 'cardigan'" in finding.message


def test_a_name_that_one_class_has_in_two_capitalisations_is_not_shared() -> None:
    assert list_codes(make_taxonomy([("a", ["T-shirt", "t-shirt"])])) == []


def test_a_shared_link_is_reported_under_different_names_only() -> None:
    page = "https://example.org/crane"
    assert list_codes(make_taxonomy([("a", ["tern"]), ("b", ["gull"])], link=page)) == ["shared-link"]
    assert list_codes(make_taxonomy([("a", ["crane"]), ("b", ["crane"])], link=page)) == ["shared-name"]
    assert list_codes(make_taxonomy([("a", ["tern"]), ("b", ["gull"])])) == []


def test_a_class_below_another_is_reported_at_any_depth() -> None:
    taxonomy = make_taxonomy([("a", ["beagle"]), ("b", ["animal"])], {"a": ("dog",), "dog": ("b",), "b": ()})
    (finding,) = lint_taxonomy(taxonomy)
    assert (finding.code, finding.ids) == ("class-below-class", ("a", "b"))
    assert "beagle (a) lies below class animal (b)" in finding.message


def test_a_cycle_is_named_in_the_order_of_its_edges() -> None:
    parents: dict[str, tuple[str, ...]] = {"a": ("p",), "p": ("q",), "q": ("r", "top"), "r": ("p",), "top": ()}
    (finding,) = lint_taxonomy(make_taxonomy([("a", ["tern"])], parents))
    assert (finding.severity, finding.code) == ("error", "cycle")
    assert set(finding.ids) == {"p", "q", "r"}
    ring = (*finding.ids, finding.ids[0])
    assert all(upper in parents[lower] for lower, upper in pairwise(ring))
    assert " → ".join(ring) in finding.message


def test_a_node_that_is_its_own_parent_is_a_cycle() -> None:
    (finding,) = lint_taxonomy(make_taxonomy([("a", ["tern"])], {"a": ("a",)}))
    assert (finding.code, finding.ids) == ("cycle", ("a",))


def test_two_separate_cycles_are_two_findings() -> None:
    parents = {"a": ("p",), "p": ("a",), "b": ("q",), "q": ("b",)}
    assert list_codes(make_taxonomy([("a", ["tern"]), ("b", ["gull"])], parents)) == ["cycle", "cycle"]


def test_a_rule_over_an_unknown_node_is_an_error_and_its_empty_group_a_warning() -> None:
    bird, unicorn, griffin = map(NodeId, ("bird", "unicorn", "griffin"))
    grouping = Grouping("kind", (GroupRule("birds", (bird, unicorn), (griffin,)), GroupRule("none", (unicorn,))))
    findings = lint_taxonomy(make_taxonomy([("a", ["tern"])], {"a": ("bird",), "bird": ()}, groupings=(grouping,)))
    assert [(f.severity, f.code, f.ids) for f in findings] == [
        ("error", "unknown-node", ("unicorn",)),
        ("error", "unknown-node", ("griffin",)),
        ("error", "unknown-node", ("unicorn",)),
        ("warning", "empty-group", ()),
    ]
    assert "'none' of grouping 'kind' has no class" in findings[-1].message


def test_digits_that_are_not_the_index_are_reported() -> None:
    assert list_codes(make_taxonomy([("0", ["0"]), ("1", ["1"])])) == []
    assert list_codes(make_taxonomy([("1", ["zero"]), ("x", ["7"])])) == ["number-as-name", "number-as-name"]


@given(st.sets(st.sampled_from(list(product(range(6), repeat=2)))))
def test_a_cycle_is_found_exactly_when_some_node_lies_above_itself(edges: set[tuple[int, int]]) -> None:
    parents = {f"v{a}": tuple(f"v{b}" for b in range(6) if (a, b) in edges) for a in range(6)}
    reach = {(a, b) for a in parents for b in parents[a]}
    for k, a, b in product(parents, repeat=3):
        if (a, k) in reach and (k, b) in reach:
            reach.add((a, b))
    cycles = [f for f in lint_taxonomy(make_taxonomy([("v0", ["tern"])], parents)) if f.code == "cycle"]
    assert bool(cycles) == any((a, a) in reach for a in parents)
    named = [node for finding in cycles for node in finding.ids]
    assert len(set(named)) == len(named)
    # Taking the named cycles out leaves a graph without any.
    kept = parents.keys() - set(named)
    rest = {(a, b) for a in kept for b in parents[a] if b in kept}
    for k, a, b in product(sorted(kept), repeat=3):
        if (a, k) in rest and (k, b) in rest:
            rest.add((a, b))
    assert not any((a, a) in rest for a in kept)


def test_imagenet_has_eighteen_shared_names_and_cardigan_twice() -> None:
    findings = lint_taxonomy(load_taxonomy("imagenet-1k"))
    codes = [finding.code for finding in findings]
    assert codes.count("shared-name") == 18
    assert codes.count("shared-name-in-other-capitals") == 1
    assert len(codes) == 19
    assert ("n02012849", "n03126707") in {finding.ids for finding in findings}


def test_cifar_has_no_findings() -> None:
    assert lint_taxonomy(load_taxonomy("cifar-10")) == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://en.wikipedia.org/wiki/Laptop", "http://en.m.wikipedia.org/wiki/laptop#Notebook"),
        ("https://www.example.org/water_jug/", "https://example.org/water%20jug"),
        ("https://Example.org/a?b=c%20d", "http://example.org/a?b=c d"),
    ],
)
def test_two_addresses_of_one_page_are_one_link(one: str, other: str) -> None:
    classes = [
        ImageClass(ClassIndex(i), NodeId(name), (name,), link=link)
        for i, (name, link) in enumerate(((LAP, one), (NOTE, other)))
    ]
    (finding,) = lint_taxonomy(Taxonomy("toy", tuple(classes)))
    assert (finding.code, finding.ids) == ("shared-link", (LAP, NOTE))
    assert f"{one} and {other}" in finding.message


@pytest.mark.parametrize(
    "other",
    ["https://en.wikipedia.org/wiki/Laptops", "https://de.wikipedia.org/wiki/Laptop", "https://example.org/a?b=d"],
)
def test_other_pages_are_other_links(other: str) -> None:
    assert (
        len({find_page(one) for one in (other, "https://en.wikipedia.org/wiki/Laptop", "https://example.org/a?b=c")})
        == 3
    )
    assert find_page("https://example.org/Wiki") != find_page("https://example.org/wiki")


def test_searches_are_counted_for_they_name_no_page() -> None:
    assert count_searches(load_taxonomy("imagenet-1k")) == 1_000
    assert count_searches(make_taxonomy([("a", ["tern"])], link="https://example.org/tern")) == 0


def test_the_pages_that_annotators_were_shown_are_the_same_for_laptop_and_notebook(published: Path) -> None:
    rows = json.loads((published / "imagenet_classes.json").read_text(encoding="utf-8"))
    classes = (
        ImageClass(
            ClassIndex(row["index"]), NodeId(row["wnid"]), (row["names"][0],), link=next(iter(row["wikipedia"]), "")
        )
        for row in rows
    )
    shared = [one for one in lint_taxonomy(Taxonomy("shown", tuple(classes))) if one.code == "shared-link"]
    assert len(shared) == 6
    assert any("laptop (n03642806), notebook (n03832673)" in one.message for one in shared)
