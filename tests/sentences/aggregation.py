"""Sentences about people's answers on their way to labels: CONTAINS, CLASSIFY, votes, candidates, mistakes, oddities."""

from __future__ import annotations

import numpy as np
from tests.candidates.selection_counts import make_counts, make_labels
from tests.mistakes.test_summary import FLAT, TOY, from_counts
from tests.responses.live import test_oddities as odd
from tests.sentences.aggregation_data import (
    ALL_ALIKE,
    ANSWERS,
    ASKED,
    BALANCED,
    EVEN,
    FLAWED,
    GOOD,
    NOBODY,
    ONCE,
    ONE_CONTROL,
    ONE_LESS,
    PATTERN,
    REPEATED,
    RUNS,
    SHRUNK,
    SMALL,
    THREE_EACH,
    TIED,
    TRUTH,
    TWO_CONTROLS,
    UNKNOWN,
    alike,
    candidates,
    choices,
    classify,
    classify_easy,
    classify_people,
    classify_rows,
    classify_table,
    coded,
    contains,
    contains_rows,
    contains_table,
    dropped,
    flags,
    good_votes,
    honest,
    mistakes,
    negatives,
    note,
    panel,
    potential,
    printed,
    said,
    sparse_votes,
    turned_votes,
    unsure,
    vote_table,
    votes,
)
from tests.sentences.entries import Always, Entries, Pair
from tests.workflows.labels.test_aggregate_votes import know

from regauge.candidates.final import find_candidates
from regauge.cli import candidates as candidate_tables
from regauge.records.labels.contains import ContainsSettings
from regauge.records.labels.votes import Acceptance, StopRule
from regauge.records.testsets.test_set import TestSet

