"""One set of sizes, distances and colours: text stands out by WCAG 2.2, and no style sheet has any of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import regauge

SOURCE = Path(regauge.__file__).parent
TOKENS = (SOURCE / "look" / "tokens.css").read_text(encoding="utf-8")
SHEETS = sorted(path for path in SOURCE.rglob("*.css") if path.name != "tokens.css")

TEXTS = ("ink", "muted", "accent", "right", "wrong")
GROUNDS = ("paper", "shade", "soft")
"""What text may lie on: the page, what is set off from it, and what is chosen."""
FILLS = ("accent", "accent-deep", "wrong", "wrong-deep")
"""What the words of a button may lie on."""

SYSTEM = {"Canvas", "CanvasText", "ButtonText", "Highlight", "HighlightText"}
"""Colours that a reader has chosen for all pages."""
COLOURED = re.compile(r"(?:(?:background|border|outline|accent)(?:-\w+)*-)?color|background|fill|stroke")
LAID_OUT = re.compile(
    r"(?:min-|max-)?width|grid-template-columns|columns|flex(?:-basis)?|border(?:-(?:top|right|bottom|left))?(?:-width)?"
    r"|outline(?:-offset)?|box-shadow|transform"
)
"""Where lengths are a matter of a page's layout: how wide something is, how thick a line is, where a mark sits."""

Colour = tuple[float, float, float]


def list_declarations(sheet: str) -> Iterator[tuple[str, str]]:
    """The properties of a style sheet with their values."""
    bare = re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL)
    for name, value in re.findall(r"(?<![\w-])([a-z-]+)\s*:\s*([^;{}]+?)\s*(?=[;}])", bare):
        yield name, value.removesuffix("!important").strip()


def parse(text: str) -> Colour:
    red, green, blue = (int(text[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return red, green, blue


def load_colours(scheme: str) -> dict[str, Colour]:
    """The colours in a scheme; whatever the dark one does not name is as in the light one."""
    blocks = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block)) for block in TOKENS.split("}")]
    light, *dark = [block for block in blocks if "paper" in block]
    assert len(dark) == 2
    # By the system's wish and by the page's button.
    assert dark[0] == dark[1]
    found = light if scheme == "light" else light | dark[0]
    return {name: parse(value) for name, value in found.items()}


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
    pairs = [(text, ground) for text in TEXTS for ground in GROUNDS] + [("on-accent", fill) for fill in FILLS]
    found = {pair: contrast(colours[pair[0]], colours[pair[1]]) for pair in pairs}
    assert {pair: value for pair, value in found.items() if value < 4.5} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_edges_of_controls_and_figures_stand_out(scheme: str) -> None:
    colours = load_colours(scheme)
    pairs = [("edge", ground) for ground in GROUNDS] + [("bar", "paper"), ("accent", "paper"), ("accent", "line")]
    found = {pair: contrast(colours[pair[0]], colours[pair[1]]) for pair in pairs}
    assert {pair: value for pair, value in found.items() if value < 3} == {}


def test_there_are_six_sizes_of_type_five_distances_and_three_heights() -> None:
    def measure(kind: str, unit: int = 1) -> dict[str, float]:
        found = re.findall(rf"--{kind}-(\d+): ([\d.]+)(?:rem|px);", TOKENS)
        return {name: unit * float(value) for name, value in found}

    # 1 rem is 16 px unless a reader wants more; a token is called by its pixels.
    assert measure("text", 16) == {name: int(name) for name in ("13", "14", "16", "20", "26", "32")}
    assert measure("control", 16) == {name: int(name) for name in ("32", "40", "48")}
    assert measure("space") == {name: int(name) for name in ("4", "8", "16", "24", "40")}
    assert measure("radius") == {name: int(name) for name in ("4", "8")}


def name_of(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def test_the_style_sheets_of_pages_and_reports_are_among_those_that_are_looked_at() -> None:
    assert {"server/static/regauge.css", "server/static/manage.css", "report/assets/report.css"} <= set(
        map(name_of, SHEETS)
    )


@pytest.mark.parametrize("path", SHEETS, ids=name_of)
def test_a_style_sheet_has_no_colours_of_its_own(path: Path) -> None:
    allowed = {"transparent", "currentColor", "inherit", "none", *SYSTEM}
    for name, value in list_declarations(path.read_text(encoding="utf-8")):
        assert not re.search(r"#[0-9a-fA-F]{3,8}\b|\b(?:rgb|hsl|hwb|lab|lch|oklab|oklch|color|color-mix)a?\(", value), (
            value
        )
        if COLOURED.fullmatch(name):
            words = set(re.findall(r"[A-Za-z]+", re.sub(r"var\(--[\w-]+\)", "", value)))
            assert words <= allowed, f"{name}: {value}"


@pytest.mark.parametrize("path", SHEETS, ids=name_of)
def test_a_style_sheet_has_no_sizes_of_its_own(path: Path) -> None:
    for name, value in list_declarations(path.read_text(encoding="utf-8")):
        said = f"{name}: {value}"
        if name in {"font", "font-size"}:
            assert re.fullmatch(r"inherit|var\(--text-\d+\)", value), said
        elif name == "border-radius":
            assert re.fullmatch(r"(?:(?:0|50%|var\(--radius-\d\))\s*)+", value), said
        elif not LAID_OUT.fullmatch(name):
            assert not re.search(r"\d(?:px|rem|pt)\b", value), said


@pytest.mark.parametrize("path", [SOURCE / "look" / "tokens.css", *SHEETS], ids=name_of)
def test_whatever_a_style_sheet_refers_to_is_there(path: Path) -> None:
    used = set(re.findall(r"var\(--([\w-]+)\)", path.read_text(encoding="utf-8")))
    assert used <= set(re.findall(r"--([\w-]+):", TOKENS))


@pytest.mark.parametrize("path", [SOURCE / "look" / "tokens.css", *SHEETS], ids=name_of)
def test_every_text_has_one_of_the_colours_that_stand_out_and_none_is_faded(path: Path) -> None:
    declared = list(list_declarations(path.read_text(encoding="utf-8")))
    used = {value for name, value in declared if name == "color"}
    assert used <= {*(f"var(--{one})" for one in (*TEXTS, "on-accent")), "inherit", *SYSTEM}
    # What is wholly there or not at all is not faded; a removed picture is, and the button of a figure that nobody has come to.
    faded = {value for name, value in declared if name == "opacity"} - {"0", "1"}
    assert faded <= {"manage_draw.css": {"0.35"}, "report.css": {"0.6"}}.get(path.name, set())
