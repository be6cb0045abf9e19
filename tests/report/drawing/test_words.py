"""How wide words are: as the letters that figures are drawn with have it."""

from __future__ import annotations

import json
import re

import pytest
import vl_convert

from regauge.report.drawing.words import cut_words, find_widest, fit_labels, measure_words, wrap_words

WORDS = ("gradients-histogram-logistic", "resnet_v2_152_tf 77.8 → 84.7", "WWW iii @#&", "a", "Φ−1 · points…")


@pytest.mark.parametrize("text", WORDS)
def test_words_are_as_wide_as_they_are_drawn(text: str) -> None:
    mark = {"type": "text", "fontSize": 20, "font": "Liberation Sans", "align": "left"}
    spec = {
        "data": {"values": [{"t": text}]},
        "mark": mark,
        "encoding": {"text": {"field": "t"}, "x": {"value": 0}},
        "width": 1,
        "height": 1,
        "padding": 0,
        "config": {"view": {"stroke": None}},
    }
    svg = vl_convert.vegalite_to_svg(spec)
    drawn = float(re.findall(r'<svg[^>]* width="([\d.]+)"', svg)[0])
    assert measure_words(text, 20) == pytest.approx(drawn, rel=0.06, abs=2)


def test_no_words_take_no_room() -> None:
    assert measure_words("", 12) == 0
    assert find_widest([], 12) == 0


def test_letters_that_take_the_room_of_two_do_and_accents_take_none() -> None:
    assert measure_words("视", 10) == 10
    assert measure_words("e\u0301", 10) == measure_words("e", 10)


def test_lines_break_at_spaces_and_lose_no_word() -> None:
    text = "Thick bar: from all unjudged wrong to all unjudged right."
    lines = wrap_words(text, 120, size=12)
    assert " ".join(lines) == text
    assert all(measure_words(line, 12) <= 120 for line in lines)
    assert wrap_words("unbreakable", 10, size=12) == ["unbreakable"]


def test_a_text_that_fits_is_not_cut() -> None:
    assert cut_words("short", 100, size=12) == "short"
    assert measure_words(cut_words("m" * 99, 100, size=12), 12) <= 100
    assert cut_words("mmm", 1, size=12) == "…"


def test_names_of_rows_that_are_too_wide_lose_their_middle_and_stay_apart() -> None:
    names = [f"an-experiment-with-a-very-long-name-and-settings-seed{seed}" for seed in range(3)]
    axis = fit_labels(names, 150, size=12)
    labels = json.loads(axis["labelExpr"].removeprefix("(").removesuffix(")[datum.value]"))
    assert list(labels) == names
    assert len(set(labels.values())) == 3
    assert all(label.endswith("seed" + name[-1]) and measure_words(label, 12) < 150 for name, label in labels.items())
    assert fit_labels(["short"], 150, size=12) == {"labelLimit": 150, "labelOverlap": False}
