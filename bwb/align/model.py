"""The trained model of the hybrid aligner: weights, calibration, and where they come from.

A TOML file of numbers, no text of the data:

    [model]        lexicon, as `LEXICONS` has them; pruning
    [first]        weights of the features that need no clauses, for the second pruning
    [weights]      one a feature
    [calibration]  slope and intercept (Platt 1999) that make a posterior a probability
    [training]     data, its digest, documents, figures; for people, not read
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bwb.align.features import FEATURES, FIRST
from bwb.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from bwb.align.lattice import Floats

_PRUNING = ("prune_lex", "prune_null", "prune_beam", "narrow_beam")
LEXICONS = ("chinese-english", "cognates", "cooccurrence")


@dataclass(frozen=True)
class Calibration:
    """From a bead's posterior to the probability that it is right.

    A posterior among the few beads that are left at the end, and one among all of the first
    pruning by the first weights, are combined by their logits.

    Attributes:
        last: Of the logit of the last posterior.
        first: Of the logit of the first posterior.
        intercept: Added to both.
        support: Of `m` averaged over the links about: low where the texts do not translate
            each other at all, which posteriors do not see.
        support_intercept: Added to it.
    """

    last: float = 1.0
    first: float = 0.0
    intercept: float = 0.0
    support: float = 0.0
    support_intercept: float = 30.0

    def __call__(self, last: Floats, first: Floats, support: Floats) -> Floats:
        """Scores in [0, 1], shape as given."""
        right = self.last * logit(last) + self.first * logit(first) + self.intercept
        return _sigmoid(right) * _sigmoid(self.support * support + self.support_intercept)


def logit(share: Floats) -> Floats:
    """Of shares kept off 0 and 1 by a thousandth: a posterior is no surer than its model."""
    share = np.clip(share, 1e-3, 1 - 1e-3)
    return np.asarray(np.log(share / (1 - share)))


def _sigmoid(x: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(x, -500, 500))))


@dataclass(frozen=True)
class Model:
    """Weights and settings."""

    lexicon: str
    weights: Mapping[str, float]
    first: Mapping[str, float]
    calibration: Calibration = Calibration()
    prune_lex: float = 0.5
    prune_null: float = -0.1
    prune_beam: float = 1.5
    narrow_beam: float = 2.5

    def vector(self) -> Floats:
        """Weights in the order of `FEATURES`."""
        return np.array([self.weights[name] for name in FEATURES])

    def first_vector(self) -> Floats:
        """First weights in the order of `FIRST`."""
        return np.array([self.first[name] for name in FIRST])


def load_model(path: Path) -> Model:
    """Read a model.

    Raises:
        InputError: if the file is missing, is no TOML, or lacks or adds a key; says which.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: no TOML: {error}") from None
    head = _table(data, "model", {"lexicon", *_PRUNING}, path)
    weights = _table(data, "weights", set(FEATURES), path)
    first = _table(data, "first", set(FIRST), path)
    calibration = _table(data, "calibration", set(Calibration.__dataclass_fields__), path)
    if head["lexicon"] not in LEXICONS:
        raise InputError(f"{path}: lexicon {head['lexicon']!r}; allowed: {', '.join(LEXICONS)}")
    return Model(
        weights={name: float(value) for name, value in weights.items()},
        first={name: float(value) for name, value in first.items()},
        calibration=Calibration(**{name: float(value) for name, value in calibration.items()}),
        **head,
    )


def _table(data: Mapping[str, Any], name: str, keys: set[str], path: Path) -> dict[str, Any]:
    table = data.get(name)
    found = set(table) if isinstance(table, dict) else set()
    if not isinstance(table, dict) or found != keys:
        wrong = ", ".join(sorted(found ^ keys))
        raise InputError(
            f"{path}: [{name}] must have exactly {', '.join(sorted(keys))}; see {wrong}"
        )
    for key, value in table.items():
        if key != "lexicon" and not isinstance(value, int | float):
            raise InputError(f"{path}: [{name}] {key} is {value!r}; expected a number")
    return table


def dump_model(model: Model, training: Mapping[str, object]) -> str:
    """A model as TOML, with notes on its training (strings, numbers, lists of strings)."""
    tables: dict[str, Mapping[str, object]] = {
        "model": {
            "lexicon": model.lexicon,
            **{name: getattr(model, name) for name in _PRUNING},
        },
        "first": model.first,
        "weights": model.weights,
        "calibration": {
            name: getattr(model.calibration, name) for name in Calibration.__dataclass_fields__
        },
        "training": training,
    }
    lines = ["# Weights of the hybrid aligner; written by python -m bwb.align.train."]
    for name, table in tables.items():
        lines += ["", f"[{name}]", *(f"{key} = {_value(value)}" for key, value in table.items())]
    return "\n".join(lines) + "\n"


def _value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, list):
        return f"[{', '.join(_value(x) for x in value)}]"
    return str(value) if isinstance(value, int) else '"' + str(value).replace('"', "'") + '"'
