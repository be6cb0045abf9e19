"""Where images went after CONTAINS, from our own tables and as it was released."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.command_runner import write

from regauge.errors import FormatError
from regauge.formats.labels.splits import load_parts
from regauge.records.candidates import SplitPart


def test_our_table_and_the_released_one_say_the_same(tmp_path: Path) -> None:
    write(tmp_path, {"ours.csv": "image_id,part,label\n1,easy,3\n2,follow-up,4\n3,ambiguous,5\n4,mislabeled,6\n"})
    write(tmp_path, {"theirs.csv": "image,split\n1,easy\n2,fu\n3,amb\n4,mis\n"})
    assert load_parts(tmp_path / "ours.csv") == load_parts(tmp_path / "theirs.csv")
    assert load_parts(tmp_path / "ours.csv")["2"] is SplitPart.FOLLOW_UP


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("image,split\n1,hard\n", "line 2: a part is easy, mislabeled, ambiguous, follow-up, not 'hard'"),
        ("image,split\n1,easy\n1,fu\n", "line 3: image '1' occurs a second time"),
        ("image,part_of\n1,easy\n", "part"),
    ],
)
def test_what_is_no_split_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    write(tmp_path, {"split.csv": text})
    with pytest.raises(FormatError, match=problem):
        load_parts(tmp_path / "split.csv")
