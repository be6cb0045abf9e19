"""After people were tested, their answers are judged among answers of models, on both databases; nobody judges their own."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.kinds.label.label_study import Examined, send, serve_examined
from tests.server.manager_forms import FORM, fill_in
from tests.workflows.conftest import database, postgres, postgres_database

from regauge.campaigns.eligibility import NOT_FOR
from regauge.errors import InputError
from regauge.records.campaigns.campaign import AssignmentId, Role
from regauge.records.exposure.exposures import NamedPerson
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.storage.campaigns.assignments import find_assignment
from regauge.storage.campaigns.campaign import load_campaign_images
from regauge.storage.campaigns.payloads import load_payloads
from regauge.storage.exposure.people import say_same
from regauge.storage.labels.label_set import get_label_set
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.campaigns.assigning import assign_tasks
from regauge.workflows.campaigns.rounds import extend_campaign
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.people.invitations import Invitation, renew_link

__all__ = ["database", "postgres", "postgres_database", "tested"]

SHIFTS = (0, 0, 1, 1, 2)
"""How far what each of five people says is from the dataset label; of the first image all say the dataset label."""
ODD = 3
"""How far what the second model says is from the dataset label; the first says the dataset label."""
N_CLASSES = 10


@pytest.fixture
def tested(tmp_path: Path, database: str) -> Iterator[Examined]:
    with serve_examined(tmp_path, database=database, n_people=len(SHIFTS)) as made:
        yield made


@pytest.fixture
def quick(tmp_path: Path) -> Iterator[Examined]:
    with serve_examined(tmp_path, n_people=len(SHIFTS)) as made:
        yield made


class Images:
    """The images of a campaign with their dataset labels, by what its tasks call them."""

    def __init__(self, study: Study, campaign_id: int) -> None:
        with study.read() as reading:
            entries = [get_test_set(reading, name) for name in ("original", "new")]
            sets = {one.id: load_test_set(reading, one) for one in entries}
            album = load_campaign_images(reading, campaign_id)
        self.of = [
            (str(sets[one.test_set_id].image_ids[one.row]), int(sets[one.test_set_id].labels[one.row])) for one in album
        ]


def find_image(study: Study, assignment_id: str) -> int:
    """The image of a task, by its number in the campaign."""
    with study.read() as reading:
        found = find_assignment(reading, AssignmentId(assignment_id))
    assert found is not None
    (number,) = found.payload["images"] if "images" in found.payload else [found.payload["image"]]
    return int(number)


def answer_test(tested: Examined) -> dict[str, int]:
    """Everybody is tested, and the evaluation is closed; returns the images of the first set with their labels."""
    campaign = tested.test()
    images = Images(tested.study, campaign.id).of
    first = min(one for one, _ in images if one.startswith("o"))
    for who, shift in zip(tested.people, SHIFTS, strict=True):
        visitor = tested.begin(who, campaign)
        while tasks := visitor.take(campaign, 1):
            image_id, label = images[find_image(tested.study, tasks[0]["id"])]
            said = label if image_id == first else (label + shift) % N_CLASSES
            assert send(visitor, tasks[0], said).status_code == 200
    tested.run("campaign", "close", "test")
    return {one: label for one, label in images if one.startswith("o")}


def add_models(tested: Examined) -> None:
    with tested.study.read() as reading:
        images = load_test_set(reading, get_test_set(reading, "original"))
    pairs = list(zip(images.image_ids.tolist(), images.labels.tolist(), strict=True))
    for name, shift in (("good", 0), ("odd", ODD)):
        path = tested.folder / f"{name}.csv"
        path.write_text("image_id,class\n" + "".join(f"{one},{(label + shift) % N_CLASSES}\n" for one, label in pairs))
        tested.run("predictions", "add", str(path), "--test-set", "original")


def add_known(tested: Examined, labels: Mapping[str, int]) -> None:
    """What was judged before: of all images the dataset label is correct and what the odd model says is correct too."""
    ids = sorted(labels)
    correct = [[labels[one], (labels[one] + ODD) % N_CLASSES] for one in ids]
    with tested.study.begin() as begun:
        add_labels(begun, Truth(label_sets=(LabelSet.from_lists("known", ids, correct=correct),)))


def prepare(tested: Examined) -> dict[str, int]:
    """All that a final review needs."""
    labels = answer_test(tested)
    add_models(tested)
    tested.run("campaign", "predictions", "test")
    add_known(tested, labels)
    return labels


def create(tested: Examined, name: str, *more: str) -> None:
    usual = ("--test-set", "original", "--final-review", "test", "--labels", "known", "--seed", "5")
    tested.run("campaign", "create", "review", name, *usual, *more)


def review(tested: Examined, name: str, people: tuple[Invitation, ...]) -> dict[int, dict[str, set[int]]]:
    """Everybody judges what they get: the dataset label and the next class are correct. Returns by person what they judged."""
    campaign, judged = tested.get(name), {}
    images = Images(tested.study, campaign.id).of
    for who in people:
        visitor, mine = tested.begin(who, campaign), defaultdict[str, set[int]](set)
        while tasks := visitor.take(campaign, 5):
            for task in tasks:
                image_id, label = images[find_image(tested.study, task["id"])]
                keys = [int(one["key"]) for one in task["view"]["items"]]
                mine[image_id] |= set(keys)
                assert task["view"]["known"] == []
                assert NOT_FOR not in json.dumps(task)
                is_right = {label, (label + 1) % N_CLASSES}
                said = {str(one): "correct" if one in is_right else "wrong" for one in keys}
                body = {"client_id": f"r-{task['id']}"[:64], "assignment_id": task["id"], "answer": {"verdicts": said}}
                assert visitor.post("/api/answers", {**body, "seconds": 4.0, "revision": 0}).status_code == 200
        judged[who.annotator.id] = dict(mine)
    return judged


def give(labels: Mapping[str, int], shift: int) -> dict[str, int]:
    """What somebody said of the images when they were tested."""
    first = min(labels)
    return {one: label if one == first else (label + shift) % N_CLASSES for one, label in labels.items()}


def test_people_judge_what_the_others_and_models_answered_and_never_what_they_did(
    tested: Examined, capsys: pytest.CaptureFixture[str]
) -> None:
    labels = prepare(tested)
    capsys.readouterr()
    create(tested, "final")
    told = capsys.readouterr().err
    assert (
        "Final review of test: 10 labels that people gave and 4 randomly drawn answers of models, one for each image, in which 0 "
        "are both; nobody is told which is which." in told
    )
    way = (
        "Nobody judges a label that they gave, but for 1 label that so many gave that fewer than 3 others are left: anybody may "
        "judge it."
    )
    assert way in told
    kept = tested.get("final").plan.settings["final_review"]
    assert (kept["n_own"], kept["allows_own"], len(kept["people"])) == (1, False, 5)
    tested.run("campaign", "open", "final")
    judged = review(tested, "final", tested.people)
    first = min(labels)
    counts: dict[tuple[str, int], int] = defaultdict(int)
    for who, shift in zip(tested.people, SHIFTS, strict=True):
        own, mine = give(labels, shift), judged[who.annotator.id]
        assert all(own[image_id] not in classes for image_id, classes in mine.items() if image_id != first)
        for image_id, classes in mine.items():
            for index in classes:
                counts[image_id, index] += 1
    asked = {
        (one, (label + shift) % N_CLASSES)
        for one, label in labels.items()
        for shift in ((0, ODD) if one == first else (*SHIFTS, ODD))
    }
    assert counts == dict.fromkeys(asked, 3)
    show_way(tested, way, capsys)
    make_and_compare(tested, way, capsys)


def show_way(tested: Examined, way: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The page of the campaign and its status say whether people judged their own."""
    campaign = tested.get("final")
    assert way in tested.enter(tested.manager).get(f"/manage/campaigns/{campaign.id}").text
    capsys.readouterr()
    tested.run("campaign", "status")
    assert f"final: {way}" in " ".join(capsys.readouterr().err.split())
    person = tested.enter(tested.people[0])
    mine = person.get("/api/me").json()
    assert mine["withheld"] == ["test"]


