"""The build of the packaged taxonomies: the parser on a made-up WordNet, and the real one where it is installed."""

from __future__ import annotations

import importlib.util
import sys
import tomllib
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from regauge.errors import FormatError, InputError
from regauge.formats.exports.taxonomies import format_taxonomy
from regauge.formats.taxonomies import load_taxonomy
from regauge.records.taxonomy import GroupRule, NodeId
from regauge.taxonomy.groups import find_groups, find_members

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "build_taxonomies.py"

# Every line of the real file ends in two spaces.
NOUNS = """\
  1 A notice that must be kept.
  2
00000001 03 n 01 entity 0 001 ~ 00000002 n 0000 | that which is
00000002 03 n 02 sea_bird 0 seabird 0 002 @ 00000001 n 0000 ~ 00000003 n 0000 | a bird of the sea; "they cried"; "salt"
00000003 03 n 01 Jonathan 0 003 @i 00000002 n 0000 @ 00000001 n 0000 + 00000009 v 0101 | a gull; reads much
""".replace("\n", "  \n")


def load_script() -> Any:
    spec = importlib.util.spec_from_file_location("build_taxonomies", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["build_taxonomies"] = module
    spec.loader.exec_module(module)
    return module


build = load_script()


@pytest.fixture
def wordnet(tmp_path: Path) -> Path:
    (tmp_path / "data.noun").write_text(NOUNS, encoding="utf-8")
    return tmp_path


def test_nouns_have_names_parents_of_both_kinds_and_a_gloss_without_examples(wordnet: Path) -> None:
    nouns = build.load_nouns(wordnet)
    assert nouns["n00000002"] == build.Synset(("sea bird", "seabird"), "a bird of the sea", ("n00000001",), "03")
    assert nouns["n00000003"] == build.Synset(("Jonathan",), "a gull; reads much", ("n00000002", "n00000001"), "03")
    assert nouns["n00000001"].parents == ()


def test_the_notice_loses_its_line_numbers_and_nothing_else(wordnet: Path) -> None:
    assert build.load_licence(wordnet).endswith("\nA notice that must be kept.\n")


def test_a_missing_wordnet_says_where_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="wordnet-base"):
        build.load_nouns(tmp_path)


def test_the_class_ids_come_from_a_wheel_a_text_file_or_a_taxonomy(tmp_path: Path) -> None:
    ids = ("n00000002", "n00000003")
    with zipfile.ZipFile(tmp_path / "timm.whl", "w") as wheel:
        wheel.writestr(build.WHEEL_MEMBER, "n00000003\nn00000002\n")
    (tmp_path / "ids.txt").write_text("n00000002 sea bird, seabird\n\nn00000003 Jonathan\n")
    (tmp_path / "built.json").write_text('{"classes": [{"id": "n00000002"}, {"id": "n00000003"}]}')
    for name in ("timm.whl", "ids.txt", "built.json"):
        assert build.load_wnids(tmp_path / name) == ids


@pytest.mark.parametrize("text", ["tench\n", "n0144\n", "\n"])
def test_a_list_of_something_else_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "ids.txt").write_text(text)
    with pytest.raises(FormatError, match="n01440764"):
        build.load_wnids(tmp_path / "ids.txt")


def test_an_entry_whose_name_is_not_wordnets_is_refused(wordnet: Path) -> None:
    nouns = build.load_nouns(wordnet)
    assert build._read_entry("n00000002 sea bird", nouns) == "n00000002"
    with pytest.raises(InputError, match="not called 'gull' in WordNet but sea bird, seabird"):
        build._read_entry("n00000002 gull", nouns)
    with pytest.raises(InputError, match="is not there"):
        build._read_entry("n00000009 gull", nouns)


def test_the_names_in_the_rules_are_names_of_their_nodes() -> None:
    written = tomllib.loads(build.RULES.read_text(encoding="utf-8"))
    for name, groupings in written.items():
        taxonomy = load_taxonomy(name)
        for grouping in groupings.values():
            for entry in (entry for entries in grouping["groups"].values() for entry in entries):
                wnid, _, word = entry.removeprefix("not ").partition(" ")
                assert word in taxonomy.find_names(NodeId(wnid)), entry


def test_no_node_of_the_superclasses_can_be_spared() -> None:
    taxonomy = load_taxonomy("imagenet-1k")
    expected = {name: members.tolist() for name, members in find_groups(taxonomy, "superclass").items()}
    nodes = {node: rule.name for rule in taxonomy.get_grouping("superclass").groups for node in rule.within}
    assert len(nodes) == 29
    for spared in nodes:
        kept = {node: name for node, name in nodes.items() if node != spared}
        rules = [
            GroupRule(name, tuple(n for n in kept if kept[n] == name), tuple(n for n in kept if kept[n] != name))
            for name in expected
        ]
        assert {rule.name: find_members(taxonomy, rule).tolist() for rule in rules} != expected, spared


def test_exceptions_that_change_nothing_are_dropped_and_the_others_stay() -> None:
    taxonomy = load_taxonomy("imagenet-1k")
    rules = taxonomy.get_grouping("superclass").groups
    for rule in rules:
        members = find_members(taxonomy, rule).tolist()
        for node in rule.without:
            shorter = replace(rule, without=tuple(kept for kept in rule.without if kept != node))
            assert find_members(taxonomy, shorter).tolist() != members, (rule.name, node)


@pytest.mark.parametrize("name", ["imagenet-1k", "cifar-10"])
def test_writing_a_loaded_taxonomy_gives_the_packaged_file(name: str) -> None:
    assert format_taxonomy(load_taxonomy(name), source=build.SOURCE) == (build.DATA / f"{name}.json").read_text(
        encoding="utf-8"
    )


def test_a_rebuild_from_wordnet_gives_the_packaged_files_byte_for_byte(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if not (build.DEBIAN_WORDNET / "data.noun").is_file():
        pytest.skip(f"WordNet 3.0 is not at {build.DEBIAN_WORDNET}")
    build.main(["--out", str(tmp_path)])
    names = ["WORDNET-LICENSE.txt", "cifar-10.json", "imagenet-1k.json", "wordnet-kinds.json"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    for name in names:
        assert (tmp_path / name).read_bytes() == (build.DATA / name).read_bytes(), name
    printed = capsys.readouterr().out
    assert all(name in printed for name in names)


def test_an_id_that_wordnet_lacks_is_refused_and_the_command_exits_with_2(
    wordnet: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (wordnet / "ids.txt").write_text("n00000008\n")
    with pytest.raises(SystemExit) as caught:
        build.main(["--wordnet", str(wordnet), "--wnids", str(wordnet / "ids.txt"), "--out", str(wordnet)])
    assert caught.value.code == 2
    assert "has no noun n00000008" in capsys.readouterr().err
    assert not (wordnet / "imagenet-1k.json").exists()


def test_the_help_says_how_to_get_the_list_of_classes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        build.main(["--help"])
    assert "pip download timm" in " ".join(capsys.readouterr().out.split())
