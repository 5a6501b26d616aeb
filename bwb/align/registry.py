"""The aligners by name. A new one adds a line."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Any

from bwb.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from bwb.align.base import Aligner


def _lazy(module: str, name: str) -> Callable[..., Aligner]:
    def make(**options: Any) -> Aligner:  # noqa: ANN401 - those of the class
        aligner: Aligner = _class(module, name)(**options)
        return aligner

    make.__doc__ = f"`{module}.{name}`, imported when it is called."
    make.target = (module, name)  # type: ignore[attr-defined]
    return make


def _class(module: str, name: str) -> Any:  # noqa: ANN401 - a class with its own options
    return getattr(import_module(module), name)


# Name -> a function that makes the aligner; its keywords are those of the class.
ALIGNERS: dict[str, Callable[..., Aligner]] = {
    "bleualign": _lazy("bwb.align.bleualign", "Bleualign"),
    "galechurch": _lazy("bwb.align.galechurch", "GaleChurch"),
    "hybrid": _lazy("bwb.align.hybrid", "Hybrid"),
}


def options_of(name: str) -> list[str]:
    """The options an aligner has.

    Raises:
        UnknownNameError: if there is no such aligner.
    """
    make = _find(name)
    target = getattr(make, "target", None)
    return [*inspect.signature(_class(*target) if target else make).parameters]


def make_aligner(name: str, **options: Any) -> Aligner:  # noqa: ANN401 - those of the aligner
    """An aligner by name.

    Raises:
        UnknownNameError: if there is no such aligner.
        UsageError: if it has no such option.
    """
    known = options_of(name)
    for option in options:
        if option not in known:
            raise UsageError(
                f"the aligner {name} has no option {option!r}; it has {', '.join(known) or 'none'}"
            )
    return ALIGNERS[name](**options)


def _find(name: str) -> Callable[..., Aligner]:
    if name not in ALIGNERS:
        raise UnknownNameError("aligner", name, ALIGNERS)
    return ALIGNERS[name]
