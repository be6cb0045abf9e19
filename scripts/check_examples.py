"""Check the Python examples of the docs with mypy --strict: python -m scripts.check_examples."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))


def find_examples(page: Path) -> list[str]:
    """The programs of a page: its doctests as one, and every block of Python that imports regauge."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    tried = "".join(example.source for example in doctest.DocTestParser().get_examples(prose))
    return [*([tried] if tried else []), *(block for block in blocks if "import regauge" in block)]


def write_examples(folder: Path) -> list[Path]:
    """Every program as a module in the folder."""
    modules = []
    for page in PAGES:
        for number, source in enumerate(find_examples(page)):
            module = folder / f"{page.stem.replace('-', '_').lower()}_{number}.py"
            module.write_text(source, encoding="utf-8")
            modules.append(module)
    return modules


def main() -> int:
    """Run mypy on all programs at once; what it knows of the package it keeps for the next run."""
    with tempfile.TemporaryDirectory() as folder:
        modules = write_examples(Path(folder))
        # One page shows many things, and calls several of them by one name.
        options = ("--config-file", "pyproject.toml", "--strict", "--allow-redefinition-new", "--local-partial-types")
        command = [sys.executable, "-m", "mypy", *options, *map(str, modules)]
        return subprocess.run(command, cwd=ROOT, check=False).returncode  # noqa: S603 - our own examples


if __name__ == "__main__":
    sys.exit(main())
