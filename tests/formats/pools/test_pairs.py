"""Reviewed pairs, and images with reasons."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.command_runner import write

from regauge.errors import FormatError
from regauge.formats.pools.pairs import load_pairs, load_reasons


def test_verdicts_are_understood_in_many_spellings(tmp_path: Path) -> None:
    spellings = ["same", "Duplicate", "near-duplicate", "TRUE", "1", "different", "False", "0", "unsure", "maybe"]
    rows = "".join(f"a,b{number},{word},l2,0.5\n" for number, word in enumerate(spellings))
    write(tmp_path, {"p.csv": "image_a,image_b,verdict,metric,distance\n" + rows})
    found = load_pairs(tmp_path / "p.csv")
    assert found.verdicts.tolist() == ["same"] * 5 + ["different"] * 3 + ["unsure"] * 2
    assert found.second.tolist()[:2] == ["b0", "b1"]


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ("image_a,image_b\na,b\n", "a list of pairs needs the columns image_a, image_b, verdict"),
        (
            "image_a,image_b,verdict\na,b,same\na,c,perhaps\n",
            "line 3: a verdict is same, different or unsure, not 'perhaps'",
        ),
        ("image_a,image_b,verdict\na,,same\n", "line 2: the column 'image_b' is empty"),
        ("image_a,image_b,verdict\na,b,\n", "line 2: the column 'verdict' is empty"),
    ],
)
def test_what_is_no_list_of_pairs_is_refused_with_its_line(tmp_path: Path, table: str, problem: str) -> None:
    write(tmp_path, {"p.csv": table})
    with pytest.raises(FormatError, match=problem):
        load_pairs(tmp_path / "p.csv")


def test_every_image_of_a_list_has_a_reason_of_its_own_or_the_given_one(tmp_path: Path) -> None:
    write(tmp_path, {"l.csv": "image_id,reason\na,a drawing\nb,\n", "ids.csv": "image_id\na\n"})
    assert load_reasons(tmp_path / "l.csv", reason="unclear") == {"a": "a drawing", "b": "unclear"}
    assert load_reasons(tmp_path / "ids.csv", reason="unclear") == {"a": "unclear"}
    with pytest.raises(FormatError, match="line 3: every image needs a reason"):
        load_reasons(tmp_path / "l.csv")


def test_an_image_is_listed_once(tmp_path: Path) -> None:
    write(tmp_path, {"l.csv": "image_id,reason\na,x\na,y\n"})
    with pytest.raises(FormatError, match="line 3: image 'a' occurs a second time"):
        load_reasons(tmp_path / "l.csv")
