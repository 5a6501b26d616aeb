"""Lemmas of words whose tags are known, by spaCy's rules and tables, without its tagger.

`bwb.analysis.english.english` tells the tag of every word; the lemma of a word depends on the word
and its tag only, so each pair of them is looked up once, whatever sentence it stands in, and kept
on disk. (`bwb.analysis.english.lemmas` tags anew, for words that were cut by somebody else.)
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING

from bwb.analysis.english import load_model, model_name
from bwb.caches import Store, text_key, user_caches

if TYPE_CHECKING:
    from collections.abc import Iterable

# Components that are not needed where tags are given.
_NOT_NEEDED = ("tok2vec", "tagger", "parser", "senter", "ner")
# Raise it when the values on disk mean something else.
_FORMAT = "1"
# Words on disk, some 60 bytes each.
_ROWS = 1_000_000


class Lemmas:
    """Lemmas of words with tags of the Penn Treebank, in the case that the rules give them.

    Args:
        keep: Whether to keep them on disk.
    """

    def __init__(self, *, keep: bool = True) -> None:
        """Note the settings; nothing is loaded yet."""
        self._keep = keep
        self._store: Store | None = None
        self._known: dict[tuple[str, str], str] = {}

    @property
    def name(self) -> str:
        """Model, components and library, with their versions."""
        return f"{model_name()}:lemmatizer:spacy-{version('spacy')}"

    def look_up(self, pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
        """The lemmas of words, each by its word and tag; the same dict at every call.

        Raises:
            MissingDependencyError: if a lemma is new and there is no model.
        """
        missing = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        if not missing:
            return self._known
        keys = {pair: text_key("\t".join(pair)) for pair in missing}
        if self._keep and self._store is None:
            self._store = Store(user_caches() / "analysis", f"{self.name}:{_FORMAT}", limit=_ROWS)
        found = self._store.read(list(keys.values())) if self._store else {}
        new = []
        for pair, key in keys.items():
            if key in found:
                self._known[pair] = found[key].decode("utf-8", "surrogatepass")
            else:
                new.append(pair)
        if new:
            self._known |= zip(new, _compute(new), strict=True)
            if self._store:
                values = {keys[p]: self._known[p].encode("utf-8", "surrogatepass") for p in new}
                self._store.write(values)
        return self._known


@cache
def english_lemmas() -> Lemmas:
    """The table that all share, with the cache on disk."""
    return Lemmas()


def _compute(pairs: list[tuple[str, str]]) -> list[str]:
    """Each word is a text of its own: the rules must not see what happens to stand beside it."""
    from spacy.tokens import Doc

    nlp = load_model(*_NOT_NEEDED)
    documents = (
        # A lone surrogate cannot be hashed by spaCy.
        Doc(nlp.vocab, words=[word.encode("utf-8", "replace").decode()], tags=[tag])
        for word, tag in pairs
    )
    made = nlp.pipe(documents, batch_size=256)
    return [doc[0].lemma_ or word for (word, _), doc in zip(pairs, made, strict=True)]
