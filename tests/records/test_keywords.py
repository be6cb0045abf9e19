"""Settings as keywords: the same names, the same results, and never beside settings."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

import regauge
from regauge.errors import InputError
from regauge.records.evaluation.planning import PlanSettings, StudyDesign
from regauge.records.keywords import (
    ClassifyKeywords,
    ContainsKeywords,
    ContextKeywords,
    FindKeywords,
    GapKeywords,
    HumanKeywords,
    PlanKeywords,
    ScoreKeywords,
    ShiftKeywords,
    VoteKeywords,
    choose_settings,
)
from regauge.records.labels.classify import ClassifySettings
from regauge.records.labels.contains import ContainsSettings, FrequencyMethod

PAIRS: list[tuple[Any, Any]] = [
    (ScoreKeywords, regauge.ScoreSettings),
    (ShiftKeywords, regauge.ShiftSettings),
    (GapKeywords, regauge.GapSettings),
    (ContextKeywords, regauge.ContextSettings),
    (HumanKeywords, regauge.HumanSettings),
    (VoteKeywords, regauge.VoteSettings),
    (PlanKeywords, PlanSettings),
    (FindKeywords, regauge.FindSettings),
    (ContainsKeywords, ContainsSettings),
    (ClassifyKeywords, ClassifySettings),
]
TRUTH = regauge.TestSet("tiny", ["a", "b", "c"], [0, 1, 1])
MODELS = [
    regauge.Predictions("one", ["a", "b", "c"], [0, 1, 0]),
    regauge.Predictions("two", ["a", "b", "c"], [1, 1, 0]),
]


@pytest.mark.parametrize(("keywords", "settings"), PAIRS)
def test_every_setting_has_its_keyword(keywords, settings):
    assert set(keywords.__annotations__) == {one.name for one in fields(settings)}


def test_keywords_give_what_settings_give():
    by_keyword = regauge.score(MODELS, TRUTH, against="two", level=0.9)
    by_settings = regauge.score(MODELS, TRUTH, settings=regauge.ScoreSettings(against="two", level=0.9))
    assert by_keyword.to_frame().equals(by_settings.to_frame())
    assert by_keyword.settings == by_settings.settings


def test_words_stand_for_choices():
    made = choose_settings(
        regauge.ShiftSettings, None, keywords={"scales": ["linear", "logit"], "resample": "images", "fit_models": "a*"}
    )
    assert made.scales == (regauge.Scale.LINEAR, regauge.Scale.LOGIT)
    assert made.resample is regauge.Resample.IMAGES
    assert made.fit_models == ("a*",)
    every = choose_settings(regauge.ShiftSettings, None, keywords={"scales": "all", "resample": None})
    assert every.scales == tuple(regauge.Scale)
    votes = choose_settings(regauge.VoteSettings, None, keywords={"accept": ("yes", 0.8), "truths": ["no", "yes"]})
    assert votes.accept == regauge.Acceptance("yes", 0.8)
    assert votes.truths == ("no", "yes")


def test_labels_of_people_take_keywords_too(tmp_path):
    contains, classify = tmp_path / "grids.csv", tmp_path / "objects.jsonl"
    rows = [f"t,{who},0,{image},,{int(image == 'a')}" for who in "uvw" for image in "ab"]
    contains.write_text("\n".join(["task_id,annotator_id,class,image_id,control,selected", *rows]))
    labels = regauge.aggregate_contains(contains, rules=None, method="beta-binomial", keep_responses=[("t", "u")])
    assert labels.settings == ContainsSettings(
        rules=None, method=FrequencyMethod.BETA_BINOMIAL, keep_responses=(("t", "u"),)
    )
    lines = [f'{{"image_id": "a", "annotator_id": "{who}", "selected": [3], "main": 3}}' for who in "uv"]
    classify.write_text("\n".join([*lines, '{"image_id": "a", "annotator_id": "w", "selected": [], "main": null}']))
    by_keyword = regauge.aggregate_classify(classify, screening=False)
    by_settings = regauge.aggregate_classify(classify, settings=ClassifySettings(screening=False))
    # Screening ignores whoever finds no label, and without it every answer counts.
    n_dropped = [one.dropped.height for one in (by_keyword, by_settings, regauge.aggregate_classify(classify))]
    assert n_dropped == [0, 0, 1]
    calls: list[tuple[Any, Any, Any]] = [
        (regauge.aggregate_contains, contains, ContainsSettings()),
        (regauge.aggregate_classify, classify, ClassifySettings()),
    ]
    for aggregate, path, settings in calls:
        with pytest.raises(TypeError, match="no keyword 'lvl'"):
            aggregate(path, lvl=0.9)
        with pytest.raises(InputError, match="Give either settings or level, not both"):
            aggregate(path, settings=settings, level=0.9)


def test_a_plan_takes_keywords_and_a_single_number_stands_for_a_list():
    design = StudyDesign(n_classes=3)
    by_keyword = regauge.make_plan(design, annotators=5, per_class=[4], n_studies=2, method="naive")
    by_settings = regauge.make_plan(
        design, PlanSettings(annotators=(5,), per_class=(4,), n_studies=2, method=regauge.GapMethod.NAIVE)
    )
    assert by_keyword.settings == by_settings.settings
    assert by_keyword.points == by_settings.points


def test_settings_and_keywords_together_are_refused():
    with pytest.raises(InputError, match="Give either settings or level, seed, not both"):
        regauge.score(MODELS, TRUTH, settings=regauge.ScoreSettings(), level=0.9, seed=1)


def test_an_unknown_keyword_is_a_type_error_as_everywhere_in_python():
    with pytest.raises(TypeError, match=r"no keyword 'lvl' \(did you mean 'level'\?\); there are: against, .*, ids, "):
        regauge.score(MODELS, TRUTH, lvl=0.9)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"no keyword 'foo'; the settings are: allow_missing, .*, fit_models, "):
        choose_settings(regauge.ShiftSettings, None, keywords={"foo": 1})


def test_an_unknown_word_is_refused_with_the_choices():
    with pytest.raises(InputError, match=r"`scales=…` is one of linear, .*, not 'log'"):
        choose_settings(regauge.ShiftSettings, None, keywords={"scales": "log"})
    with pytest.raises(InputError, match=r"`unlisted=…` is one of wrong, unjudged, not 'x'"):
        regauge.score(MODELS, TRUTH, unlisted="x")