def make_and_compare(tested: Examined, way: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The labels say which way it was; what changed is counted, and everybody scored, people and models."""
    tested.run("campaign", "labels", "final", "--preview")
    previewed = capsys.readouterr()
    assert way in " ".join((previewed.out + previewed.err).split())
    tested.run("campaign", "labels", "final", "--name", "known")
    with tested.study.read() as reading:
        made = get_label_set(reading, "known@2").provenance["final_review"]
    assert (made["campaign"], made["n_own"], made["allows_own"]) == ("test", 1, False)
    tested.run("labels", "diff", "known@1", "known@2", "--test-set", "original", "--scores")
    said = " ".join(capsys.readouterr().out.split())
    # The odd model's class was correct on 4 images and is wrong; on 3 of them people found the next class.
    assert "0 kept their labels, 3 had labels added and 4 modified, both on 3" in said
    tested.run("labels", "diff", "known@1", "known@2", "--test-set", "original", "--scores", "--format", "json")
    found = capsys.readouterr()
    scored = json.loads(found.out)
    assert all(name in json.dumps(scored) for name in (*(f"person-{one.annotator.id}" for one in tested.people), "odd"))


def test_as_the_paper_had_it_everybody_may_judge_everything(
    quick: Examined, capsys: pytest.CaptureFixture[str]
) -> None:
    prepare(quick)
    create(quick, "final", "--allow-own", "--annotators", "5")
    assert "People may judge their own answers, as in Shankar et al. (2020)." in capsys.readouterr().err
    quick.run("campaign", "open", "final")
    judged = review(quick, "final", quick.people)
    assert {sum(map(len, mine.values())) for mine in judged.values()} == {14}
    # Nothing is split by who gave it: one task for each image.
    assert quick.get("final").n_tasks == 4


def test_the_seed_decides_which_answers_of_models_are_drawn(quick: Examined) -> None:
    prepare(quick)
    for name, seed in (("one", "5"), ("two", "5")):
        create(quick, name, "--seed", seed)
    with quick.study.read() as reading:
        first, second = (
            sorted(
                json.dumps([one["classes"], one.get(NOT_FOR)])
                for one in load_payloads(reading, quick.get(name)).values()
            )
            for name in ("one", "two")
        )
    assert first == second
    assert quick.get("one").plan.settings["seed"] == 5


def test_what_was_skipped_is_asked_again_of_those_who_did_not_give_it(quick: Examined) -> None:
    prepare(quick)
    create(quick, "final")
    quick.run("campaign", "open", "final")
    campaign = quick.get("final")
    for who in quick.people:
        visitor = quick.begin(who, campaign)
        while tasks := visitor.take(campaign, 5):
            for task in tasks:
                answer = {"verdicts": {}, "problems": ["drawing or rendering"]}
                body = {"client_id": f"r-{task['id']}"[:64], "assignment_id": task["id"], "answer": answer}
                assert visitor.post("/api/answers", {**body, "seconds": 4.0, "revision": 0}).status_code == 200
    with quick.study.read() as reading:
        before = load_payloads(reading, campaign)
    with quick.study.begin() as begun:
        extend_campaign(begun, "final", seed=1)
    with quick.study.read() as reading:
        after = load_payloads(reading, quick.get("final"))

    def tell(tasks: Mapping[int, Mapping[str, Any]]) -> list[tuple[Any, ...]]:
        return sorted((one["images"], one["classes"], one.get(NOT_FOR, [])) for one in tasks.values())

    assert tell({number: one for number, one in after.items() if number not in before}) == tell(before)


def test_who_is_assigned_what_they_gave_is_not_given_it(quick: Examined) -> None:
    prepare(quick)
    create(quick, "final", "--annotators", "1")
    quick.run("campaign", "open", "final")
    (*_, last) = quick.people
    with quick.study.begin() as begun:
        tasks = load_payloads(begun, quick.get("final"))
        own = [number for number, task in tasks.items() if last.annotator.id in task.get(NOT_FOR, ())]
        done = assign_tasks(begun, "final", tasks=own, people=[last.annotator.name])
    assert "cannot be finished" in done.notes[0]
    # What all gave of the first image anybody may judge.
    assert len(own) == 3
    judged = review(quick, "final", (last,))[last.annotator.id]
    assert sum(map(len, judged.values())) == 14 - len(own)


def test_nobody_judges_their_own_under_another_name(quick: Examined) -> None:
    labels = prepare(quick)
    (*_, last) = quick.people
    with quick.study.begin() as begun:
        other = renew_link(begun, "other", role=Role.ANNOTATOR)
        both = [NamedPerson(one.annotator.name, one.annotator.id) for one in (last, other)]
        say_same(begun, both, why="they said so")
    names = [word for one in (*quick.people, other) for word in ("--panel", one.annotator.name)]
    create(quick, "final", *names)
    # Six names are five people: what all five gave of the first image all may judge.
    assert quick.get("final").plan.settings["final_review"]["n_own"] == 1
    quick.run("campaign", "open", "final")
    judged, own = review(quick, "final", (other,))[other.annotator.id], give(labels, SHIFTS[-1])
    assert all(own[image_id] not in classes for image_id, classes in judged.items() if image_id != min(labels))
    assert sum(map(len, judged.values())) == 14 - 3


def test_it_can_be_asked_for_on_the_page(quick: Examined) -> None:
    prepare(quick)
    manager = quick.enter(quick.manager)
    form = {
        **FORM,
        "kind": "review",
        "name": "final",
        "test_set": "original",
        "source": "unjudged",
        "n_annotators": "3",
    }
    own = {"by": "image", "mode": "open", "gold_share": "5", "labels": "known"}
    page = fill_in(manager, {**form, **own, "final_review": "test"})
    assert page.status_code < 400, page.text
    assert quick.get("final").plan.settings["final_review"]["campaign"] == "test"


def refuse(quick: Examined, *words: str, because: str) -> None:
    with pytest.raises(InputError) as caught:
        quick.run("campaign", "create", "review", "final", "--test-set", "original", *words)
    assert because in str(caught.value)


def test_what_is_no_evaluation_or_not_over_is_refused(quick: Examined) -> None:
    labels = {"o0": 0}
    add_models(quick)
    refuse(quick, "--final-review", "nothing", because="nothing")
    campaign = quick.test()
    refuse(
        quick, "--final-review", "test", because="Campaign test is open, and its people would see what others answered"
    )
    quick.answer_all(quick.people[0], campaign)
    quick.run("campaign", "close", "test")
    name = quick.people[0].annotator.name
    refuse(
        quick, "--final-review", "test",
        because=f"{name} of campaign test is not a participant yet; run: regauge campaign predictions test.",
    )  # fmt: skip
    quick.run("campaign", "predictions", "test")
    refuse(
        quick, "--final-review", "test",
        because="3 people judge every label, and 1 person of the final review cannot; name more with `panel=…`",
    )  # fmt: skip
    quick.run("campaign", "create", "review", "usual", "--test-set", "original")
    refuse(quick, "--final-review", "usual", because="Campaign usual tests nobody, so no final review follows it;")
    assert labels


def test_without_models_nothing_would_hide_whose_answers_they_are(quick: Examined) -> None:
    answer_test(quick)
    quick.run("campaign", "predictions", "test")
    refuse(quick, "--final-review", "test", because="There is no model with answers on original to draw from")


@pytest.mark.parametrize(
    ("words", "because"),
    [
        (("--final-review", "test", "--show-score"), "People's answers have no scores"),
        (
            ("--final-review", "test", "--trust-dataset-labels"),
            "A final review asks about what people and models answered",
        ),
        (("--final-review", "test", "--audit-size", "3"), "without an audit"),
        (("--final-review", "test", "--by", "class-pair"), "A final review is image by image"),
        (("--final-review", "test", "--mode", "complete"), "A final review is image by image"),
        (("--allow-own",), "Only a final review asks people about their own answers"),
    ],
)
def test_what_does_not_go_with_it_is_refused(quick: Examined, words: tuple[str, ...], because: str) -> None:
    refuse(quick, *words, because=because)


def test_others_can_judge_too_and_get_what_the_tested_gave(quick: Examined) -> None:
    prepare(quick)
    with quick.study.begin() as begun:
        expert = renew_link(begun, "expert", role=Role.ANNOTATOR)
    names = [word for one in (*quick.people, expert) for word in ("--panel", one.annotator.name)]
    create(quick, "final", *names)
    quick.run("campaign", "open", "final")
    judged = review(quick, "final", (expert,))
    assert sum(map(len, judged[expert.annotator.id].values())) == 14
