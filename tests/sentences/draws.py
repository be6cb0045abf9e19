"""Sentences about pools and drawn test sets: batches, filters, duplicates, what is lacking, and rounds of campaigns."""

from __future__ import annotations

from dataclasses import replace

from tests.sentences.draws_data import (
    ALONE,
    KEEPING,
    STRATEGIES,
    STRICT,
    TWINS,
    batches,
    card,
    copies_of_original,
    draw_from,
    fetched,
    filtered,
    gives_way,
    known,
    one_round,
    plain_gap,
    pool_images,
    pool_status,
    read_settled_card,
    restored,
    reviewed,
    rounds,
    same_name,
    undecodable,
    undecodable_original,
    without_files,
)
from tests.sentences.entries import Always, Entries, Pair
from tests.workflows.pools.test_filters import YEAR

from regauge.records.testsets.draws import describe_plan, describe_shortfalls
from regauge.records.testsets.sampling import SamplingPlan, Shortfall, Strategy
from regauge.workflows.pools.filters import Windows

ENTRIES: Entries = {
    # Batches
    "workflows/pools/pool.py:prepare_batch: … is already there with the same candidates.": Pair(
        batches(ALONE, again=True), batches(ALONE)
    ),
    "workflows/pools/pool.py:prepare_batch: … is already there; … of its images": Pair(
        fetched, batches(ALONE, again=True)
    ),
    "workflows/pools/pool.py:add_batch: … of … excluded: cannot be decoded.": Pair(undecodable, batches(ALONE)),
    "workflows/pools/pool.py:_describe_change: … of … excluded ….": Pair(batches(TWINS), batches(ALONE)),
    "workflows/pools/pool.py:_describe_change: … of … back in the pool, kept": Pair(
        gives_way(), gives_way(is_late=False)
    ),
    "testsets/same_images.py:: It stays for all images that are the": Pair(gives_way(), gives_way(is_late=False)),
    "workflows/pools/pool.py:_exclude_copies: … has no checksums, so it was not": Pair(
        batches(ALONE, {"cat/z.png": 9}, is_compared=False), batches(ALONE, {"cat/z.png": 9})
    ),
    "workflows/pools/pool.py:_leave_known: … left out: in the pool already, ….": Pair(
        known(n_known=1), known(n_known=0)
    ),
    "testsets/albums.py:ComparedImages.explain: It has the same bytes as ….": Pair(batches(TWINS), batches(ALONE)),
    "testsets/albums.py:ComparedImages.explain: It has the same pixels as ….": Pair(
        batches({"cat/a.png": 1, "cat/b.bmp": 1}), batches(TWINS)
    ),
    "testsets/albums.py:ComparedImages.explain: It is the same as ….": Pair(same_name, batches(TWINS)),
    "testsets/albums.py:ComparedImages.explain: It is the same as the original ….": Pair(
        copies_of_original("elsewhere"), copies_of_original("original", "elsewhere")
    ),
    "workflows/pools/fingerprints.py:describe_reading: … has no image files, so it was": Pair(
        without_files, batches(ALONE, originals={"cat/o.png": 5})
    ),
    "workflows/pools/fingerprints.py:describe_reading: …: of … images the pixels are not": Pair(
        undecodable_original, batches(ALONE)
    ),
    "workflows/pools/fingerprints.py:describe_reading: …: checksums of …, … of them read": Pair(
        batches(ALONE, originals={"cat/o.png": 5}), same_name
    ),
    # Filters
    "workflows/pools/filters.py:filter_pool: It is inside the window that replaces an": Pair(
        filtered(KEEPING, twice=Windows(replace(YEAR, start="2012-01-01"), YEAR)), filtered(KEEPING)
    ),
    "workflows/pools/filters.py:filter_pool: … without a time when …: ….": Pair(
        filtered(KEEPING), filtered(Windows(None, YEAR))
    ),
    "workflows/pools/filters.py:restore_images: None of these images is excluded by these": Pair(
        restored("first"), restored("late")
    ),
    "workflows/pools/filters.py:_find_outside: It was … on …, not in ….": Pair(
        filtered(KEEPING), filtered(Windows(replace(YEAR, start="2001-01-01"), None))
    ),
    "workflows/pools/filters.py:_find_outside: Nobody knows when it was ….": Pair(filtered(STRICT), filtered(KEEPING)),
    # Near-duplicates
    "workflows/pools/duplicates.py:exclude_near_duplicates: The pairs of … do not bear it": Pair(
        reviewed("k,l,same\n", then="k,m,same\n"), reviewed("k,l,same\n", then="l,m,same\n")
    ),
    "testsets/albums.py:ComparedImages.explain_near: It shows the same as …, by a": Pair(
        reviewed("k,l,same\n"), reviewed("k,l,same\nl,m,same\n", only="m")
    ),
    "testsets/albums.py:ComparedImages.explain_near: It shows the same as …, by a #2": Pair(
        reviewed("k,l,same\nl,m,same\n"), reviewed("k,l,same\n")
    ),
    "workflows/pools/duplicates.py:_describe: … reviews of pairs: …; they show …": Always(
        "It counts.", reviewed("k,l,same\n")
    ),
    "workflows/pools/duplicates.py:_describe: … of them pair an image with itself,": Pair(
        reviewed("k,k,same\n"), reviewed("k,l,same\n")
    ),
    "workflows/pools/duplicates.py:_describe: … the same by one review and different": Pair(
        reviewed("k,l,same\nl,k,different\n"), reviewed("k,l,same\n")
    ),
    # What is left
    "workflows/pools/status.py:describe_pool: … of … classes have no candidates.": Pair(
        pool_status(), pool_status(all_classes=True)
    ),
    "workflows/pools/status.py:describe_pool: No selection frequencies of the candidates are known,": Pair(
        pool_status(), pool_status(is_asked=True)
    ),
    "cli/pools/tables.py:print_images: , of which the first … are shown;": Pair(pool_images(60), pool_images(2)),
    "cli/pools/tables.py:_print_table: … of … candidates can be taken; ….": Always("It counts.", pool_status()),
    "records/testsets/draws.py:_describe: class … (…) lacks ……: …": Always(
        "It is made of a class that lacks images.", lambda _: describe_shortfalls([Shortfall(0, "", 1, 9)], ["cat"])
    ),
    # Draws
    "workflows/labels/frequencies.py:load_counts: Counts in several tables of frequencies: …; those": Pair(
        draw_from(n_tables=2), draw_from(n_tables=1)
    ),
    "campaigns/adaptive.py:settle_rounds: Campaign … asked more people only where a": Pair(
        rounds("crowd@2"), rounds("crowd@1")
    ),
    "workflows/evaluation/evaluations.py:_note_rounds: More people were asked about … where a": Pair(
        rounds("crowd@2"), plain_gap
    ),
    "workflows/evaluation/gaps.py:: More people were asked about … where a": Pair(rounds("crowd@2"), rounds("crowd@1")),
    "workflows/evaluation/gaps.py:: The votes on … chose its images, and": Pair(rounds("crowd@2"), plain_gap),
    # Cards
    "formats/exports/drawn_folders.py:: The same votes chose images that many selected,": Pair(
        card("top"), card("matched")
    ),
    "formats/exports/drawn_folders.py:: The same votes chose the images, so new": Pair(
        card("matched"), card("threshold")
    ),
    "formats/exports/drawn_folders.py:: Votes took no part in choosing the images.": Pair(
        card("keywords", "known"), card("top")
    ),
    "formats/exports/drawn_folders.py:_write_summary: A test set of … images of …,": Always("It counts.", card("top")),
    "formats/exports/drawn_folders.py:_write_draw: Of every class … images were wanted, …": Always(
        "It tells the plan.", card("top")
    ),
    "formats/exports/drawn_folders.py:_write_draw: - original test set: …": Pair(card("matched"), card("keywords")),
    "records/testsets/draws.py:describe_plan: class …: …": Pair(
        lambda _: describe_plan(STRATEGIES["threshold"])["threshold"],
        lambda _: describe_plan(SamplingPlan(Strategy.THRESHOLD))["threshold"],
    ),
    "formats/exports/drawn_folders.py:_write_numbers: No selection frequencies of these images are known.": Pair(
        card("keywords"), card("keywords", "known")
    ),
    "formats/exports/drawn_folders.py:_write_numbers: The mean selection frequency is … (n =": Pair(
        card("top"), card("keywords")
    ),
    "formats/exports/drawn_folders.py:_write_numbers: More people were asked only where a decision": Pair(
        lambda _: read_settled_card(), card("threshold")
    ),
    "formats/exports/drawn_folders.py:_write_numbers: Half of the annotators chose; by the others": Pair(
        card("top", "half"), card("top")
    ),
    "formats/exports/drawn_folders.py:_write_lacks: - … candidates left out: …": Pair(
        card("top", "excluded"), card("top")
    ),
    "formats/exports/drawn_folders.py:_write_licences: The manifest has the licence and the address": Always(
        "It says so of those that are known.", card("top")
    ),
    "formats/exports/drawn_folders.py:_write_revisions: It revises …: … of … images are": Pair(
        card("top", "revised", "second"), card("top", "revised")
    ),
    "formats/exports/drawn_folders.py:_write_revisions: It revises no other set.": Pair(
        card("top"), card("top", "revised", "second")
    ),
    "formats/exports/drawn_folders.py:_write_revisions: It was revised in ….": Pair(
        card("top", "revised"), card("top")
    ),
    "formats/exports/drawn_folders.py:_write_revisions: Reviewers have since removed … of its images,": Pair(
        card("top", "revised"), card("top")
    ),
    "formats/exports/drawn_folders.py:_write_files: Exported by Regauge … from a test set": Always(
        "What was done.", card("top")
    ),
    "workflows/labels/campaign_labels.py:_warn_of_stopping: Campaign … asked more people only where a": Pair(
        rounds("crowd@2"), one_round
    ),
}
