"""What is built holds everything: also templates, scripts and styles, those of kinds of task among them."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hatch_build import make_description

from regauge.kinds.registry import KINDS

ROOT = Path(__file__).resolve().parents[2]


def test_the_wheel_holds_every_file_of_the_package_and_the_pages_of_all_kinds(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet", "--wheel-dir", str(tmp_path), str(ROOT)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    if built.returncode:
        pytest.skip("no wheel can be built here: pip finds no hatchling")
    (wheel,) = tmp_path.glob("*.whl")
    archive = zipfile.ZipFile(wheel)
    names = set(archive.namelist())
    files = [path for path in (ROOT / "src").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert {path.relative_to(ROOT / "src").as_posix() for path in files} <= names
    for kind in KINDS:
        assert {f"regauge/kinds/{kind}/page/{kind}.{suffix}" for suffix in ("html", "js", "css")} <= names
    (metadata,) = (archive.read(name).decode() for name in names if name.endswith(".dist-info/METADATA"))
    assert "# Regauge" in metadata
    assert find_dead_links(metadata) == []


def find_dead_links(page: str) -> list[str]:
    """Links and pictures that lead nowhere from a page outside of the repository."""
    targets = re.findall(r"\]\(([^)]+)\)", page) + re.findall(r'(?:src|href)="([^"]+)"', page)
    return [target for target in targets if not target.startswith("https://")]


def test_a_description_without_an_address_has_plain_text_for_links_and_no_pictures() -> None:
    readme = (
        "See [labels](docs/labels.md#rules) and [a paper](https://arxiv.org/abs/1).\n\n![A grid](docs/a.jpg)\n\nEnd.\n"
    )
    assert make_description(readme, None) == "See labels and [a paper](https://arxiv.org/abs/1).\n\nEnd.\n"


def test_a_description_with_an_address_has_absolute_links_and_pictures() -> None:
    made = make_description("[labels](docs/labels.md#rules) ![A grid](docs/a.jpg)", "https://example.org/lab/regauge/")
    assert made == (
        "[labels](https://example.org/lab/regauge/blob/HEAD/docs/labels.md#rules) "
        "![A grid](https://example.org/lab/regauge/raw/HEAD/docs/a.jpg)"
    )


def test_the_readme_has_no_dead_link_on_a_page_of_the_package() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert find_dead_links(readme)
    for source in (None, "https://example.org/lab/regauge"):
        assert find_dead_links(make_description(readme, source)) == []
