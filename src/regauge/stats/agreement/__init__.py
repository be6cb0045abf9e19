"""How far annotators agree beyond chance, on questions that each take one label.

- `tables`: how often each label was given to each task.
- `coefficients`: Krippendorff's alpha and Fleiss' kappa, of all labels and of each against the rest, with limits over tasks.
- `ratios`: limits of one minus a ratio of observed to expected disagreement, which all of them are.
- `cohen`: Cohen's kappa of two annotators, its mean over pairs, and every annotator against the others.

Missing votes are allowed throughout. Where nothing was there to agree on, the value is NaN.
"""
