"""Build the packaged taxonomies from WordNet 3.0 and the list of ImageNet's classes.

The classes, their names, definitions and hypernyms are WordNet's; the groups stand in group_rules.toml beside this file.
The same inputs give the same bytes, one class, node or group per line, so that a change can be read in a diff.
"""

from __future__ import annotations

import argparse
import json
import re
import tomllib
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

from regauge.errors import FormatError, InputError
from regauge.formats.exports.taxonomies import format_taxonomy
from regauge.records.taxonomy import ClassIndex, Grouping, GroupRule, ImageClass, NodeId, Taxonomy
from regauge.taxonomy.groups import find_members
from regauge.taxonomy.hierarchy import find_paths_to_root

RULES = Path(__file__).with_name("group_rules.toml")
DATA = Path(__file__).resolve().parents[1] / "src" / "regauge" / "formats" / "data"
DEBIAN_WORDNET = Path("/usr/share/wordnet")
WHEEL_MEMBER = "timm/data/_info/imagenet_synsets.txt"
SOURCE = (
    "Words, definitions and hypernyms: WordNet 3.0, Copyright 2006 by Princeton University; see WORDNET-LICENSE.txt."
)
LICENCE_HEAD = """\
The taxonomies in this folder hold words, definitions and relations of WordNet 3.0, which come with this notice.

"""

THINGS = {"05": "animal", "06": "artifact", "13": "food", "17": "object", "20": "plant"}
"""The files of WordNet's lexicographers that hold what can be seen in a picture."""

MAX_CLASSES = 40
"""A node above more classes than this says too little of any of them for its kinds to be of use."""

MAX_LEVELS = 2
"""How far below a node with one class a noun may lie; below others it is one level."""

CIFAR_10 = {
    "airplane": NodeId("n02691156"),
    "automobile": NodeId("n02958343"),
    "bird": NodeId("n01503061"),
    "cat": NodeId("n02121620"),
    "deer": NodeId("n02430045"),
    "dog": NodeId("n02084071"),
    "frog": NodeId("n01639765"),
    "horse": NodeId("n02374451"),
    "ship": NodeId("n04194289"),
    "truck": NodeId("n04490091"),
}
"""CIFAR-10's classes in index order, and the noun of WordNet that each one means (Krizhevsky 2009)."""


@dataclass(frozen=True, slots=True)
class Synset:
    """One noun of WordNet: its words, what it is, what it is a kind or an instance of, and what it is about."""

    names: tuple[str, ...]
    gloss: str
    parents: tuple[NodeId, ...]
    topic: str = ""


def load_nouns(folder: Path) -> dict[NodeId, Synset]:
    """All nouns of a WordNet folder by id, which is n and the eight digits of the noun's place in data.noun."""
    path = folder / "data.noun"
    if not path.is_file():
        raise FormatError(
            path, "there is no such file; install WordNet 3.0 (Debian: wordnet-base) or pass --wordnet FOLDER."
        )
    lines = path.read_text(encoding="utf-8").splitlines()
    return dict(_parse_noun(line) for line in lines if not line.startswith("  "))


def _parse_noun(line: str) -> tuple[NodeId, Synset]:
    """One line of data.noun, whose fields `man 5wn wndb` describes."""
    data, _, gloss = line.partition(" | ")
    offset, topic, _, n_words, *rest = data.split()
    end = 2 * int(n_words, 16)
    pointers = rest[end + 1 :]
    parents = [
        NodeId(f"n{target}")
        for symbol, target, part in zip(pointers[0::4], pointers[1::4], pointers[2::4], strict=False)
        if symbol in {"@", "@i"} and part == "n"
    ]
    names = tuple(word.replace("_", " ") for word in rest[0:end:2])
    return NodeId(f"n{offset}"), Synset(names, strip_examples(gloss), tuple(parents), topic)


def strip_examples(gloss: str) -> str:
    """A definition without the quoted example sentences that follow it."""
    return gloss.split('; "', maxsplit=1)[0].strip()


def load_wnids(path: Path) -> tuple[NodeId, ...]:
    """ImageNet's class ids in index order from a wheel of timm, a packaged taxonomy, or a text file with one id per line."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            words = wheel.read(WHEEL_MEMBER).decode().split()
    elif path.suffix == ".json":
        words = [entry["id"] for entry in json.loads(path.read_text(encoding="utf-8"))["classes"]]
    else:
        words = [line.split()[0] for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    strange = [word for word in words if not re.fullmatch(r"n\d{8}", word)]
    if strange or not words:
        raise FormatError(
            path, f"one WordNet id such as n01440764 per line was expected, not {(strange or ['nothing'])[0]!r}."
        )
    return tuple(NodeId(word) for word in sorted(words))


def build_imagenet(nouns: dict[NodeId, Synset], wnids: Iterable[NodeId]) -> Taxonomy:
    """ImageNet's classes: class i is the i-th id in sorted order."""
    names = {wnid: nouns[wnid].names if wnid in nouns else () for wnid in wnids}
    unknown = [wnid for wnid, words in names.items() if not words]
    if unknown:
        raise InputError(f"This WordNet has no noun {unknown[0]}; ImageNet's ids are those of WordNet 3.0, no other.")
    return _add_groupings(_build("imagenet-1k", nouns, names), nouns)


