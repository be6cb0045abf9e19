"""REVIEW: which images complete labelling has settled."""

from __future__ import annotations

import numpy as np

from regauge.kinds.review.making import MIN_LOOKING
from regauge.records.labels.results import CompleteImages
from regauge.records.labels.review_votes import ReviewVotes


def find_complete(responses: ReviewVotes) -> CompleteImages:
    """The images in whose last task enough reviewers looked for what is missing, and all of them found nothing more."""
    n = len(responses.image_ids)
    n_found = np.bincount(responses.looking_images[responses.looking_found], minlength=n)
    n_looked = np.bincount(responses.looking_images, minlength=n)
    complete = responses.image_ids[(n_looked >= MIN_LOOKING) & (n_found == 0)]
    judged = zip(responses.image_ids[responses.images].tolist(), responses.classes.tolist(), strict=True)
    return CompleteImages(frozenset(complete.tolist()), frozenset(judged))
