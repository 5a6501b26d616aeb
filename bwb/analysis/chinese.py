"""Chinese analysis: words and their tags, by jieba.

The tags are those of jieba (after ICTCLAS): n noun, nr person, ns place, v verb, r pronoun, …
White space is no token. Entities are not looked for.
"""

from __future__ import annotations

from array import array
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from bwb.analysis.base import Analyser, Analysis
from bwb.errors import MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Chinese:
    """Words and tags."""

    @property
    def name(self) -> str:
        """The library and its version.

        Raises:
            MissingDependencyError: if it is not installed.
        """
        try:
            return f"jieba-posseg-{version('jieba')}"
        except PackageNotFoundError:
            raise MissingDependencyError("jieba", "jieba>=0.42.1") from None

    def run(self, texts: Sequence[str]) -> Iterator[Analysis]:
        """See `bwb.analysis.base.Backend`."""
        tagger = _tagger()
        for text in texts:
            kind = "I" if len(text) > 0xFFFF else "H"
            starts, ends, tags = array(kind), array(kind), []
            at = 0
            for word, tag in tagger.cut(text):
                if not word.isspace():
                    starts.append(at)
                    ends.append(at + len(word))
                    tags.append(tag)
                at += len(word)
            yield Analysis.of(text, starts, ends, tags)


@cache
def _tagger() -> Any:  # noqa: ANN401 - jieba has no types
    import logging

    try:
        import jieba
        import jieba.posseg
    except ImportError:
        raise MissingDependencyError("jieba", "jieba>=0.42.1") from None
    # jieba reports the loading of its dictionary as if it were a problem.
    jieba.setLogLevel(logging.WARNING)
    return jieba.posseg.dt


@cache
def chinese() -> Analyser:
    """The analyser that all metrics share, with the cache on disk."""
    return Analyser(Chinese())
