"""Kill commands that write to a study at random moments, and check that it never loses or breaks anything.

    python -m scripts.crash_study [N] [--database URL]

First the making of the study is killed, until it has been killed N/5 times; then child processes run commands in a loop and
name each one that has ended, and are killed (SIGKILL) at random moments, N times (100 unless given). After each kill the study is
opened and everything in it is read: the database must be sound, every array, bundle and copy whole, and whatever a command
had acknowledged must be there. With --database the tables are in that PostgreSQL database, which must be empty.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import os
import random
import shutil
import sys
import tempfile
import time
import uuid
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from regauge.cli.main import COMMANDS, cli
from regauge.cli.studies.study import open_here
from regauge.storage.database.engine import make_postgres_engine, parse_url
from regauge.storage.database.schema import metadata
from regauge.storage.evaluation.comparisons import load_shift
from regauge.storage.evaluation.evaluations import load_scores
from regauge.storage.events import list_events
from regauge.storage.labels.label_set import load_label_set
from regauge.storage.predictions import load_predictions
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.studies.study import describe_status

N_KILLS = 100
N_IMAGES = 2_000
LONGEST_LIFE = 1.0
SETS = ("set", "fresh")
COUNTED = ("labels", "evaluate", "compare", "report", "export", "import")
"""Commands of which each leaves one thing more behind."""
ACKNOWLEDGED = (*COUNTED, "predictions")
STARTED = "started"

CHILDREN = multiprocessing.get_context("forkserver")
"""Children come from a process that has loaded all commands, so that their lives begin with the work."""
CHILDREN.set_forkserver_preload(["scripts.crash_study", *(entry.module for entry in COMMANDS.values())])


def make_files(folder: Path, rng: np.random.Generator) -> None:
    """Two test sets, two states of one participant on both, verdicts, and folders for what is exported and imported."""
    for name in SETS:
        labels = rng.integers(0, 10, N_IMAGES).tolist()
        ids = [f"{name}_{number}" for number in range(N_IMAGES)]
        rows = "\n".join(f"{image_id},{label}" for image_id, label in zip(ids, labels, strict=True))
        (folder / f"{name}.csv").write_text(f"image_id,label\n{rows}\n")
        lines = [json.dumps({"image_id": one, "correct": [label]}) for one, label in zip(ids, labels, strict=True)]
        (folder / f"people-{name}.jsonl").write_text("\n".join(lines))
        for state in ("one", "two"):
            classes = np.argsort(rng.random((N_IMAGES, 10)), axis=1)[:, :5].astype(np.int32)
            scores = -classes.astype(np.float32)
            np.savez(folder / f"{state}-{name}.npz", image_ids=np.array(ids), classes=classes, scores=scores)
    for name in ("exported", "imported"):
        (folder / name).mkdir()


def fill(folder: Path) -> None:
    """Both test sets with one participant, an evaluation, and a bundle of it all."""
    study = ("--study", str(folder / "study"))
    for name in SETS:
        run("testset", "add", str(folder / f"{name}.csv"), *study)
        run("predictions", "add", f"model={folder}/one-{name}.npz", "--test-set", name, *study)
    run("evaluate", "--test-set", "set", "--n-bootstrap", "100", *study)
    run("export", "bundle", str(folder / "bundle.zip"), *study)


def run(*words: str) -> None:
    """One command, in this process."""
    cli.main([*words, "--format", "json"], standalone_mode=False)


def make_commands(folder: Path) -> tuple[tuple[str, ...], ...]:
    """One command of each kind that writes; what they export and import has a new name every time."""
    study = ("--study", str(folder / "study"))
    new = uuid.uuid4().hex
    return (
        ("predictions", "add", f"model={folder}/one-set.npz", "--replace", "--test-set", "set", *study),
        ("predictions", "add", f"model={folder}/two-set.npz", "--replace", "--test-set", "set", *study),
        ("labels", "add", f"{folder}/people-set.jsonl", *study),
        ("evaluate", "--test-set", "set", "--n-bootstrap", "100", *study),
        ("compare", *SETS, "--n-bootstrap", "100", *study),
        ("report", *study),
        ("export", "bundle", f"{folder}/exported/{new}.zip", *study),
        ("import", f"{folder}/bundle.zip", f"{folder}/imported/{new}"),
    )


def write_forever(folder: Path, start: int) -> None:
    """Run one command after the other without end, beginning anywhere; say on standard error what has ended."""
    for number in itertools.count(start):
        commands = make_commands(folder)
        words = commands[number % len(commands)]
        run(*words)
        print(words[0], file=sys.stderr, flush=True)


def make_study(folder: Path, database: str) -> None:
    """Make the study once."""
    run("init", str(folder / "study"), "--taxonomy", "cifar-10", "--database", database)


def run_and_kill(work: Callable[..., None], *arguments: object, life: float, n_first: int = 0) -> Counter[str]:
    """Start a child, kill it so many seconds after it has acknowledged so many commands; gives all that it acknowledged."""
    heard, told = CHILDREN.Pipe(duplex=False)
    child = CHILDREN.Process(target=_live, args=(told, work, *arguments))
    child.start()
    told.close()
    said: list[str] = []
    with os.fdopen(os.dup(heard.fileno()), encoding="utf-8") as stream:
        # Notes of commands are on standard error too.
        while sum(line in {STARTED, *ACKNOWLEDGED} for line in said) <= n_first and (line := stream.readline()):
            said.append(line.rstrip("\n"))
        time.sleep(life)
        child.kill()
        said += stream.read().split("\n")
    child.join()
    heard.close()
    if any("Traceback" in line for line in said):
        raise RuntimeError("\n".join(["A command failed by itself:", *said]))
    return Counter(said)


def _live(told: Connection, work: Callable[..., None], *arguments: object) -> None:
    """A child's life: what it says on standard error goes to its parent, the rest nowhere."""
    os.dup2(told.fileno(), sys.stderr.fileno())
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    print(STARTED, file=sys.stderr, flush=True)
    work(*arguments)


