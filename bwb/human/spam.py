"""Damaging a text, to see whether a rater reads it.

Jiang et al. 2022, after Läubli et al. 2018: of a sentence the words are shuffled, but for 10 % at
each end; of a document the sentences are shuffled, but for the first and the last.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from bwb.human.settings import Spam

_TRIES = 200


def damage(sentences: Sequence[str], spam: Spam, rng: Random) -> tuple[str, ...] | None:
    """The text, damaged; None if it is too short to be, or cannot be told from what it was.

    Args:
        sentences: One sentence, whose words are shuffled, or several, which are.
        spam: How much stays as it is.
        rng: Where the order comes from.
    """
    if len(sentences) > 1:
        shuffled = _moved(list(sentences[1:-1]), rng, all_move=True)
        return None if shuffled is None else (sentences[0], *shuffled, sentences[-1])
    words = sentences[0].split() if sentences else []
    if len(words) < spam.least_words:
        return None
    ends = ceil(len(words) * spam.keep)
    middle = words[ends : len(words) - ends]
    shuffled = _moved(middle, rng, all_move=False)
    if shuffled is None:
        return None
    return (" ".join([*words[:ends], *shuffled, *words[len(words) - ends :]]),)


def _moved(parts: list[str], rng: Random, *, all_move: bool) -> list[str] | None:
    """The parts in an order in which half of them, or all, have another at their place."""
    needed = len(parts) if all_move else ceil(len(parts) / 2)
    for _ in range(_TRIES if len(parts) > 1 else 0):
        shuffled = rng.sample(parts, len(parts))
        if sum(a != b for a, b in zip(parts, shuffled, strict=True)) >= needed:
            return shuffled
    return None
