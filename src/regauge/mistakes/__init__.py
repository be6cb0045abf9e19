"""Stage 9, mistakes: what remains wrong after review, of which kind, how severe, and whether two models differ in it.

`finding` says which answers a label set does not accept, and what is known about each; `overlap` sets two participants against
each other, `overturning` says what a later label set makes of mistakes, and `sampling` what a random sample of them tells of
all. `summary` counts coded mistakes by category and severity, gives every share its interval, compares two files, and sets the
mistakes against dataset labels and hierarchy. `accepting` says what a label set makes of (image, prediction) pairs.
"""
