"""Two test sets compared from records and files: what is refused, what is noted, and what stays silent."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from regauge.errors import FormatError, InputError
from regauge.estimates import format_limits
from regauge.formats.predictions.families import load_families
from regauge.records.evaluation.fits import Resample, Scale
from regauge.records.evaluation.shifts import Shift, ShiftSettings
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.predictions import Predictions
from regauge.records.testsets.test_set import TestSet
from regauge.workflows.evaluation.shifts import shift
from regauge.workflows.inputs import TestSetAnswers


def make_answers(name: str, n: int, n_correct: Mapping[str, int]) -> TestSetAnswers:
    """Models that are right on their first images and wrong on the rest."""
    ids = np.array([f"{name} {row}" for row in range(n)])
    labels = np.arange(n, dtype=np.int32) % 3
    models = [
        Predictions(model, ids, np.where(np.arange(n) < k, labels, 3).astype(np.int32))
        for model, k in n_correct.items()
    ]
    return TestSetAnswers(models, TestSet(name, ids, labels))


def compare(original: Mapping[str, int], new: Mapping[str, int], **options: Any) -> Shift:
    """Models on 40 images of the original set and 20 of the new one."""
    settings = ShiftSettings(**{"n_bootstrap": 200, **options})
    return shift(make_answers("old", 40, original), make_answers("fresh", 20, new), settings=settings)


OLD = {"alpha": 36, "beta": 30, "gamma": 24, "delta": 18}
FRESH = {"alpha": 16, "beta": 13, "gamma": 11, "delta": 6}


# Files


def write_csv(path: Path, header: str, rows: Sequence[str]) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def test_files_and_records_give_the_same_comparison(tmp_path: Path) -> None:
    sides = []
    for name, n, counts in (("old", 40, OLD), ("fresh", 20, FRESH)):
        answers = make_answers(name, n, counts)
        truth = answers.truth
        assert isinstance(truth, TestSet)
        rows = [f"{one},{label}" for one, label in zip(truth.image_ids, truth.labels, strict=True)]
        truth_path = write_csv(tmp_path / f"{name}.csv", "image_id,label", rows)
        for model in answers.predictions:  # type: ignore[union-attr]
            assert isinstance(model, Predictions)
            rows = [f"{one},{first}" for one, (first,) in zip(model.image_ids, model.classes, strict=True)]
            # Backwards, so that a comparison by position would be far off.
            write_csv(tmp_path / name / f"{model.participant}.csv", "image_id,class", rows[::-1])
        sides.append(TestSetAnswers(tmp_path / name, truth_path))
    found = shift(*sides, settings=ShiftSettings(n_bootstrap=200))
    expected = compare(OLD, FRESH)
    assert found.to_frame().equals(expected.to_frame())
    assert (found.original, found.new) == ("old", "fresh")
    assert [note for note in found.notes if note not in expected.notes] == [
        "old.csv: dataset labels of 40 images.",
        "fresh.csv: dataset labels of 20 images.",
    ]


def test_sets_of_one_name_are_told_apart() -> None:
    one, other = make_answers("labels", 40, OLD), make_answers("labels", 20, FRESH)
    found = shift(one, other, settings=ShiftSettings(n_bootstrap=200))
    assert (found.original, found.new) == ("labels (original)", "labels (new)")
    with pytest.raises(InputError, match=r"^beta has predictions on labels \(original\) but not on labels \(new\);"):
        shift(make_answers("labels", 40, {"alpha": 1, "beta": 2}), make_answers("labels", 20, {"alpha": 1}))


def test_logits_find_their_images_in_a_file_of_ids(tmp_path: Path) -> None:
    np.save(tmp_path / "model.npy", np.eye(6)[[0, 1, 5]])
    (tmp_path / "ids.txt").write_text("a\nb\nc\n")
    truth = TestSet("old", np.array(["a", "b", "c"]), np.array([0, 1, 2], np.int32))
    answers = TestSetAnswers(tmp_path / "model.npy", truth, ids=tmp_path / "ids.txt")
    found = shift(answers, make_answers("fresh", 20, {"model": 5})).get_model("model")
    assert (found.original.k, found.original.n, found.new.k) == (2, 3, 5)


def test_a_warning_says_on_which_set() -> None:
    ids = np.array(["a", "b"])
    review = LabelSet.from_lists("review", ids, correct=[[0], [1]], wrong=[[], [0]])
    truth = Truth(TestSet("old", ids, np.array([0, 1], np.int32)), (review,))
    model = Predictions("model", ids, np.array([0, 7], np.int32))
    settings = ShiftSettings(metric="multilabel_strict")
    found = shift(TestSetAnswers(model, truth), TestSetAnswers(model, truth), settings=settings)
    told = "model: 1 of 2 predictions are unjudged and count as wrong here."
    assert found.warnings == (f"On {found.original}, {told}", f"On {found.new}, {told}")
    assert found.original != found.new


# Refusals


@pytest.mark.parametrize(
    ("new", "message"),
    [
        ({"alpha": 5}, "beta (and 2 more) has predictions on old but not on fresh; "),
        ({**FRESH, "omega": 5}, "omega has predictions on fresh but not on old; "),
        ({"x": 1, "y": 2}, "alpha (and 3 more) has predictions on old but not on fresh; "),
    ],
)
def test_sets_with_different_models_are_refused(new: dict[str, int], message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}models are matched by name"):
        compare(OLD, new)


@pytest.mark.parametrize("option", ["fit_models", "fit_except", "baseline"])
def test_a_glob_that_matches_no_model_is_refused(option: str) -> None:
    with pytest.raises(InputError, match=r"^No model matches 'alhpa'; there are: alpha, beta, gamma, delta\.$"):
        compare(OLD, FRESH, **{option: ("alpha", "alhpa")})


def test_globs_match_case_and_all() -> None:
    with pytest.raises(InputError, match=r"^No model matches 'Alpha'"):
        compare(OLD, FRESH, fit_models=("Alpha",))


@pytest.mark.parametrize(
    ("families", "message"),
    [
        ({**dict.fromkeys(OLD, "f"), "x": "f"}, "The families name 'x', which is not a model here."),
        ({"x": "f", "y": "f"}, "The families name 'x' (and 1 more), which is not a model here."),
        ({"alpha": "f", "gamma": "g", "delta": "g"}, "'beta' has no family; give every model one."),
        ({"alpha": "f"}, "'beta' (and 2 more) has no family; give every model one."),
    ],
)
def test_families_that_do_not_fit_the_models_are_refused(families: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        compare(OLD, FRESH, resample=Resample.FAMILIES, families=families)


def test_a_broken_file_of_families_is_refused_with_its_line(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "families.csv", "model,family", ["alpha,f", "alpha,g"])
    with pytest.raises(FormatError, match=r"line 3: model 'alpha' occurs a second time"):
        load_families(path)


# Notes


def test_equal_accuracies_have_no_line_but_gaps() -> None:
    found = compare(dict.fromkeys(OLD, 20), FRESH, scales=tuple(Scale), baseline=("*",))
    assert found.fits == ()
    assert found.get_model("alpha").gap.value == pytest.approx(20 / 40 - 16 / 20)
    assert {model.leverage for model in found.models} == {None}
    reason = "all 4 models have the same accuracy on old, 50.0%."
    assert found.notes == (
        *(f"There is no {scale} fit: {reason}" for scale in Scale),
        f"There is no effective robustness: {reason}",
    )


@pytest.mark.parametrize(("side", "k"), [(OLD, 40), (OLD, 0), (FRESH, 20), (FRESH, 0)])
def test_a_model_at_0_or_100_percent_stays_in_the_fit_half_an_answer_from_the_end(side: dict[str, int], k: int) -> None:
    old, fresh = ({**counts, "gamma": k} if counts is side else counts for counts in (OLD, FRESH))
    found = compare(old, fresh, scales=tuple(Scale))
    assert [(fit.scale, fit.n_models) for fit in found.fits] == [(scale, 4) for scale in Scale]
    assert [note for note in found.notes if "end" in note] == [
        (
            "On the probit and logit scales, accuracies half an answer from the end, 1/(2n) and 1 − 1/(2n), stand in for models "
            "at 0% or 100%: gamma."
        )
    ]
    x, y = (
        np.array([min(max(counts[name] / n, 0.5 / n), 1 - 0.5 / n) for name in old])
        for counts, n in ((old, 40), (fresh, 20))
    )
    slope, offset = np.polyfit(np.log(x / (1 - x)), np.log(y / (1 - y)), 1)
    assert (found.fits[2].slope.value, found.fits[2].offset.value) == pytest.approx((slope, offset))
    assert not [note for note in compare(OLD, FRESH, scales=tuple(Scale)).notes if "end" in note]


@pytest.mark.parametrize(
    ("options", "there"),
    [({"fit_models": ("alpha",)}, "only alpha"), ({"fit_except": ("*",)}, "none")],
)
def test_a_line_needs_two_models(options: dict[str, Any], there: str) -> None:
    found = compare(OLD, FRESH, **options)
    assert found.notes == (f"There is no linear fit: a line needs at least two models, and there is {there}.",)
    assert len(found.models) == 4


def test_only_the_chosen_models_have_a_part_in_the_line() -> None:
    found = compare(OLD, FRESH, fit_models=("*a",), fit_except=("gam*", "delt?"))
    assert found.fits[0].models == ("alpha", "beta")
    # The line through (0.9, 0.8) and (0.75, 0.65): slope 1, offset −0.1.
    assert (found.fits[0].slope.value, found.fits[0].offset.value) == pytest.approx((1.0, -0.1))
    assert {model.name: model.leverage for model in found.models} == {
        "alpha": pytest.approx(1.0),
        "beta": pytest.approx(1.0),
        "gamma": None,
        "delta": None,
    }


def test_limits_from_few_models_or_families_are_not_to_be_trusted() -> None:
    old = {f"m{row}": 10 + 2 * row for row in range(10)}
    fresh = {f"m{row}": 2 + row for row in range(10)}
    few = "The limits of the fit come from resampling {}, which are too few to trust them."
    assert compare(old, fresh).notes == ()
    assert compare(old, fresh, fit_except=("m3",)).notes == (few.format("9 models"),)
    families = {name: name[-1] if int(name[-1]) < 3 else "rest" for name in old}
    grouped = compare(old, fresh, resample=Resample.FAMILIES, families=families)
    assert grouped.notes[0] == few.format("4 families")
    # With four families one of 4³ draws is one family four times; "rest" alone has a line.
    assert grouped.notes[1].startswith(f"{grouped.fits[0].n_dropped} of 200 bootstrap samples of families have no line")
    assert compare(OLD, FRESH, resample=Resample.IMAGES).notes == ()


def test_models_of_one_family_have_no_line_when_families_are_drawn() -> None:
    found = compare(OLD, FRESH, resample=Resample.FAMILIES, families=dict.fromkeys(OLD, "one"))
    assert found.fits == ()
    assert found.notes == (
        "There is no linear fit: drawing families needs at least two, and all 4 models are one.",
        'The mean change has no interval: one family alone cannot be resampled. With `resample="images"` it has one.',
    )


def test_bootstrap_samples_without_a_line_are_left_out_and_counted() -> None:
    # Two models: half of all draws are one model twice.
    found = compare({"a": 30, "b": 20}, {"a": 12, "b": 9}, n_bootstrap=10_000)
    fit = found.fits[0]
    assert found.notes[-1] == (
        f"{fit.n_dropped:,} of 10,000 bootstrap samples of models have no line, for all their models are equally accurate on the "
        "original set; they are left out of the limits."
    )
    assert fit.n_bootstrap == pytest.approx(5_000, abs=250)
    assert fit.n_dropped == 10_000 - fit.n_bootstrap
    assert (fit.slope.low, fit.slope.high) == pytest.approx((fit.slope.value, fit.slope.value))


def test_samples_of_images_in_which_a_model_is_at_an_end_are_kept_and_counted() -> None:
    # Each of eight models is right on an image of its own, so a draw that lacks an image leaves a model at 0%. Of 8⁸ draws
    # from one set 8! hold every image: 0.24%, and 0.0006% from both sets.
    rights = {f"m{row}": {row} for row in range(8)} | {"two": {0, 1}}
    sides = []
    for name in ("old", "fresh"):
        ids = np.array([f"{name} {row}" for row in range(8)])
        models = [
            Predictions(model, ids, np.array([0 if row in right else 1 for row in range(8)], np.int32))
            for model, right in rights.items()
        ]
        sides.append(TestSetAnswers(models, TestSet(name, ids, np.zeros(8, np.int32))))
    settings = ShiftSettings(n_bootstrap=100, resample=Resample.IMAGES, scales=(Scale.PROBIT,), baseline=("*",))
    found = shift(*sides, settings=settings)
    assert (
        "In 100 of 100 bootstrap samples a model is at 0% or 100%; on the probit scale, accuracies half an answer from the end, "
        "1/(2n) and 1 − 1/(2n), stand in."
    ) in found.notes
    assert (found.fits[0].n_bootstrap, found.fits[0].n_dropped) == (100, 0)
    assert None not in {model.effective_robustness for model in found.models}


def test_images_that_do_not_count_for_every_model_are_told() -> None:
    whole, fresh = make_answers("old", 40, OLD), make_answers("fresh", 20, FRESH)
    models = [one for one in whole.predictions if isinstance(one, Predictions)]  # type: ignore[union-attr]
    part = Predictions("alpha", models[0].image_ids[:25], models[0].classes[:25])
    settings = ShiftSettings(n_bootstrap=100, resample=Resample.IMAGES, allow_missing=True)
    found = shift(TestSetAnswers([part, *models[1:]], whole.truth), fresh, settings=settings)
    assert found.notes[-1] == "The images of old that are resampled for fits are the 25 that count for every model."
    assert (found.get_model("alpha").original.n, found.get_model("beta").original.n) == (25, 40)


# Effective robustness


def test_the_robustness_of_the_baseline_adds_up_to_nothing_on_the_linear_scale() -> None:
    found = compare(OLD, FRESH, baseline=("alpha", "beta", "gamma"))
    robust = {model.name: model.effective_robustness for model in found.models}
    above = {name: 0.0 if one is None else one.value for name, one in robust.items()}
    assert sum(above[name] for name in ("alpha", "beta", "gamma")) == pytest.approx(0, abs=1e-12)
    # (0.9, 0.8), (0.75, 0.65), (0.6, 0.55): slope 0.25/0.3 = 0.8333, offset 0.6667 − 0.625 = 0.041667, so at 0.45 the line
    # is at 0.41667 and delta, with 0.3, lies 0.11667 below it.
    assert above["delta"] == pytest.approx(-0.116667, abs=1e-6)
    for one in robust.values():
        assert one is not None
        assert one.low <= one.value <= one.high


def test_robustness_is_in_accuracy_whatever_the_scale() -> None:
    found = compare(OLD, FRESH, baseline=("alpha", "beta"), scales=(Scale.PROBIT,)).get_model("delta")
    x, y = stats.norm.ppf([0.9, 0.75]), stats.norm.ppf([0.8, 0.65])
    slope = (y[0] - y[1]) / (x[0] - x[1])
    expected = 0.3 - stats.norm.cdf(y[0] + slope * (stats.norm.ppf(0.45) - x[0]))
    assert found.effective_robustness is not None
    assert found.effective_robustness.value == pytest.approx(expected, abs=1e-9)


def test_a_model_at_100_percent_has_its_robustness_too() -> None:
    found = compare({**OLD, "alpha": 40}, FRESH, baseline=("beta", "gamma"), scales=(Scale.LOGIT,))
    assert [model.name for model in found.models if model.effective_robustness is None] == []
    assert "There is no effective robustness" not in " ".join(found.notes)


def test_robustness_draws_images_and_models_whatever_else_is_drawn() -> None:
    limits = {}
    for resample in Resample:
        families = {"alpha": "f", "beta": "f", "gamma": "g", "delta": "h"}
        found = compare(OLD, FRESH, baseline=("*",), resample=resample, families=families, n_bootstrap=2_000)
        assert found.baseline is not None
        limits[found.baseline.resample] = format_limits(found.models[0].effective_robustness, decimals=9)
        assert found.baseline.models == ("alpha", "beta", "gamma", "delta")
    assert set(limits) == {Resample.MODELS_AND_IMAGES, Resample.FAMILIES_AND_IMAGES}
    assert len(set(limits.values())) == 2


def test_a_baseline_of_few_models_is_not_to_be_trusted() -> None:
    found = compare(OLD, FRESH, baseline=("beta", "gamma", "delta"))
    assert any("the 3 models of the baseline, which are too few to trust them" in note for note in found.notes)
    apart = compare(
        OLD, FRESH, baseline=("beta", "gamma"), resample=Resample.FAMILIES, families=dict.fromkeys(OLD, "f")
    )
    assert apart.baseline is None
    assert (
        "There is no effective robustness: drawing families needs at least two, and all 2 models are f." in apart.notes
    )


def test_without_a_baseline_there_is_no_robustness() -> None:
    assert {model.effective_robustness for model in compare(OLD, FRESH).models} == {None}