ENTRIES: Entries = {
    # CONTAINS
    "workflows/labels/aggregate_contains.py:describe_verdicts: Verdicts by …: ….": Always(
        "It names the rule and counts.", contains_table(GOOD)
    ),
    "labels/frequencies/results.py:_find_limits: The … pairs do not tell how frequencies": Pair(
        contains_rows([f"t,w{who},0,a,,1" for who in range(4)], SHRUNK), contains_rows(EVEN, SHRUNK)
    ),
    "labels/frequencies/results.py:_describe: Kept by hand: … and … that the": Pair(
        contains({**GOOD, "z": "00011"}, keep_annotators=("z",)), contains({**GOOD, "z": "00011"})
    ),
    "labels/frequencies/results.py:_describe: … with a single positive control: no other": Pair(
        contains_rows(ONE_CONTROL), contains_rows(TWO_CONTROLS)
    ),
    "labels/frequencies/results.py:_describe: … on a pair that the same annotator": Pair(
        contains_rows(REPEATED), contains_rows(TWO_CONTROLS)
    ),
    "labels/frequencies/results.py:_describe: … without an accepted vote: the frequency is": Pair(
        contains_rows([*TWO_CONTROLS, "s,z,0,p,positive,0", "s,z,0,q,positive,0", "s,z,0,b,,1"]),
        contains_rows(TWO_CONTROLS),
    ),
    "labels/frequencies/results.py:_describe: Flagged, not dropped: … for …, the first": Pair(
        contains_rows(
            [f"t{task},{who},0,i{task}-{cell},,1" for task in range(12) for who in "uvw" for cell in range(6)],
            ContainsSettings(rules=None),
        ),
        contains(GOOD),
    ),
    "labels/frequencies/results.py:_describe_screening: No screening: all … responses of … annotators": Pair(
        contains(GOOD, rules=None), contains(GOOD)
    ),
    "labels/frequencies/results.py:_describe_screening: Screening drops … of … annotators with …,": Pair(
        contains(GOOD), contains(GOOD, rules=None)
    ),
    "cli/labels/aggregate_contains.py:_make_parts: …: see them with --format csv or --output": Pair(
        contains_table(GOOD, n_images=40), contains_table(GOOD)
    ),
    "cli/labels/aggregate_contains.py:_make_parts: ……% intervals: ….": Always(
        "It names the method.", contains_table(GOOD)
    ),
    "cli/labels/aggregate_contains.py:_make_parts: … more: see them with --annotators FILE.": Pair(
        contains_table({**GOOD, **{f"z{who}": "00011" for who in range(60)}}), contains_table({**GOOD, "z": "00011"})
    ),
    "cli/labels/aggregate_contains.py:_make_pairs: Selection frequencies of … pairs on …": Always(
        "The title of the table.", contains_table(GOOD)
    ),
    "cli/labels/aggregate_contains.py:_make_annotators: kept by hand:": Pair(
        contains_table({**GOOD, "z": "00011"}, keep_annotators=("z",)), contains_table({**GOOD, "z": "00011"})
    ),
    # CLASSIFY
    "labels/objects/results.py:_describe_screening: … of … annotators are ignored.": Pair(
        classify(FLAWED), classify(ONCE)
    ),
    "labels/objects/results.py:_describe_screening: … of … responses are ignored: ….…": Pair(
        classify(FLAWED), classify(ANSWERS)
    ),
    "labels/objects/results.py:_describe_images: … of … images, the first being …,": Pair(
        classify(NOBODY), classify(ANSWERS)
    ),
    "labels/objects/results.py:_describe_images: … of … images have no dataset label": Pair(
        classify(ANSWERS, TestSet("t", np.array(["i"]), np.array([8]))),
        classify(ANSWERS, TestSet("t", np.array(["i", "j"]), np.array([8, 3]))),
    ),
    "labels/objects/results.py:_describe_easy: Nothing says which images were easy in CONTAINS,": Pair(
        classify(ANSWERS), classify_easy("other")
    ),
    "labels/objects/results.py:_describe_easy: … taken to show one object, the dataset": Pair(
        classify_easy("other"), classify(ANSWERS)
    ),
    "labels/objects/results.py:_describe_easy: ; people were asked about … of them,": Pair(
        classify_easy("j", "other"), classify_easy("other")
    ),
    "cli/labels/aggregate_classify.py:: … whose objects only one division fits best": Always(
        "The name of a row.", classify_rows(None)
    ),
    "cli/labels/aggregate_classify.py:: … whose main object is not the dataset": Pair(
        classify_rows(TestSet("t", np.array(["i"]), np.array([8]))), classify_rows(None)
    ),
    "responses/classify_annotators.py:_explain: … of … responses flawed, more than a": Pair(
        classify_people(FLAWED), classify_people(ANSWERS)
    ),
    "records/responses/screening.py:Screening.describe: selected … of … positive controls, less than": Pair(
        dropped({**GOOD, "y": "10011", "z": "11111"}), dropped({**GOOD, "z": "00011"})
    ),
    "records/responses/screening.py:Screening.describe_annotator: selected less than …% of the positive controls": Pair(
        dropped({**GOOD, "z": "00011"}), dropped({**GOOD, "y": "10011"})
    ),
    "cli/labels/aggregate_classify.py:_make_parts: ? Other divisions of the labels fit as": Pair(
        classify_table([1, 2], [2, 3], [1, 3]), classify_table([1, 2], [1, 2])
    ),
    "cli/labels/aggregate_classify.py:_make_parts: … and …: --format csv, json or jsonl": Pair(
        classify_table(n_images=60), classify_table(n_images=2)
    ),
    # Votes
    "labels/plurality.py:judge_panel: … pairs by …; the panel disagreed on": Always(
        "It counts, and counts of 0 are told.", panel
    ),
    "labels/votes/labels.py:find_warnings: … of … tasks have fewer than …": Pair(votes(*ONE_LESS), votes(*THREE_EACH)),
    "labels/votes/labels.py:find_warnings: or leave them out with `min_votes=…`": Pair(
        votes(*ONE_LESS), votes(*THREE_EACH)
    ),
    "labels/votes/labels.py:find_model_warnings: The model disagrees with the majority on …": Pair(
        lambda _: said(turned_votes()), lambda _: said(good_votes())
    ),
    "labels/votes/labels.py:find_model_warnings: The fit has not converged after … iterations,": Pair(
        lambda _: said(good_votes(max_iterations=1)), lambda _: said(good_votes())
    ),
    "labels/votes/labels.py:_warn_of_skills: … of … annotators are estimated to be": Pair(
        lambda _: said(turned_votes()), lambda _: said(good_votes())
    ),
    "workflows/labels/vote_campaigns.py:prepare_campaign: … of … tasks have fewer than …": Pair(
        votes(*ONE_LESS, min_votes=3), votes(*THREE_EACH, min_votes=3)
    ),
    "workflows/labels/vote_campaigns.py:_describe_gold: … of … tasks have a known label,": Pair(
        votes(*THREE_EACH, gold=know(["a"], ["x"])), votes(*THREE_EACH)
    ),
    "workflows/labels/vote_campaigns.py:_describe_gold: … with a known label left out: no": Pair(
        votes(*THREE_EACH, gold=know(["a", "elsewhere"], ["x", "x"])), votes(*THREE_EACH, gold=know(["a"], ["x"]))
    ),
    "workflows/labels/vote_notes.py:describe_votes: … of … on …, ….": Always("It counts.", votes(*THREE_EACH)),
    "workflows/labels/vote_notes.py:describe_votes: … of … tasks (…%) have several labels": Pair(
        votes(*TIED), votes(*THREE_EACH)
    ),
    "workflows/labels/vote_notes.py:_describe_end: The fit converged after … iterations: the last": Pair(
        lambda _: said(good_votes()), lambda _: said(good_votes(max_iterations=1))
    ),
    "workflows/labels/vote_notes.py:_describe_end: The fit ended after … iterations by crowd-kit's": Pair(
        lambda _: said(good_votes(stop=StopRule.CROWD_KIT, prior=0)), lambda _: said(good_votes())
    ),
    "labels/votes/labels.py:find_model_warnings: The one-coin model, on which accuracies of annotators": Pair(
        lambda _: said(good_votes(max_iterations=1)), lambda _: said(good_votes())
    ),
    "workflows/labels/vote_notes.py:describe_votes: … answers of which … can be true": Pair(
        unsure(truths=("no", "yes")), unsure()
    ),
    "workflows/labels/vote_notes.py:_suspect_abstentions: By name … may be …, though tasks": Pair(
        unsure(), unsure(truths=("no", "yes"))
    ),
    "workflows/labels/vote_notes.py:_describe_abstentions: … of … votes (…%) are no truth;": Pair(
        unsure(truths=("no", "yes")), unsure(truths=("no", "yes", "maybe"))
    ),
    "workflows/labels/vote_notes.py:_describe_abstentions: … of … tasks have no vote that": Pair(
        unsure(truths=("no", "yes")), votes(*THREE_EACH[:-1], (1, 2, 0), truths=("y", "x"))
    ),
    "workflows/labels/vote_notes.py:_describe_abstentions: Agreement, with the others and over the campaign,": Pair(
        unsure(truths=("no", "yes")), unsure(truths=("no", "yes", "maybe"))
    ),
    "workflows/labels/vote_notes.py:_describe_acceptance: A task is labelled … where its probability": Pair(
        unsure(accept=Acceptance("yes", 0.9)), unsure()
    ),
    "workflows/labels/vote_notes.py:describe_votes: With so many labels, the label of a": Pair(
        sparse_votes, lambda _: said(good_votes())
    ),
    "cli/labels/aggregate_votes.py:_make_parts: …: see them with --format csv or --output": Pair(
        vote_table(n_tasks=60), vote_table()
    ),
    "cli/labels/aggregate_votes.py:_make_parts: …: see them with --format json.": Pair(
        vote_table(n_tasks=60, n_labels=60), vote_table()
    ),
    "cli/labels/aggregate_votes.py:_make_parts: …: see them with --annotators FILE.": Pair(
        vote_table(n_annotators=60), vote_table()
    ),
    "cli/labels/aggregate_votes.py:_make_parts: ……% intervals: Clopper–Pearson….": Always(
        "It names the method.", vote_table()
    ),
    "cli/labels/aggregate_votes.py:_make_tasks: Labels of … tasks by …": Always(
        "The title of the table.", vote_table()
    ),
    # Candidates
    "candidates/final.py:_measure: Taxonomy … has no hierarchy, so no label": Pair(
        lambda _: [*find_candidates(make_counts({"a": {0: (8, 9), 1: (2, 9)}}), make_labels(a=0), taxonomy=FLAT).notes],
        note(ASKED),
    ),
    "candidates/final.py:_describe_unknown: … pairs of … images have no accepted": Pair(note(UNKNOWN), note(ASKED)),
    "candidates/pairs.py:describe_unasked: … of … images of … have no": Pair(note(ASKED, n_more=1), note(ASKED)),
    "candidates/potential.py:_Merging._describe: … has no answer for … of …": Pair(
        lambda _: [*potential(1).notes], lambda _: [*potential(2).notes, "(end of notes)"]
    ),
    "cli/candidates.py:_show_potential: … labels of … images, … each, from": Always(
        "It counts.", lambda _: printed(candidate_tables._show_potential, potential(2), None)
    ),
    "cli/candidates.py:_show_candidates: … of …: …. Cut: ….": Always(
        "It counts, and counts of 0 are told.",
        lambda _: printed(candidate_tables._show_candidates, candidates(ASKED), None),
    ),
    "cli/candidates.py:_say_more: … and …: --format csv, json or jsonl": Pair(
        lambda _: printed(candidate_tables._show_candidates, candidates(ASKED, n_more=60), None),
        lambda _: printed(candidate_tables._show_candidates, candidates(ASKED), None),
    ),
    # Mistakes
    "mistakes/summary.py:_describe_borderline: … of … mistakes of … were entered": Pair(
        mistakes(coded(("a", 1), severity=2)), mistakes(coded(("a", 1), severity=1))
    ),
    "mistakes/summary.py:_describe_labels: … of … mistakes of … are on": Pair(
        mistakes(coded(("a", 1), ("z", 1)), truth=TRUTH, taxonomy=TOY),
        mistakes(coded(("a", 1)), truth=TRUTH, taxonomy=TOY),
    ),
    "mistakes/summary.py:_describe_labels: … of … where the prediction is the": Pair(
        mistakes(coded(("a", 0), ("b", 0)), truth=TRUTH, taxonomy=TOY),
        mistakes(coded(("a", 1)), truth=TRUTH, taxonomy=TOY),
    ),
    "mistakes/summary.py:_describe_labels: Ancestor levels need a hierarchy: name a taxonomy": Pair(
        mistakes(coded(("a", 1)), truth=TRUTH), mistakes(coded(("a", 1)), truth=TRUTH, taxonomy=TOY)
    ),
    "mistakes/summary.py:_describe_labels: Taxonomy … has no hierarchy, so there are": Pair(
        mistakes(coded(("a", 1)), truth=TRUTH, taxonomy=FLAT), mistakes(coded(("a", 1)), truth=TRUTH, taxonomy=TOY)
    ),
    "mistakes/summary.py:_describe_comparison: … in both files, so the mistakes are": Pair(
        mistakes(from_counts(SMALL, "x"), from_counts(SMALL, "x")),
        mistakes(from_counts(SMALL, "x"), from_counts(SMALL, "y")),
    ),
    "mistakes/summary.py:_describe_comparison: … has several mistakes on one image, so": Pair(
        mistakes(coded(("a", 1), ("a", 2)), coded(("a", 1), name="second")),
        mistakes(coded(("a", 1)), coded(("a", 1), name="second")),
    ),
    "mistakes/summary.py:_describe_comparison: There is no test of …: all mistakes": Pair(
        mistakes(from_counts(ALL_ALIKE, "x"), from_counts(ALL_ALIKE, "y")),
        mistakes(from_counts(SMALL, "x"), from_counts(SMALL, "y")),
    ),
    "mistakes/summary.py:_describe_comparison: The chi-square test of … is a rough": Pair(
        mistakes(from_counts(SMALL, "x"), from_counts(SMALL, "y")),
        mistakes(from_counts(BALANCED, "x"), from_counts(BALANCED, "y")),
    ),
    "cli/mistakes/summary.py:: Levels up to the common ancestor of prediction": Pair(
        mistakes(coded(("a", 1)), truth=TRUTH, taxonomy=TOY), mistakes(coded(("a", 1)), truth=TRUTH)
    ),
    "cli/mistakes/summary.py:_make_parts: …% intervals: Clopper–Pearson.": Always(
        "It names the method.", mistakes(coded(("a", 1)))
    ),
    "cli/mistakes/summary.py:_make_shares: Mistakes by category and severity": Always(
        "The title.", mistakes(coded(("a", 1)))
    ),
    "cli/mistakes/summary.py:_make_majors: Major mistakes by category (the rest are minor)": Always(
        "There are two severities.", mistakes(coded(("a", 1)))
    ),
    "cli/mistakes/summary.py:_make_comparison: Do … and … differ?": Pair(
        mistakes(from_counts(SMALL, "x"), from_counts(SMALL, "y")), mistakes(from_counts(SMALL, "x"))
    ),
    "cli/mistakes/summary.py:_make_comparison: images in both: …, with the same prediction": Pair(
        mistakes(from_counts(SMALL, "x"), from_counts(SMALL, "y")), mistakes(from_counts(SMALL, "x"))
    ),
    "cli/mistakes/summary.py:_format_test: …; by permutation within … images … (…": Pair(
        mistakes(from_counts(SMALL, "x"), from_counts(SMALL, "x")),
        mistakes(from_counts(SMALL, "x"), from_counts(SMALL, "y")),
    ),
    "cli/mistakes/summary.py:_make_comparison: images only in …: …; only in …:": Pair(
        mistakes(from_counts(SMALL, "x"), from_counts(SMALL, "y")), mistakes(from_counts(SMALL, "x"))
    ),
    "cli/mistakes/summary.py:_make_pairs: Class pairs that … confuses most": Pair(
        mistakes(coded(("a", 1)), truth=TRUTH, taxonomy=TOY), mistakes(coded(("a", 1)))
    ),
    "cli/mistakes/summary.py:_describe_tail: … …; how often, and how many pairs:": Pair(
        mistakes(coded(("a", 1)), truth=TRUTH, taxonomy=TOY), mistakes(coded(("a", 1)))
    ),
    "cli/mistakes/summary.py:_make_levels: Categories of … by ancestor level": Pair(
        mistakes(coded(("a", 1)), truth=TRUTH, taxonomy=TOY), mistakes(coded(("a", 1)), truth=TRUTH)
    ),
    # Oddities
    "responses/live/oddities.py:describe_speed: Takes … s per …, less than a": Pair(
        flags(lambda: odd.make_crowd(0)), flags(honest)
    ),
    "responses/live/oddities.py:describe_speed: Takes … s per …, less than the": Pair(
        flags(lambda: odd.make_hasty(0.01)), flags(lambda: odd.make_hasty(1.0))
    ),
    "kinds/contains/figures.py:_describe_pattern: … of … answers that select some": Pair(
        flags(odd.make_favourite), flags(honest)
    ),
    "kinds/contains/figures.py:_describe_pattern: Selects the image at position … in …,": Pair(
        flags(odd.make_favourite), flags(honest)
    ),
    "kinds/classify/figures.py:_describe_places: … of the latest … answers that choose": Pair(
        flags(lambda: odd.make_first(12)), flags(lambda: odd.make_first(3))
    ),
    "kinds/classify/figures.py:_describe_places: Names the label at position … as the": Pair(
        flags(lambda: odd.make_first(12)), flags(lambda: odd.make_first(3))
    ),
    "responses/live/oddities.py:describe_pairs: Gives the same answers as … on …": Pair(
        flags(lambda: alike(2)), flags(lambda: alike(1))
    ),
    "kinds/contains/figures.py:_describe_pattern: Selects … in … of … answers.": Pair(
        flags(lambda: odd.make_crowd(0)), flags(lambda: odd.make_crowd(*RUNS))
    ),
    "kinds/contains/figures.py:_describe_pattern: Selects the same cells in … of …": Pair(
        flags(lambda: odd.make_crowd(*PATTERN)), flags(lambda: odd.make_crowd(*RUNS))
    ),
    "kinds/contains/figures.py:_describe_pattern: Equal answers lie together in … runs, where": Pair(
        flags(lambda: odd.make_crowd(*RUNS)), flags(honest)
    ),
    "kinds/classify/figures.py:_describe_same: Selects … in … of … answers.": Pair(
        flags(lambda: choices(everything=True)), flags(choices)
    ),
    "responses/live/oddities.py:: Agrees with the others on": Pair(flags(lambda: odd.make_crowd(0)), flags(honest)),
    "responses/live/oddities.py:_describe_low: … … of … …; the median annotator": Pair(
        flags(lambda: odd.make_crowd(0)), flags(honest)
    ),
    "responses/live/oddities.py:_describe_negatives: Selects … of … negative controls, which do": Pair(
        flags(lambda: negatives(0b11111110)), flags(lambda: negatives(0b00000010))
    ),
    "responses/live/oddities.py:_describe_times: Claims more time than had passed for …;": Pair(
        flags(lambda: odd.claim(2.0, 45.0)), flags(lambda: odd.claim(2.0, 3.0))
    ),
}
