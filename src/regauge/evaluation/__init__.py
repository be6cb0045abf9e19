"""Stage 8: participants against truth.

`targets` lines up everything that is known about the images, row by row; `metrics` says what counts as right and is the
place where a metric is added; `subsets` names the parts that are scored apart; `scoring` counts and gives every count
its interval; `comparison` sets one participant against another on the same images.
"""
