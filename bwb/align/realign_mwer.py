"""mweralign as another way to realign, where it is installed.

It cuts an output so that the word error rate against the reference is least (Matusov et al. 2005;
Post and Hoang 2025). It is GPL-3.0 and no dependency of this package: it is called if you have
installed it yourself. It cannot say what is missing or added.
"""

from __future__ import annotations

import contextlib
import os
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from bwb.align.realign_text import tokenize
from bwb.errors import InputError, MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bwb.align.realign_text import Text


def available() -> bool:
    """Whether mweralign is installed."""
    return find_spec("mweralign") is not None


def realign_mwer(output: str, reference: Sequence[str]) -> list[str]:
    """Map an output to the sentences of the reference by word error rate.

    Both are lower-cased and cut in the same tokens as ours before (marks are tokens of their own,
    and Han characters), which is better for it than words between spaces.

    Returns:
        As many lines as the reference has; all of the output, white space made one space.

    Raises:
        InputError: if there is no reference, or the backend returns something else.
        MissingDependencyError: if it is not installed.
    """
    if not available():
        raise MissingDependencyError("mweralign (GPL-3.0)", "mweralign")
    if not reference:
        raise InputError("the reference has no sentences; expected one at least")
    hyp = tokenize(output)
    if not hyp.starts:
        return [""] * len(reference)
    module = import_module("mweralign")
    # A sentence without tokens still needs a line of its own.
    lines = [_plain(tokenize(sentence)) or "␀" for sentence in reference]
    with _quiet():
        found = module.align_texts("\n".join(lines), _plain(hyp))
    counts = [len(line.split()) for line in str(found).rstrip("\n").split("\n")]
    counts += [0] * (len(reference) - len(counts))
    if len(counts) != len(reference) or sum(counts) != len(hyp.starts):
        raise InputError(
            f"mweralign returned {len(counts)} lines of {sum(counts)} tokens; expected "
            f"{len(reference)} of {len(hyp.starts)}"
        )
    out, at = [], 0
    for count in counts:
        start = hyp.starts[at] if at < len(hyp.starts) else len(output)
        at += count
        end = hyp.starts[at] if at < len(hyp.starts) else len(output)
        out.append(" ".join(output[start:end].split()) if count else "")
    return out


def _plain(text: Text) -> str:
    return " ".join(
        text.text[start:end].casefold() for start, end in zip(text.starts, text.ends, strict=True)
    )


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep what the library's C++ code prints off our output."""
    null, saved = os.open(os.devnull, os.O_WRONLY), [os.dup(1), os.dup(2)]
    try:
        os.dup2(null, 1)
        os.dup2(null, 2)
        yield
    finally:
        for number, copy in enumerate(saved, 1):
            os.dup2(copy, number)
            os.close(copy)
        os.close(null)
