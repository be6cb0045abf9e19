"""Label sets from campaigns: the same as from a file of the answers, with where they came from, and anew from what is left."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import update
from tests.workflows.campaign_studies import (
    add_classify,
    add_contains,
    add_people,
    answer,
    make_answer,
    make_pictured,
    take,
    write_pictures,
)

from regauge.errors import InputError
from regauge.kinds.registry import KINDS
from regauge.records.campaigns.campaign import CampaignEntry, CampaignPlan, CampaignTexts, Kind, NewAnswer
from regauge.records.labels.classify import ClassifySettings
from regauge.records.labels.contains import ContainsSettings, FrequencyMethod
from regauge.records.labels.frequencies import POSTERIOR_RULE, FrequencyRule, SelectionCounts
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.predictions import Predictions
from regauge.records.responses.answers import Control, GridShape
from regauge.records.responses.screening import ScreeningRules
from regauge.records.studies import Selection
from regauge.storage.database.schema import label_sets
from regauge.storage.labels.evidence import find_frequencies, find_objects
from regauge.storage.labels.label_set import find_versions, load_label_set
from regauge.workflows.campaigns.assigning import drop_annotator
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.campaigns.responses import export_answers
from regauge.workflows.demo.campaigns import ContainsQuestions, create_contains
from regauge.workflows.evaluation.evaluations import evaluate, load_scores
from regauge.workflows.labels.aggregate_contains import aggregate_contains, make_labels
from regauge.workflows.labels.campaign_labels import (
    build_labels,
    list_campaign_labels,
    preview_labels,
    rebuild_labels,
)
from regauge.workflows.labels.label_set import add_labels, export_labels
from regauge.workflows.people.invitations import Invitation
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.test_set import add_test_set

FEW = ContainsSettings(verdicts=FrequencyRule(min_shown=1))


@pytest.fixture
def study(tmp_path: Path, database: str) -> Iterator[Study]:
    """A study of small pictures."""
    with make_pictured(tmp_path, database=database) as made:
        yield made


def answer_all(study: Study, campaign: CampaignEntry, *, n_people: int = 2, spoils: bool = False) -> None:
    """People who find every positive control and the pairs, or, if they spoil it, nothing at all."""
    for who in add_people(study, campaign, n_people):
        while tasks := take(study, campaign, who, n=5):
            masks = [
                0
                if spoils
                else sum(1 << cell for cell, (_, c) in enumerate(one.payload["cells"]) if c != Control.NEGATIVE)
                for one in tasks
            ]
            answer(study, *(make_answer(one, f"{mask:x}") for one, mask in zip(tasks, masks, strict=True)))


def classify_all(study: Study, campaign: CampaignEntry, *, n_people: int = 2) -> None:
    for who in add_people(study, campaign, n_people):
        while tasks := take(study, campaign, who, n=5):
            sent = ({"selected": one.payload["candidates"][:1], "main": one.payload["candidates"][0]} for one in tasks)
            pairs = zip(tasks, sent, strict=True)
            answer(study, *(NewAnswer(f"client-{one.id}", one.id, who.annotator.id, said) for one, said in pairs))


def list_counts(counts: SelectionCounts) -> set[tuple[str, int, int, int]]:
    columns = (counts.image_ids[counts.images], counts.classes, counts.n_shown, counts.n_selected)
    return set(zip(*(column.tolist() for column in columns), strict=True))


def list_verdicts(labels: LabelSet) -> set[tuple[str, int, int]]:
    columns = (labels.image_ids[labels.rows], labels.classes, labels.verdicts)
    return set(zip(*(column.tolist() for column in columns), strict=True))


def test_labels_of_a_campaign_are_those_that_its_exported_answers_give(study, tmp_path):
    campaign = add_contains(study)
    answer_all(study, campaign)
    with study.begin() as begun:
        entry = build_labels(begun, "grids", name="crowd", settings=FEW)
        mine, counts = load_label_set(begun, entry), find_frequencies(begun, entry)
        export_answers(begun, "grids", tmp_path / "answers.csv")
    expected = aggregate_contains(tmp_path / "answers.csv", taxonomy=study.taxonomy, settings=FEW)
    assert counts is not None
    assert list_counts(counts) == list_counts(expected.counts)
    assert counts.spread == expected.counts.spread
    assert list_verdicts(mine) == list_verdicts(make_labels(expected, name="crowd"))


def test_the_preview_counts_what_the_label_set_then_holds(study):
    campaign = add_contains(study)
    answer_all(study, campaign)
    with study.begin() as begun:
        preview = preview_labels(begun, campaign.id, settings=FEW)
        entry = build_labels(begun, campaign.id, name="crowd", settings=FEW)
    assert entry.n_images == preview.n_images == 24
    assert sum(n for name, n in preview.verdicts.items() if name != "unjudged") == entry.n_verdicts > 0
    assert preview.n_answers == 16
    assert preview.n_annotators == 2
    assert (preview.n_judged, preview.n_unjudged) == (24, 0)


def test_a_rule_that_needs_more_people_leaves_images_unjudged(study):
    campaign = add_contains(study)
    answer_all(study, campaign)
    with study.read() as reading:
        preview = preview_labels(reading, "grids", settings=ContainsSettings(verdicts=FrequencyRule(min_shown=100)))
    assert preview.n_unjudged == preview.n_images == 24
    assert preview.verdicts["unjudged"] > 0
    assert preview.verdicts["correct"] == 0


def test_the_preview_says_how_many_screening_drops(study):
    campaign = add_contains(study, quota=3)
    answer_all(study, campaign)
    answer_all(study, campaign, n_people=1, spoils=True)
    with study.read() as reading:
        preview = preview_labels(reading, "grids", settings=FEW)
        everybody = preview_labels(reading, "grids", settings=replace(FEW, rules=None))
    assert (preview.n_screened_answers, preview.n_screened_annotators) == (8, 1)
    assert (everybody.n_screened_answers, everybody.n_screened_annotators) == (0, 0)


def test_controls_of_another_test_set_are_not_in_the_labels(study, tmp_path):
    with study.begin() as begun:
        add_test_set(begun, write_pictures(tmp_path / "controls", prefix="c"), name="controls")
        plan = CampaignPlan("two", Kind("contains"), 1, 600, CampaignTexts("Look.", "Agree?"))
        shape = GridShape(8, n_positive=2, n_negative=2)
        create_contains(begun, plan, ContainsQuestions("pictures", controls="controls", shape=shape, seed=0))
        campaign = open_campaign(begun, "two")
    answer_all(study, campaign, n_people=1)
    with study.begin() as begun:
        preview = preview_labels(begun, "two", settings=FEW)
        found = load_label_set(begun, build_labels(begun, "two", name="crowd", settings=FEW))
    assert preview.n_images == 24
    assert {one[0] for one in found.image_ids.tolist()} == {"i"}


def test_labels_of_a_classify_campaign_have_objects_and_main_labels(study):
    campaign = add_classify(study)
    classify_all(study, campaign)
    with study.begin() as begun:
        preview = preview_labels(begun, "labels")
        entry = build_labels(begun, "labels", name="objects")
        found, objects = load_label_set(begun, entry), find_objects(begun, entry)
    assert objects is not None
    assert preview.verdicts == {"correct": 5, "unclear": 0, "wrong": 0}
    assert preview.n_judged == 5
    by_id = dict(zip(found.image_ids.tolist(), found.main_labels.tolist(), strict=True))
    assert by_id == {f"i{number}": number % 4 for number in range(5)}


def test_labels_of_a_classify_campaign_take_easy_images_from_the_counts_of_a_contains_campaign(study):
    """Both annotators selected every image's own class, and too few saw any for a split: counts are raised to six."""
    answer_all(study, add_contains(study))
    classify_all(study, add_classify(study))
    with study.begin() as begun:
        crowd = build_labels(begun, "grids", name="crowd", settings=FEW)
        counts = find_frequencies(begun, crowd)
        assert counts is not None
        many = replace(counts, n_shown=counts.n_shown * 3, n_selected=counts.n_selected * 3, name="many")
        images = LabelSet.from_lists("many", counts.image_ids, correct=[[0]] * len(counts.image_ids))
        add_labels(begun, Truth(label_sets=(images,), frequencies=(many,)))
        alone = build_labels(begun, "labels", name="objects")
        rule = ClassifySettings(contains="many@1")
        preview, entry = (
            preview_labels(begun, "labels", settings=rule),
            build_labels(begun, "labels", name="objects", settings=rule),
        )
        found, objects = load_label_set(begun, entry), find_objects(begun, entry)
        assert load_label_set(begun, alone).is_follow_up_only
        (anew,) = rebuild_labels(begun, "labels")
        with pytest.raises(InputError, match="objects@2 holds no selection frequencies"):
            build_labels(begun, "labels", name="objects", settings=ClassifySettings(contains="objects@2"))
    assert not found.is_follow_up_only
    assert objects is not None
    # Five images were asked about in CLASSIFY, the other nineteen are easy.
    assert (preview.n_images, len(found), len(objects)) == (24, 24, 24)
    assert objects.n_objects.tolist() == [1] * 24
    assert anew.after is not None
    assert anew.after.n_images == 24


