"""Write anew what is installed, with the hash of every file that may be: `python scripts/lock.py`.

Each lock holds for every Python that pyproject.toml allows and for every system; pip chooses by markers. Versions stay as
they are while they fit; `--upgrade` takes the newest. Files come from the registry that pip is set up with, which no lock names.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "locks"
EXTRAS = {
    "run": ("croissant", "mturk", "postgres"),
    "dev": ("dev",),
    "interop": ("dev", "interop"),
}
"""Locks and the extras of each: to run Regauge, to work on it, and to test it with the readers of other programs."""

EDITABLE = "editables>=0.5"
"""What hatchling needs for `pip install --editable` without an environment of its own, which no lock would hold for."""


def main() -> None:
    """Write all locks, or say why one cannot be written."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        uv = find_uv(Path(folder))
        for name in EXTRAS:
            write_lock(uv, name, is_upgrade="--upgrade" in sys.argv[1:])


def find_uv(folder: Path) -> str:
    """The uv that is installed, else one that is for this moment."""
    if found := shutil.which("uv"):
        return found
    venv.create(folder / "uv", with_pip=True)
    subprocess.run([folder / "uv" / "bin" / "pip", "install", "--quiet", "uv"], check=True)  # noqa: S603 - a fixed command
    return str(folder / "uv" / "bin" / "uv")


def write_lock(uv: str, name: str, *, is_upgrade: bool) -> None:
    """Compile one lock from pyproject.toml, what builds the package included."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    path = FOLDER / f"{name}.txt"
    lowest = project["project"]["requires-python"].removeprefix(">=")
    command = [uv, "pip", "compile", "--quiet", "--universal", "--generate-hashes", "--no-header", "--no-annotate"]
    command += ["--python-version", lowest, "--output-file", str(path), *(["--upgrade"] if is_upgrade else [])]
    command += [word for extra in EXTRAS[name] for word in ("--extra", extra)]
    build = "\n".join((*project["build-system"]["requires"], EDITABLE))
    command += ["pyproject.toml", "-"]
    subprocess.run(command, cwd=ROOT, input=build, text=True, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - as above
    header = f"# {', '.join(EXTRAS[name])}; Python {lowest} and newer. Written by scripts/lock.py.\n"
    path.write_text(header + path.read_text(encoding="utf-8"), encoding="utf-8")


if __name__ == "__main__":
    main()
