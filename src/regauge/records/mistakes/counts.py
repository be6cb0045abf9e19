"""How many mistakes participants make under a label set, without the mistakes themselves."""

from __future__ import annotations

from dataclasses import dataclass

from regauge.estimates import Share


@dataclass(frozen=True, slots=True)
class ParticipantMistakes:
    """The mistakes of one participant in numbers.

    Attributes:
        participant: who answered.
        wrong: the share of mistakes among the judged images.
        novel: the share of them that nobody has judged; None where the label set takes what it leaves out for wrong.
        n_problematic: how many answered images were left out because they are problematic.
        n_unanswered: how many images have no answer.
        n_unknown: how many answered images the label set does not judge although they are not problematic.
    """

    participant: str
    wrong: Share[float | None]
    novel: Share[float | None] | None
    n_problematic: int
    n_unanswered: int
    n_unknown: int = 0


@dataclass(frozen=True, slots=True)
class MistakeCounts:
    """The mistakes of several participants in numbers.

    Attributes:
        test_set: what outputs call the images.
        labels: the label set, with its version where it has one.
        participants: one entry each, in their order.
        n_novel_pairs: how many different answers, each on its image, nobody has judged: what a panel would have to look at.
        is_strict: unclear answers are mistakes too.
        notes: what the reader should know, a sentence each.
    """

    test_set: str
    labels: str
    participants: tuple[ParticipantMistakes, ...]
    n_novel_pairs: int
    is_strict: bool = False
    notes: tuple[str, ...] = ()
