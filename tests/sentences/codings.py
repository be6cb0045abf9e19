"""Sentences about codings of mistakes: what was added, overturned and left out."""

from __future__ import annotations

from tests.sentences.commands import commands
from tests.sentences.entries import Entries, Maker, Pair

HEAD = "image_id,prediction,category,severity,overturned\n"
FILES = {
    "t.csv": "image_id,label\na,3\nb,4\nc,5\n",
    "people.jsonl": '{"image_id":"a","correct":[3,5],"wrong":[7]}\n{"image_id":"b","correct":[4],"problematic":true}\n',
    "one.csv": HEAD + "a,7,FG,major,\n",
    "both.csv": HEAD + "a,5,FG,major,\na,7,,,missed object\n",
    "gone.csv": HEAD + "a,5,FG,major,\na,7,FG,minor,\n",
    "apart.csv": HEAD + "b,1,FG,major,\n",
    "beyond.csv": HEAD + "a,7,FG,major,\nz,1,FG,major,\n",
    "p.csv": "image_id,class\na,7\nb,2\nc,5\n",
}


def studied(*lines: str) -> Maker:
    """What the last of some commands says in a study with verdicts on two images, of which one is problematic."""
    study = [f"{line} --study s" for line in ("testset add t.csv", "labels add people.jsonl", *lines)]
    return commands("init s --taxonomy cifar-10", *study, files=FILES)


def add(name: str, *, who: str = "p") -> str:
    return f"mistakes add {name} --participant {who} --labels people"


ANSWERS = "predictions add p.csv"

ENTRIES: Entries = {
    "cli/mistakes/codings.py:_make_parts: Mistakes by category and severity, as entered": Pair(
        studied(add("one.csv"), "mistakes show one"), studied(add("both.csv"), "mistakes show both")
    ),
    "cli/mistakes/codings.py:_describe_reasons: … overturned: ….": Pair(
        studied(add("both.csv"), "mistakes show both"), studied(add("one.csv"), "mistakes show one")
    ),
    "formats/mistakes/coded.py:load_mistakes: …: … left out.": Pair(
        commands("mistakes summary both.csv", files=FILES), commands("mistakes summary one.csv", files=FILES)
    ),
    "workflows/mistakes/codings.py:_describe_images: … left out: on images that are not": Pair(
        studied(add("beyond.csv")), studied(add("one.csv"))
    ),
    "workflows/mistakes/codings.py:_compare_answers: … has no predictions on … here; what": Pair(
        studied(add("one.csv")), studied(ANSWERS, add("one.csv"))
    ),
    "workflows/mistakes/codings.py:_compare_answers: … not what … answers in this study:": Pair(
        studied(ANSWERS, add("gone.csv")), studied(ANSWERS, add("one.csv"))
    ),
    "workflows/mistakes/codings.py:describe_overturned: … of … contradict …, which accepts them;": Pair(
        studied(add("gone.csv")), studied(add("one.csv"))
    ),
    "workflows/mistakes/codings.py:describe_overturned: … on images on which … judges no": Pair(
        studied(add("apart.csv")), studied(add("one.csv"))
    ),
}
