"""Scores between 0 and 1 tilted to another mean: the exponential family through a sample, and the tails of its means.

- `_kernels`: the compiled solvers behind `stats.two_means`.
"""
