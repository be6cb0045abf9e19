"""Test sets drawn from a pool that a study holds: every rule of sampling, revisions and what a review removes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.workflows.pool_studies import CANDIDATES, PLAN, Pooled, add_pool, make_pooled

from regauge.errors import InputError
from regauge.records.testsets.draws import ImageChange
from regauge.records.testsets.pool import DrawSources, ExclusionRule
from regauge.records.testsets.sampling import BIN_NAMES, Draw, SamplingPlan, Shortfall, Strategy, find_bins
from regauge.storage.events import list_events
from regauge.storage.testsets.draws import load_draw
from regauge.storage.testsets.test_set import get_test_set, load_places, load_test_set
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.testsets.draw_descriptions import describe_draw, diff_draws, get_draw
from regauge.workflows.testsets.draw_reviews import remove_from_draw, restore_to_draw
from regauge.workflows.testsets.draws import DrawnTestSet, draw_test_set, revise_test_set

TOP = SamplingPlan(Strategy.TOP_IMAGES)
ABOVE = SamplingPlan(Strategy.THRESHOLD, threshold=0.8)


@pytest.fixture
def pooled(tmp_path: Path, database: str) -> Iterator[Pooled]:
    with make_pooled(tmp_path, database=database) as made:
        yield made


def draw(
    pooled: Pooled, plan: SamplingPlan = PLAN, name: str = "drawn", *, allow_short: bool = False, **sources: object
) -> DrawnTestSet:
    asked = replace(pooled.sources, **sources)  # type: ignore[arg-type]
    with pooled.study.begin() as begun:
        return draw_test_set(begun, plan, name=name, sources=asked, allow_short=allow_short)


def remove(pooled: Pooled, *image_ids: str, name: str = "drawn", reason: str = "wrong class") -> None:
    with pooled.study.begin() as begun:
        for image_id in image_ids:
            remove_from_draw(begun, name, image_id=image_id, reason=reason)


def revise(pooled: Pooled, name: str = "drawn", *, allow_short: bool = False) -> DrawnTestSet:
    with pooled.study.begin() as begun:
        return revise_test_set(begun, name, allow_short=allow_short)


def count_bins(drawn: Draw, index: int) -> list[int]:
    mine = drawn.classes == index
    return list(map(int, np.bincount(find_bins(drawn.n_shown[mine], drawn.n_selected[mine]), minlength=5)))


# Draws


def test_matched_frequencies_have_the_histogram_of_the_originals_scaled_by_largest_remainder(pooled: Pooled) -> None:
    found = draw(pooled).draw
    # Bins of 2, 2, 4, 4 and 8 of twenty make 1, 1, 2, 2 and 4 of ten.
    assert [count_bins(found, index) for index in (0, 3)] == [[1, 1, 2, 2, 4]] * 2
    assert not found.is_upward.any()
    assert not found.is_carried.any()


def test_the_best_are_taken_by_frequency_then_annotators_then_id(pooled: Pooled) -> None:
    pooled.add_counts({("late-0", 0): (20, 20)})
    with pooled.study.begin() as begun:
        add_pool(begun, pooled.folder, name="late", n_per_class=1, prefix="late-")
    pooled.table.write_text(pooled.table.read_text().replace("late-0,0,", "late-0-00,0,"))
    found = draw(pooled, TOP).draw
    mine = found.image_ids[found.classes == 0].tolist()
    tens = [f"c0-{number:02d}" for number, n in enumerate(CANDIDATES) if n == 10]
    nines = [f"c0-{number:02d}" for number, n in enumerate(CANDIDATES) if n == 9]
    assert mine == ["late-0-00", *tens, *nines, "c0-26"]


def test_above_a_threshold_frequencies_are_compared_as_whole_numbers(pooled: Pooled) -> None:
    found = draw(pooled, replace(ABOVE, class_thresholds={3: 1.0}), allow_short=True)
    assert found.draw.n_selected[found.draw.classes == 0].min() == 8
    assert found.draw.n_selected[found.draw.classes == 3].tolist() == [10] * 4
    # Four of 38 candidates are selected by everybody, so six more take 57.
    assert found.draw.shortfalls == (Shortfall(3, "≥ 1", 6, 57),)


def test_keywords_are_matched_without_asking_anybody(pooled: Pooled) -> None:
    plan = SamplingPlan(Strategy.KEYWORDS, min_annotations=0)
    keywords = ((0, "one", 3), (0, "two", 1), (3, "three", 1))
    found = draw(pooled, plan, original="", frequencies=(), keywords=keywords, allow_short=True).draw
    assert Counter(found.keywords[found.classes == 0].tolist()) == {"one": 7, "two": 3}
    assert set(found.keywords[found.classes == 3].tolist()) == {"three"}
    with pooled.study.read() as reading:
        assert get_draw(reading, "drawn").sources.keywords == keywords


def test_the_same_seed_draws_the_same_images_and_another_one_others(pooled: Pooled) -> None:
    first, again = draw(pooled).entry, draw(pooled, name="again").entry
    assert first.digest == again.digest
    assert draw(pooled, replace(PLAN, seed=8), name="other").entry.digest != first.digest


def test_what_too_few_annotators_saw_and_what_is_excluded_is_not_taken_and_is_counted(pooled: Pooled) -> None:
    pooled.exclude("c0-26", ExclusionRule.NEAR_DUPLICATE, "shows the same as c0-27")
    pooled.exclude("c0-27", ExclusionRule.WINDOW, "taken in 2019")
    text = pooled.table.read_text().replace("c0-28,0,10,10", "c0-28,0,9,9")
    pooled.table.write_text(text)
    found = draw(pooled, TOP)
    assert not {"c0-26", "c0-27", "c0-28"} & set(found.draw.image_ids.tolist())
    with pooled.study.read() as reading:
        left_out = get_draw(reading, "drawn").excluded
    assert set(left_out) == {
        (0, BIN_NAMES[4], "near-duplicate", 1),
        (0, BIN_NAMES[4], "window", 1),
        (0, BIN_NAMES[4], "too few annotators", 1),
    }


def test_a_short_bin_is_filled_upwards_and_marked(pooled: Pooled) -> None:
    for number, n in enumerate(CANDIDATES):
        if n in {4, 5}:
            pooled.exclude(f"c3-{number:02d}", ExclusionRule.LIST, "unwanted")
    found = draw(pooled).draw
    assert count_bins(found, 3) == [1, 1, 0, 4, 4]
    assert found.is_upward[found.classes == 3].sum() == 2


def test_every_class_that_falls_short_is_named_with_bin_number_and_what_to_gather(pooled: Pooled) -> None:
    for index, number in ((index, number) for index in (0, 3) for number in range(28, 38)):
        pooled.exclude(f"c{index}-{number:02d}", ExclusionRule.LIST, "unwanted")
    with pytest.raises(InputError) as stop:
        draw(pooled)
    assert str(stop.value) == (
        "The pool falls short by 4 images in 2 classes: "
        "class 0 (airplane) lacks 2 images in [0.8, 1]: gather about 38 more candidates; "
        "class 3 (cat) lacks 2 images in [0.8, 1]: gather about 38 more candidates. "
        "Gather them, or take what there is with `allow_short=True`."
    )
    assert len(draw(pooled, allow_short=True).draw) == 16


def test_a_class_of_the_original_that_nothing_was_gathered_for_falls_short(pooled: Pooled) -> None:
    with pooled.study.begin() as begun:
        add_pool(begun, pooled.folder, name="other", n_per_class=1, prefix="x")
    pooled.add_counts({("x0-00", 0): (10, 10), ("x3-00", 3): (10, 10)})
    with (
        pooled.study.begin() as begun,
        pytest.raises(InputError, match=r"class 0 \(airplane\) lacks 9 images: gather about"),
    ):
        draw_test_set(begun, TOP, name="few", sources=replace(pooled.sources, pools=("other",)))


def test_too_few_annotated_originals_are_refused(pooled: Pooled) -> None:
    pooled.table.write_text(pooled.table.read_text().replace("o3-00,3,10", "o3-00,3,9"))
    with pytest.raises(InputError, match="Class 3 has 19 annotated original images; 20 are needed"):
        draw(pooled)


@pytest.mark.parametrize("is_first", [False, True])
def test_of_a_pair_in_two_tables_the_counts_with_most_annotators_hold_and_a_note_says_so(
    pooled: Pooled, is_first: bool
) -> None:
    other = pooled.folder / "other.csv"
    other.write_text("image_id,class,n_shown,n_selected\nc0-00,0,12,12\nc0-28,0,3,0\nc0-01,0,10,10\n")
    tables = (str(pooled.table), str(other))
    found = draw(pooled, TOP, frequencies=tables[::-1] if is_first else tables)
    assert found.draw.image_ids[0] == "c0-00"
    assert "c0-28" in found.draw.image_ids
    # Where as many annotators stand behind both, the last one holds.
    assert ("c0-01" in found.draw.image_ids) is not is_first
    assert found.notes == ("Counts in several tables of frequencies: 3; those with most annotators hold.",)


def test_images_keep_their_places_below_the_folder_that_all_pools_are_in(pooled: Pooled) -> None:
    with pooled.study.begin() as begun:
        add_pool(begun, pooled.folder / "far", name="other", n_per_class=1, prefix="x", with_files=True)
    pooled.add_counts({("x0-00", 0): (20, 20), ("x3-00", 3): (20, 20)})
    found = draw(pooled, TOP)
    assert found.entry.root == str(pooled.folder)
    with pooled.study.read() as reading:
        places = dict(zip(found.draw.image_ids.tolist(), load_places(reading, found.entry), strict=True))
    assert places["x0-00"].path == "far/other/x0-00.png"
    assert places["c0-28"].path == ""


@pytest.mark.same_sql
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"pools": ("nothing",)}, "no pool 'nothing'; it has: batch"),
        ({"original": "nothing"}, "no test set 'nothing'"),
        ({"frequencies": ("nothing",)}, "no label set"),
        ({"frequencies": ("nothing.csv",)}, "no table of frequencies nothing.csv"),
        ({"frequencies": ()}, "no selection frequencies to draw by"),
    ],
)
def test_what_is_not_there_is_refused(pooled: Pooled, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        draw(pooled, **changes)


def test_a_name_that_is_taken_is_refused(pooled: Pooled) -> None:
    with pytest.raises(InputError, match="already has another set of images 'batch'"):
        draw(pooled, name="batch")


@pytest.mark.same_sql
@pytest.mark.parametrize("name", ["", "..", "a/b", " a", "a\nb", "n" * 201])
def test_a_name_by_which_no_page_is_found_is_refused(pooled: Pooled, name: str) -> None:
    with pytest.raises(InputError, match="A test set has a name of 1 to 200 printable characters"):
        draw(pooled, name=name)


def test_an_image_in_two_pools_is_refused(pooled: Pooled) -> None:
    with pooled.study.begin() as begun:
        add_pool(begun, pooled.folder, name="twin")
    with pytest.raises(
        InputError, match="Image 'c0-00' is in the pools batch and twin; draw from one of them with `pools=…`"
    ):
        draw(pooled)
    assert len(draw(pooled, pools=("batch",)).draw) == 20


# Revisions


def test_a_revision_keeps_what_it_can_and_fills_what_was_removed_from_the_same_bin(pooled: Pooled) -> None:
    before = draw(pooled).draw
    gone = str(before.image_ids[(before.classes == 3) & (before.n_selected >= 8)][0])
    remove(pooled, gone)
    found = revise(pooled)
    assert found.entry.name == "drawn-2"
    assert gone not in found.draw.image_ids
    assert found.draw.is_carried.sum() == 19
    assert count_bins(found.draw, 3) == [1, 1, 2, 2, 4]
    with pooled.study.read() as reading:
        drawn = get_draw(reading, "drawn-2")
        assert (drawn.parent, drawn.plan, drawn.sources) == ("drawn", PLAN, get_draw(reading, "drawn").sources)
        assert (3, BIN_NAMES[4], "review: wrong class", 1) in drawn.excluded
        # The set that was revised is as it was: predictions are bound to it.
        assert gone in load_test_set(reading, get_test_set(reading, "drawn")).image_ids


def test_the_difference_names_what_was_carried_over_new_and_removed_with_the_reason(pooled: Pooled) -> None:
    before = draw(pooled).draw
    remove(pooled, str(before.image_ids[0]), reason="a drawing")
    after = revise(pooled).draw
    with pooled.study.read() as reading:
        found = diff_draws(reading, "drawn", "drawn-2")
    assert [found.count(change) for change in ImageChange] == [19, 1, 1]
    (removed,) = found.find(ImageChange.REMOVED)
    assert (removed.image_id, removed.reason) == (before.image_ids[0], "review: a drawing")
    (new,) = found.find(ImageChange.NEW)
    assert new.image_id in set(after.image_ids.tolist()) - set(before.image_ids.tolist())
    assert found.to_frame()["change"].value_counts().height == 3


def test_what_was_taken_upwards_stays_marked_in_a_revision(pooled: Pooled) -> None:
    for number, n in enumerate(CANDIDATES):
        if n in {4, 5}:
            pooled.exclude(f"c3-{number:02d}", ExclusionRule.LIST, "unwanted")
    before = draw(pooled).draw
    upward = set(before.image_ids[before.is_upward].tolist())
    remove(pooled, str(before.image_ids[0]))
    after = revise(pooled).draw
    assert upward
    assert upward <= set(after.image_ids[after.is_upward].tolist())


def test_a_removal_that_was_taken_back_leaves_nothing_to_revise(pooled: Pooled) -> None:
    before = draw(pooled).draw
    image_id = str(before.image_ids[0])
    remove(pooled, image_id)
    with pooled.study.begin() as begun:
        assert list(describe_draw(begun, "drawn").removed) == [image_id]
        restore_to_draw(begun, "drawn", image_id=image_id)
        assert not describe_draw(begun, "drawn").removed
        assert [event.what for event in list_events(begun)][-2:] == ["testset remove", "testset restore"]
    with pytest.raises(InputError, match="A revision of drawn would be the same set"):
        revise(pooled)


def test_another_order_of_the_same_images_is_no_revision(pooled: Pooled) -> None:
    drawn = set(draw(pooled).draw.image_ids.tolist())
    # One candidate less that was not drawn shuffles the others anew.
    left = [f"c0-{number:02d}" for number in range(38) if f"c0-{number:02d}" not in drawn]
    pooled.exclude(left[0], ExclusionRule.LIST, "unwanted")
    with pytest.raises(InputError, match="A revision of drawn would be the same set"):
        revise(pooled)


def test_revisions_of_revisions_are_numbered_on(pooled: Pooled) -> None:
    names = ["drawn"]
    draw(pooled)
    for _ in range(3):
        with pooled.study.read() as reading:
            first = str(load_draw(reading, get_test_set(reading, names[-1])).image_ids[0])
        remove(pooled, first, name=names[-1])
        names.append(revise(pooled, names[-1]).entry.name)
    assert names == ["drawn", "drawn-2", "drawn-3", "drawn-4"]
    remove(pooled, str(load_first(pooled, "drawn")), name="drawn")
    assert revise(pooled, "drawn").entry.name == "drawn-5"


def load_first(pooled: Pooled, name: str) -> str:
    """An image of the set that was not removed yet."""
    with pooled.study.read() as reading:
        removed = describe_draw(reading, name).removed
        ids = load_draw(reading, get_test_set(reading, name)).image_ids.tolist()
    return str(next(one for one in ids if one not in removed))


def test_what_a_review_says_is_refused_where_it_makes_no_sense(pooled: Pooled) -> None:
    image_id = str(draw(pooled).draw.image_ids[0])
    with pytest.raises(InputError, match="needs a reason"):
        remove(pooled, image_id, reason="  ")
    for reason in ("x" * 1_001, "\udcff", "a\0b"):
        with pytest.raises(InputError, match="A reason is a text of up to 1,000 printable characters"):
            remove(pooled, image_id, reason=reason)
    with pytest.raises(InputError, match="'nothing' is not in the test set drawn"):
        remove(pooled, "nothing")
    remove(pooled, image_id)
    with pytest.raises(InputError, match="was removed already by tester: wrong class"):
        remove(pooled, image_id)
    with pytest.raises(InputError, match="'original' was added as it is"):
        remove(pooled, "o0-00", name="original")
    with pooled.study.begin() as begun, pytest.raises(InputError, match="was not removed, so it cannot be restored"):
        restore_to_draw(begun, "drawn", image_id=load_first(pooled, "drawn"))


def test_a_draw_is_described_with_bins_and_the_mean_frequency(pooled: Pooled) -> None:
    made = draw(pooled).draw
    with pooled.study.read() as reading:
        found = describe_draw(reading, "drawn")
    assert [one.n for one in found.bins] == [2, 2, 4, 4, 8]
    assert found.frequency.value == pytest.approx((made.n_selected / made.n_shown).mean())
    assert found.frequency.low is not None
    assert found.frequency.high is not None
    assert found.frequency.low < (made.n_selected / made.n_shown).mean() < found.frequency.high
    assert (found.n_classes, found.n_carried, found.n_upward, found.revisions) == (2, 0, 0, ())


def test_frequencies_of_label_sets_are_found_by_themselves(pooled: Pooled) -> None:
    rows = [line.split(",") for line in pooled.table.read_text().splitlines()[1:]]
    lines = [{"image_id": one, "correct": [], "frequencies": {index: [int(n), int(k)]}} for one, index, n, k in rows]
    people = pooled.folder / "people.jsonl"
    people.write_text("".join(json.dumps(line) + "\n" for line in lines))
    by_table = draw(pooled).entry
    with pooled.study.begin() as begun:
        add_labels(begun, people)
        found = draw_test_set(begun, PLAN, name="found")
        assert found.sources == DrawSources(("batch",), "original", ("people@1",))
        assert found.entry.digest == by_table.digest
        assert get_draw(begun, "found").sources == found.sources


def test_a_label_set_without_frequencies_is_refused(pooled: Pooled) -> None:
    people = pooled.folder / "people.jsonl"
    people.write_text('{"image_id":"c0-00","correct":[0]}\n')
    with pooled.study.begin() as begun:
        add_labels(begun, people)
    with pytest.raises(InputError, match="people@1 holds no selection frequencies"):
        draw(pooled, frequencies=("people",))