def build_cifar(nouns: dict[NodeId, Synset]) -> Taxonomy:
    """CIFAR-10's classes under CIFAR's own names, then WordNet's."""
    names = {wnid: tuple(dict.fromkeys((name, *nouns[wnid].names))) for name, wnid in CIFAR_10.items()}
    return _add_groupings(_build("cifar-10", nouns, names), nouns)


def _build(name: str, nouns: dict[NodeId, Synset], names: dict[NodeId, tuple[str, ...]]) -> Taxonomy:
    classes = tuple(
        ImageClass(ClassIndex(index), wnid, words, nouns[wnid].gloss, make_link(words[0]))
        for index, (wnid, words) in enumerate(names.items())
    )
    parents = {wnid: nouns[wnid].parents for wnid in names}
    waiting = list(names)
    while waiting:
        for parent in parents[waiting.pop()]:
            if parent not in parents:
                parents[parent] = nouns[parent].parents
                waiting.append(parent)
    inner = sorted(parents.keys() - names.keys())
    return Taxonomy(
        name,
        classes,
        parents={node: parents[node] for node in (*names, *inner)},
        node_names={node: nouns[node].names for node in inner},
    )


def make_link(name: str) -> str:
    """A search of Wikipedia, which opens the page of that title where there is one."""
    return f"https://en.wikipedia.org/w/index.php?search={quote_plus(name)}"


def _add_groupings(taxonomy: Taxonomy, nouns: dict[NodeId, Synset]) -> Taxonomy:
    written = tomllib.loads(RULES.read_text(encoding="utf-8"))[taxonomy.name]
    return replace(taxonomy, groupings=tuple(_make_grouping(taxonomy, nouns, *item) for item in written.items()))


def _make_grouping(taxonomy: Taxonomy, nouns: dict[NodeId, Synset], name: str, written: dict[str, Any]) -> Grouping:
    rules = tuple(_make_rule(group, entries, nouns) for group, entries in written["groups"].items())
    if written.get("exclusive", False):
        rules = tuple(_exclude_others(taxonomy, rule, rules) for rule in rules)
    return Grouping(name, rules, written.get("reference", ""))


def _make_rule(group: str, entries: Sequence[str], nouns: dict[NodeId, Synset]) -> GroupRule:
    within = [_read_entry(entry, nouns) for entry in entries if not entry.startswith("not ")]
    without = [_read_entry(entry.removeprefix("not "), nouns) for entry in entries if entry.startswith("not ")]
    return GroupRule(group, tuple(within), tuple(without))


def _read_entry(entry: str, nouns: dict[NodeId, Synset]) -> NodeId:
    """The id of an entry such as "n02084071 dog", after comparing the name with WordNet's."""
    wnid, _, name = entry.partition(" ")
    names = nouns[NodeId(wnid)].names if wnid in nouns else ()
    if name not in names:
        raise InputError(
            f"{RULES.name}: {wnid} is not called {name!r} in WordNet but {', '.join(names) or 'is not there'}."
        )
    return NodeId(wnid)


def _exclude_others(taxonomy: Taxonomy, rule: GroupRule, rules: Iterable[GroupRule]) -> GroupRule:
    """The rule with the nodes of all other groups as exceptions, less those that change nothing."""
    others = sorted(node for other in rules if other is not rule for node in other.within)
    full = replace(rule, without=tuple(others))
    members = find_members(taxonomy, full).tolist()
    for node in others:
        shorter = replace(full, without=tuple(kept for kept in full.without if kept != node))
        if find_members(taxonomy, shorter).tolist() == members:
            full = shorter
    return full


