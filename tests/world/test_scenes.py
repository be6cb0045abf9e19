"""What is true of a scene follows from its parameters, and its picture is the same scene at every size."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PIL import Image
from tests.world.forms import get_prototype, walk

from regauge.errors import InputError
from regauge.records.labels.verdicts import Verdict
from regauge.world.forms import Form, Look
from regauge.world.grounds import Ground, Light, Scrap, Weave
from regauge.world.objects import INDEX, Thing
from regauge.world.sampling import ORIGINAL_HABITS, sample_scene
from regauge.world.scenes import (
    CLEAR_SIZE,
    CORRECT_FROM,
    UNCLEAR_FROM,
    Placed,
    Scene,
    find_truth,
    judge,
    measure_visibility,
    render,
)

GROUND = Ground(Weave.LINEN, tone=0.3, contrast=0.06, seed=5)
LIGHT = Light(angle=-2.0, height=0.5, warmth=0.2, exposure=1.0)


def place(class_id: str, *, x: float = 0.5, y: float = 0.5, size: float = 0.3, form: Form | None = None) -> Placed:
    thing = Thing(form or get_prototype(class_id), Look(0.3, 0.6, 77))
    return Placed(thing, x, y, size, turn=0.1)


def make_scene(*things: Placed, **changes: Any) -> Scene:
    return replace(Scene(GROUND, LIGHT, things, (), blur=0.0, grain=0.0, seed=3), **changes)


def test_a_scene_holds_the_class_of_its_thing_and_no_other():
    truth = find_truth(make_scene(place("football")))
    assert truth.thing_degrees[0].argmax() == INDEX["football"]
    assert judge(truth.degrees)[INDEX["football"]] == Verdict.CORRECT
    assert np.flatnonzero(judge(truth.degrees) != Verdict.WRONG).tolist() == [INDEX["football"]]


def test_a_thing_between_two_classes_is_unclear_in_both():
    between = walk(get_prototype("bun"), get_prototype("bagel"), share=0.5)
    truth = find_truth(make_scene(place("bun", form=between)))
    unclear = np.flatnonzero(judge(truth.degrees) == Verdict.UNCLEAR).tolist()
    assert unclear == sorted([INDEX["bun"], INDEX["bagel"]])


def test_verdicts_change_at_the_thresholds_themselves():
    degrees = np.array(
        [0.0, np.nextafter(UNCLEAR_FROM, 0), UNCLEAR_FROM, np.nextafter(CORRECT_FROM, 0), CORRECT_FROM, 1]
    )
    expected = [Verdict.WRONG, Verdict.WRONG, Verdict.UNCLEAR, Verdict.UNCLEAR, Verdict.CORRECT, Verdict.CORRECT]
    assert judge(degrees).tolist() == expected


def test_two_things_side_by_side_are_both_in_the_scene_and_the_larger_is_the_main_one():
    truth = find_truth(make_scene(place("vase", x=0.75, size=0.15), place("moth", x=0.35, size=0.28)))
    assert judge(truth.degrees)[[INDEX["vase"], INDEX["moth"]]].tolist() == [Verdict.CORRECT, Verdict.CORRECT]
    assert truth.saliences.argmax() == 1
    assert truth.thing_degrees[1].argmax() == INDEX["moth"]
    assert truth.thing_degrees.shape[0] == 2
    assert np.array_equal(truth.degrees, truth.thing_degrees.max(axis=0))


def test_occlusion_lowers_the_degree_of_what_is_behind_and_not_of_what_is_before():
    behind = place("orange")
    free = find_truth(make_scene(behind)).degrees[INDEX["orange"]]
    degrees = [
        find_truth(make_scene(behind, place("kite", x=x, size=0.25))).degrees[INDEX["orange"]]
        for x in (1.2, 0.85, 0.7, 0.55)
    ]
    assert degrees[0] == pytest.approx(free)
    assert degrees[0] > degrees[1] > degrees[2] > degrees[3]
    before = find_truth(make_scene(place("kite", x=0.7, size=0.25), behind)).degrees[INDEX["orange"]]
    assert before == pytest.approx(free)


def test_visibility_is_the_share_of_the_disc_that_is_free():
    # A disc whose centre lies on the left border is half inside the picture.
    assert measure_visibility(make_scene(place("coin", x=0.0)))[0] == pytest.approx(0.5, abs=0.02)
    assert measure_visibility(make_scene(place("coin")))[0] == 1
    # A nearer disc of the same size hides what lies within nine tenths of its radius: 0.81 of the area.
    both = measure_visibility(make_scene(place("coin"), place("bun")))
    assert both.tolist() == [pytest.approx(0.19, abs=0.02), 1]


def test_small_or_blurred_things_are_seen_less_well():
    clear = find_truth(make_scene(place("daisy"))).degrees[INDEX["daisy"]]
    small = find_truth(make_scene(place("daisy", size=CLEAR_SIZE / 2))).degrees[INDEX["daisy"]]
    blurred = find_truth(make_scene(place("daisy"), blur=0.01)).degrees[INDEX["daisy"]]
    assert small == pytest.approx(clear / 2)
    assert small < blurred < clear


@pytest.mark.parametrize("n_things", [0, 5])
def test_a_scene_has_one_to_four_things(n_things):
    with pytest.raises(InputError, match=f"1 to 4 things, not {n_things}"):
        make_scene(*[place("coin")] * n_things)


def test_the_same_scene_gives_the_same_picture():
    scene = sample_scene("goblet", ORIGINAL_HABITS, rng=np.random.default_rng(4))
    again = sample_scene("goblet", ORIGINAL_HABITS, rng=np.random.default_rng(4))
    assert scene == again
    assert render(scene, 64).tobytes() == render(again, 64).tobytes()


@pytest.mark.parametrize("class_id", ["wheel", "mug", "marble", "kite", "oak_leaf", "sunflower", "angelfish", "moth"])
def test_a_large_picture_shrunk_is_the_small_picture(class_id):
    scene = make_scene(place(class_id), scraps=(Scrap(0.2, 0.2, 0.05, 0.0, 1.0, 0.5),))
    small = np.asarray(render(scene, 64), np.float64)
    large = np.asarray(render(scene, 256).resize((64, 64), Image.Resampling.BOX), np.float64)
    other = np.asarray(render(make_scene(place("ring")), 64), np.float64)
    assert np.abs(small - large).mean() < 4
    assert np.abs(small - large).mean() < 0.5 * np.abs(small - other).mean()


def test_a_thing_casts_a_shadow_away_from_the_light():
    bare = np.asarray(render(make_scene(place("pearl", x=5.0)), 64), np.float64).sum(axis=2)
    lit = np.asarray(render(make_scene(place("pearl", size=0.2)), 64), np.float64).sum(axis=2)
    darker = bare - lit
    # The light comes from above, so the ground below the sphere is in shadow and the ground above it is not.
    assert darker[46:50, 28:36].mean() > 20
    assert abs(darker[8:14, 28:36].mean()) < 2


def test_scraps_are_in_the_picture_but_of_no_class():
    bare, littered = (
        make_scene(place("tile")),
        make_scene(place("tile"), scraps=(Scrap(0.15, 0.15, 0.05, 1.0, 0.5, 0.5),)),
    )
    assert render(bare, 64).tobytes() != render(littered, 64).tobytes()
    assert np.array_equal(find_truth(bare).degrees, find_truth(littered).degrees)
