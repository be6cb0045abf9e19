"""Relations between the classes of a study: proposed from data, decided by people, applied to label sets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.formats.classes import resolve_class
from regauge.formats.relations import load_published_relations
from regauge.labels.proposals import measure_support, propose_relations
from regauge.labels.relations import DerivedLabels, count_effective, derive_labels, describe_derived, drop_derived
from regauge.records.labels.evidence import LabelEvidence
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.labels.relations import ProposalSettings, RelationEntry, RelationSupport
from regauge.records.names import read_reason
from regauge.records.studies import DERIVED_FROM, SUPERSEDED, LabelSetEntry
from regauge.records.taxonomy import ClassRelation, RelationKind, RelationStatus
from regauge.storage.events import add_event
from regauge.storage.labels.evidence import find_evidence, find_frequencies, find_objects
from regauge.storage.labels.label_set import find_versions, get_label_set, list_label_sets, load_label_set
from regauge.storage.labels.relations import insert_relations, list_accepted, list_relations
from regauge.storage.study import Study
from regauge.taxonomy.relations import check_relations, describe_relation, find_implications
from regauge.workflows.labels.versions import store_truth

__all__ = [
    "AppliedRelations",
    "DecidedRelation",
    "ProposedRelations",
    "apply_relations",
    "decide_relation",
    "derive_study_labels",
    "list_relations",
    "make_relation",
    "propose_study_relations",
]

RELATIONS = "relations"
"""Where provenance keeps which relations were applied."""


@dataclass(frozen=True, slots=True)
class ProposedRelations:
    """The relations that were proposed just now, and what the reader should know."""

    entries: tuple[RelationEntry, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DecidedRelation:
    """A relation with what was just decided, and what the reader should know."""

    entry: RelationEntry
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AppliedRelations:
    """The version that holds derived verdicts, what was derived, and what the reader should know."""

    entry: LabelSetEntry
    derived: DerivedLabels
    notes: tuple[str, ...]


def propose_study_relations(
    study: Study, labels: Sequence[str] = (), *, settings: ProposalSettings | None = None
) -> ProposedRelations:
    """Write down the relations that verdicts, the taxonomy and publications suggest and that the study does not know yet.

    Relations that somebody decided on are not proposed again, nor are those that follow from accepted ones.

    Args:
        study: the study, inside a transaction.
        labels: label sets, each NAME@VERSION or NAME for the latest, whose verdicts to look at; the latest of each by default.
        settings: from which share and how many images on verdicts propose a relation.

    Raises:
        InputError: there is no such label set.
    """
    chosen = _choose_label_sets(study, labels)
    label_sets = [drop_derived(load_label_set(study, entry), find_evidence(study, entry)) for entry in chosen]
    suggested = [*load_published_relations(study.taxonomy), *_adopt_relations(study)]
    found = [
        *(RelationEntry(one, _find_support(label_sets, one)) for one in suggested),
        *(entry for label_set in label_sets for entry in propose_relations(label_set, settings)),
    ]
    known = {entry.relation.key for entry in list_relations(study)}
    implied = {(one.first, one.second) for one in find_implications(list_accepted(study))}
    new: dict[tuple[RelationKind, int, int], RelationEntry] = {}
    for entry in found:
        if entry.relation.key not in known and not _is_implied(entry.relation, implied):
            new.setdefault(entry.relation.key, _stamp(entry, study.around.now()))
    insert_relations(study, new.values())
    add_event(study, "relations propose", {RELATIONS: [str(entry.relation) for entry in new.values()]})
    n_left = len({entry.relation.key for entry in found}) - len(new)
    notes = () if not n_left else (f"{count_things(n_left, 'relation')} left out: known already, or implied.",)
    return ProposedRelations(tuple(new.values()), notes)


def make_relation(study: Study, kind: RelationKind, *, first: str, second: str) -> ClassRelation:
    """The relation that three words stand for; classes are given by index, id or name.

    Raises:
        InputError: a word is not a class, or both are the same.
    """
    ends = [resolve_class(word, study.taxonomy) for word in (first, second)]
    return ClassRelation(*ClassRelation(kind, ends[0], ends[1]).key)


def decide_relation(study: Study, relation: ClassRelation, *, status: RelationStatus, reason: str) -> DecidedRelation:
    """Accept or reject a relation, with a reason; the decision supersedes what was decided before.

    What nobody has proposed can be accepted too. Label sets that are stored stay as they are.

    Raises:
        InputError: the reason is empty or cannot be printed, an accepted relation contradicts it, there is none to reject, or
            it was decided so already.
    """
    told = describe_relation(relation, study.taxonomy)
    why = read_reason(reason)
    if not why:
        raise InputError(f"To decide on {told} takes a reason, and the one given is empty.")
    known = {entry.relation.key: entry for entry in list_relations(study)}
    before = known.get(relation.key)
    if before is None and status is RelationStatus.REJECTED:
        raise InputError(f"The study has no relation {told}; see those it has with: regauge relations list.")
    if before is not None and before.relation.status is status:
        by = f" by {before.relation.who}" if before.relation.who else ""
        raise InputError(f"The relation {told} was {status}{by} already: {before.relation.reason.rstrip('.')}.")
    if status is RelationStatus.ACCEPTED:
        check_relations([*list_accepted(study), relation], study.taxonomy)
    around = study.around
    base = before or RelationEntry(relation)
    decided = replace(base.relation, status=status, reason=why, who=around.who, at=around.now())
    entry = replace(base, relation=decided)
    insert_relations(study, [entry])
    add_event(study, f"relations {_VERBS[status]}", {"relation": str(decided), "reason": why})
    was_accepted = before is not None and before.relation.is_accepted
    return DecidedRelation(entry, tuple(_note_versions(study, decided)) if was_accepted else ())


def derive_study_labels(study: Study, labels: str) -> DerivedLabels:
    """What follows from the accepted relations for a label set (NAME@VERSION, or NAME for the latest); nothing is stored.

    Raises:
        InputError: there is no such label set, or no relation is accepted.
    """
    return _derive(study, get_label_set(study, labels))[1]


def apply_relations(study: Study, labels: str, *, name: str | None = None) -> AppliedRelations:
    """Store the next version of a label set, with the verdicts that follow from the accepted relations and their evidence.

    Relations are applied to people's own verdicts: where the version itself has derived ones, these are derived again, and those
    of relations that no longer hold are gone. Objects and frequencies come along.

    Args:
        study: the study, inside a transaction.
        labels: NAME@VERSION, or NAME for the latest.
        name: what to call the result; as the label set by default. A name that exists gets a new version.

    Raises:
        InputError: there is no such label set, no relation is accepted, or nothing would change.
    """
    entry = get_label_set(study, labels)
    base, derived = _derive(study, entry)
    relations = list_accepted(study)
    provenance: dict[str, Any] = {DERIVED_FROM: base.full_name, RELATIONS: [str(one) for one in relations]}
    if not len(derived.evidence) and base.id == entry.id:
        raise InputError(
            f"No verdict follows for {entry.full_name} from {count_things(len(relations), 'accepted relation')}; "
            "nothing is stored."
        )
    for last in find_versions(study, name or entry.name)[-1:]:
        if {key: last.provenance.get(key) for key in provenance} == provenance:
            raise InputError(f"{last.full_name} holds what follows from these relations already; nothing is stored.")
    truth = Truth(
        label_sets=(derived.label_set,),
        objects=tuple(one for one in [find_objects(study, base)] if one is not None),
        frequencies=tuple(one for one in [find_frequencies(study, base)] if one is not None),
        evidence=(_join_evidence(find_evidence(study, base), derived.evidence),),
    )
    added = store_truth(study, truth, name=name or entry.name, provenance=provenance)
    notes = describe_derived(derived, n_relations=count_effective(relations))
    return AppliedRelations(added.entry, derived, (*notes, *added.notes))


_VERBS = {RelationStatus.ACCEPTED: "accept", RelationStatus.REJECTED: "reject"}


def _choose_label_sets(study: Study, labels: Sequence[str]) -> Iterable[LabelSetEntry]:
    """The label sets that were named, or the latest version of each that is not void; derived ones as they were before."""
    if labels:
        bases = [_get_base(study, get_label_set(study, one)) for one in labels]
    else:
        latest = {entry.name: entry for entry in list_label_sets(study)}
        found = (_find_base(study, entry) for entry in latest.values())
        bases = [base for base in found if base is not None]
    return {base.id: base for base in bases}.values()


def _find_base(study: Study, entry: LabelSetEntry) -> LabelSetEntry | None:
    """The version with people's own verdicts alone; after an erasure the one that took its place, or None where none did."""
    origin = entry.provenance.get(DERIVED_FROM)
    base = entry if origin is None else get_label_set(study, origin)
    while SUPERSEDED in base.provenance:
        by = base.provenance[SUPERSEDED]["by"]
        if by is None:
            return None
        base = get_label_set(study, by)
    return base


