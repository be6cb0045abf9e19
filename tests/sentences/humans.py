"""Sentences about people and models in the same tables."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from tests.evaluation.humans.answers import MODELS, PEOPLE, keep, list_predictions, make_set, run, stop_early
from tests.evaluation.humans.test_tables import make_verdicts
from tests.report.sections.test_humans import make_effect, make_part, place, read
from tests.report.test_document import make_mistakes
from tests.sentences.comparisons_data import texts, titles
from tests.sentences.entries import Always, Entries, Maker, Pair
from tests.workflows.reports.test_humans import make_people_study

from regauge.cli.evaluation.humans.tables import make_human_tables
from regauge.estimates import make_share
from regauge.records.evaluation.humans.report import HumanReport
from regauge.records.evaluation.shifts import ShiftSettings
from regauge.records.studies import Selection
from regauge.report.content import HumanPart, MissedPictures, Misser
from regauge.report.findings.humans import find_in_humans
from regauge.report.humans.figures import plot_humans
from regauge.report.sections.humans import make_humans
from regauge.workflows.evaluation.evaluations import measure_shift
from regauge.workflows.inputs import TestSetAnswers

EVERYBODY = (*PEOPLE, *MODELS)


@cache
def report(
    names: tuple[str, ...] = EVERYBODY,
    *,
    n_sets: int = 2,
    n_copies: int = 1,
    stops: int = 0,
    judged: str = "",
    clear: bool = False,
) -> HumanReport:
    """The tables of some participants, of whom models may have copies or be poor, and people may have stopped early."""
    drop = 0.5 if clear else 0.0
    sets = [keep(make_set(name, seed=seed, drop=drop), names) for seed, name in enumerate(("old", "new")[:n_sets])]
    sets = [replace(one, predictions=copy_models(one, n_copies)) for one in sets]
    for who in PEOPLE[:stops]:
        sets = [stop_early(one, who, 50) for one in sets]
    if judged:
        sets = [TestSetAnswers(one.predictions, make_verdicts(one)) for one in sets]
    return run(*sets, metric=judged or ())


def copy_models(answers: TestSetAnswers, n_copies: int) -> list[Any]:
    given = list_predictions(answers)
    return [
        replace(one, participant=f"{one.participant}{copy or ''}")
        for copy in range(n_copies)
        for one in given
        if copy == 0 or not one.is_person
    ]


def told(*tables: str, **options: Any) -> Maker:
    return lambda _: texts(make_human_tables(report(**options), tables))


def noted(**options: Any) -> Maker:
    return lambda _: [*report(**options).notes, *report(**options).warnings]


def drawn(**options: Any) -> Maker:
    return lambda _: titles(plot_humans(report(**options)))


def found(part: HumanPart) -> Maker:
    """What a report finds of them."""
    return lambda _: [*(text for one in find_in_humans(part, "") for text in (one.claim, one.evidence)), "(end)"]


def section(part: HumanPart) -> Maker:
    """What the section of a report tells, with the captions of tables and figures."""

    def make(_: object) -> list[str]:
        made = make_humans(part)
        return [made.gist, *read(made).splitlines(), *list_titles(made.blocks)]

    return make


def list_titles(blocks: Any) -> list[str]:
    names = ("title", "caption", "text")
    own = [getattr(one, name) for one in blocks for name in names if isinstance(getattr(one, name, None), str)]
    return own + [text for one in blocks for text in list_titles(getattr(one, "blocks", ()))]


def exposed(*n_exposed: int, **options: Any) -> Maker:
    return section(make_part(exposures=(make_effect(*n_exposed, **options),)))


def measured(*, is_whole: bool) -> Maker:
    """The notes of a comparison in a study in which somebody stopped early or nobody did."""

    def make(folder: Any) -> list[str]:
        with make_people_study(folder, stops=0 if is_whole else 1) as study, study.read() as reading:
            sides = Selection("old"), Selection("new")
            settings = ShiftSettings(n_bootstrap=100)
            return [*measure_shift(reading, *sides, settings=settings).shift.notes, "(end)"]

    return make


PICTURES = MissedPictures("old", Misser.BOTH, 9, make_mistakes().images)
SEEN = make_effect(20, 20)
NO_ANSWERS = make_share(0, 0, limits=(float("nan"), float("nan")), method="")
ALL_SEEN = replace(SEEN, scores=tuple(replace(one, accuracy=NO_ANSWERS) for one in SEEN.scores))
ONE_SET = make_part(report(n_sets=1))
FINDINGS: Entries = {
    "report/findings/humans.py:_tell_line: … from the line through …, each with": Pair(
        found(make_part()), found(ONE_SET)
    ),
    "report/findings/humans.py:_tell_line: … of them … more accurate than any": Pair(
        found(make_part(report(clear=True))), found(make_part())
    ),
    "report/findings/humans.py:_claim: than models that match them on …": Pair(found(make_part()), found(ONE_SET)),
    "report/findings/humans.py:_claim: On …, … of … people do clearly": Pair(
        found(make_part(place(0.1, -0.1, 0.0))), found(make_part(place(0.1, 0.1, 0.0)))
    ),
    "report/findings/humans.py:_claim: On …, … …clearly better or worse ….": Pair(
        found(make_part(place(0.0, 0.0, 0.0))), found(make_part(place(0.1, 0.1, 0.0)))
    ),
    "report/findings/humans.py:_claim: On …, … … clearly … ….": Pair(
        found(make_part(place(0.1, 0.1, 0.0))), found(ONE_SET)
    ),
    "report/findings/humans.py:_tell_pairs: On …, the person is clearly better in": Pair(
        found(make_part(report(n_sets=1, clear=True))), found(ONE_SET)
    ),
    "report/findings/humans.py:_tell_pairs: On …, no person can be told apart": Pair(
        found(ONE_SET), found(make_part(report(n_sets=1, clear=True)))
    ),
    "report/findings/humans.py:_tell_pairs: McNemar's exact test of …, adjusted by Holm": Pair(
        found(ONE_SET), found(make_part())
    ),
}
SECTION: Entries = {
    "report/sections/humans.py:make_humans: People and models cannot be put into the": Pair(
        section(HumanPart(None, "Why.")), section(make_part())
    ),
    "report/sections/humans.py:_tell_judging: …: … under …, the images that at": Always(
        "Whom it is about, and how they are judged.", section(make_part())
    ),
    "report/sections/humans.py:_tell_judging: People also answered …, which regauge humans shows.": Pair(
        section(make_part(others=("third",))), section(make_part())
    ),
    "report/sections/humans.py:_show_both: …: accuracy on both sets with intervals, people": Pair(
        section(make_part()), section(ONE_SET)
    ),
    "report/sections/humans.py:_show_both: … of people and models on …": Pair(section(make_part()), section(ONE_SET)),
    "report/sections/humans.py:_tell_pairs: on …, the person is clearly better in": Pair(
        section(make_part()), section(make_part(report(PEOPLE)))
    ),
    "report/sections/humans.py:_tell_pairs: McNemar’s exact test tells … of … apart": Pair(
        section(make_part()), section(make_part(report(("ann",))))
    ),
    "report/sections/humans.py:_tell_pairs: …. Of the pairs of a person and": Pair(
        section(make_part()), section(make_part(report(PEOPLE)))
    ),
    "report/sections/humans.py:_tell_consistency: Error consistency (mean kappa, … of …): ….": Pair(
        section(make_part()), section(make_part(report(("ann",))))
    ),
    "report/sections/humans.py:_tell_exposure: Whether these people had been shown images of": Pair(
        exposed(0, known=0), exposed(0, 0)
    ),
    "report/sections/humans.py:_tell_exposure: Of … of … it is not known": Pair(exposed(0, 0, known=1), exposed(0, 0)),
    "report/sections/humans.py:_tell_exposure: … … shown an image of … before.…": Pair(exposed(0, 0), exposed(3, 0)),
    "report/sections/humans.py:_tell_exposure: … of … had been shown images of": Pair(exposed(3, 0), exposed(0, 0)),
    "report/sections/humans.py:_tell_exposure: …, so there are no answers without exposure": Pair(
        section(make_part(exposures=(ALL_SEEN,))), exposed(3, 0)
    ),
    "report/sections/humans.py:_tell_exposure: …: … of … are right (n =": Pair(
        exposed(3, 0), section(make_part(exposures=(ALL_SEEN,)))
    ),
    "report/sections/humans.py:_show_subsets: Below each value: n and, for subsets made": Always(
        "How to read a table that every set has.", section(make_part())
    ),
    "report/sections/humans.py:_show_missed: Images that everybody of a kind misses": Always(
        "The caption of a table of counts, which may be 0.", section(make_part())
    ),
    "report/sections/humans.py:_show_missed: Expected: how many all of them would miss": Always(
        "How to read that table.", section(make_part())
    ),
    "report/sections/humans.py:_show_missed: The image files are not at hand, so": Pair(
        section(make_part(pictures=None)), section(make_part(pictures=(PICTURES,)))
    ),
    "report/sections/humans.py:_show_missed: Images that all people, all models or both": Always(
        "The title of that table.", section(make_part())
    ),
    "report/sections/humans.py:_tell_how: Computed as by regauge humans, with … bootstrap": Always(
        "How it was computed.", section(make_part())
    ),
    "report/sections/humans.py:_tell_how: Limits are for these people on other images,": Always(
        "All limits take images for what is drawn.", section(make_part())
    ),
    "workflows/evaluation/stopped.py:note_stopped: Left out: … who answered only some of": Pair(
        measured(is_whole=False), measured(is_whole=True)
    ),
}

ENTRIES: Entries = {
    **FINDINGS,
    **SECTION,
    "cli/evaluation/humans/pair_tables.py:make_pairs: McNemar's p (Holm) below the diagonal, images only": Pair(
        told("pairs"), told("pairs", n_copies=7)
    ),
    "cli/evaluation/humans/pair_tables.py:make_pairs: McNemar's test of pairs (… on …)": Pair(
        told(), told(names=("ann",))
    ),
    "cli/evaluation/humans/pair_tables.py:make_pairs: p adjusted by Holm over one family of": Pair(
        told(), told(names=("ann",))
    ),
    "cli/evaluation/humans/pair_tables.py:make_consistency: Error consistency (… on …): kappa below the": Pair(
        told("consistency"), told("consistency", n_copies=7)
    ),
    "cli/evaluation/humans/tables.py:make_human_tables: … further models: --table NAME has all of": Pair(
        told(n_copies=5), told()
    ),
    "cli/evaluation/humans/tables.py:_make_gap_differences: Gap of a person minus that of a": Pair(
        told(), told(names=PEOPLE)
    ),
    "cli/evaluation/humans/tables.py:_make_accuracies: What a subset changes: … on …, in": Always(
        "A title; a subset of the images has something to be compared with.", told()
    ),
    "cli/evaluation/humans/tables.py:_make_missed: Images of … that all of them miss": Always("A title.", told()),
    "cli/evaluation/humans/tables.py:_make_missed_images: Images that all of them miss": Always(
        "A title.", told("missed_images")
    ),
    "cli/evaluation/humans/tables.py:_make_mean_consistency: Mean error consistency (kappa between right and wrong)": Pair(
        told(), told(names=("ann",))
    ),
    "cli/evaluation/humans/tables.py:_make_seconds: Seconds per image and hours in total, …": Pair(
        told(), told(names=MODELS)
    ),
    "cli/evaluation/humans/tables.py:_make_fast: Fast images, by the median of people's seconds": Pair(
        told(), told(names=MODELS)
    ),
    "cli/evaluation/humans/tables.py:_make_bins: … by seconds, a person's own or the": Pair(told(), told(names=MODELS)),
    "evaluation/humans/analysis.py:_note: …: … left out: no person answered them;": Pair(
        noted(stops=3), noted(stops=2)
    ),
    "evaluation/humans/analysis.py:_note: … answered … of … images of …:": Pair(
        noted(stops=1), noted(judged="multilabel_strict")
    ),
    "evaluation/humans/analysis.py:_warn: On …, … of … predictions are unjudged": Pair(
        noted(judged="multilabel_strict"), noted(stops=1)
    ),
    "report/humans/figures.py:_explain: Models (dots): …; people (diamonds): ….": Always(
        "Counts of what is drawn.", drawn()
    ),
    "report/humans/figures.py:_explain: … Clopper–Pearson intervals; dashed: equal accuracy.": Always(
        "Every accuracy of a participant has these limits, and the diagonal is always drawn.", drawn()
    ),
    "report/humans/figures.py:_explain: The line goes through the models alone, with": Pair(
        drawn(), drawn(names=PEOPLE)
    ),
}