def read_study(study: Study) -> Counter[str]:
    """How much the study holds; raises when any of it cannot be read."""
    if study.engine.dialect.name == "sqlite":
        if (state := study.connection.exec_driver_sql("PRAGMA integrity_check").scalar()) != "ok":
            raise RuntimeError(f"The database is damaged: {state}")
        if study.connection.exec_driver_sql("PRAGMA foreign_key_check").all():
            raise RuntimeError("A row refers to a row that is not there.")
    status = describe_status(study)
    for one in status.predictions:
        entry = get_test_set(study, one.test_set)
        load_predictions(study, one, test_set=load_test_set(study, entry), digest=entry.digest)
    for label_set in status.label_sets:
        load_label_set(study, label_set)
    for evaluation in status.evaluations:
        load_scores(study, evaluation.id)
    for comparison in status.comparisons:
        load_shift(study, comparison.id)
    found = Counter(event.what.split()[0] for event in list_events(study))
    counts = {"labels": status.label_sets, "evaluate": status.evaluations, "compare": status.comparisons}
    for what, entries in counts.items():
        if len(entries) != found[what]:
            raise RuntimeError(f"{len(entries)} of {what} are there, but {found[what]} events tell of them.")
    return found + Counter(participants=len(status.predictions), arrays=len(list(study.paths.predictions.iterdir())))


def read_everything(folder: Path) -> Counter[str]:
    """What the study holds, and how many bundles and imported studies there are; raises when any cannot be read."""
    with open_here(folder / "study") as study:
        with study.begin() as begun:
            # A server may still be at work for the one who was killed; it is done when writers are let in again.
            _ = begun.connection
        with study.read() as begun:
            found = read_study(begun)
    return found + Counter(export=len(list(check_bundles(folder))), **{"import": len(list(check_imported(folder)))})


