"""Sentences about relations between classes: what was derived from them, and what contradicts them."""

from __future__ import annotations

from pathlib import Path

from tests.sentences.commands import commands
from tests.sentences.entries import Always, Entries, Maker, Pair

from regauge.labels.relations import relate_truth
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.taxonomy import ClassRelation, RelationKind, RelationStatus
from regauge.records.testsets.test_set import TestSet


def related(*wrong: int, status: str = "accepted", correct: int = 1) -> Maker:
    """What is said of an image that shows a class, and not some others, when 1 ⊂ 0."""

    def make(_: Path) -> tuple[str, ...]:
        labels = LabelSet.from_lists("people", ["a"], correct=[[correct]], wrong=[wrong])
        relation = ClassRelation(RelationKind.SUBSET, 1, 0, status=RelationStatus(status))
        return relate_truth(Truth(label_sets=(labels,)), [relation]).notes

    return make


def unrelated(_: Path) -> tuple[str, ...]:
    return relate_truth(Truth(TestSet("tiny", ["a"], [1])), [ClassRelation(RelationKind.SUBSET, 1, 0)]).notes


FILES = {
    "t.csv": "image_id,label\n" + "".join(f"i{row},3\n" for row in range(5)),
    "people.jsonl": "".join(f'{{"image_id":"i{row}","correct":[3,5],"wrong":[7]}}\n' for row in range(5)),
}


def studied(*lines: str) -> Maker:
    """What the last of some commands says in a study in which cats and dogs are always judged correct together."""
    study = [f"{line} --study s" for line in ("testset add t.csv", "labels add people.jsonl", *lines)]
    return commands("init s --taxonomy cifar-10", *study, files=FILES)


def accept(relation: str) -> str:
    return f"relations accept {relation} --reason x"


APPLIED = (accept("subset 3 0"), "relations apply --labels people")

ENTRIES: Entries = {
    "cli/labels/relations.py:propose: There is nothing new to propose.": Pair(
        studied("relations propose", "relations propose"), studied("relations propose")
    ),
    "cli/labels/relations.py:list_: No relation is ….": Pair(
        studied("relations propose", "relations list --status accepted"),
        studied("relations propose", "relations list --status proposed"),
    ),
    "cli/labels/relations.py:contradictions: No verdict contradicts an accepted relation.": Pair(
        studied(accept("subset 3 0"), "relations contradictions --labels people"),
        studied(accept("subset 3 7"), "relations contradictions --labels people"),
    ),
    "cli/taxonomy.py:relations: Nothing is known of relations between the classes": Pair(
        commands("taxonomy cifar-10 relations"), commands("taxonomy imagenet-1k relations")
    ),
    "workflows/labels/relations.py:propose_study_relations: … left out: known already, or implied.": Pair(
        studied("relations propose", "relations propose"), studied("relations propose")
    ),
    "workflows/labels/relations.py:_note_versions: … was made while … was accepted, and": Pair(
        studied(*APPLIED, "relations reject subset 3 0 --reason x"),
        studied(*APPLIED, accept("subset 3 1"), "relations reject subset 3 1 --reason x"),
    ),
    "labels/relations.py:describe_derived: …: …… derived from … between classes.": Always(
        "It counts what was done.", related(correct=5)
    ),
    "labels/relations.py:describe_derived: …: … lower than the relations imply, left": Pair(related(0), related(2)),
    "labels/relations.py:_note_relations: … of … left out: not accepted.": Pair(related(status="proposed"), related()),
    "labels/relations.py:_note_relations: Relations between classes change nothing here: the truth": Pair(
        unrelated, related()
    ),
}
