"""What CLASSIFY labels say of all images together, each share with n and interval."""

from __future__ import annotations

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray
from regauge.estimates import Share, make_share
from regauge.records.labels.objects import NO_OBJECT, ClassifyLabels
from regauge.stats.intervals import clopper_pearson


def summarise_labels(labels: ClassifyLabels) -> dict[str, Share[float | None]]:
    """Shares of images, those about dataset labels only where these are known.

    - `several_objects`: more than one object, of images with an accepted answer;
    - `unique_cut`: only one division of the labels fits best, of images with several objects;
    - `main_not_dataset_object`: the main object does not hold the dataset label, of images with several objects; where no object
      holds it, the two cannot differ, and the image counts as agreeing (as in Tsipras et al. 2020, section 4.1);
    - `main_is_dataset_label`: the main label is the dataset label, of images with both;
    - `dataset_label_unselected`: nobody selected the dataset label, of images with one.
    """
    is_judged = labels.n_accepted > 0
    several = labels.objects.n_objects > 1
    shares = {
        "several_objects": _count(several, is_judged, level=labels.level),
        "unique_cut": _count(labels.n_best_cuts == 1, several, level=labels.level),
    }
    if (labels.dataset_labels == NO_CLASS).all():
        return shares
    is_known = is_judged & (labels.dataset_labels != NO_CLASS)
    differs = (labels.dataset_objects != NO_OBJECT) & (labels.dataset_objects != labels.objects.main_objects)
    return shares | {
        "main_not_dataset_object": _count(differs, several & is_known, level=labels.level),
        "main_is_dataset_label": _count(labels.main_labels == labels.dataset_labels, is_known, level=labels.level),
        "dataset_label_unselected": _count(~find_selected(labels), is_known, level=labels.level),
    }


def find_selected(labels: ClassifyLabels) -> BoolArray:
    """Per image, whether an accepted annotator selected the dataset label."""
    images = np.repeat(np.arange(len(labels)), np.diff(labels.starts))
    found = np.zeros(len(labels), np.bool_)
    found[images[labels.classes == labels.dataset_labels[images]]] = True
    return found


def _count(has: BoolArray, among: BoolArray, *, level: float) -> Share[float | None]:
    k, n = int((has & among).sum()), int(among.sum())
    low, high = clopper_pearson(k, n, level=level)
    return make_share(k, n, limits=(float(low), float(high)), method="clopper-pearson")
