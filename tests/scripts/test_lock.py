"""The locks: everything that pyproject.toml asks for, pinned within its bounds, each file by its hash, for every Python."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts import lock

PROJECT = tomllib.loads((lock.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
SYSTEMS = (("linux", "Linux", "x86_64"), ("linux", "Linux", "aarch64"), ("darwin", "Darwin", "arm64"))
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")


def read_pins(name: str) -> Iterator[tuple[Requirement, list[str]]]:
    """The requirements of a lock, each with its hashes."""
    content = (lock.FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    for entry in re.sub(r" \\\n\s+", " ", content).splitlines():
        if entry.startswith("#"):
            continue
        requirement, *hashes = re.split(r" (?=--hash=)", entry)
        yield Requirement(requirement), hashes


def list_wanted(name: str) -> list[Requirement]:
    """What pyproject.toml asks for, with the extras of a lock and what builds the package."""
    extras = PROJECT["project"]["optional-dependencies"]
    texts = [*PROJECT["project"]["dependencies"], *PROJECT["build-system"]["requires"], lock.EDITABLE]
    return [Requirement(text) for text in (*texts, *(one for extra in lock.EXTRAS[name] for one in extras[extra]))]


def list_environments() -> Iterator[dict[str, str]]:
    for python in PYTHONS:
        for platform, system, machine in SYSTEMS:
            found = {"python_version": python, "python_full_version": f"{python}.0", "sys_platform": platform}
            yield {**default_environment(), **found, "platform_system": system, "platform_machine": machine}  # type: ignore[dict-item]


@pytest.mark.parametrize("name", lock.EXTRAS)
def test_every_requirement_is_pinned_within_its_bounds_for_every_python_and_system(name: str) -> None:
    pins = [pin for pin, _ in read_pins(name)]
    for environment in list_environments():
        version_of: dict[str, str] = {}
        for pin in pins:
            if pin.marker is None or pin.marker.evaluate(environment):
                assert canonicalize_name(pin.name) not in version_of, f"{pin.name} is pinned twice"
                version_of[canonicalize_name(pin.name)] = next(iter(pin.specifier)).version
        for wanted in list_wanted(name):
            assert wanted.specifier.contains(version_of[canonicalize_name(wanted.name)]), wanted


@pytest.mark.parametrize("name", lock.EXTRAS)
def test_every_version_is_exact_and_has_its_hashes_and_no_registry_is_named(name: str) -> None:
    for pin, hashes in read_pins(name):
        (specifier,) = pin.specifier
        assert (specifier.operator, pin.url) == ("==", None)
        assert hashes
        assert all(HASH.fullmatch(one) for one in hashes), pin
    content = (lock.FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert set(re.findall(r"--[a-z-]+", content)) == {"--hash"}
    assert not re.findall(r"://| @ |\.\./|-e ", content)


@pytest.mark.parametrize("name", lock.EXTRAS)
def test_packages_with_compiled_parts_have_files_for_many_systems(name: str) -> None:
    n_hashes = {pin.name: len(hashes) for pin, hashes in read_pins(name)}
    assert min(n_hashes[one] for one in ("numpy", "scipy", "numba", "pillow", "sqlalchemy")) >= 10


def test_the_lowest_python_is_the_one_that_is_locked_for() -> None:
    assert PROJECT["project"]["requires-python"] == f">={PYTHONS[0]}"
    assert {extra for extras in lock.EXTRAS.values() for extra in extras} == set(
        PROJECT["project"]["optional-dependencies"]
    )


def test_installing_takes_nothing_that_has_no_hash() -> None:
    script = (lock.ROOT / "scripts" / "make_venv.sh").read_text(encoding="utf-8")
    assert script.count('pip" install') == 1
    installs = [line for line in script.splitlines() if line.startswith('"${install[@]}"')]
    assert len(installs) == 2
    assert "--require-hashes" in installs[0]
    assert "--no-deps --no-build-isolation" in installs[1]
    for used in re.findall(r"make_venv\.sh \$\(\w+\) (\w+)", Path(lock.ROOT / "Makefile").read_text(encoding="utf-8")):
        assert used in lock.EXTRAS
