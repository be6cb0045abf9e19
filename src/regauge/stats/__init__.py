"""Arrays in, numbers out: the statistics behind every figure, with no knowledge of images, files or participants.

- `counts`: refuses counts that make no sense.
- `intervals`: limits of proportions and of their difference: Clopper–Pearson, Wilson, Newcombe.
- `resampling`: bootstrap replicates, from the observations or from sufficient counts, and percentile limits.
- `scales`: accuracies on the linear, probit and logit scales.
- `fits`: least-squares lines, leverages, and bootstraps that redraw models or families.
- `bands`: quantiles of the heights of many lines.
- `image_fits`: the same lines with the images redrawn.
- `paired`: the exact McNemar test of two participants on the same images, and the counts of all pairs for it.
- `independence`: chi-square tests, and permutations within images.
- `subsampling`: whether a subset of the classes is unlike random ones.
- `multiplicity`: Holm's adjustment of a family of p-values.
- `agreement`: Krippendorff's alpha, Fleiss' and Cohen's kappa of annotators.

Missing is never 0: where there is no observation, every function gives NaN.
"""
