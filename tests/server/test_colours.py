"""The colours of all pages, by WCAG 2.2: text stands out from whatever it may lie on, and so do the edges of controls."""

from __future__ import annotations

import re
from importlib import resources

import pytest

STATIC = resources.files("regauge.server") / "static"
TEXTS = ("ink", "muted", "accent", "right", "wrong")
GROUNDS = ("paper", "shade", "soft")
"""What text may lie on: the page, what is set off from it, and what is chosen."""

Colour = tuple[float, float, float]


def read(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def parse(text: str) -> Colour:
    red, green, blue = (int(text[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return red, green, blue


def load_colours(scheme: str) -> dict[str, Colour]:
    """The variables of both style sheets in a scheme, those that are mixed among them."""
    light, dark = read("regauge.css").split("@media (prefers-color-scheme: dark)")
    text = light if scheme == "light" else dark.partition("* { box-sizing")[0]
    found = {name: parse(value) for name, value in re.findall(r"--([\w-]+): (#[0-9a-f]{6});", text)}
    mixed = r"--([\w-]+): color-mix\(in srgb, var\(--([\w-]+)\) (\d+)%, var\(--([\w-]+)\)\)"
    for name, first, percent, second in re.findall(mixed, read("manage.css")):
        share = int(percent) / 100
        red, green, blue = (
            share * one + (1 - share) * other for one, other in zip(found[first], found[second], strict=True)
        )
        found[name] = (red, green, blue)
    return found


def count_light(colour: Colour) -> float:
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Colour, other: Colour) -> float:
    dark, bright = sorted((count_light(one), count_light(other)))
    return (bright + 0.05) / (dark + 0.05)


def test_black_on_white_is_twenty_one_to_one() -> None:
    # White has luminance 1, black 0: (1 + 0.05) / (0 + 0.05) = 21.
    assert contrast(parse("#000000"), parse("#ffffff")) == pytest.approx(21)
    # The grey that WCAG's own examples give as the lightest that passes on white.
    assert contrast(parse("#767676"), parse("#ffffff")) == pytest.approx(4.54, abs=0.005)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out(scheme: str) -> None:
    colours = load_colours(scheme)
    pairs = [(text, ground) for text in TEXTS for ground in GROUNDS] + [("on-accent", "accent")]
    found = {pair: contrast(colours[pair[0]], colours[pair[1]]) for pair in pairs}
    assert {pair: value for pair, value in found.items() if value < 4.5} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_edges_of_controls_and_figures_stand_out(scheme: str) -> None:
    colours = load_colours(scheme)
    pairs = [("edge", ground) for ground in GROUNDS] + [("bar", "paper"), ("accent", "paper"), ("accent", "line")]
    found = {pair: contrast(colours[pair[0]], colours[pair[1]]) for pair in pairs}
    assert {pair: value for pair, value in found.items() if value < 3} == {}


def test_every_text_has_one_of_these_colours_and_none_is_faded() -> None:
    for name in ("regauge.css", "manage.css"):
        text = read(name)
        used = set(re.findall(r"[{;]\s*color: ([^;}]+)", text))
        assert used <= {*(f"var(--{one})" for one in (*TEXTS, "on-accent")), "inherit"}
        # What is wholly there or not at all is not faded.
        assert set(re.findall(r"opacity: ([^;}]+)", text)) <= {"0", "1"}
