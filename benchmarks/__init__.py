"""Regauge against other packages and against what the machine allows.

Run one workload with `python -m benchmarks.bench_logits`, or all of them with `python -m benchmarks.run_all`,
which writes RESULTS.md. The packages to compare with are listed in requirements.txt; those that are absent are skipped.
"""
