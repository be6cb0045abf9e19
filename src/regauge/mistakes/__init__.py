"""Stage 9, mistakes: what remains wrong after review, of which kind, how severe, and whether two models differ in it.

`summary` counts coded mistakes by category and severity, gives every share its interval, compares two files, and sets
the mistakes against dataset labels and hierarchy.
"""
