"""Objects per image: counted by hand, weighed where follow-up images are lacking, and against a plain loop."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.evaluation.context.tiny import (
    ANSWERS,
    GOOD,
    IDS,
    LABELS,
    OTHER,
    PARTS,
    analyse,
    both,
    make_material,
    predict,
    run,
)
from tests.labels.objects.classify_answers import make_responses

from regauge.errors import InputError
from regauge.evaluation.context.material import KnownOfImages
from regauge.evaluation.context.several.images import find_object_images
from regauge.records.candidates import SplitPart
from regauge.records.evaluation.context.report import ContextSettings
from regauge.records.labels.label_set import Truth
from regauge.records.labels.objects import ImageObjects
from regauge.records.predictions import Predictions
from regauge.records.testsets.test_set import TestSet
from regauge.stats.intervals import clopper_pearson


def get(frame: pl.DataFrame, **where: object) -> dict[str, object]:
    (row,) = frame.filter(**where).to_dicts()
    return row


def test_objects_are_counted_with_easy_images_as_one_object() -> None:
    numbers = run("objects").tables["numbers"]
    # c, d and the easy e have one object, a and b two; f is mislabeled, and nobody knows its objects.
    assert numbers.select("n_objects", "n_images", "n").rows() == [(1, 3, 5), (2, 2, 5)]
    assert numbers["share"].to_list() == pytest.approx([0.6, 0.4])
    assert numbers["share_high"][1] == pytest.approx(float(clopper_pearson(2, 5).high))
    assert numbers["n_or_more"].to_list() == [5, 2]
    # Confidence: 3 of 3 on c and d; 2 of 3 on a and 3 of 3 on b, so 5/6 on average. Nobody was asked about e.
    assert numbers["n_judged"].to_list() == [2, 2]
    assert numbers["confidence"].to_list() == pytest.approx([1.0, 5 / 6])


def test_accuracy_is_told_for_one_and_for_several_objects_beside_that_on_all_images() -> None:
    table = run("objects").tables["accuracies"]
    assert table["participant"].to_list() == ["good", "other"] * 3
    good, other = (get(table, participant=name, metric="top1") for name in ("good", "other"))
    # good is right on a to f; other on e alone, so that its top-1 is 1/6 overall.
    assert (good["overall"], good["one"], good["several"]) == (1.0, 1.0, 1.0)
    assert (other["overall_n"], other["overall"]) == (6, pytest.approx(1 / 6))
    assert (other["one_n"], other["one"], other["several_n"], other["several"]) == (3, pytest.approx(1 / 3), 2, 0.0)
    assert other["drop"] == pytest.approx(1 / 3)
    # Any object: other names objects of a, b, d and e; c is called 3, which is none of its objects.
    named = get(table, participant="other", metric="any_object")
    assert (named["one"], named["several"]) == (pytest.approx(2 / 3), 1.0)
    assert get(table, participant="other", metric="top5")["all"] == 1.0


def test_chance_is_one_in_the_number_of_objects() -> None:
    table = run("objects").tables["chance"]
    row = get(table, participant="other", subset="several objects")
    assert (row["n"], row["top1"], row["chance"], row["difference"]) == (2, 0.0, 0.5, -0.5)
    # Two images tell nothing: the interval of 0 of 2 reaches 84.2%.
    assert row["verdict"] == "not told apart"
    assert row["difference_high"] == pytest.approx(float(clopper_pearson(0, 2).high) - 0.5)
    # The main object of b is another.
    assert get(table, participant="good", subset="main object is another")["n"] == 1


def test_shares_of_images_say_of_what_they_are() -> None:
    table = run("objects").tables["shares"]
    assert table.select("n_images", "n").rows() == [(2, 5), (1, 2), (0, 2)]


def test_a_correction_is_another_object_only_where_both_are_objects() -> None:
    table = run("objects").tables["corrections"]
    # other: a and b are answered with the other object; c with nothing there, d with its one object, which is not the label's.
    assert table.select("participant", "n_images", "n").rows() == [("good", 0, 0), ("other", 2, 4)]
    assert table["share"].to_list() == [None, 0.5]


def test_follow_up_images_stand_for_those_without_answers() -> None:
    # Eight follow-up images, four of them with answers: each stands for two, the easy e for itself.
    ids, labels = [*IDS, *"ghij"], [*LABELS, 0, 1, 2, 0]
    parts = {**PARTS, **dict.fromkeys("ghij", SplitPart.FOLLOW_UP)}
    known = KnownOfImages(responses=make_responses(ANSWERS), parts=parts)
    truth = Truth(TestSet("ten", np.array(ids), np.array(labels)))
    answers = predict("other", {**OTHER, **{one: [4, 0, 1, 2, 3] for one in "ghij"}})
    found = run("objects", answers, known=known, truth=truth)
    # Several: 2 · 2 of 2 · 4 + 1; one object: (0 + 0) · 2 + 1 right of 2 · 2 + 1.
    assert found.tables["numbers"]["share"].to_list() == pytest.approx([5 / 9, 4 / 9])
    row = get(found.tables["accuracies"], metric="top1")
    assert (row["one"], row["one_n"]) == (pytest.approx(1 / 5), 3)
    # 2 of 4 reach from 6.8 to 93.2%, 0 of 1 up to 97.5%: each times its part of the nine, put together at right angles.
    high, of_easy = clopper_pearson(2, 4).high, clopper_pearson(0, 1).high
    reach = np.hypot(8 / 9 * (float(high) - 0.5), 1 / 9 * float(of_easy))
    assert found.tables["numbers"]["share_high"][1] == pytest.approx(4 / 9 + reach)
    assert any("4 of 8 follow-up images; each of these stands for 2.00" in note for note in found.notes)


def test_what_is_missing_is_left_out_and_named() -> None:
    objects = ImageObjects.from_lists("people", IDS[:2], objects=[[[0], [1]], [[1]]])
    truth = Truth(TestSet("tiny", np.array(IDS), np.array(LABELS)), objects=(objects,))
    found = analyse("objects", make_material(known=KnownOfImages(), truth=truth))
    assert found.tables["numbers"]["n_images"].to_list() == [1, 1]
    assert found.tables["numbers"]["confidence"].to_list() == [None, None]
    assert [found.tables[name].height for name in ("accuracies", "chance", "corrections", "confidence_bins")] == [0] * 4
    assert found.notes == (
        "Confidence left out: no answers to CLASSIFY.",
        "Accuracy by objects left out: no predictions.",
    )


def test_a_participant_with_fewer_answers_has_no_top5() -> None:
    short = predict("short", {image: five[:2] for image, five in GOOD.items()}, [2, 1])
    found = run("objects", short, both()[1])
    assert get(found.tables["accuracies"], participant="short", metric="top5")["one"] is None
    assert get(found.tables["corrections"], participant="short")["share"] is None
    assert any("fewer than five answers" in note for note in found.notes)


def test_images_without_objects_are_refused_with_both_ids() -> None:
    objects = ImageObjects.from_lists("people", ["elsewhere"], objects=[[[0]]])
    truth = Truth(TestSet("tiny", np.array(IDS), np.array(LABELS)), objects=(objects,))
    material = make_material(known=KnownOfImages(), truth=truth)
    with pytest.raises(
        InputError, match="none of these is an image of tiny: the first is 'elsewhere', the truth's first 'a'"
    ):
        analyse("objects", material)


def test_a_participant_that_nobody_is_called_is_refused() -> None:
    material = make_material(*both())
    with pytest.raises(InputError, match="No participant is called 'nobody'; there are: good, other"):
        analyse("objects", material, participant=("nobody",))


def test_no_column_depends_on_the_order_of_images(rng: np.random.Generator) -> None:
    n = 60
    ids = [f"i{row}" for row in range(n)]
    labels = rng.integers(0, 4, n)
    objects = [[[int(one)] for one in rng.permutation(5)[: rng.integers(1, 4)]] for _ in range(n)]
    answers = rng.permuted(np.tile(np.arange(5), (n, 1)), axis=1)
    order = rng.permutation(n)

    def measure(rows: np.ndarray[tuple[int], np.dtype[np.int64]]) -> dict[str, pl.DataFrame]:
        truth = Truth(
            TestSet("t", np.array(ids)[rows], labels[rows]),
            objects=(ImageObjects.from_lists("people", ids, objects=objects),),
        )
        predictions = Predictions("model", np.array(ids), answers)
        return dict(analyse("objects", make_material(predictions, known=KnownOfImages(), truth=truth)).tables)

    first, second = measure(np.arange(n)), measure(order)
    assert all(first[name].equals(second[name]) for name in first)
    # A plain loop finds the same.
    named = [any(one[0] == answers[row, 0] for one in objects[row]) for row in range(n)]
    several = [len(objects[row]) > 1 for row in range(n)]
    row = get(first["accuracies"], metric="any_object")
    assert row["several"] == pytest.approx(np.mean([hit for hit, is_one in zip(named, several, strict=True) if is_one]))


def test_labels_that_mean_an_object_are_found_and_those_placed_nowhere_are_not() -> None:
    # Three say [0, 1], one says [2]: two objects, and 2 is placed nowhere.
    responses = make_responses([*(("a", who, [0, 1], 0) for who in "xyz"), ("a", "w", [2], 2)])
    material = make_material(known=KnownOfImages(responses=responses, parts={}))
    images = find_object_images(material)
    assert images.find_meant(np.array([[0], [1], [2], [3], [-1], [99]])).ravel().tolist() == [0, 1, -1, -1, -1, -1]


def test_limits_of_objects_follow_the_level() -> None:
    wide, narrow = (
        analyse("objects", make_material(*both()), level=level).tables["numbers"]["share_low"][1]
        for level in (0.99, 0.5)
    )
    assert wide < narrow
    assert ContextSettings().level == 0.95
