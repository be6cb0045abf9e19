"""Stage 10, slices: named subsets of a test set, frozen with what chose them.

`states` says what an answer is worth under a label set and codings of mistakes; `majors` chooses the images on which several
models make major mistakes, and `conditions` those that meet a rule over labels, groups, codes, times and lists. `completeness`
says which images complete labelling has not covered. `scoring` counts what participants get right and how severe their
mistakes are, and `cards` tells how a slice was made and how to use it.
"""
