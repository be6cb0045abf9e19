"""Sentences about slices: how they were chosen, what scores of them say, cards and figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import update
from tests.sentences.commands import commands
from tests.sentences.entries import Always, Entries, Maker, Pair
from tests.slices.small_parts import make_part
from tests.slices.small_slices import ANSWERS, IMAGES, LABELS, OF_R, RULE
from tests.workflows.slices.sliced_study import HEAD, SLICE_FILES

from regauge.estimates import Share
from regauge.records.labels.label_set import LabelSet
from regauge.records.predictions import Predictions
from regauge.records.slices.answers import AnswerState, OpenPredictions
from regauge.records.slices.rules import CountRange, ImageRule
from regauge.records.slices.scores import MISTAKE_STATES, SliceScore, SliceScores
from regauge.records.slices.slice import Slice, SliceEntry, SliceInputs, SliceKind, SliceParticipant
from regauge.report.sections.blocks import ReportFigure, ReportTable, Text
from regauge.report.slices.figures import plot_slice
from regauge.report.slices.section import make_slices
from regauge.slices.cards import CardContent, format_card
from regauge.slices.scoring import SliceTruth, score_slice
from regauge.storage.database.schema import mistake_codings
from regauge.storage.labels.label_set import get_label_set, mark_label_set
from regauge.workflows.slices.reading import list_slices, open_slice
from regauge.workflows.slices.scoring import _describe, _describe_uncoded
from regauge.workflows.studies.study import open_study

FILES = {
    **SLICE_FILES,
    "accepts.jsonl": SLICE_FILES["panel.jsonl"].replace(
        '"m1","correct":[0],"wrong":[1]', '"m1","correct":[0,1],"wrong":[]'
    ),
    "half.txt": "m1\nx\n",
    "B.csv": HEAD + "m2,2,FG,minor\n",
    "models2/R.csv": "image_id,class\nm1,1\nm2,0\nm3,1\nm4,1\nm5,1\nm6,1\n",
    "models3/R.csv": "image_id,class\nm1,2\nm2,1\nm3,1\nm4,1\nm5,1\nm6,1\n",
}
STUDY = tuple(
    f"{line} --study s"
    for line in (
        "testset add val.csv",
        "predictions add models ann.csv",
        "labels add panel.jsonl --name panel",
        "mistakes add R.csv --participant R --labels panel",
        "mistakes add A.csv --participant A --labels panel",
    )
)
MAJOR = "slice create major --reference R --models A B C --at-least 3 --allow-open"
LISTED = "slice add list.txt --labels panel"
SEVERAL = "slice create rule several --labels panel --n-wrong 1.."


def studied(*lines: str) -> Maker:
    """What the last of some commands says in a study of six images and five participants."""
    return commands("init s --taxonomy cifar-10", *STUDY, *(f"{line} --study s" for line in lines), files=FILES)


def folder(*words: str) -> Maker:
    """What scoring an exported slice says."""
    exports = [f"slice export {line}" for line in ("major out", "list bare", "several coded")]
    made = [f"{line} --study s" for line in (MAJOR, LISTED, f"{SEVERAL} --coding R", *exports)]
    return commands("init s --taxonomy cifar-10", *STUDY, *made, " ".join(words), files=FILES)


CHOSEN = Slice("s", SliceKind.RULE, "val", np.array(IMAGES), "panel@1", ImageRule(n_wrong=CountRange(1)))
HELPED = SliceInputs(participants=(SliceParticipant("R"),), n_candidates=6)
BAD = LabelSet.from_lists("panel@1", IMAGES, correct=[[0]] * 6, is_problematic=[True, *([False] * 5)])


def card(labels: LabelSet = LABELS, void: str = "", **changes: Any) -> Maker:
    """The card of a slice."""
    return lambda _: format_card(CardContent(replace(CHOSEN, **changes), labels, (OF_R,), void))


def rule(**conditions: Any) -> Maker:
    return card(rule=ImageRule(**conditions))


def scored(*people: Predictions, labels: LabelSet = LABELS, conflicts: bool = False) -> Maker:
    """What is said of scores."""

    def say(_: Path) -> list[str]:
        codings = (OF_R, replace(OF_R, coded=replace(OF_R.coded, severities=np.array([1] * 6, np.int8))))
        truth = SliceTruth(labels, codings if conflicts else (OF_R,))
        found = score_slice(CHOSEN, people or (ANSWERS["R"],), truth=truth)
        return [repr(found), *found.notes]

    return say


def described(one: Predictions) -> Maker:
    """What is left to do after somebody was scored."""

    def say(_: Path) -> list[str]:
        found = score_slice(CHOSEN, (one,), truth=SliceTruth(LABELS, (OF_R,)))
        return [repr(found), *_describe(found), *_describe_uncoded(found)]

    return say


def share(k: int, n: int) -> Share[float | None]:
    return Share(k / n, max(0.0, k / n - 0.1), min(1.0, k / n + 0.1), n=n, k=k, method="clopper-pearson")


def section(**changes: Any) -> Maker:
    """What the section of a report says of a slice."""

    def say(_: Path) -> list[str]:
        found = make_slices([make_part(**changes)])
        captions = [one.caption for one in found.blocks if isinstance(one, ReportTable)]
        captions += [one.text for one in found.blocks if isinstance(one, ReportFigure)]
        return [found.gist, *captions, *(one.words for one in found.blocks if isinstance(one, Text))]

    return say


def drawn(
    n: int = 1, *, unjudged: int = 0, is_comparable: bool = True, n_without: int = 0, person: int | None = None
) -> Maker:
    """The words above a figure of so many participants, who stand in one place."""

    def say(_: Path) -> list[str]:
        counts = {state: unjudged if state is AnswerState.UNJUDGED else 0 for state in MISTAKE_STATES}
        one = SliceScore("model", False, share(3, 6), counts, 0, is_comparable, share(5, 6))
        people = [replace(one, participant=f"a long name of a model {place}") for place in range(n)]
        people += [replace(one, participant=f"without {place}", top1=None) for place in range(n_without)]
        if person is not None:
            people.append(replace(one, participant="ann", is_person=True, top1=share(3, person)))
        nothing = OpenPredictions(np.array([], np.str_), np.array([], np.int32), (), ())
        figure = plot_slice(SliceScores("s", "panel@1", 6, tuple(people), (), nothing)).to_dict()
        return [" ".join(figure["title"]["subtitle"])]

    return say


def voided(*lines: str, is_void: bool = True, coding: str = "") -> Maker:
    """What a study says of a slice after its labels or a coding were made void by an erasure, or were not."""

    def say(path: Path) -> list[str]:
        said = studied(MAJOR, *lines)(path)
        study = open_study(path / "s")
        with study.begin() as begun:
            if is_void:
                mark_label_set(begun, get_label_set(begun, "panel@1"), {"superseded": {"at": "", "by": None}})
            stale = update(mistake_codings).where(mistake_codings.c.name == coding)
            begun.connection.execute(stale.values(provenance={"superseded": {"at": "", "by": None}}))
            entries: tuple[SliceEntry, ...] = list_slices(begun)
            found = [entries[0].name, entries[0].void, *open_slice(begun, "major").notes]
        study.close()
        assert said
        return found

    return say


TOLD = "It repeats what the rule and its inputs say."
ADVICE = "It is advice, which holds of every slice."

ENTRIES: Entries = {
    "cli/slices/score.py:_explain: Intervals: Clopper–Pearson. Minor and borderline mistakes are counted": Always(
        "Intervals are always these, and no table here folds severities.", studied(MAJOR, "slice score major")
    ),
    "cli/slices/score.py:_explain: “a to b”: a if every unjudged answer": Pair(
        studied(SEVERAL, "slice score several"), studied(MAJOR, "slice score major")
    ),
    "cli/slices/score.py:_explain: Top-1: dataset labels of the whole test set.": Pair(
        studied(MAJOR, "slice score major"), folder("slice score out models/B.csv")
    ),
    "formats/slices/folders.py:SliceFolder.note: Slice … of … under …: ….": Always(
        "It repeats what the folder says.", folder("slice score out models/B.csv")
    ),
    "report/slices/figures.py:_explain: … under …. Intervals: Clopper–Pearson.": Always(
        "Intervals are always these, and images are counted.", drawn()
    ),
    "report/slices/figures.py:_explain: Hollow: helped to choose the images, so not": Pair(
        drawn(is_comparable=False), drawn()
    ),
    "report/slices/figures.py:_explain: Intervals reach as far as unjudged answers may": Pair(
        drawn(unjudged=1), drawn()
    ),
    "report/slices/figures.py:_explain: Top-1 of people: on the images that they": Pair(
        drawn(person=4), drawn(person=6)
    ),
    "report/slices/figures.py:_explain: … not drawn: top-1 is not known.": Pair(drawn(n_without=1), drawn()),
    "report/slices/figures.py:_explain: No room for the names of ….": Pair(drawn(20), drawn(1)),
    "report/slices/section.py:_show: Right answers on … against top-1 accuracy, with": Pair(
        section(), section(has_top1=False)
    ),
    "report/slices/section.py:_show: Right answers on …, and how severe the": Always(
        "It is the caption of a table that is always there.", section()
    ),
    "report/slices/section.py:_show: This slice is open: predictions had not been": Pair(
        section(is_open=True), section()
    ),
    "report/slices/section.py:_show: Participants whose answers helped to choose the images": Pair(
        section(is_comparable=False), section()
    ),
    "report/slices/section.py:_show: Unjudged answers are neither right nor wrong; intervals": Pair(
        section(unjudged=1), section()
    ),
    "slices/cards.py:format_card: … of ….": Always("It counts the images of the slice.", card()),
    "slices/cards.py:format_card: **This slice is void:** …. Its scores no": Pair(
        card(void="its labels are gone"), card()
    ),
    "slices/cards.py:describe_choice: Of the major mistakes of …, those on": Pair(
        card(kind=SliceKind.MAJOR, rule=RULE), card()
    ),
    "slices/cards.py:describe_choice: The images of which all of this holds:": Pair(card(), card(rule=RULE)),
    "slices/cards.py:_list_conditions: the number of labels judged … is …": Pair(
        rule(n_correct=CountRange(1)), rule(max_seconds=3.0)
    ),
    "slices/cards.py:_list_conditions: the dataset label is in …": Pair(rule(groups=(("kind", "pets"),)), card()),
    "slices/cards.py:_list_conditions: people take … seconds or less, in the": Pair(rule(max_seconds=3.0), card()),
    "slices/cards.py:_tell_making: Its rule went with what was erased": Pair(
        card(void="gone", rule=None), card(void="gone", kind=SliceKind.LIST, rule=None)
    ),
    "slices/cards.py:_tell_making: … could have been chosen.": Pair(card(), card(kind=SliceKind.LIST, rule=None)),
    "slices/cards.py:_tell_making: The list has ….": Pair(card(kind=SliceKind.LIST, rule=None), card()),
    "slices/cards.py:_tell_content: Labels of its images: ….": Always(
        "It counts verdicts, and counts of 0 are told.", card()
    ),
    "slices/cards.py:_tell_content: … problematic, on which no answer counts.": Pair(card(BAD), card()),
    "slices/cards.py:_tell_limits: Whoever gets … of … right has a": Always(
        "The interval is computed for this many images.", card()
    ),
    "slices/cards.py:_tell_limits: … helped to choose the images. Their scores": Pair(card(inputs=HELPED), card()),
    "slices/cards.py:_tell_limits: Images that some models get wrong favour models": Pair(card(inputs=HELPED), card()),
    "slices/cards.py:_tell_limits: It is open: … had not been judged": Pair(
        card(inputs=replace(HELPED, n_open=2)), card()
    ),
    "slices/cards.py:_tell_limits: Its labels are not complete: a class that": Pair(card(), card(is_complete=True)),
    "slices/cards.py:_tell_limits: Verdicts and severities are judgements of the people": Always(ADVICE, card()),
    "slices/cards.py:_tell_use: Look at the mistakes one by one, or": Always(ADVICE, card()),
    "slices/cards.py:_tell_use: Ask of every mistake whether it is one.": Always(ADVICE, card()),
    "slices/cards.py:_tell_use: Ask of every mistake that is left whether": Always(ADVICE, card()),
    "slices/cards.py:_tell_use: While you change a model, follow how its": Always(ADVICE, card()),
    "slices/cards.py:_tell_use: Report other slices and the accuracy on the": Always(ADVICE, card()),
    "slices/scoring.py:_describe: … of … left out for everybody: problematic,": Pair(scored(labels=BAD), scored()),
    "slices/scoring.py:_describe: … coded differently by two codings; the code": Pair(scored(conflicts=True), scored()),
    "storage/slices/slices.py:_make_entry: its coding … was made with answers that": Pair(
        voided(is_void=False, coding="A"), voided(is_void=False)
    ),
    "storage/slices/slices.py:_list_void_labels: its labels …@… were made with answers that": Pair(
        voided(), voided(is_void=False)
    ),
    "workflows/slices/creating.py:_describe_choice: … chosen of … of … under ….": Always(
        "It counts what was chosen, and of what.", studied(MAJOR)
    ),
    "workflows/slices/creating.py:_describe_choice: … left out: … accepts the prediction by": Pair(
        studied("labels add accepts.jsonl --name panel", MAJOR), studied(MAJOR)
    ),
    "workflows/slices/creating.py:_describe_choice: … left out: … answers otherwise in this": Pair(
        studied("predictions add models2/R.csv --replace", MAJOR), studied(MAJOR)
    ),
    "workflows/slices/creating.py:_describe_choice: … of … not coded, so nobody knows": Pair(
        studied("predictions add models3/R.csv --replace", MAJOR), studied(MAJOR)
    ),
    "workflows/slices/creating.py:_describe_list: … left out: not in … (…).": Pair(
        studied("slice add half.txt --labels panel"), studied(LISTED)
    ),
    "workflows/slices/reading.py:_describe_void: Slice … is void: ….": Pair(voided(), voided(is_void=False)),
    "workflows/slices/reading.py:_describe_changed: Other predictions than now helped to choose the": Pair(
        studied(MAJOR, "predictions add models2/R.csv --replace", "slice show major"),
        studied(MAJOR, "slice show major"),
    ),
    "workflows/slices/scoring.py:_describe: … still to be judged, each counted once": Pair(
        described(ANSWERS["A"]), described(ANSWERS["B"])
    ),
    "workflows/slices/scoring.py:_describe_uncoded: … judged wrong, without a severity; name more": Pair(
        described(ANSWERS["A"]), described(ANSWERS["B"])
    ),
    "workflows/slices/scoring.py:_describe: Not comparable, for their answers helped to choose": Pair(
        studied(MAJOR, "slice score major"), studied(SEVERAL, "slice score several")
    ),
    "workflows/slices/scoring.py:_describe_folder: … judged wrong, and the folder does not": Pair(
        folder("slice score coded models/A.csv"), folder("slice score out models/B.csv")
    ),
    "formats/slices/folders.py:SliceFolder._describe_choosers: Not comparable on it, for their answers helped": Pair(
        folder("score models/B.csv --truth out"), folder("score models/B.csv --truth bare")
    ),
    "workflows/slices/creating.py:_describe_list: No predictions on … here of …; whoever": Pair(
        studied("slice add list.txt --labels panel --chosen-with elsewhere"),
        studied("slice add list.txt --labels panel --chosen-with A"),
    ),
    "workflows/slices/scoring.py:_describe_folder: … comes without coded mistakes, so nothing says": Pair(
        folder("slice score bare models/B.csv"), folder("slice score out models/B.csv")
    ),
}
