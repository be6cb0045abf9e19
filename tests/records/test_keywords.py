"""Settings as keywords: the same names, the same results, and never beside settings."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

import regauge
from regauge.errors import InputError
from regauge.records.keywords import GapKeywords, ScoreKeywords, ShiftKeywords, VoteKeywords, choose_settings

PAIRS: list[tuple[Any, Any]] = [
    (ScoreKeywords, regauge.ScoreSettings),
    (ShiftKeywords, regauge.ShiftSettings),
    (GapKeywords, regauge.GapSettings),
    (VoteKeywords, regauge.VoteSettings),
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


def test_settings_and_keywords_together_are_refused():
    with pytest.raises(InputError, match="Give either settings or level, seed, not both"):
        regauge.score(MODELS, TRUTH, settings=regauge.ScoreSettings(), level=0.9, seed=1)


def test_an_unknown_keyword_is_a_type_error_as_everywhere_in_python():
    with pytest.raises(TypeError, match="no keyword 'lvl'; ScoreSettings has against"):
        regauge.score(MODELS, TRUTH, lvl=0.9)  # type: ignore[call-overload]


def test_an_unknown_word_is_refused_with_the_choices():
    with pytest.raises(InputError, match=r"`scales=…` is one of linear, .*, not 'log'"):
        choose_settings(regauge.ShiftSettings, None, keywords={"scales": "log"})
    with pytest.raises(InputError, match=r"`unlisted=…` is one of wrong, unjudged, not 'x'"):
        regauge.score(MODELS, TRUTH, unlisted="x")
