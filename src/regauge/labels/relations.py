"""Relations between classes, applied: verdicts that follow from people's own, and where the two contradict each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from regauge.arrays import CountArray, IntArray
from regauge.estimates import count_things
from regauge.records.labels.evidence import LabelEvidence, VerdictEvidence, VerdictReason
from regauge.records.labels.label_set import LabelSet, Truth, VerdictArray
from regauge.records.labels.verdicts import Verdict
from regauge.records.taxonomy import ClassRelation, RelationKind
from regauge.taxonomy.relations import Implication, find_implications

DERIVED = "relation between classes"
"""The rule that the evidence of a derived verdict names."""


@dataclass(frozen=True, slots=True)
class RelationContradiction:
    """A person's own verdict that is lower than what follows from another one by a relation; the person's stands.

    Attributes:
        image_id: the image.
        class_index: the class that was judged.
        verdict: the person's own.
        implied: what would follow.
        relation: from which class and by which relation.
    """

    image_id: str
    class_index: int
    verdict: Verdict
    implied: Verdict
    relation: str


@dataclass(frozen=True, slots=True)
class DerivedLabels:
    """A label set with what follows from relations.

    Attributes:
        label_set: all verdicts, people's own and, after them, the derived ones of every image.
        evidence: what the derived verdicts rest on.
        contradictions: people's own verdicts that are lower than what would follow, by image and class.
    """

    label_set: LabelSet
    evidence: LabelEvidence
    contradictions: tuple[RelationContradiction, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Verdicts:
    """Verdicts on (image, class) pairs, in the order of image and class; one for each pair.

    Attributes:
        rows: the position of the image.
        classes: the class.
        verdicts: the verdict.
        implications: of derived ones, by which of the implications.
    """

    rows: CountArray
    classes: IntArray
    verdicts: VerdictArray
    implications: IntArray

    def keep(self, kept: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> _Verdicts:
        """Some of them."""
        return _Verdicts(self.rows[kept], self.classes[kept], self.verdicts[kept], self.implications[kept])


def derive_labels(label_set: LabelSet, relations: Iterable[ClassRelation]) -> DerivedLabels:
    """The label set with the verdicts that follow from its own by the accepted relations.

    Where a class is correct, every class that it implies is correct; where it is unclear, they are unclear, unless a better
    verdict follows from another class. Only acceptance is passed on: from a wrong class nothing follows. A verdict that the
    label set has stands, and is listed where it is lower than what follows. A class that it does not list is nobody's
    verdict, also where unlisted classes count as wrong, as in ReaL: it can be derived. From dataset labels nothing follows,
    and an image without an accepted class stays as it is.

    >>> from regauge.records.taxonomy import RelationKind
    >>> dogs = LabelSet.from_lists("dogs", ["a", "b"], correct=[[249], [249]], wrong=[[], [248]])
    >>> derived = derive_labels(dogs, [ClassRelation(RelationKind.SUBSET, 249, 248)])
    >>> derived.label_set.classes.tolist(), derived.label_set.starts.tolist()
    ([249, 248, 249, 248], [0, 2, 4])
    >>> [(one.image_id, one.verdict.name, one.relation) for one in derived.contradictions]
    [('b', 'WRONG', '249 ⊂ 248')]
    """
    implications = find_implications(relations)
    found = _keep_best(_pass_on(label_set, implications), implications)
    own = _find_own(label_set, found)
    is_new = own < 0
    contradicted = found.keep(~is_new & (own < found.verdicts))
    new = found.keep(is_new)
    return DerivedLabels(
        label_set=_add(label_set, new),
        evidence=_explain(label_set, new, implications),
        contradictions=_list_contradictions(label_set, contradicted, implications),
    )


def relate_truth(truth: Truth, relations: Sequence[ClassRelation]) -> Truth:
    """The truth with relations applied to each of its label sets, with the evidence, and notes on what that changed."""
    derived = [derive_labels(label_set, relations) for label_set in truth.label_sets]
    return replace(
        truth,
        label_sets=tuple(one.label_set for one in derived),
        evidence=(*truth.evidence, *(one.evidence for one in derived)),
        notes=(*truth.notes, *_note_relations(relations, derived)),
    )


def describe_derived(derived: DerivedLabels, *, n_relations: int) -> Iterator[str]:
    """How many verdicts were derived from so many accepted relations, parts aside, and how many contradict them."""
    evidence = derived.evidence
    on_images = f" on {count_things(len(evidence.image_ids), 'image')}" if len(evidence) else ""
    yield (
        f"{derived.label_set.name}: {count_things(len(evidence), 'verdict')}{on_images} derived from "
        f"{count_things(n_relations, 'accepted relation')} between classes."
    )
    if derived.contradictions:
        first = derived.contradictions[0]
        yield (
            f"{derived.label_set.name}: {count_things(len(derived.contradictions), 'verdict')} lower than the relations imply, "
            f"left as judged; the first is class {first.class_index} of image {first.image_id!r}, judged "
            f"{first.verdict.name.lower()} ({first.relation})."
        )


def _note_relations(relations: Sequence[ClassRelation], derived: Sequence[DerivedLabels]) -> Iterator[str]:
    n_accepted = sum(one.is_accepted for one in relations)
    if n_accepted < len(relations):
        n_left = len(relations) - n_accepted
        yield f"{n_left:,} of {count_things(len(relations), 'relation')} left out: not accepted."
    if not derived:
        yield "Relations between classes change nothing here: the truth has no label set, only dataset labels."
    for one in derived:
        yield from describe_derived(one, n_relations=count_effective(relations))


def count_effective(relations: Iterable[ClassRelation]) -> int:
    """How many relations are accepted and of a kind from which something can follow, which parts are not."""
    return sum(one.is_accepted and one.kind is not RelationKind.PART for one in relations)


def drop_derived(label_set: LabelSet, evidence: LabelEvidence | None) -> LabelSet:
    """The label set with people's own verdicts alone, so that relations can be applied to it again."""
    entries = () if evidence is None else evidence.entries
    is_derived = np.fromiter((entry.is_derived for entry in entries), np.bool_, count=len(entries))
    if evidence is None or not is_derived.any():
        return label_set
    row_of = {image_id: row for row, image_id in enumerate(label_set.image_ids.tolist())}
    rows = np.array([row_of.get(image_id, -1) for image_id in evidence.image_ids.tolist()], np.int64)
    width = _find_width(label_set.classes, evidence.classes)
    derived = rows[evidence.images[is_derived]] * width + evidence.classes[is_derived]
    kept = ~np.isin(label_set.rows * width + label_set.classes, derived)
    n_kept = np.bincount(label_set.rows[kept], minlength=len(label_set))
    return replace(
        label_set,
        starts=np.concatenate(([0], np.cumsum(n_kept))),
        classes=label_set.classes[kept],
        verdicts=label_set.verdicts[kept],
    )


