"""Centers of utterances and the principles they keep, in one order or in many.

Definitions: Grosz et al. 1995; Kibble and Power 2000, as Karamanis et al. 2004 put them. An
utterance is a sequence of entities, highest first: its Cf. CP is the first of them. CB of an
utterance is the highest entity of the Cf of the utterance before that it realises as well; there
may be none (NOCB), and the first utterance has none. A transition, from one to the next, is

    cheap     if CB(n) = CP(n-1)
    coherent  if CB(n) = CB(n-1)
    salient   if CB(n) = CP(n)

and none of these if CB(n) does not exist. All is computed from one table, the CB of each utterance
after each other one, so that an order of the utterances is a walk through the table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, permutations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

# No center: in the tables, where entities are numbers from 0.
_NONE = -1


@dataclass(frozen=True, slots=True)
class Transitions:
    """How many transitions of an order have each property; arrays of shape (orders,).

    Attributes:
        total: Transitions in an order: utterances less one.
        nocb: Those to an utterance without CB.
        cheap: Those that are cheap.
        coherent: Those that are coherent, by the rule that was asked for.
        salient: Those that are salient.
    """

    total: int
    nocb: Ints
    cheap: Ints
    coherent: Ints
    salient: Ints


class Centers:
    """The utterances of a text.

    Args:
        utterances: For each, its entities, highest first, none of them twice; none is empty.
    """

    def __init__(self, utterances: Sequence[Sequence[str]]) -> None:
        """Compute the table."""
        import numpy as np

        self.number = len(utterances)
        entities = sorted({entity for row in utterances for entity in row})
        index = {entity: number for number, entity in enumerate(entities)}
        far = len(entities)
        # rank[u, e]: place of e in the Cf of u; `far` if it is not there.
        rank = np.full((self.number, max(far, 1)), far, dtype=np.int64)
        for number, row in enumerate(utterances):
            for place, entity in enumerate(row):
                rank[number, index[entity]] = place
        self.first: Ints = rank.argmin(axis=1)
        if not self.number:
            self.table: Ints = np.zeros((0, 0), dtype=np.int64)
            return
        both = np.where((rank < far)[None, :, :], rank[:, None, :], far)
        self.table = np.where(both.min(axis=2) < far, both.argmin(axis=2), _NONE)

    def orders(self, count: int, seed: int) -> Ints:
        """Other orders of the utterances, shape (orders, utterances).

        All there are but the given one, if they are no more than `count`; else `count` that are
        drawn at random, the given one perhaps among them.
        """
        return _orders(self.number, count, seed)

    def given(self) -> Ints:
        """The order of the text, shape (1, utterances)."""
        import numpy as np

        return np.arange(self.number, dtype=np.int64)[None, :]

    def transitions(self, orders: Ints, *, unknown: bool = False) -> Transitions:
        """Count the transitions of each order.

        Args:
            orders: Shape (orders, utterances).
            unknown: Whether a transition is coherent, too, if CB(n) exists and CB(n-1) does not
                (Brennan et al. 1987), instead of only if both exist and are the same.
        """
        import numpy as np

        before, here = orders[:, :-1], orders[:, 1:]
        cb = self.table[before, here]
        last = np.concatenate([np.full((len(orders), 1), _NONE), cb[:, :-1]], axis=1)[
            :, : cb.shape[1]
        ]
        exists = cb != _NONE
        coherent = exists & ((cb == last) | ((last == _NONE) & unknown))
        return _count(cb, exists, self.first[before], self.first[here], coherent)

    def transitions_jiang(self, orders: Ints) -> Transitions:
        """Count as the code of Jiang et al. 2022b does; the first order has to be the given one.

        Two utterances in a row without CB are coherent. An utterance without CB keeps the one it
        had in the order before, as that code does not clear it, and so does the first utterance of
        an order; NOCB is counted right all the same.
        """
        import numpy as np

        fresh = self.table[orders[:, :-1], orders[:, 1:]]
        number = len(orders)
        # held[k, u]: the CB of utterance u when order k has been walked.
        held = np.full((number, self.number), _NONE)
        np.put_along_axis(held, orders[:, 1:], fresh, axis=1)
        rows = np.where(held != _NONE, np.arange(number)[:, None], -1)
        rows = np.maximum.accumulate(rows, axis=0)
        held = np.where(rows >= 0, np.take_along_axis(held, np.maximum(rows, 0), axis=0), _NONE)
        walked = np.take_along_axis(held, orders, axis=1)
        cb, last = walked[:, 1:], walked[:, :-1]
        exists = fresh != _NONE
        before, here = self.first[orders[:, :-1]], self.first[orders[:, 1:]]
        return _count(cb, exists, before, here, cb == last)


@lru_cache(maxsize=256)
def _orders(number: int, count: int, seed: int) -> Ints:
    """The orders of a number of utterances; texts of the same length share them."""
    import numpy as np

    if number < 2:
        return np.zeros((0, number), dtype=np.int64)
    # Factorials grow fast: 21! is more than any count that could be meant.
    if number <= 20 and math.factorial(number) - 1 <= count:
        every = islice(permutations(range(number)), 1, None)
        return np.array(list(every), dtype=np.int64)
    rng = np.random.default_rng(seed)
    rows = np.tile(np.arange(number, dtype=np.int64), (count, 1))
    return rng.permuted(rows, axis=1)


def _count(
    cb: Ints, exists: NDArray[np.bool_], before: Ints, here: Ints, coherent: NDArray[np.bool_]
) -> Transitions:
    return Transitions(
        total=cb.shape[1],
        nocb=(~exists).sum(axis=1),
        cheap=(cb == before).sum(axis=1),
        coherent=coherent.sum(axis=1),
        salient=(cb == here).sum(axis=1),
    )