def classify_some(study: Study, campaign: CampaignEntry, n: int) -> Invitation:
    """One person who answers so many tasks and goes."""
    (who,) = add_people(study, campaign, 1)
    for one in take(study, campaign, who, n=n):
        first = one.payload["candidates"][0]
        answer(study, NewAnswer(f"client-{one.id}", one.id, who.annotator.id, {"selected": [first], "main": first}))
    return who


def test_images_of_a_classify_campaign_that_nobody_answered_are_left_out_and_counted(study):
    classify_some(study, add_classify(study), 2)
    with study.begin() as begun:
        preview = preview_labels(begun, "labels")
        entry = build_labels(begun, "labels", name="objects")
        found, objects = load_label_set(begun, entry), find_objects(begun, entry)
    assert objects is not None
    assert (preview.n_images, preview.n_judged, preview.n_unanswered) == (5, 2, 3)
    assert any("3 of 5 images" in note and "have no accepted answer, so no labels" in note for note in preview.notes)
    assert any("are of the 2 images of CLASSIFY that have an accepted answer and" in note for note in preview.notes)
    assert (len(found), len(objects)) == (2, 2)
    assert found.image_ids.tolist() == objects.image_ids.tolist()


def test_after_a_drop_the_images_of_whoever_was_dropped_are_left_out(study):
    campaign = add_classify(study)
    gone, stays = (classify_some(study, campaign, n) for n in (5, 2))
    with study.begin() as begun:
        drop_annotator(begun, "labels", annotator=gone.annotator.name, reason="Clicks anything.")
        preview = preview_labels(begun, "labels")
        entry = build_labels(begun, "labels", name="objects")
        (anew,) = rebuild_labels(begun, "labels")
    assert (preview.n_annotators, preview.n_unanswered, entry.n_images) == (1, 3, 2)
    assert anew.after is not None, anew.problem
    assert stays.annotator.name != gone.annotator.name


