"""Arrays in, numbers out: the statistics behind every figure, with no knowledge of images, files or participants.

- `counts`: refuses counts that make no sense.
- `intervals`: limits of proportions and of their difference: Clopper–Pearson, Wilson, Newcombe.
- `resampling`: bootstrap replicates, from the observations or from sufficient counts, and percentile and BCa limits.
- `paired`: the exact McNemar test of two participants on the same images.
- `multiplicity`: Holm's adjustment of a family of p-values.

Missing is never 0: where there is no observation, every function gives NaN.
"""
