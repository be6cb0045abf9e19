"""Every class can be drawn and is seen as itself; between two classes the form runs on without a break."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.world.forms import get_prototype, walk

from regauge.records.taxonomy import NodeId
from regauge.taxonomy.groups import find_groups
from regauge.taxonomy.hierarchy import count_ancestor_level, count_path_length, find_paths_to_root
from regauge.taxonomy.lint import lint_taxonomy
from regauge.world.forms import Form, Look, make_form, measure_degrees
from regauge.world.objects import CLASS_IDS, INDEX, KIND_OF, KINDS, Thing, make_taxonomy, perceive
from regauge.world.surfaces import Raster, Surface, light_up, make_patch

LOOK = Look(tint=0.4, tone=0.5, seed=12_345)
LIGHT = (-0.36, -0.48, 0.8)

ENDS = [
    ("bun", "bagel"),
    ("ring", "coin"),
    ("tyre", "wheel"),
    ("cup", "mug"),
    ("vase", "goblet"),
    ("orange", "lemon"),
    ("football", "moon"),
    ("tile", "sign"),
    ("kite", "tile"),
    ("willow_leaf", "beech_leaf"),
    ("daisy", "sunflower"),
    ("goldfish", "angelfish"),
    ("butterfly", "moth"),
]


def paint(form: Form, *, look: Look = LOOK, n_pixels: int = 96) -> tuple[Surface, Raster]:
    patch = make_patch(n_pixels)
    surface = Thing(form, look).kind.paint(form, look, patch=patch)
    return surface, light_up(surface, LIGHT, pixel=patch.pixel)


every_class = pytest.mark.parametrize("class_id", CLASS_IDS)


def test_there_are_at_least_twenty_classes_and_each_belongs_to_one_kind():
    assert len(CLASS_IDS) >= 20
    assert sorted(CLASS_IDS) == sorted(class_id for kind in KINDS for class_id in kind.prototypes)


@every_class
def test_a_typical_form_is_seen_as_its_class(class_id):
    degrees = perceive(get_prototype(class_id))
    assert degrees[INDEX[class_id]] > 0.8
    assert degrees.argmax() == INDEX[class_id]


@every_class
def test_a_typical_form_can_be_drawn(class_id):
    surface, colour = paint(get_prototype(class_id))
    share = surface.alpha.mean()
    assert 0.04 < share < 0.75
    assert surface.alpha.min() >= 0
    assert surface.alpha.max() <= 1
    assert colour.shape == (3, 96, 96)
    assert np.isfinite(colour).all()
    inside = colour[:, surface.alpha > 0.9]
    assert inside.std() > 0.01, "a thing of one flat colour shows no light"
    assert surface.alpha[0].max() == surface.alpha[:, -1].max() == 0, "nothing reaches the border of its patch"


def test_no_two_typical_forms_look_alike():
    pictures = {class_id: paint(get_prototype(class_id)) for class_id in CLASS_IDS}
    flat = np.stack([(colour * surface.alpha).ravel() for surface, colour in pictures.values()])
    distances = np.abs(flat[:, np.newaxis] - flat).mean(axis=2) + np.eye(len(flat))
    assert distances.min() > 0.015


def test_drawing_is_pure_and_the_seed_of_a_look_decides_the_texture():
    form = get_prototype("moon")
    first, again, other = paint(form)[1], paint(form)[1], paint(form, look=Look(0.4, 0.5, 54_321))[1]
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize(("first", "second"), ENDS)
def test_walking_to_the_next_class_one_degree_falls_the_other_rises_and_they_cross(first, second):
    kind, start, end = KIND_OF[first], get_prototype(first), get_prototype(second)
    steps = [measure_degrees(kind, walk(start, end, share=share)) for share in np.linspace(0, 1, 41)]
    falling, rising = [step[first] for step in steps], [step[second] for step in steps]
    assert all(later <= before + 1e-12 for before, later in pairwise(falling))
    assert all(later >= before - 1e-12 for before, later in pairwise(rising))
    assert falling[0] > 0.5 > falling[-1]
    assert rising[0] < 0.5 < rising[-1]
    assert falling[20] == pytest.approx(rising[20]), "half-way they are equal"
    assert 0.3 < falling[20] < 0.501, "and both are middling"


@pytest.mark.parametrize(("first", "second"), ENDS)
def test_a_small_step_in_the_parameters_is_a_small_step_in_the_picture(first, second):
    start, end = get_prototype(first), get_prototype(second)
    forms = [walk(start, end, share=share) for share in np.linspace(0, 1, 33)]
    pictures = [surface.alpha * colour for surface, colour in (paint(form, n_pixels=48) for form in forms)]
    steps = [float(np.abs(later - before).mean()) for before, later in pairwise(pictures)]
    assert max(steps) < 0.2 * float(np.abs(pictures[-1] - pictures[0]).mean())


@given(st.sampled_from(range(len(KINDS))), st.lists(st.floats(0, 1), min_size=8, max_size=8))
def test_the_degrees_of_a_kind_are_shares_that_add_up_to_one(number, values):
    kind = KINDS[number]
    form = make_form(kind, np.array(values[: len(kind.units)]))
    degrees = measure_degrees(kind, form)
    assert sum(degrees.values()) == pytest.approx(1)
    assert min(degrees.values()) >= 0
    others = [INDEX[class_id] for class_id in CLASS_IDS if class_id not in kind.prototypes]
    assert (perceive(form)[others] == 0).all()


@given(st.sampled_from(range(len(KINDS))), st.lists(st.floats(-1, 2), min_size=8, max_size=8))
def test_any_form_of_a_kind_can_be_drawn(number, values):
    kind = KINDS[number]
    surface, colour = paint(make_form(kind, np.array(values[: len(kind.units)])), n_pixels=32)
    assert np.isfinite(colour).all()
    assert np.isfinite(surface.alpha).all()


def test_a_wheel_shows_a_tyre_but_a_tyre_is_no_wheel():
    wheel, tyre = perceive(get_prototype("wheel")), perceive(get_prototype("tyre"))
    assert wheel[INDEX["tyre"]] > 0.6
    assert tyre[INDEX["wheel"]] < 0.25


def test_the_taxonomy_is_without_a_doubt():
    assert lint_taxonomy(make_taxonomy()) == ()


def test_every_class_lies_three_levels_below_the_root():
    taxonomy = make_taxonomy()
    for image_class in taxonomy.classes:
        (path,) = find_paths_to_root(taxonomy, image_class.id)
        assert len(path) == 4


def test_families_and_objects_and_organisms_each_divide_the_classes():
    taxonomy = make_taxonomy()
    for name, n_groups in (("family", 8), ("object-organism", 2)):
        groups = find_groups(taxonomy, name)
        assert len(groups) == n_groups
        assert sorted(np.concatenate(list(groups.values())).tolist()) == list(range(len(taxonomy)))
    organisms = {taxonomy.classes[index].id for index in find_groups(taxonomy, "object-organism")["organisms"]}
    assert {"daisy", "moth"} <= organisms
    assert "orange" not in organisms, "a fruit on a table is a thing to eat, as in the papers' own division"


def test_neighbours_in_form_are_not_always_neighbours_in_the_hierarchy():
    taxonomy = make_taxonomy()
    assert count_path_length(taxonomy, NodeId("cup"), NodeId("mug")) == 2
    assert count_ancestor_level(taxonomy, NodeId("cup"), NodeId("vase")) == 2
    assert count_path_length(taxonomy, NodeId("orange"), NodeId("basketball")) == 6