def test_an_easy_image_that_was_asked_about_without_an_accepted_answer_is_easy_all_the_same(study):
    classify_some(study, add_classify(study), 2)
    with study.begin() as begun:
        ids = [f"i{number}" for number in range(24)]
        classes = np.arange(24, dtype=np.int32) % 4
        many = np.full(24, 9)
        counts = SelectionCounts(np.array(ids), np.arange(24, dtype=np.int32), classes, many, many, "many")
        add_labels(
            begun,
            Truth(label_sets=(LabelSet.from_lists("many", ids, correct=[[0]] * 24),), frequencies=(counts,)),
        )
        rule = ClassifySettings(contains="many@1")
        preview = preview_labels(begun, "labels", settings=rule)
        entry = build_labels(begun, "labels", name="objects", settings=rule)
    assert (preview.n_images, preview.n_judged, preview.n_unanswered, entry.n_images) == (24, 24, 0, 24)


def test_images_of_a_contains_campaign_that_nobody_answered_are_counted(study):
    campaign = add_contains(study)
    (who,) = add_people(study, campaign, 1)
    answer(study, *(make_answer(one, "ff") for one in take(study, campaign, who, n=2)))
    with study.begin() as begun:
        preview = preview_labels(begun, "grids", settings=FEW)
        entry = build_labels(begun, "grids", name="crowd", settings=FEW)
        counts = find_frequencies(begun, entry)
    assert counts is not None
    shown = {image_id for image_id, _, n_shown, _ in list_counts(counts) if n_shown}
    assert preview.n_unanswered == 24 - len(shown) > 0
    assert any(f"{preview.n_unanswered} of 24 images" in note for note in preview.notes)


def test_labels_that_earlier_versions_made_of_classify_answers_are_of_follow_up_images(study):
    classify_all(study, add_classify(study))
    with study.begin() as begun:
        entry = build_labels(begun, "labels", name="objects")
        old = {name: fact for name, fact in entry.provenance.items() if name != "follow_up_only"}
        old["settings"] = {"screening": True, "keep_annotators": [], "keep_responses": [], "level": 0.95}
        change = update(label_sets).where(label_sets.c.id == entry.id).values(provenance=old)
        begun.connection.execute(change)
        assert load_label_set(begun, find_versions(begun, "objects")[-1]).is_follow_up_only
        answers = Predictions("model", np.array([f"i{number}" for number in range(24)]), np.zeros(24, np.int32))
        add_predictions(begun, PredictionSource([answers]), test_set="pictures")
        stored = evaluate(begun, Selection("pictures", labels=("objects@1",)))
        scores = load_scores(begun, stored.id)
    assert scores.to_frame().equals(stored.scores.to_frame())
    remarks = {(one.metric, one.remark) for one in scores}
    assert ("main_label", "follow-up images only") in remarks
    assert ("single_object_balanced", "follow-up images only") in remarks
    assert ("top1", None) in remarks


