"""Which candidates a rule excludes: what changes is written down with its reason, and nothing is written twice."""

from __future__ import annotations

from collections.abc import Mapping

from regauge.records.studies import TestSetEntry
from regauge.records.testsets.pool import Exclusion, ExclusionChange, ExclusionRule
from regauge.storage.study import Study
from regauge.storage.testsets.pool import find_excluded, insert_exclusions


def find_by_rule(study: Study, entry: TestSetEntry, rule: ExclusionRule) -> dict[str, str]:
    """Image id → reason, of all images of a batch that a rule excludes now."""
    return {image_id: found[0].reason for image_id, found in find_excluded(study, entry, rule=rule).items()}


def settle_rule(
    study: Study, entry: TestSetEntry, rule: ExclusionRule, *, excluded: Mapping[str, str], back: str
) -> ExclusionChange:
    """Make a rule exclude these images of a batch and no others.

    Args:
        study: the study, inside a transaction.
        entry: the batch.
        rule: the rule.
        excluded: image id → reason.
        back: why images that the rule excluded before are taken back.
    """
    before = find_by_rule(study, entry, rule)
    returned = [one for one in before if one not in excluded]
    changes = [
        *(
            Exclusion(one, rule, is_excluded=True, reason=reason)
            for one, reason in excluded.items()
            if before.get(one) != reason
        ),
        *(Exclusion(one, rule, is_excluded=False, reason=back) for one in returned),
    ]
    insert_exclusions(study, entry, changes)
    n_new = sum(one not in before for one in excluded)
    return ExclusionChange(entry.name, rule, entry.n_images, len(excluded), n_new, len(returned))


def extend_rule(
    study: Study, entry: TestSetEntry, rule: ExclusionRule, *, excluded: Mapping[str, str]
) -> ExclusionChange:
    """Make a rule exclude these images of a batch, beside those that it excludes already.

    Args:
        study: the study, inside a transaction.
        entry: the batch.
        rule: the rule.
        excluded: image id → reason.
    """
    before = find_by_rule(study, entry, rule)
    return settle_rule(study, entry, rule, excluded={**excluded, **before}, back="It is taken back.")


def exclude_unreadable(study: Study, entry: TestSetEntry, problems: Mapping[str, str]) -> list[ExclusionChange]:
    """Exclude images of a batch that cannot be decoded.

    Args:
        study: the study, inside a transaction.
        entry: the batch.
        problems: image id → why.
    """
    if not problems:
        return []
    reasons = {image_id: problem[:1].upper() + problem[1:] for image_id, problem in problems.items()}
    return [extend_rule(study, entry, ExclusionRule.UNREADABLE, excluded=reasons)]