def find_kinds(nouns: dict[NodeId, Synset], taxonomy: Taxonomy) -> dict[NodeId, tuple[str, ...]]:
    """Names of things that people type and the taxonomy does not have: a fridge is a kind of refrigerator, a lorry of truck.

    A noun belongs to the nearest class or node above it, and to a class that shares a name with it: cock is WordNet's name
    of any male bird and of the rooster. Latin names are left out, and nodes that hold too much.
    """
    n_below = Counter(
        node
        for image_class in taxonomy.classes
        for node in {node for path in find_paths_to_root(taxonomy, image_class.id) for node in path}
    )
    called: dict[tuple[str, str], list[NodeId]] = {}
    for image_class in taxonomy.classes:
        for name in image_class.names:
            called.setdefault((nouns[image_class.id].topic, name), []).append(image_class.id)
    kinds: dict[NodeId, dict[str, None]] = {}
    for noun, synset in nouns.items():
        if noun not in n_below and synset.topic in THINGS:
            nearest = _find_nearest(nouns, noun, n_below)
            namesakes = [node for name in synset.names for node in called.get((synset.topic, name), ())]
            names = _choose_names(nouns, noun)
            for node in dict.fromkeys((*nearest, *namesakes)):
                kinds.setdefault(node, {}).update(dict.fromkeys(names))
    new = {node: tuple(name for name in kinds[node] if name not in nouns[node].names) for node in sorted(kinds)}
    return {node: names for node, names in new.items() if names}


def _choose_names(nouns: dict[NodeId, Synset], noun: NodeId) -> list[str]:
    """The names of a noun but Latin ones: an animal or plant in capitals must end as something above it does."""
    synset = nouns[noun]
    if THINGS[synset.topic] in {"artifact", "food"}:
        return list(synset.names)
    above = [name for parent in synset.parents for name in nouns[parent].names]
    above += [name for parent in synset.parents for node in nouns[parent].parents for name in nouns[node].names]
    ends = {name.rpartition(" ")[2] for name in above}
    return [name for name in synset.names if name.islower() or name.rpartition(" ")[2] in ends]


def _find_nearest(nouns: dict[NodeId, Synset], noun: NodeId, n_below: Mapping[NodeId, int]) -> list[NodeId]:
    """The first nodes of the taxonomy on the way up that say enough; none where they are too far."""
    level = [noun]
    for n_levels in range(1, MAX_LEVELS + 1):
        level = list(dict.fromkeys(parent for node in level for parent in nouns[node].parents))
        found = [node for node in level if node in n_below]
        if found:
            near = [node for node in found if n_levels == 1 or n_below[node] == 1]
            return [node for node in near if n_below[node] <= MAX_CLASSES and nouns[node].topic in THINGS]
    return []


def format_kinds(kinds: dict[NodeId, tuple[str, ...]]) -> str:
    """The kinds as JSON, a node per line."""
    lines = ",\n".join(f"{json.dumps(node)}: {json.dumps(names, ensure_ascii=False)}" for node, names in kinds.items())
    return f'{{"source": {json.dumps(SOURCE)}, "kinds": {{\n{lines}\n}}}}\n'


def load_licence(folder: Path) -> str:
    """WordNet's notice from the head of data.noun, without the line numbers there."""
    lines = (folder / "data.noun").read_text(encoding="utf-8").splitlines()
    head = [re.sub(r"^\s+\d+ ?", "", line).rstrip() for line in lines[:60] if line.startswith("  ")]
    return LICENCE_HEAD + "\n".join(head).strip() + "\n"


def build_files(wordnet: Path, wnids: Path) -> dict[str, str]:
    """The content of every packaged file by its name."""
    nouns = load_nouns(wordnet)
    imagenet = build_imagenet(nouns, load_wnids(wnids))
    return {
        "imagenet-1k.json": format_taxonomy(imagenet, source=SOURCE),
        "cifar-10.json": format_taxonomy(build_cifar(nouns), source=SOURCE),
        "wordnet-kinds.json": format_kinds(find_kinds(nouns, imagenet)),
        "WORDNET-LICENSE.txt": load_licence(wordnet),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Build the files and say what was written."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--wordnet", type=Path, default=DEBIAN_WORDNET, help="folder of WordNet 3.0 with data.noun (%(default)s)"
    )
    parser.add_argument(
        "--wnids",
        type=Path,
        default=DATA / "imagenet-1k.json",
        help="ImageNet's 1,000 class ids: a text file with one per line, a wheel of timm (get it with: pip download timm "
        "--no-deps), or a taxonomy built before, which is the default",
    )
    parser.add_argument("--out", type=Path, default=DATA, help="folder to write to (%(default)s)")
    options = parser.parse_args(arguments)
    try:
        files = build_files(options.wordnet, options.wnids)
    except InputError as error:
        parser.error(str(error))
    for name, text in files.items():
        (options.out / name).write_text(text, encoding="utf-8", newline="\n")
        print(f"wrote {options.out / name}: {len(text.encode()):,} bytes")


if __name__ == "__main__":
    main()
