"""Run every workload and write RESULTS.md."""

from __future__ import annotations

from pathlib import Path

from benchmarks import (
    bench_annotator_models,
    bench_answers,
    bench_clopper_pearson,
    bench_confusion,
    bench_contains,
    bench_fits,
    bench_image_bootstrap,
    bench_live,
    bench_logits,
    bench_manage,
    bench_mistakes,
    bench_objects,
    bench_pages,
    bench_rebuild,
    bench_review,
    bench_scores,
    bench_search,
    bench_settling,
    bench_startup,
    bench_subsampling,
    bench_versions,
    bench_votes,
)
from benchmarks.harness import N_THREADS, describe_machine

RESULTS = Path(__file__).with_name("RESULTS.md")

INTRODUCTION = f"""# Benchmarks

Written by `make bench`. Read the ratios, not the times: the variants took turns in one process, so a slow or
busy machine disturbs the ratios less than the times. Ratios are over the first row of ours: 10 means ten times slower than
Regauge, and one over the ratio of a floor tells how far we are above it. `median / ours` compares the medians of the rounds,
`best / ours` the least disturbed rounds; spread is the range of the rounds over their median, and where it is wide only the
best rounds can be compared. Torch had {N_THREADS} threads; the column says how many each variant used.

"""


BENCHES = (
    bench_logits,
    bench_scores,
    bench_clopper_pearson,
    bench_fits,
    bench_image_bootstrap,
    bench_subsampling,
    bench_contains,
    bench_objects,
    bench_annotator_models,
    bench_rebuild,
    bench_settling,
    bench_versions,
    bench_mistakes,
    bench_confusion,
    bench_answers,
    bench_votes,
    bench_live,
    bench_manage,
    bench_pages,
    bench_review,
    bench_search,
    bench_startup,
)


def run() -> None:
    sections = [INTRODUCTION + describe_machine() + "\n"]
    for bench in BENCHES:
        sections.append(bench.run().to_markdown())
        print(sections[-1])
    RESULTS.write_text("\n".join(sections), encoding="utf-8")


if __name__ == "__main__":
    run()