def check_bundles(folder: Path) -> Iterator[Path]:
    """The bundles that were written; each must be whole."""
    for path in (folder / "exported").glob("*.zip"):
        with zipfile.ZipFile(path) as archive:
            if archive.testzip() is not None:
                raise RuntimeError(f"{path} is damaged.")
        yield path


def check_imported(folder: Path) -> Iterator[Path]:
    """The studies that were made of a bundle; each must be whole."""
    for path in (folder / "imported").iterdir():
        if (path / "study.toml").exists():
            with open_here(path) as study, study.read() as begun:
                read_study(begun)
            yield path


def check(acknowledged: Counter[str], before: Counter[str], after: Counter[str]) -> int:
    """Refuse a study that lost or doubled anything; returns how many commands were acknowledged."""
    for what in COUNTED:
        n_new = after[what] - before[what]
        # The last command may have committed and died before it could say so.
        if not acknowledged[what] <= n_new <= acknowledged[what] + 1:
            raise RuntimeError(f"{acknowledged[what]} commands ({what}) were acknowledged, {n_new} are there.")
    if (after["participants"], after["arrays"]) != (2, 4):
        raise RuntimeError(f"{after['participants']} participants with {after['arrays']} arrays, not 2 with 4.")
    return sum(acknowledged[what] for what in ACKNOWLEDGED)


def crash_init(folder: Path, n_kills: int, *, database: str, chance: random.Random) -> int:
    """Kill the making of the study that many times, then make it; returns how often it had been made before the kill."""
    n_made = 0
    for _ in range(n_kills):
        run_and_kill(make_study, folder, database, life=chance.uniform(0, LONGEST_LIFE))
        if (folder / "study" / "study.toml").exists():
            n_made += 1
            with open_here(folder / "study") as study, study.read() as begun:
                read_study(begun)
            remove(folder / "study", database)
    make_study(folder, database)
    return n_made


def remove(folder: Path, database: str) -> None:
    """Take a study away, with its tables."""
    shutil.rmtree(folder)
    if database:
        engine = make_postgres_engine(parse_url(database))
        metadata.drop_all(engine)
        engine.dispose()


def crash(folder: Path, n_kills: int, *, database: str = "", seed: int = 0) -> int:
    """Kill that many times and check after each; returns how many commands were acknowledged in all."""
    chance = random.Random(seed)  # noqa: S311 - moments, not secrets
    make_files(folder, np.random.default_rng(seed))
    crash_init(folder, n_kills // 5, database=database, chance=chance)
    fill(folder)
    n_commands = len(make_commands(folder))
    n_acknowledged = 0
    before = read_everything(folder)
    for number in range(n_kills):
        start, life = chance.randrange(n_commands), chance.uniform(0, LONGEST_LIFE)
        # Every other one has done something before it is killed, however slow the machine is.
        acknowledged = run_and_kill(write_forever, folder, start, life=life, n_first=number % 2)
        after = read_everything(folder)
        n_acknowledged += check(acknowledged, before, after)
        before = clear(folder, after)
    return n_acknowledged


def clear(folder: Path, found: Counter[str]) -> Counter[str]:
    """Remove what was exported and imported, which has been checked, and what is left to compare with."""
    for name in ("exported", "imported"):
        shutil.rmtree(folder / name)
        (folder / name).mkdir()
    return Counter({**found, "export": 0, "import": 0})


def main() -> None:
    """Kill as often as was asked for, and say what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("n_kills", nargs="?", type=int, default=N_KILLS, metavar="N")
    parser.add_argument("--database", default="", metavar="URL")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        n_acknowledged = crash(Path(folder), chosen.n_kills, database=chosen.database)
    print(
        f"Killed {chosen.n_kills // 5} times while the study was made and {chosen.n_kills} times afterwards; all of "
        f"{n_acknowledged} acknowledged commands are there, and everything can be read."
    )


if __name__ == "__main__":
    main()
