"""Collect what a model answers in an evaluation loop, batch after batch."""

from __future__ import annotations

import numpy as np

from regauge.arrays import AnyArray, IntArray, ScoreArray, freeze_ids, read_array
from regauge.errors import InputError
from regauge.predictions.topk import DEFAULT_K, LogitArray, find_top_k
from regauge.records.predictions import Predictions


class Recorder:
    """A model's best answers so far. Of every image only the k best classes are kept, not all logits.

    >>> recorder = Recorder("model")
    >>> recorder.update(["a", "b"], [[0.1, 2.0, 0.3], [1.5, 0.2, 0.1]])
    >>> recorder.update(["c"], [[0.0, 0.1, 0.9]])
    >>> recorder.predictions()
    <Predictions of model: 3 images, 3 answers each>
    """

    def __init__(self, participant: str, *, k: int = DEFAULT_K) -> None:
        """A recorder without answers; `k` is how many classes are kept of an image."""
        if k < 1:
            raise InputError(f"A recorder keeps at least 1 class of an image, not {k}.")
        self.participant, self._k, self._n_classes = participant, k, 0
        self._ids: dict[str, None] = {}
        self._classes: list[IntArray] = []
        self._scores: list[ScoreArray] = []

    def __len__(self) -> int:
        return len(self._ids)

    def __repr__(self) -> str:
        return f"<Recorder of {self.participant}: {len(self):,} images>"

    def update(self, ids: AnyArray, logits: AnyArray) -> None:
        """Add a batch: the image ids, and one row of logits or probabilities for each; a batch that is refused leaves no trace.

        Raises:
            InputError: an image has been answered before, rows and ids do not fit, or a row has no order.
        """
        new = freeze_ids(read_array(ids, what="the ids").astype(np.str_), owner=f"A batch of {self.participant}")
        values: LogitArray = read_array(logits, what=f"the logits of {self.participant}")
        if values.ndim != 2 or len(values) != len(new) or self._n_classes not in {0, values.shape[1]}:
            columns = self._n_classes or "classes"
            raise InputError(
                f"A batch of {len(new):,} ids needs logits of the shape [{len(new)}, {columns}], not {list(values.shape)}."
            )
        repeated = next((one for one in new.tolist() if one in self._ids), None)
        if repeated is not None:
            raise InputError(
                f"{self.participant} has answered image {repeated!r} before; every image is answered once."
            )
        top = find_top_k(values, k=self._k, image_ids=new)
        self._n_classes = values.shape[1]
        self._ids.update(dict.fromkeys(new.tolist()))
        self._classes.append(top.classes)
        self._scores.append(top.scores)

    def predictions(self) -> Predictions:
        """All answers so far, as `score` and a study take them.

        Raises:
            InputError: there are none.
        """
        if not self._ids:
            raise InputError(
                f"{self.participant} has not answered any image yet; call update(ids, logits) in the loop."
            )
        return Predictions(
            self.participant, list(self._ids), np.concatenate(self._classes), np.concatenate(self._scores)
        )