def _pass_on(label_set: LabelSet, implications: Sequence[Implication]) -> _Verdicts:
    """Every verdict that follows from one of the label set, as often as it follows, by the order of the label set."""
    firsts = np.array([one.first for one in implications], np.int64)
    seconds = np.array([one.second for one in implications], np.int32)
    # Implications come by their first class, so that those of one class are a stretch.
    accepted = np.flatnonzero(label_set.verdicts > Verdict.WRONG)
    classes = label_set.classes[accepted]
    begin, end = (np.searchsorted(firsts, classes, side=side) for side in ("left", "right"))
    lengths = end - begin
    sources = np.repeat(accepted, lengths)
    inside = np.arange(len(sources)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    used = (np.repeat(begin, lengths) + inside).astype(np.int32)
    return _Verdicts(label_set.rows[sources], seconds[used], label_set.verdicts[sources], used)


def _keep_best(found: _Verdicts, implications: Sequence[Implication]) -> _Verdicts:
    """Of several verdicts on a pair the highest, then the one by the shortest chain, then by the lowest class."""
    lengths = np.array([len(one.chain) for one in implications], np.int64)
    order = np.lexsort((found.implications, lengths[found.implications], -found.verdicts, found.classes, found.rows))
    rows, classes = found.rows[order], found.classes[order]
    is_first = np.ones(len(order), np.bool_)
    is_first[1:] = (np.diff(rows) != 0) | (np.diff(classes) != 0)
    kept = order[is_first]
    return _Verdicts(found.rows[kept], found.classes[kept], found.verdicts[kept], found.implications[kept])


def _find_own(label_set: LabelSet, found: _Verdicts) -> VerdictArray:
    """The verdict that the label set itself has on each pair; −1 where it has none."""
    width = _find_width(label_set.classes, found.classes)
    keys = label_set.rows * width + label_set.classes
    order = np.argsort(keys, kind="stable")
    wanted = found.rows * width + found.classes
    own = np.full(len(wanted), -1, np.int8)
    if not len(keys):
        return own
    places = np.searchsorted(keys[order], wanted).clip(max=len(keys) - 1)
    is_there = keys[order][places] == wanted
    own[is_there] = label_set.verdicts[order][places[is_there]]
    return own


def _add(label_set: LabelSet, new: _Verdicts) -> LabelSet:
    """The label set with further verdicts after those of every image."""
    rows = np.concatenate([label_set.rows, new.rows])
    order = np.argsort(rows, kind="stable")
    return replace(
        label_set,
        starts=np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(label_set))))),
        classes=np.concatenate([label_set.classes, new.classes])[order],
        verdicts=np.concatenate([label_set.verdicts, new.verdicts])[order],
    )


def _explain(label_set: LabelSet, new: _Verdicts, implications: Sequence[Implication]) -> LabelEvidence:
    """The evidence of derived verdicts; those by one implication share it."""
    reason = VerdictReason.SYNONYM_OR_SUBSET.value
    shared = [
        VerdictEvidence(rule=DERIVED, reason=reason, relation=str(one), note=_join_reasons(one)) for one in implications
    ]
    rows, images = np.unique(new.rows, return_inverse=True)
    entries = tuple(shared[place] for place in new.implications.tolist())
    return LabelEvidence(label_set.name, label_set.image_ids[rows], images.astype(np.int32), new.classes, entries)


def _join_reasons(implication: Implication) -> str:
    """Why people accepted the relations of a chain, as they wrote it."""
    return "; ".join(dict.fromkeys(one.reason for one in implication.chain if one.reason))


def _list_contradictions(
    label_set: LabelSet, contradicted: _Verdicts, implications: Sequence[Implication]
) -> tuple[RelationContradiction, ...]:
    own = _find_own(label_set, contradicted)
    columns = (
        label_set.image_ids[contradicted.rows].tolist(),
        contradicted.classes.tolist(),
        map(Verdict, own.tolist()),
        map(Verdict, contradicted.verdicts.tolist()),
        (str(implications[place]) for place in contradicted.implications.tolist()),
    )
    return tuple(RelationContradiction(*one) for one in zip(*columns, strict=True))


def _find_width(*columns: IntArray) -> int:
    """A number above every class, so that image and class make one number."""
    return max(int(column.max(initial=0)) for column in columns) + 1