def test_the_provenance_names_campaign_generation_rule_and_last_answer(study):
    campaign = add_contains(study)
    answer_all(study, campaign)
    with study.begin() as begun:
        drop_annotator(begun, "grids", annotator="annotator-0001", reason="by chance")
        provenance = build_labels(begun, "grids", name="crowd", settings=FEW).provenance
    assert provenance["campaign"] == "grids"
    assert provenance["generation"] == 1
    assert provenance["n_answers"] == 8
    assert provenance["last_response"] == 16
    assert KINDS[Kind("contains")].fields.parse_rule(provenance["settings"]) == FEW


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        (Kind("contains"), ContainsSettings()),
        (Kind("contains"), ContainsSettings(rules=None, keep_responses=(("1", "a"),), keep_annotators=("b",))),
        (
            Kind("contains"),
            ContainsSettings(
                ScreeningRules(0.1, 0.2, 0.3, leave_one_out=False),
                method=FrequencyMethod.DAWID_SKENE,
                verdicts=FrequencyRule(0.8, 0.3, 5, POSTERIOR_RULE),
                level=0.9,
            ),
        ),
        (Kind("classify"), ClassifySettings(keep_annotators=("a",), keep_responses=(("i", "a"),))),
    ],
)
def test_a_rule_is_read_back_as_it_was_stored(kind, rule):
    assert KINDS[kind].fields.parse_rule(json.loads(json.dumps(asdict(rule)))) == rule


def test_rebuilding_makes_a_new_version_by_the_same_rule_from_the_answers_as_they_are_now(study):
    campaign = add_contains(study)
    answer_all(study, campaign)
    with study.begin() as begun:
        build_labels(begun, "grids", name="crowd", settings=FEW)
        build_labels(begun, "grids", name="strict", settings=replace(FEW, verdicts=FrequencyRule(1.0, 0.5, 1)))
        drop_annotator(begun, "grids", annotator="annotator-0001", reason="by chance")
        rebuilt = rebuild_labels(begun, "grids")
        versions = [one.full_name for one in list_campaign_labels(begun, "grids")]
        counts = [find_frequencies(begun, one.after) for one in rebuilt if one.after is not None]
    assert versions == ["crowd@1", "crowd@2", "strict@1", "strict@2"]
    assert [one.after.provenance["settings"] for one in rebuilt if one.after] == [
        one.before.provenance["settings"] for one in rebuilt
    ]
    assert [int(one.n_shown.max()) for one in counts if one is not None] == [1, 1]


def test_what_was_put_above_by_hand_is_not_rebuilt(study, tmp_path):
    campaign = add_contains(study)
    answer_all(study, campaign)
    with study.begin() as begun:
        build_labels(begun, "grids", name="crowd", settings=FEW)
        export_labels(begun, "crowd", path=tmp_path / "corrected.jsonl")
        add_labels(begun, tmp_path / "corrected.jsonl", name="crowd")
        assert rebuild_labels(begun, "grids") == ()


def test_labels_that_can_no_longer_be_made_are_reported(study):
    campaign = add_contains(study)
    answer_all(study, campaign, n_people=1)
    with study.begin() as begun:
        before = build_labels(begun, "grids", name="crowd", settings=FEW)
        drop_annotator(begun, "grids", annotator="annotator-0001", reason="by chance")
        (rebuilt,) = rebuild_labels(begun, "grids")
    assert rebuilt.before == before
    assert rebuilt.after is None
    assert "no answers" in rebuilt.problem


def test_whoever_was_kept_by_hand_and_has_no_answer_any_more_is_forgotten(study):
    campaign = add_contains(study)
    answer_all(study, campaign)
    with study.begin() as begun:
        rule = replace(FEW, keep_annotators=("annotator-0001", "annotator-0002"))
        build_labels(begun, "grids", name="crowd", settings=rule)
        drop_annotator(begun, "grids", annotator="annotator-0001", reason="by chance")
        (rebuilt,) = rebuild_labels(begun, "grids")
    assert rebuilt.after is not None
    assert rebuilt.after.provenance["settings"]["keep_annotators"] == ["annotator-0002"]


def test_a_campaign_without_answers_has_no_labels(study):
    add_contains(study)
    with study.read() as reading, pytest.raises(InputError, match="no answers that count"):
        preview_labels(reading, "grids")


def test_a_rule_for_another_kind_is_refused(study):
    answer_all(study, add_contains(study))
    with study.read() as reading, pytest.raises(InputError, match="ContainsSettings"):
        preview_labels(reading, "grids", settings=ClassifySettings())
