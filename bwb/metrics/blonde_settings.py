"""What a BlonDe score depends on: the variant, its word lists, and the choices of a call.

The word lists are in `annotations/blonde.toml`, which also says where each marker comes from.
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, get_args

from bwb.assets import asset
from bwb.errors import InputError, UnknownNameError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Variant = Literal["paper", "blonde-0.1.4"]
Average = Literal["geometric", "arithmetic"]
Smoothing = Literal["exp", "floor", "add-k", "none"]

VARIANTS: tuple[Variant, ...] = get_args(Variant)
DISCOURSE = ("tense", "pronoun", "entity", "dm")
NGRAMS = ("1", "2", "3", "4")
# What needs marked errors: code of the mark (`bwb.records.ERROR_CODES`) by category.
PLUS = {"ellipsis": 3, "ambiguity": 1}
CATEGORIES = (*DISCOURSE, *NGRAMS)
# Added to a count of no match (floor), or to both counts (add-k), as in sacrebleu.
SMOOTH_VALUES: dict[str, float] = {"floor": 0.1, "add-k": 1.0}


@dataclass(frozen=True, slots=True)
class Lists:
    """The word lists of a variant.

    Attributes:
        classes: Names of the classes of each discourse category.
        tags: Tag → index of its class.
        pronouns: Word in lower case → index of its class.
        labels: Label of an entity → index of its class.
        markers: Words in lower case of a discourse marker → index of its class.
        weights: Weight of each class, by category.
    """

    classes: Mapping[str, tuple[str, ...]]
    tags: Mapping[str, int]
    pronouns: Mapping[str, int]
    labels: Mapping[str, int]
    markers: Mapping[tuple[str, ...], int]
    weights: Mapping[str, tuple[float, ...]]


@cache
def word_lists(variant: Variant) -> Lists:
    """The word lists of a variant."""
    data = tomllib.loads(asset("annotations/blonde.toml").read_text(encoding="utf-8"))
    pronouns: dict[str, list[str]] = data["pronoun"][variant]
    kinds: dict[str, list[str]] = data["dm_classes"][variant]
    never = set(data["dm_never"][variant])
    markers = {
        tuple(marker.split()): index
        for index, sources in enumerate(kinds.values())
        for source in sources
        for marker in (*data["dm"][source]["seen"], *data["dm"][source]["inferred"])
        if marker not in never
    }
    classes = {
        "tense": tuple(data["tense"]["tags"]),
        "pronoun": tuple(pronouns),
        "entity": tuple(data["entity"]),
        "dm": tuple(kinds),
    }
    given: dict[str, list[float]] = data["weights"][variant]
    return Lists(
        classes=classes,
        tags={tag: index for index, tag in enumerate(classes["tense"])},
        pronouns={word: i for i, words in enumerate(pronouns.values()) for word in words},
        labels={label: i for i, labels in enumerate(data["entity"].values()) for label in labels},
        markers=markers,
        weights={
            name: tuple(given.get(name, [1.0] * len(members))) for name, members in classes.items()
        },
    )


@dataclass(frozen=True)
class Settings:
    """The choices of a call.

    Attributes:
        variant: See `bwb.metrics.blonde`.
        plus: Whether ambiguity and ellipsis are categories too (BlonDe+).
        lowercase: Whether texts are put in lower case before they are analysed.
        categories: Those that count; n-gram orders are ``1`` to ``4``, ``n-gram`` all of them.
        average: How categories are averaged.
        smoothing: What an n-gram order without a match is given.
        smooth_value: Its parameter; None for `SMOOTH_VALUES`.
        effective_order: Leave n-gram orders without a match out.
        importance: The paper's a_k, by category; 1 where not given.
        class_weights: Weights of the classes within a discourse category, in their order; those
            of the variant where not given. ``n-gram`` may give the importance of the four orders.
    """

    variant: Variant = "paper"
    plus: bool = False
    lowercase: bool = False
    categories: Sequence[str] | None = None
    average: Average = "geometric"
    smoothing: Smoothing = "exp"
    smooth_value: float | None = None
    effective_order: bool = False
    importance: Mapping[str, float] = field(default_factory=dict)
    class_weights: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """See that everything is known and in range.

        Raises:
            UnknownNameError: for a name that is not known.
            UsageError: for a value that makes no sense.
        """
        _known("variant", self.variant, VARIANTS)
        _known("average", self.average, get_args(Average))
        _known("smoothing", self.smoothing, get_args(Smoothing))
        if self.smooth_value is not None:
            if self.smoothing not in SMOOTH_VALUES:
                raise UsageError(f"smooth_value goes with floor and add-k, not {self.smoothing}")
            _number("smooth_value", self.smooth_value)
        if self.categories is not None and (
            isinstance(self.categories, str) or not self.categories
        ):
            raise UsageError(f"categories {self.categories!r}; expected a list of names")
        for name in self.categories or ():
            _known("category", name, (*CATEGORIES, *PLUS, "n-gram"))
        for name, value in self.importance.items():
            _known("category", name, (*CATEGORIES, *PLUS, "n-gram"))
            _number(f"importance of {name}", value)
        self._check_class_weights()
        if not any(self.weight_of(name) for name in self.scored):
            raise UsageError("all categories have importance 0")

    def _check_class_weights(self) -> None:
        classes = {**word_lists(self.variant).classes, "n-gram": NGRAMS}
        for name, values in self.class_weights.items():
            _known("category with classes", name, classes)
            if len(values) != len(classes[name]):
                expected = ", ".join(classes[name])
                raise UsageError(
                    f"{values!r} are the weights of {name}; expected {len(classes[name])}, "
                    f"for {expected}"
                )
            for value in values:
                _number(f"weight in {name}", value)
            if not any(values):
                raise UsageError(f"all weights of {name} are 0")

    @property
    def scored(self) -> tuple[str, ...]:
        """The categories that are averaged, in the order of the reference package."""
        every = (*CATEGORIES, *(PLUS if self.plus else ()))
        if self.categories is None:
            return every
        wanted = set(self.categories)
        if "n-gram" in wanted:
            wanted.update(NGRAMS)
        if lacking := wanted & set(PLUS) - set(every):
            raise InputError(f"{', '.join(sorted(lacking))}: only BlonDe+ has these; ask for plus")
        return tuple(name for name in every if name in wanted)

    @property
    def lists(self) -> Lists:
        """The word lists of the variant."""
        return word_lists(self.variant)

    def weights(self, category: str) -> tuple[float, ...]:
        """Weights of the classes of a discourse category, the greatest of them 1."""
        values = tuple(self.class_weights.get(category, self.lists.weights[category]))
        return tuple(value / max(values) for value in values)

    def weight_of(self, category: str) -> float:
        """The importance a_k of a category."""
        if category not in NGRAMS:
            return self.importance.get(category, 1.0)
        shared = self.importance.get("n-gram", 1.0)
        orders = self.class_weights.get("n-gram", (0.25,) * 4)
        share = 4 * orders[int(category) - 1] / sum(orders)
        return self.importance.get(category, shared) * share

    def options(self) -> dict[str, str]:
        """The choices, for the signature; those left as they are by default are not listed."""
        found = {
            "variant": self.variant,
            "plus": "yes" if self.plus else "no",
            "case": "lc" if self.lowercase else "mixed",
            "average": self.average,
            "smooth": self.smoothing,
        }
        if self.smoothing in SMOOTH_VALUES:
            found["smooth"] += f"[{self.floor_value:g}]"
        if self.effective_order:
            found["eff"] = "yes"
        if self.categories is not None:
            found["categories"] = "+".join(self.scored)
        for name, values in (("importance", self.importance), ("weights", self.class_weights)):
            if values:
                found[name] = ",".join(f"{k}={_shown(v)}" for k, v in sorted(values.items()))
        return found

    @property
    def floor_value(self) -> float:
        """The parameter of the smoothing; 0 if it has none."""
        if self.smooth_value is not None:
            return self.smooth_value
        return SMOOTH_VALUES.get(self.smoothing, 0.0)


def _known(what: str, name: str, known: Sequence[str] | Mapping[str, Any]) -> None:
    if name not in known:
        raise UnknownNameError(what, str(name), known)


def _number(what: str, value: object) -> None:
    right = isinstance(value, int | float) and not isinstance(value, bool)
    if not right or not math.isfinite(float(value)) or float(value) < 0:  # type: ignore[arg-type]
        raise UsageError(f"{what} is {value!r}; expected a number, 0 or more")


def _shown(value: object) -> str:
    if isinstance(value, int | float):
        return f"{value:g}"
    return "/".join(f"{part:g}" for part in value)  # type: ignore[attr-defined]
