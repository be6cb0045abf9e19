"""What the page on reviews shows of simulated reviews: the figure is of the table beside it."""

from __future__ import annotations

import re

from scripts.simulate_reviews import FIGURE, PAGE, SERIES, read_reach, replace_table


def test_the_figure_shows_the_table_of_the_page():
    rows = list(read_reach(PAGE.read_text(encoding="utf-8")))
    assert len(rows) == 3 * 4 * len(SERIES)
    settled = {
        row["ranks"]: row for row in rows if (row["images"], row["series"]) == ("46,837, trusted", "until settled")
    }
    assert {ranks: row["items"] for ranks, row in settled.items()} == {1: 6_716, 5: 472, 10: 163, 20: 85}
    assert (settled[5]["low"], settled[5]["high"]) == (26, 2_620)
    drawn = FIGURE.read_text(encoding="utf-8")
    found = {(one["series"], int(one["items"].replace(",", ""))) for one in find_points(drawn)}
    assert found == {(row["series"], row["items"]) for row in rows}
    assert "middle 90%" in drawn


def find_points(svg: str) -> list[dict[str, str]]:
    """What the points of a figure say of themselves."""
    labels = re.findall(r'aria-label="(ranks apart: [^"]*)" role="graphics-symbol" aria-roledescription="point"', svg)
    return [dict(part.split(": ", 1) for part in label.split("; ")) for label in labels]


def test_a_reader_of_the_table_takes_what_the_table_says():
    page = "<!-- reach -->\n<!-- end of reach -->\n"
    head = "| images, dataset labels | ranks apart | pairs | open items | until bounds settle | until settled | middle 90% |\n"
    table = head + "|---|---|---|---|---|---|---|\n| few | 2 | 3 | 1,000 | 900 | 80 | 7 to 90 |\n"
    rows = list(read_reach(replace_table(page, "reach", table)))
    assert [row["items"] for row in rows] == [1_000, 900, 80]
    assert rows[2] == {"images": "few", "ranks": 2, "items": 80, "series": "until settled", "low": 7, "high": 90}
