"""A drawn test set → a folder of class folders, with a manifest of where every image is from, and a card."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from regauge.formats.exports.huggingface import CardSource, quote_code, write_header
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.draws import DrawDescription, describe_plan, describe_shortfalls
from regauge.records.testsets.pool import PoolFacts
from regauge.records.testsets.sampling import DRAW_COLUMNS, Draw, Strategy

MANIFEST_COLUMNS: Mapping[str, Any] = {
    "file_name": pl.String,
    "image_id": pl.String,
    "class": pl.Int32,
    "class_id": pl.String,
    **{name: kind for name, kind in DRAW_COLUMNS.items() if name not in {"image_id", "class"}},
    "taken_at": pl.String,
    "uploaded_at": pl.String,
    "source": pl.String,
    "licence": pl.String,
    "url": pl.String,
    "sha256": pl.String,
    "pool": pl.String,
}
"""The columns of a manifest, in output order; docs/formats.md explains them."""
FACTS = {
    "taken_at": "taken_at",
    "uploaded_at": "uploaded_at",
    "source": "sources",
    "licence": "licences",
    "url": "urls",
}
"""Column → fact of a pool."""

_SAFE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,119}", re.ASCII)
_HOW: Mapping[Strategy, str] = {
    Strategy.MATCHED_FREQUENCY: "as many of every bin of the selection frequency as the original images of the class have",
    Strategy.THRESHOLD: "at random among those with a high enough selection frequency",
    Strategy.TOP_IMAGES: "those with the highest selection frequency",
    Strategy.KEYWORDS: "as many of every keyword as the original images of the class have",
}


@dataclass(frozen=True, slots=True, eq=False)
class DrawnFolder:
    """What the manifest and the card of an exported draw speak of, in row order.

    Attributes:
        description: the test set at a glance.
        draw: how each image was drawn.
        facts: where each is from.
        pools: the name of its batch.
        files: where each went.
        checksums: SHA-256 of each.
    """

    description: DrawDescription
    draw: Draw
    facts: PoolFacts
    pools: Sequence[str]
    files: Sequence[str]
    checksums: Sequence[str]


def name_safely(text: str) -> str:
    """A file or folder name that stands for the text: the text itself where it is safe everywhere, else with its checksum.

    >>> name_safely("n01440764"), name_safely("../etc/passwd")
    ('n01440764', 'etc_passwd-7fef78f5')
    """
    # Names that Windows takes without their last dot would stand for two.
    if _SAFE.fullmatch(text) and not text.endswith("."):
        return text
    word = re.sub(r"[^A-Za-z0-9_-]+", "_", text, flags=re.ASCII).strip("_-")[:80]
    return f"{word or 'image'}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def name_file(class_id: str, image_id: str, *, suffix: str) -> str:
    """Where an image goes: in the folder of its class, under its id."""
    return f"{name_safely(class_id)}/{name_safely(image_id)}{suffix}"


def shape_manifest(folder: DrawnFolder, taxonomy: Taxonomy) -> pl.DataFrame:
    """One row per image: file, class, counts, and where it is from; what is not known is null."""
    draw = folder.draw
    rows = draw.to_frame()
    ids = [taxonomy.classes[index].id for index in draw.classes.tolist()]
    columns: dict[str, Any] = {name: rows[name] for name in rows.columns}
    columns |= {"file_name": list(folder.files), "class_id": ids, "sha256": list(folder.checksums)}
    columns |= {name: [one or None for one in getattr(folder.facts, fact).tolist()] for name, fact in FACTS.items()}
    columns["pool"] = list(folder.pools)
    return pl.DataFrame({name: pl.Series(columns[name], dtype=kind) for name, kind in MANIFEST_COLUMNS.items()})


_CHOSEN_HIGH = (
    "The same votes chose images that many selected, so new annotators would be expected to find a lower mean."
)
_BIAS = {
    Strategy.TOP_IMAGES: _CHOSEN_HIGH,
    Strategy.THRESHOLD: _CHOSEN_HIGH,
    Strategy.MATCHED_FREQUENCY: (
        "The same votes chose the images, so new annotators would be expected to find a mean nearer to that of all candidates."
    ),
    Strategy.KEYWORDS: "Votes took no part in choosing the images.",
}
"""What choosing by votes does to the mean of those votes, by strategy."""


def format_drawn_card(folder: DrawnFolder, source: CardSource, *, taxonomy: Taxonomy) -> str:
    """README.md: a YAML header that the hub and `datasets` read, and how the set came about, with numbers and intervals."""
    parts = (_write_summary, _write_draw, _write_numbers, _write_lacks, _write_licences, _write_revisions)
    body = [line for part in parts for line in part(folder, taxonomy)]
    return "\n".join([*write_header(source, taxonomy, images="*/*"), "", *body, *_write_files(source), ""])


def _write_summary(folder: DrawnFolder, taxonomy: Taxonomy) -> Iterator[str]:
    found = folder.description
    yield f"# {quote_code(found.entry.name)}\n"
    classes = f"{found.n_classes:,} of {len(taxonomy):,} classes of {quote_code(taxonomy.name)}"
    yield f"A test set of {found.entry.n_images:,} images of {classes}, one folder per class, drawn from a pool of candidates."


def _write_draw(folder: DrawnFolder, _taxonomy: Taxonomy) -> Iterator[str]:
    plan, sources = folder.description.drawn.plan, folder.description.drawn.sources
    yield "\n## How it was drawn\n"
    yield f"Of every class {plan.per_class:,} images were wanted, {_HOW[plan.strategy]} (Recht et al. 2019, §3.2)."
    yield from (f"- {name}: {value}" for name, value in describe_plan(plan).items())
    yield f"- pools: {', '.join(map(quote_code, sources.pools))}"
    if sources.original:
        yield f"- original test set: {quote_code(sources.original)}"
    if sources.frequencies:
        # Only the last part of a path: the rest would tell where somebody's files lie.
        names = (quote_code(one.replace("\\", "/").rsplit("/", 1)[-1]) for one in sources.frequencies)
        yield f"- selection frequencies: {', '.join(names)}"


def _write_numbers(folder: DrawnFolder, _taxonomy: Taxonomy) -> Iterator[str]:
    found = folder.description
    mean = found.frequency
    yield "\n## Selection frequencies\n"
    if mean.value is None:
        yield "No selection frequencies of these images are known."
        return
    yield f"The mean selection frequency is {mean} (n = {mean.n:,} images; 95% limits: {mean.method or 'none'})."
    if found.is_settled:
        yield (
            "More people were asked only where a decision was open, so these counts are what was decided, as if everybody "
            "had been asked.\n"
        )
    elif found.reported is None:
        yield f"{_BIAS[found.drawn.plan.strategy]}\n"
    else:
        yield f"Half of the annotators chose; by the others it is {found.reported} (n = {found.reported.n:,}).\n"
    yield "| bin | images | taken for a lower bin |\n|---|---:|---:|"
    yield from (f"| {one.bin} | {one.n:,} | {one.n_upward:,} |" for one in found.bins)


def _write_lacks(folder: DrawnFolder, taxonomy: Taxonomy) -> Iterator[str]:
    drawn = folder.description.drawn
    yield "\n## What is lacking, and what was left out\n"
    lacking = describe_shortfalls(drawn.shortfalls, [one.name for one in taxonomy.classes])
    yield from (f"- {quote_code(line)}" for line in lacking)
    if not lacking:
        yield "- every class has as many images as were wanted"
    reasons: Counter[str] = Counter()
    for _, _, reason, n in drawn.excluded:
        reasons[reason] += n
    yield from (f"- {n:,} candidates left out: {quote_code(reason)}" for reason, n in reasons.most_common())


def _write_licences(folder: DrawnFolder, _taxonomy: Taxonomy) -> Iterator[str]:
    yield "\n## Licences\n"
    counted = Counter(folder.facts.licences.tolist())
    yield from (
        f"- {quote_code(name) if name else 'not known'}: {n:,} images"
        for name, n in sorted(counted.items(), reverse=True)
    )
    yield "\nThe manifest has the licence and the address of every image, where they are known."


def _write_revisions(folder: DrawnFolder, _taxonomy: Taxonomy) -> Iterator[str]:
    found = folder.description
    yield "\n## Revisions\n"
    if found.drawn.parent:
        n = found.entry.n_images
        yield f"It revises {quote_code(found.drawn.parent)}: {found.n_carried:,} of {n:,} images are carried over."
    else:
        yield "It revises no other set."
    if found.revisions:
        yield f"It was revised in {', '.join(map(quote_code, found.revisions))}."
    if found.removed:
        yield f"Reviewers have since removed {len(found.removed):,} of its images, which are still in this folder:\n"
        yield from (f"- {quote_code(one.image_id)}: {quote_code(one.reason)}" for one in found.removed.values())


def _write_files(source: CardSource) -> Iterator[str]:
    yield "\n## Files\n"
    yield "- one folder per class, called by the class's id, with its images byte for byte"
    yield (
        "- mind that loaders such as torchvision's `ImageFolder` number the folders by name; `label` in `metadata.jsonl` is the "
        "index in the taxonomy"
    )
    yield "- `manifest.csv`, `manifest.jsonl`: one row per image: where it is from, who selected it, and its SHA-256"
    yield "- `metadata.jsonl`: `file_name`, `image_id`, `label` and `label_id`, for Hugging Face and `regauge testset add`"
    yield f"\nExported by Regauge {source.version} from a test set drawn {source.test_set.added_at}; its digest, over ids and"
    yield f"labels, is `{source.test_set.digest}`."
