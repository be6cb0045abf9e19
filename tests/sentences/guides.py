"""What is said of the labeling guide."""

from __future__ import annotations

import json
from contextlib import chdir
from pathlib import Path

import click
import pytest
from tests.sentences.commands import give, run_words
from tests.sentences.entries import Always, Entries, Maker, Pair
from tests.workflows.campaign_studies import add_contains, make_pictured
from tests.workflows.guide.guide_studies import make_guided

CAT = "guide edit cat --text text.md"
DONE = "It says what was done."


def in_guided(*lines: str, text: str = "Ears.") -> Maker:
    """What the last of some commands prints in a study with verdicts to cite."""

    def make(folder: Path) -> list[str]:
        with make_guided(folder):
            pass
        (folder / "study" / "text.md").write_text(text, encoding="utf-8")
        return [*give(folder / "study", *lines), "(end)"]

    return make


def in_campaign(*lines: str, checksums: bool = False) -> Maker:
    """What the last of some commands prints in a study with a campaign, beside a set with checksums or without."""

    def make(folder: Path) -> list[str]:
        with make_pictured(folder) as study:
            add_contains(study)
        option = " --checksums" if checksums else ""
        added = f"testset add ../pictures/set.csv --name held --images ../pictures{option}"
        return [*give(folder / "study", added, *lines), "(end)"]

    return make


def typed(folder: Path, *, is_second: bool) -> list[str]:
    """What an editor that takes long is told, where somebody else saves meanwhile or nobody does."""

    def type_slowly(text: str, **_: object) -> str:
        if is_second:
            give(Path.cwd(), CAT)
        return f"{text} Tails."

    with make_guided(folder):
        pass
    (folder / "study" / "text.md").write_text("Ears.", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(click, "edit", type_slowly)
        return [*_run(folder / "study", "guide", "edit", "cat"), "(end)"]


def _run(folder: Path, *words: str) -> list[str]:
    with chdir(folder):
        return run_words(*words).out.splitlines()


def with_gone_class(*, is_gone: bool) -> Maker:
    """What an export says in a study whose taxonomy lost a class since."""

    def make(folder: Path) -> list[str]:
        write = in_guided("guide edit truck --text text.md")
        write(folder)
        settings = folder / "study" / "study.toml"
        taxonomy = folder / "study" / "fewer.json"
        n = 9 if is_gone else 10
        classes = [{"index": index, "id": f"c{index}", "names": [f"class {index}"]} for index in range(n)]
        taxonomy.write_text(
            json.dumps({"format": "regauge-taxonomy", "version": 1, "name": "fewer", "classes": classes})
        )
        settings.write_text(
            settings.read_text(encoding="utf-8").replace('"cifar-10"', '"fewer.json"'), encoding="utf-8"
        )
        return [*give(folder / "study", "guide export out"), "(end)"]

    return make


ENTRIES: Entries = {
    "cli/guide/changes.py:: Not all of these images have a checksum,": Pair(
        in_campaign("guide hide grids --images pictures"),
        in_campaign("guide hide grids --images held", checksums=True),
    ),
    "cli/guide/changes.py:edit: The text has not changed; nothing was stored.": Pair(
        in_guided(CAT, CAT), in_guided(CAT)
    ),
    "cli/guide/changes.py:withdraw: The case of image … was withdrawn from": Always(
        DONE, in_guided("guide cite verdicts a cat", "guide withdraw 1")
    ),
    "cli/guide/changes.py:hide: The guide shows everything to the annotators of": Pair(
        in_campaign("guide hide grids"), in_campaign("guide hide grids --images pictures")
    ),
    "cli/guide/changes.py:hide: The guide and cards hide … and their": Pair(
        in_campaign("guide hide grids --images pictures"), in_campaign("guide hide grids")
    ),
    "cli/guide/changes.py:export_: … left out: on a class that the": Pair(
        with_gone_class(is_gone=True), with_gone_class(is_gone=False)
    ),
    "cli/guide/changes.py:_save_or_keep: Your text is kept in ….": Pair(
        lambda folder: typed(folder, is_second=True), lambda folder: typed(folder, is_second=False)
    ),
    "cli/guide/guide.py:show: There is no entry on … yet.": Pair(
        in_guided("guide show cat"), in_guided(CAT, "guide show cat")
    ),
    "cli/guide/guide.py:search: No entry of the guide has all of": Pair(
        in_guided(CAT, "guide search tails"), in_guided(CAT, "guide search ears")
    ),
    "cli/guide/guide.py:tell_coverage: Version … of the guide: an entry for": Always(
        "It says how many there are.", in_guided("guide list")
    ),
    "cli/guide/guide.py:_tell_diff: The entry on …: … added, … removed.": Always(
        "It says how many there are.", in_guided(CAT, "guide diff cat")
    ),
}
