"""Selection frequencies by half of a campaign's annotators, so that one half chooses images and the other reports on them."""

from __future__ import annotations

from regauge.errors import InputError
from regauge.kinds.registry import find_kind
from regauge.labels.disjoint import count_disjoint
from regauge.records.campaigns import Kind
from regauge.records.frequencies import SelectionCounts
from regauge.records.pools import Annotators
from regauge.records.studies import CAMPAIGN, LabelSetEntry
from regauge.responses.screening import Restored, screen
from regauge.storage.study import Study
from regauge.workflows.campaign_responses import load_answers, to_contains_responses
from regauge.workflows.draw_rounds import find_rounds


def load_half(study: Study, entry: LabelSetEntry, known: SelectionCounts, *, half: Annotators) -> SelectionCounts:
    """The counts of a label set by one half of the annotators, under the screening that the label set was made with.

    Who is in which half depends on the annotator alone, so it is the same for every draw. Answers that came after the label
    set was made count as well.

    Args:
        study: the study, inside a transaction.
        entry: the label set.
        known: its counts.
        half: which half.

    Raises:
        InputError: the label set was not made of the answers to a campaign of the study, or this had several rounds.
    """
    campaign, settings = entry.provenance.get(CAMPAIGN), entry.provenance.get("settings")
    if campaign is None or settings is None:
        raise InputError(
            f"Label set {entry.full_name} was not made of a campaign of this study, so its annotators cannot be told apart; "
            "name one that was with --frequencies, or leave out --annotators."
        )
    if find_rounds(study, entry):
        raise InputError(
            f"Campaign {campaign} asked more people only where a decision was open, so neither half of them tells frequencies "
            "without bias; leave out --annotators."
        )
    rule = find_kind(study.around.kinds, Kind(entry.provenance["kind"])).fields.parse_rule(settings)
    responses = to_contains_responses(load_answers(study, campaign))
    restored = Restored(rule.keep_annotators, rule.keep_responses)
    choosing, reporting = count_disjoint(responses, screen(responses, rule.rules, restored=restored))
    found = choosing if half is Annotators.FIRST_HALF else reporting
    kept = found.keep_images(known.image_ids.tolist())
    return SelectionCounts(kept.image_ids, kept.images, kept.classes, kept.n_shown, kept.n_selected, known.name)