def _get_base(study: Study, entry: LabelSetEntry) -> LabelSetEntry:
    base = _find_base(study, entry)
    if base is None:
        raise InputError(
            f"{entry.full_name} was made with answers that were erased since, and nothing takes its place."
        )
    if SUPERSEDED in entry.provenance and DERIVED_FROM not in entry.provenance:
        raise InputError(f"{entry.full_name} was made with answers that were erased since; use {base.full_name}.")
    return base


def _derive(study: Study, entry: LabelSetEntry) -> tuple[LabelSetEntry, DerivedLabels]:
    """The version that relations are applied to, and what follows."""
    relations = list_accepted(study)
    base = _get_base(study, entry)
    if not relations and base.id == entry.id:
        raise InputError(
            "No relation between classes is accepted yet; propose some with: regauge relations propose, and accept them."
        )
    check_relations(relations, study.taxonomy)
    own = drop_derived(load_label_set(study, base), find_evidence(study, base))
    return base, derive_labels(own, relations)


def _join_evidence(own: LabelEvidence, derived: LabelEvidence) -> LabelEvidence:
    """What people's own verdicts rest on, and the derived ones."""
    kept = {pair: one for pair, one in own.by_pair.items() if not one.is_derived}
    return LabelEvidence.from_pairs(derived.name, {**kept, **derived.by_pair})


