"""Sentences about two or more test sets: shifts, slopes, classes, strategies, gaps and two-sample tests."""

from __future__ import annotations

from tests.evaluation.test_conclusions import ABOVE, AROUND, BELOW, THREE
from tests.report.test_gap_parts import make_gap
from tests.sentences.comparisons_data import (
    class_table,
    classes,
    crowded_figure,
    described,
    document_columns,
    doubts,
    features,
    features_of,
    few_candidates,
    figure,
    gap,
    joined,
    missing_model,
    notes,
    only,
    overlapping,
    parts,
    people,
    report,
    rim,
    rim_figure,
    robust_table,
    sharing,
    slopes,
    strange_classes,
    strategies,
    table,
    texts,
    titles,
    unexpected,
    unjudged,
)
from tests.sentences.entries import Always, Entries, Pair

from regauge.arrays import NO_CLASS
from regauge.cli.evaluation.strategy_tables import make_strategy_tables
from regauge.records.evaluation.fits import Resample, Scale
from regauge.records.evaluation.gaps import GapMethod
from regauge.records.testsets.shared_images import SharedBy
from regauge.report.gap_figures import plot_gap
from regauge.report.gap_parts import summarise_gap
from regauge.report.strategy_figures import plot_strategies

ENTRIES: Entries = {
    # What slopes say
    "evaluation/conclusions.py:: A change that all models share cannot be": Always(
        "No data of two sets can tell a common change from a set that is easier or harder.", slopes(ABOVE)
    ),
    "evaluation/conclusions.py:_conclude: Whether better models lose more or less stays": Pair(
        slopes(ABOVE, ABOVE, ABOVE, n=9), slopes(ABOVE, ABOVE, ABOVE, n=10)
    ),
    "evaluation/conclusions.py:_conclude: By … limits from resampling …, this is": Pair(
        slopes(ABOVE), slopes(ABOVE, n=9)
    ),
    "evaluation/conclusions.py:_compare_scales: Whether better models lose more or less depends": Pair(
        slopes(ABOVE, BELOW, AROUND), slopes(ABOVE, ABOVE, ABOVE)
    ),
    "evaluation/conclusions.py:_compare_scales: On all … scales the slope is …:": Pair(
        slopes(BELOW, BELOW, BELOW), slopes(BELOW, BELOW, AROUND)
    ),
    "evaluation/conclusions.py:_compare_scales: The slope is … on the …: ….": Pair(
        slopes(ABOVE), slopes(ABOVE, ABOVE, ABOVE)
    ),
    "evaluation/conclusions.py:_compare_scales: The others have no line here, so this": Pair(
        slopes(ABOVE, scales=THREE), slopes(ABOVE)
    ),
    "evaluation/conclusions.py:_compare_scales: This is a statement about the … only;": Pair(
        slopes(ABOVE), slopes(ABOVE, scales=THREE)
    ),
    "evaluation/conclusions.py:_interpret: better models lose less, whatever the scale. There": Pair(
        slopes(ABOVE, ABOVE, ABOVE), slopes(BELOW, BELOW, BELOW)
    ),
    "evaluation/conclusions.py:_interpret: better models lose more, whatever the scale, as": Pair(
        slopes(BELOW, BELOW, BELOW), slopes(ABOVE, ABOVE, ABOVE)
    ),
    "evaluation/conclusions.py:_interpret: better models lose neither clearly more nor clearly": Pair(
        slopes(AROUND, AROUND, AROUND), slopes(ABOVE, ABOVE, ABOVE)
    ),
    # Shifts
    "evaluation/shifts.py:_fit_scales: There is no … fit: …": Pair(notes(n=1), notes()),
    "evaluation/shifts.py:_note_few: The limits of the fit come from resampling": Pair(notes(), notes(n=12)),
    "evaluation/shifts.py:_note_people: Lines go through the models alone; mean changes": Pair(
        people("delta"), people()
    ),
    "evaluation/shifts.py:_note_ends: On the …, … for models at 0%": Pair(rim(200), rim(199)),
    "evaluation/shifts.py:_note_ends: In … of … bootstrap samples a model": Pair(
        rim(199, resample=Resample.IMAGES), rim(180, resample=Resample.IMAGES)
    ),
    "evaluation/shifts.py:_note_dropped: … of … bootstrap samples of … have": Pair(notes(), notes(n=12)),
    "evaluation/shifts.py:_note_images: Limits of … take images that are in": Pair(
        overlapping(metric="top1_balanced"), overlapping(metric="top1_balanced", digests=False)
    ),
    "evaluation/mean_changes.py:note_changes: The mean change has no interval: … alone": Pair(
        notes(n=1, resample=Resample.MODELS), notes(n=1)
    ),
    "evaluation/mean_changes.py:note_changes: The limits of mean changes come from resampling": Pair(
        notes(resample=Resample.MODELS), notes(n=12, resample=Resample.MODELS)
    ),
    "evaluation/mean_changes.py:note_changes: The mean change of … has no interval,": Pair(
        parts(slice(0, 10), slice(10, 20)), parts(slice(0, 10), slice(5, 20))
    ),
    "evaluation/mean_changes.py:_tell_other_way: Without `resample=…` it has one.": Pair(
        notes(n=1, resample=Resample.MODELS, metric="top1_balanced"), notes(n=1, resample=Resample.MODELS)
    ),
    'evaluation/mean_changes.py:_tell_other_way: With `resample="images"` it has one.': Pair(
        notes(n=1, resample=Resample.MODELS), notes(n=1, resample=Resample.MODELS, metric="top1_balanced")
    ),
    "evaluation/robustness.py:note_robustness: The limits of effective robustness come from resampling": Pair(
        notes(n=12, baseline=("m1", "m2")), notes(n=12, baseline=("*",))
    ),
    "evaluation/robustness.py:note_robustness: … of … bootstrap samples have no line": Pair(
        notes(n=12, baseline=("m1", "m2")), notes(n=12, baseline=("*",))
    ),
    "records/testsets/shared_images.py:SharedImages.describe: … and … share … (by …); shared": Pair(
        overlapping(), overlapping(digests=False)
    ),
    "records/testsets/shared_images.py:SharedImages.describe: … … in both … and …, and": Pair(
        overlapping(digests=False), overlapping(digests=False, shared=SharedBy.IDS)
    ),
    "records/testsets/shared_images.py:_name_both: equal bytes, … by equal ids": Pair(sharing(1), sharing(2)),
    "workflows/evaluation/shifts.py:: Changes class by class take the images of": Pair(
        overlapping(by_class=True), overlapping(by_class=True, n_shared=0)
    ),
    "evaluation/shifts.py:_add_robustness: There is no effective robustness: …": Pair(
        notes(baseline=("alpha",)), notes(baseline=("*",))
    ),
    "evaluation/shifts.py:_note_images: The images of … that are resampled for": Pair(
        missing_model, notes(resample=Resample.IMAGES)
    ),
    "evaluation/sides.py:_find_unjudged_warning: …: … of … predictions are unjudged and": Pair(
        unjudged(8), unjudged(0)
    ),
    "report/sentences.py:describe_shift: … from … to …….": Always("Every comparison has a mean change.", report()),
    "report/sentences.py:describe_shift: …, … on … by … with …": Always(
        "Whoever is first by rank has these numbers; a shared place is told.", report()
    ),
    "report/sentences.py:describe_fit: On the … scale the line through …": Pair(report(), report(n=1)),
    "records/evaluation/shifts.py:Shift.describe_intervals: … intervals: accuracies …, gaps (original − new,": Always(
        "Every comparison has both, and names what the metric takes.", table()
    ),
    "cli/evaluation/shift_tables.py:_describe_fit: … fit through … models: slope …, offset": Pair(table(), table(n=1)),
    "report/sentences.py:_tell_rank: ; it is first there too…": Pair(report(n=12), report()),
    "report/sentences.py:describe_change: …… changes by … points on average over": Always(
        "Every comparison has a mean change.", report()
    ),
    "report/gap_parts.py:summarise_gap: … − …: … points of …, …": Always(
        "It tells numbers, whatever their sign.", lambda _: summarise_gap(make_gap())
    ),
    "report/gap_parts.py:_compare_frequencies: ; an unlimited crowd would be expected to": Pair(
        described(make_gap()), described(unexpected())
    ),
    "records/evaluation/shifts.py:Shift.describe_intervals: Newcombe, with the … … of both sets": Pair(
        overlapping(), overlapping(digests=False)
    ),
    "cli/evaluation/shift_tables.py:describe_robustness: the … fit through the baseline": Pair(
        robust_table(is_old=True), robust_table()
    ),
    "cli/evaluation/shift_tables.py:describe_robustness: points above …, with the limits of that": Pair(
        robust_table(is_old=True), robust_table()
    ),
    "cli/evaluation/shift_tables.py:describe_robustness: points above the … fit through the …": Pair(
        robust_table(), robust_table(is_old=True)
    ),
    "report/tables.py:_describe_robustness: points above the … fit through … models;": Pair(
        document_columns(), document_columns(is_old=True)
    ),
    "cli/evaluation/shift_tables.py:_describe_change: Mean change of … over …: … points": Always(
        "Every comparison has a mean change.", table()
    ),
    "report/shift_figures.py:_explain: … with … … intervals; dashed: equal accuracy.": Always(
        "The figure always draws both.", figure()
    ),
    "report/shift_figures.py:_explain: Accuracies of 0% and 100%, which have no": Pair(rim_figure, figure(Scale.LOGIT)),
    "report/shift_figures.py:_explain: … fit through … models: ….": Pair(figure(), figure(n=1)),
    "report/shift_figures.py:_explain: Shaded: … of … bootstrap samples of ….": Pair(figure(), figure(n=1)),
    # Classes
    "evaluation/class_changes.py:_note_images: … of … left out class by class:": Pair(
        classes([0, 0, 1, 1], [[1, 0, 1, 1], [3, 0, 1, 1]]), classes([0, 0, 1, 1], [[1, 0, 1, 1]] * 2)
    ),
    "evaluation/class_changes.py:_note_images: … of … without a dataset label, and": Pair(
        classes([0, NO_CLASS, 1, 1], [[1, 0, 1, 1]] * 2), classes([0, 0, 1, 1], [[1, 0, 1, 1]] * 2)
    ),
    "records/evaluation/class_changes.py:ClassChanges.describe: Of … classes with images in both sets,": Always(
        "It counts, and counts of 0 are told.", classes([0, 0, 1, 1], [[1, 0, 1, 1]] * 2)
    ),
    "records/evaluation/class_changes.py:ClassChange.__str__: class …: …": Always(
        "A change with its limits, or a dash.", classes([0, 0, 1, 1], [[1, 0, 1, 1]] * 2)
    ),
    "cli/evaluation/class_tables.py:make_class_tables: … further classes: --format csv has all.": Pair(
        class_table(21), class_table(20)
    ),
    "cli/evaluation/class_tables.py:make_class_tables: …% intervals and p from one score test": Always(
        "It names the methods of the columns.", class_table(2)
    ),
    "cli/evaluation/class_tables.py:_make_table: … by class from … to …: …": Always(
        "The title of the table.", class_table(2)
    ),
    # Several sets
    "records/evaluation/strategies.py:StrategyComparison.describe: A participant's … moves by … points (median": Always(
        "It tells numbers, whatever they are.", lambda _: strategies().describe()
    ),
    "cli/evaluation/strategy_tables.py:_describe_limits: …% intervals. Changes (new − original, mean over": Always(
        "It names the methods of the columns.", lambda _: texts(make_strategy_tables(strategies()))
    ),
    "report/strategy_figures.py:_explain: … with … Clopper–Pearson intervals, mean changes with": Always(
        "The figure always draws both.", lambda _: titles(plot_strategies(strategies()))
    ),
    # Two-sample tests
    "evaluation/two_sample.py:_note: … in both sets left out of both.": Pair(features("shared"), features()),
    "evaluation/two_sample.py:_note: … left out: the same features as another": Pair(features("copies"), features()),
    "evaluation/two_sample.py:_note: … left out, to compare … from each": Pair(features(n=50), features()),
    "evaluation/two_sample.py:_note: Features are standardised and enter as their …": Always(
        "This is what the test does.", features()
    ),
    "records/evaluation/two_sample.py:TwoSample.describe: Images of … and of … …… by": Always(
        "Whether they are told apart is a word in it.", features(shift_by=2)
    ),
    "workflows/evaluation/two_sample.py:_keep: … of … images of … have no": Pair(features_of(30), features_of(40)),
    # Gaps
    "evaluation/gap_joins.py:_find_left_out: … of … left out: not counted for": Pair(joined(has_all=False), joined()),
    "evaluation/gap_joins.py:_find_left_out: … of … images of … have no": Pair(joined(n_seen=3), joined()),
    "evaluation/gap_joins.py:find_doubts: … of … images of … are not": Pair(doubts(2), doubts(3)),
    "evaluation/gap_methods.py:find_obstacles: The jackknife needs … or more annotators for": Pair(
        gap(n_shown=2, votes=(1, 2)), gap(pool=True)
    ),
    "evaluation/gap_methods.py:find_obstacles: The jackknife needs candidates that … or more": Pair(
        few_candidates(2), few_candidates(10)
    ),
    "evaluation/gap_methods.py:find_obstacles: Single votes do not tell how noisy they": Pair(
        gap(n_shown=1, votes=(1, 1)), gap(pool=True)
    ),
    "evaluation/gaps.py:_find_notes: The counts of … are taken for fresh": Pair(gap(), gap(pool=True)),
    "evaluation/gaps.py:_find_notes: … of … compared with images of all": Pair(
        strange_classes(0, 2), strange_classes(0, 1)
    ),
    "evaluation/gaps.py:_find_notes: … of … in bins where … has": Pair(gap(votes=(3, 9)), gap()),
    "records/evaluation/gaps.py:: The naive method takes votes at their word,": Pair(
        gap(pool=True), gap(corrected=True)
    ),
    "records/evaluation/gaps.py:: For sets that votes chose without matching them,": Pair(gap(pool=True), gap()),
    "report/gap_parts.py:describe_gap: … of the … in … from …": Always(
        "It calls a gap a drop or a rise where its interval has one sign, else a change, whose share is unknown.",
        described(make_gap()),
    ),
    "report/gap_parts.py:describe_gap: Treating observed frequencies as the true ones would": Pair(
        described(make_gap()), described(only((GapMethod.NAIVE,)))
    ),
    "report/gap_parts.py:_explain_share: Selection frequencies explain an unknown share (the interval": Pair(
        described(make_gap(is_known=False)), described(make_gap())
    ),
    "report/gap_parts.py:_compare_frequencies: Annotators selected the labels of … with a": Always(
        "It tells numbers, whatever they are.", described(make_gap())
    ),
    "report/gap_figures.py:plot_gap: Full dots: …; hollow, from the top: ….": Pair(
        lambda _: titles(plot_gap(make_gap())), lambda _: titles(plot_gap(only((GapMethod.NAIVE,))))
    ),
    "report/drawing/fit_words.py:say_missing: No room for the names of ….": Pair(crowded_figure, figure()),
    "report/shift_figures.py:_explain: Hollow: … that the fit leaves out.": Pair(
        figure(fit_except=("delta",)), figure()
    ),
    "report/gap_figures.py:plot_gap: original − new, in points, on … and": Always(
        "What the axis shows.", lambda _: titles(plot_gap(make_gap()))
    ),
    "report/gap_figures.py:plot_gap: …% intervals: ….": Always(
        "It names the method.", lambda _: titles(plot_gap(make_gap()))
    ),
    "report/gap_figures.py:plot_gap: The gap from … to …": Always(
        "The title of the figure.", lambda _: titles(plot_gap(make_gap()))
    ),
}
