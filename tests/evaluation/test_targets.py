"""Lining up: everything is joined by image id, whatever the order of the rows."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.arrays import NO_CLASS
from regauge.errors import InputError, MissingImagesError
from regauge.evaluation.targets import Target, combine_truths, line_up, line_up_answers
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.labels.verdicts import Verdict
from regauge.records.predictions import Predictions
from regauge.records.testsets.test_set import TestSet

ids = st.lists(st.text("abcdef", min_size=1, max_size=3), unique=True, max_size=8)


def make_test_set(labels: dict[str, int]) -> TestSet:
    return TestSet("t", np.array(list(labels), np.str_), np.array(list(labels.values()), np.int32))


def make_target(*image_ids: str) -> Target:
    return line_up(Truth(make_test_set(dict.fromkeys(image_ids, 0))))


def predict(answers: dict[str, list[int]]) -> Predictions:
    classes = np.array(list(answers.values()), np.int32).reshape(len(answers), -1) if answers else np.empty((0, 1), int)
    return Predictions("model", np.array(list(answers), np.str_), classes.astype(np.int32))


def read_verdicts(label_set: LabelSet) -> dict[str, dict[int, Verdict]]:
    verdicts: dict[str, dict[int, Verdict]] = {image_id: {} for image_id in label_set.image_ids.tolist()}
    for row, index, verdict in zip(label_set.rows, label_set.classes, label_set.verdicts, strict=True):
        verdicts[str(label_set.image_ids[row])][int(index)] = Verdict(verdict)
    return verdicts


@given(labelled=ids, reviewed=ids, data=st.data())
def test_label_sets_keep_their_verdicts_through_any_reordering(
    labelled: list[str], reviewed: list[str], data: st.DataObject
) -> None:
    verdicts = {
        image: data.draw(st.dictionaries(st.integers(0, 5), st.just(Verdict.CORRECT), max_size=3)) for image in reviewed
    }
    problematic = {image: data.draw(st.booleans()) for image in reviewed}
    main = {image: data.draw(st.integers(NO_CLASS, 5)) for image in reviewed}
    label_set = LabelSet.from_lists(
        "review",
        np.array(reviewed, np.str_),
        correct=[list(verdicts[image]) for image in reviewed],
        is_problematic=[problematic[image] for image in reviewed],
        main_labels=[main[image] for image in reviewed],
    )
    if not labelled and not reviewed:
        return
    target = line_up(Truth(make_test_set({image: row for row, image in enumerate(labelled)}), (label_set,)))
    lined_up, rows = target.label_sets[0], target.image_ids.tolist()
    assert set(rows) == {*labelled, *reviewed}
    assert lined_up.image_ids.tolist() == rows
    assert read_verdicts(lined_up) == {image: verdicts.get(image, {}) for image in rows}
    assert lined_up.is_problematic.tolist() == [problematic.get(image, False) for image in rows]
    assert lined_up.main_labels.tolist() == [main.get(image, NO_CLASS) for image in rows]
    assert target.is_known[0].tolist() == [image in verdicts for image in rows]
    assert (lined_up.kind, lined_up.unlisted) == (label_set.kind, label_set.unlisted)
    label_of = {image: row for row, image in enumerate(labelled)}
    assert target.dataset_labels.tolist() == [label_of.get(image, NO_CLASS) for image in rows]
    assert target.row_by_id == {image: row for row, image in enumerate(rows)}
    assert target.has_dataset_labels == bool(labelled)


def test_there_is_a_stratum_for_every_class_and_one_for_no_class() -> None:
    assert line_up(Truth(make_test_set({"a": 0, "b": 6}))).n_strata == 8
    assert line_up(Truth(label_sets=(LabelSet.from_lists("x", ["a"]),))).n_strata == 1


def test_a_truth_without_images_is_refused() -> None:
    with pytest.raises(InputError, match=r"^The truth t has no images, so nothing can be scored on it\.$"):
        line_up(Truth(make_test_set({})))


@given(known=ids.filter(bool), answered=ids)
def test_answers_are_found_by_id_and_never_by_position(known: list[str], answered: list[str]) -> None:
    answers = {image: [row, row + 1] for row, image in enumerate(answered)}
    if not set(known) & set(answered):
        return
    lined_up = line_up_answers(predict(answers), make_target(*known), allow_missing=True)
    assert lined_up.tolist() == [answers.get(image, [NO_CLASS, NO_CLASS]) for image in known]


def test_answers_in_the_targets_order_are_taken_without_a_copy() -> None:
    predictions = predict({"a": [3], "b": [1]})
    assert line_up_answers(predictions, make_target("a", "b"), allow_missing=False) is predictions.classes


def test_missing_images_are_refused_unless_allowed() -> None:
    message = (
        "model has no prediction for 2 of 3 images, the first being 'a'. "
        "Add them, or score the rest with `allow_missing=True`."
    )
    with pytest.raises(MissingImagesError, match=f"^{re.escape(message)}$") as caught:
        line_up_answers(predict({"b": [1], "x": [2]}), make_target("a", "b", "c"), allow_missing=False)
    assert (caught.value.participant, caught.value.n_missing) == ("model", 2)


@pytest.mark.parametrize("allow_missing", [True, False])
def test_a_participant_without_any_image_of_the_truth_is_refused(allow_missing: bool) -> None:
    message = "model and t share no image id: the truth's first is 'a', the participant's 'x'."
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        line_up_answers(predict({"x": [2]}), make_target("a", "b"), allow_missing=allow_missing)


@pytest.mark.parametrize(("known", "answered"), [("a.b", "a.b.JPEG"), ("a.JPEG", "a"), ("a.JPEG", "a.png")])
def test_ids_that_differ_by_their_extension_are_pointed_out(known: str, answered: str) -> None:
    hint = "They would match without the file extension: write the ids the same way in both files."
    with pytest.raises(InputError, match=re.escape(hint)):
        line_up_answers(predict({answered: [2]}), make_target(known), allow_missing=True)


def test_a_participant_without_any_prediction_is_refused() -> None:
    with pytest.raises(InputError, match=r"^model has no predictions at all\.$"):
        line_up_answers(predict({}), make_target("a"), allow_missing=True)


def make_named(name: str, labels: dict[str, int]) -> TestSet:
    return TestSet(name, np.array(list(labels)), np.array(list(labels.values()), np.int32))


def test_dataset_labels_are_joined_by_image_and_label_sets_stay_apart() -> None:
    first, second = LabelSet.from_lists("first", ["a"]), LabelSet.from_lists("second", ["b"])
    combined = combine_truths(
        [
            Truth(make_named("one", {"a": 3, "b": 4}), (first,), notes=("one was read.",)),
            Truth(make_named("two", {"b": 4, "c": 5})),
            Truth(label_sets=(second,), notes=("two was read.",)),
        ]
    )
    assert combined.test_set is not None
    pairs = zip(combined.test_set.image_ids.tolist(), combined.test_set.labels.tolist(), strict=True)
    assert dict(pairs) == {"a": 3, "b": 4, "c": 5}
    assert combined.test_set.name == "one"
    assert combined.label_sets == (first, second)
    assert combined.notes == ("one was read.", "two was read.")


def test_a_single_test_set_is_passed_on_as_it_is() -> None:
    test_set = make_named("one", {"a": 3})
    assert combine_truths([Truth(test_set)]).test_set is test_set


def test_without_dataset_labels_there_is_no_test_set() -> None:
    assert combine_truths([Truth(label_sets=(LabelSet.from_lists("x", ["a"]),))]).test_set is None


def test_different_dataset_labels_of_one_image_are_refused() -> None:
    message = "The truths disagree: image 'b' has the dataset label 4 in one and 5 in two."
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        combine_truths([Truth(make_named("one", {"a": 3, "b": 4})), Truth(make_named("two", {"b": 5}))])


def test_two_label_sets_of_one_name_are_refused() -> None:
    truth = Truth(label_sets=(LabelSet.from_lists("review", ["a"]),))
    with pytest.raises(InputError, match=r"^Two label sets are called 'review'; rename one of the files\.$"):
        combine_truths([truth, truth])