def _adopt_relations(study: Study) -> Iterator[ClassRelation]:
    """The relations of the taxonomy that it does not reject, as proposals: in a study a person decides."""
    for one in study.taxonomy.relations:
        if one.status is not RelationStatus.REJECTED:
            source = one.source or f"taxonomy {study.taxonomy.name}"
            yield replace(one, source=source, who="", status=RelationStatus.PROPOSED)


def _find_support(label_sets: Sequence[LabelSet], relation: ClassRelation) -> RelationSupport | None:
    """How often verdicts agree with a relation, in the label set with the most images that tell; None where none does."""
    if relation.kind is RelationKind.PART:
        return None
    found = [measure_support(label_set, relation) for label_set in label_sets]
    best = max(found, key=lambda one: one.forward.n, default=None)
    return best if best is not None and best.forward.n else None


def _stamp(entry: RelationEntry, at: str) -> RelationEntry:
    return replace(entry, relation=replace(entry.relation, at=at))


def _is_implied(relation: ClassRelation, implied: set[tuple[int, int]]) -> bool:
    ways = {(relation.first, relation.second)}
    if relation.kind is RelationKind.SAME:
        ways.add((relation.second, relation.first))
    return relation.kind is not RelationKind.PART and ways <= implied


def _note_versions(study: Study, relation: ClassRelation) -> Iterator[str]:
    """Which label sets hold verdicts that may follow from a relation that no longer holds."""
    latest = {entry.name: entry for entry in list_label_sets(study)}
    for entry in latest.values():
        if str(relation) in entry.provenance.get(RELATIONS, ()):
            yield (
                f"{entry.full_name} was made while {relation} was accepted, and does not change; derive its verdicts again with: "
                f"regauge relations apply --labels {entry.name}."
            )
