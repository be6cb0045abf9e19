"""Make a small study with the code at hand, and keep it for the tests of all later versions.

    python -m scripts.keep_study FOLDER [NAME]

FOLDER/NAME, by default the version, then has the study, its bundle, its backup and its PostgreSQL dump, all packed, and the
answers of the version that made them to every question of tests/studies/questions.py. Later versions must open each and answer
the same, but for what CHANGELOG.md lists. Run it in a checkout of the version to keep; it needs PostgreSQL, and writes to
/srv/regauge on the way, so that no folder of this machine gets into what is kept.
"""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from sqlalchemy import create_engine, text
from tests.storage.postgres import find_programs, start_server
from tests.studies.questions import ask_everything

import regauge
from regauge.workflows.demo.flow import WorldSize, run_demo
from regauge.workflows.studies.study import Circumstances
from regauge.world.collections import Sizes

EXTENT = WorldSize(Sizes(training=320, original=96, pool=208), (4, 16, 64), n_asked=12)
PLACE = Path("/srv/regauge")


def main(folder: Path, name: str = regauge.__version__) -> None:
    """Make the study in its neutral place, and pack what it gives."""
    kept = folder / name
    kept.mkdir(parents=True)
    shutil.rmtree(PLACE, ignore_errors=True)
    around = Circumstances(
        clock=lambda: datetime(2026, 11, 16, 12, tzinfo=UTC), rng=np.random.default_rng(1), who="manager"
    )
    study = run_demo(PLACE / "demo", around=around, extent=EXTENT).study
    shutil.rmtree(study / "cache", ignore_errors=True)
    # Pictures are not kept: a study must open and answer where its images are not at hand.
    shutil.rmtree(PLACE / "demo" / "images")
    _ask(study, "compare", "original", "new-top", "--by-class", "--baseline", "patches-*", "--scale", "all")
    _ask(study, "export", "bundle", str(kept / "bundle.zip"))
    _ask(study, "backup", str(PLACE / "backup.db"))
    _press(PLACE / "backup.db", kept / "backup.db.gz")
    _dump(kept)
    _pack(study, kept / "study.zip")
    with tempfile.TemporaryDirectory() as scratch:
        answers = ask_everything(lambda *words: _ask(study, *words), Path(scratch))
    with gzip.open(kept / "answers.json.gz", "wt", encoding="utf-8") as file:
        json.dump(answers, file, separators=(",", ":"))
    shutil.rmtree(PLACE)


def _ask(study: Path, *words: str) -> str:
    command = [sys.executable, "-m", "regauge", *words, "--study", str(study)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603 - it is our own


def _pack(study: Path, archive: Path) -> None:
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for path in sorted(study.rglob("*")):
            if path.is_file() and path.name != "study.lock" and path.suffix not in {".db-wal", ".db-shm"}:
                packed.write(path, path.relative_to(study))


def _dump(kept: Path) -> None:
    """Import the bundle into PostgreSQL, and keep what its own program dumps."""
    programs = find_programs()
    if programs is None:
        sys.exit("PostgreSQL is not installed; apt-get install postgresql")
    with start_server() as socket:
        address = f"postgresql+psycopg://postgres@/kept?host={socket}"
        engine = create_engine(address.replace("/kept", "/postgres"), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text("CREATE DATABASE kept"))
        engine.dispose()
        url = f"postgresql://postgres@/kept?host={socket}"
        command = [sys.executable, "-m", "regauge", "import", str(kept / "bundle.zip"), str(PLACE / "on-postgres")]
        subprocess.run([*command, "--database", url], check=True, capture_output=True)  # noqa: S603 - it is our own
        dump = [
            str(programs / "pg_dump"),
            "--no-owner",
            "--no-privileges",
            "--host",
            str(socket),
            "--username",
            "postgres",
        ]
        content = subprocess.run([*dump, "kept"], check=True, capture_output=True).stdout  # noqa: S603 - of Debian
    (PLACE / "dump.sql").write_bytes(content)
    _press(PLACE / "dump.sql", kept / "dump.sql.gz")


def _press(path: Path, packed: Path) -> None:
    with packed.open("wb") as file, gzip.GzipFile("", "wb", compresslevel=9, fileobj=file, mtime=0) as pressed:
        pressed.write(path.read_bytes())


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
