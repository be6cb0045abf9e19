"""A comparison comes back from the tables exactly as it was computed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import select, update
from tests.storage.small_studies import make_study

import regauge
from regauge import Predictions, Resample, Scale, Shift, ShiftSettings, TestSet
from regauge.errors import InputError
from regauge.records.evaluation.shifts import MeanChange
from regauge.records.studies import Selection
from regauge.storage.database.schema import comparisons
from regauge.storage.evaluation.comparisons import BAND, load_class_changes, load_shift
from regauge.workflows.evaluation.evaluations import compare, measure_shift, store_comparison
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.test_set import add_test_set

N_IMAGES = 40
MODELS = {"alpha": 0.9, "beta": 0.7, "gamma": 0.6, "delta": 0.35}
FAMILIES = {"alpha": "a", "beta": "b", "gamma": "b", "delta": "c"}


def fill_two_sets(study: Study, folder: Path, rng: np.random.Generator) -> None:
    """Two test sets and four models, the new set harder by a tenth."""
    for name, harder in (("old", 0.0), ("fresh", 0.1)):
        ids = [f"{name}_{number}" for number in range(N_IMAGES)]
        labels = rng.integers(0, 10, N_IMAGES)
        rows = "".join(f"{image_id},{label}\n" for image_id, label in zip(ids, labels.tolist(), strict=True))
        (folder / f"{name}.csv").write_text(f"image_id,label\n{rows}")
        add_test_set(study, folder / f"{name}.csv")
        answers = [
            Predictions(
                model, np.array(ids), np.where(rng.random(N_IMAGES) < right - harder, labels, (labels + 1) % 10)
            )
            for model, right in MODELS.items()
        ]
        add_predictions(study, PredictionSource(answers), test_set=name)


def check_equal(kept: Shift, made: Shift) -> None:
    """Every field, and every number of the bands to its last bit."""
    for name in ("original", "new", "models", "mean_changes", "settings", "notes", "warnings", "n_shared", "baseline"):
        assert getattr(kept, name) == getattr(made, name), name
    assert len(kept.fits) == len(made.fits)
    for one, other in zip(kept.fits, made.fits, strict=True):
        for name in one.__dataclass_fields__:
            if name in BAND:
                assert getattr(one, name).dtype == getattr(other, name).dtype == np.float64
                assert getattr(one, name).tolist() == getattr(other, name).tolist(), name
            else:
                assert getattr(one, name) == getattr(other, name), name
                assert type(getattr(one, name)) is type(getattr(other, name)), name


@pytest.mark.parametrize(
    "settings",
    [
        ShiftSettings(n_bootstrap=200),
        ShiftSettings(
            scales=tuple(Scale), fit_except=("delta",), baseline=("*",), n_bootstrap=200, level=0.9, seed=2**64 - 1
        ),
        ShiftSettings(resample=Resample.FAMILIES, families=FAMILIES, n_bootstrap=200),
        ShiftSettings(resample=Resample.IMAGES, scales=(Scale.PROBIT,), n_bootstrap=200),
        ShiftSettings(resample=Resample.MODELS_AND_IMAGES, n_bootstrap=200),
        ShiftSettings(fit_models=("alpha",), allow_missing=True, n_bootstrap=200),
    ],
    ids=["plain", "all scales", "families", "images", "models and images", "without a line"],
)
def test_a_stored_comparison_equals_the_computed_one(
    tmp_path: Path, rng: np.random.Generator, settings: ShiftSettings
) -> None:
    with make_study(tmp_path) as study:
        with study.begin() as begun:
            fill_two_sets(begun, tmp_path, rng)
            made = compare(begun, Selection("old"), Selection("fresh"), settings=settings)
        with study.read() as begun:
            kept = load_shift(begun, made.id)
            with pytest.raises(InputError, match="no comparison 99"):
                load_shift(begun, 99)
    assert len(made.shift.models) == 4
    check_equal(kept, made.shift)
    # What draws and prints a comparison takes the stored one as it takes the computed one.
    assert regauge.plot_shift(kept).to_dict() == regauge.plot_shift(made.shift).to_dict()


def test_a_comparison_is_what_shift_gives_for_the_same_answers(tmp_path: Path) -> None:
    truth = TestSet("truth", list("abcd"), [0, 1, 2, 3])
    good = Predictions("good", list("abcd"), [0, 1, 2, 3])
    half = Predictions("good", list("abcd"), [0, 1, 0, 0])
    outside = regauge.shift(
        regauge.TestSetAnswers(good, truth), regauge.TestSetAnswers(half, TestSet("new", truth.image_ids, truth.labels))
    )
    with make_study(tmp_path) as study, study.begin() as begun:
        for name, answers in (("truth", good), ("new", half)):
            add_test_set(begun, tmp_path / "truth.csv", name=name)
            add_predictions(begun, PredictionSource(answers), test_set=name)
        inside = compare(begun, Selection("truth"), Selection("new")).shift
    check_equal(inside, outside)


def test_changes_class_by_class_are_stored_with_the_comparison(tmp_path: Path, rng: np.random.Generator) -> None:
    settings = ShiftSettings(n_bootstrap=200, level=0.9, seed=5)
    with make_study(tmp_path) as study:
        with study.begin() as begun:
            fill_two_sets(begun, tmp_path, rng)
            sides = Selection("old"), Selection("fresh")
            made = measure_shift(begun, *sides, settings=settings, each=("alpha",))
            number = store_comparison(begun, made).id
            plain = compare(begun, *sides, settings=settings).id
        with study.read() as begun:
            kept = load_class_changes(begun, number)
            assert load_class_changes(begun, plain) is None
            check_equal(load_shift(begun, number), made.shift)
            with pytest.raises(InputError, match="no comparison 99"):
                load_class_changes(begun, 99)
    assert kept is not None
    assert made.classes is not None
    for name in kept.__dataclass_fields__:
        assert getattr(kept, name) == getattr(made.classes, name), name


def test_a_comparison_of_an_earlier_version_says_that_its_mean_change_drew_models(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    with make_study(tmp_path) as study, study.begin() as begun:
        fill_two_sets(begun, tmp_path, rng)
        made = compare(begun, Selection("old"), Selection("fresh"), settings=ShiftSettings(n_bootstrap=200))
        row = begun.connection.execute(select(comparisons)).mappings().one()
        del row["result"]["n_shared"], row["result"]["baseline"]
        result = {**row["result"], "mean_changes": {"top1": {"n_models": 4, "value": -0.1, "low": -0.2, "high": 0.0}}}
        settings = {**row["settings"], "resample": "models"}
        del settings["shared"]
        begun.connection.execute(update(comparisons).values(result=result, settings=settings))
        kept = load_shift(begun, made.id)
    assert kept.mean_changes["top1"] == MeanChange(value=-0.1, low=-0.2, high=0.0, n=4, resample=Resample.MODELS)
    assert kept.settings.fit_resample is Resample.MODELS
    assert (kept.n_shared, kept.baseline) == (None, None)


def test_a_study_knows_shared_images_by_their_checksums(tmp_path: Path) -> None:
    digests = [f"{number:064x}" for number in range(30)]
    right = np.random.default_rng(5).random(30) < 0.7
    with make_study(tmp_path) as study, study.begin() as begun:
        for name, first in (("old", 0), ("fresh", 10)):
            numbers = range(first, first + 20)
            rows = "".join(f"{name}{number},0,{digests[number]}\n" for number in numbers)
            (tmp_path / f"{name}.csv").write_text(f"image_id,label,sha256\n{rows}")
            add_test_set(begun, tmp_path / f"{name}.csv")
            ids = np.array([f"{name}{number}" for number in numbers])
            answers = np.where(right[list(numbers)], 0, 1)
            add_predictions(begun, PredictionSource(Predictions("model", ids, answers)), test_set=name)
        made = compare(begun, Selection("old"), Selection("fresh"), settings=ShiftSettings(n_bootstrap=200))
        kept = load_shift(begun, made.id)
    assert kept.n_shared == made.shift.n_shared == 10
    assert "old and fresh share 10 images (by equal bytes); shared images are drawn together." in kept.notes
