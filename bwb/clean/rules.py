"""Rules that drop chapters: each has a score, and a threshold on it.

Scoring is apart from deciding: a rule only scores a side or a pair, and `decide` compares the
scores with the thresholds of `crawl/filters.toml`. All rules are evaluated, so that a report can
show every reason; the first, in the order of `RULES`, is the one that counts.

Source: Jiang et al. 2023 (BWB), appendix, for ``few-sentences``, ``sequence-ratio`` and ``poetry``.
The paper does not say in what a sequence is measured: ``sequence-ratio`` counts sentences, and
``length-ratio`` is the same in characters.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Generic, Literal, TypeVar

from bwb.clean.dropped import Dropped, Reason
from bwb.clean.text import han_share
from bwb.clean.verse import verse_lines
from bwb.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from bwb.clean.filters import Filters
    from bwb.clean.text import Text
    from bwb.records import Lang

Level = Literal["side", "pair"]
Direction = Literal["below", "above"]

T = TypeVar("T")


@dataclass(frozen=True)
class TextPair:
    """Two sides that are taken for translations of each other."""

    zh: Text
    """The Chinese side."""
    en: Text
    """The English side."""
    alignment: float | None = None
    """Mean score of the aligner's links, as a multiple of the least that is wanted of that aligner
    (the table ``alignment``); None before alignment, or if nothing is wanted of it."""


class Rule(ABC, Generic[T]):
    """What all rules have.

    Attributes:
        name: Reason code; never changes its meaning.
        level: Whether a side or a pair is scored.
        direction: Whether scores ``below`` or ``above`` the threshold drop it.
        threshold: From the settings; a score equal to it is kept.
    """

    name: ClassVar[str]
    level: ClassVar[Level]
    direction: ClassVar[Direction]

    def __init__(self, filters: Filters) -> None:
        """Take the threshold, and what else the rule needs, from the settings.

        Raises:
            UnknownNameError: if the settings lack the rule.
        """
        if self.name not in filters.rules:
            raise UnknownNameError("rule", self.name, filters.rules)
        self.threshold = filters.rules[self.name].threshold

    @abstractmethod
    def score(self, item: T) -> float | None:
        """The score; None if the rule does not apply, and then it drops nothing."""

    @abstractmethod
    def detail(self, item: T, score: float) -> str:
        """The score in words."""

    def reason(self, item: T) -> Reason | None:
        """Why the rule drops the item; None if it does not."""
        score = self.score(item)
        if score is None:
            return None
        bad = score < self.threshold if self.direction == "below" else score > self.threshold
        if not bad:
            return None
        detail = self.detail(item, score)
        return Reason(self.name, round(score, 6), self.threshold, detail)


class EmptyBody(Rule["Text"]):
    """Nothing to read: no letter or digit in the lines, or no sentence. Scores their number."""

    name = "empty-body"
    level = "side"
    direction = "below"

    def score(self, item: Text) -> float:
        """See `Rule`."""
        if not item.sentences:
            return 0.0
        return float(sum(sum(map(str.isalnum, line)) for line in item.chapter.lines))

    def detail(self, item: Text, score: float) -> str:
        """See `Rule`."""
        return f"{len(item.chapter.lines)} lines with {score:.0f} letters and digits"


class FewSentences(Rule["Text"]):
    """Fewer than 5 sentences (the paper). Scores their number."""

    name = "few-sentences"
    level = "side"
    direction = "below"

    def score(self, item: Text) -> float:
        """See `Rule`."""
        return float(len(item.sentences))

    def detail(self, item: Text, score: float) -> str:
        """See `Rule`."""
        return f"{score:.0f} sentences"


class WrongLanguage(Rule["Text"]):
    """A page in another language. Scores 1, or 0 if the language is right.

    What the language is, is asked of a function given by the caller; where it cannot tell, or none
    is given, the rule does not apply.
    """

    name = "wrong-language"
    level = "side"
    direction = "above"

    def __init__(
        self, filters: Filters, language_of: Callable[[str], str | None] | None = None
    ) -> None:
        """Keep the function."""
        super().__init__(filters)
        self._language_of = language_of

    def score(self, item: Text) -> float | None:
        """See `Rule`."""
        found = self._language(item)
        return None if found is None else float(found != item.chapter.lang)

    def detail(self, item: Text, score: float) -> str:
        """See `Rule`."""
        return f"the text is {self._language(item)}; expected {item.chapter.lang}"

    def _language(self, item: Text) -> str | None:
        return self._language_of("\n".join(item.chapter.lines)) if self._language_of else None


class EncodingDamage(Rule["Text"]):
    """Text that went through a wrong decoding. Scores the share of damaged characters."""

    name = "encoding-damage"
    level = "side"
    direction = "above"

    def __init__(self, filters: Filters) -> None:
        """Compile the patterns."""
        super().__init__(filters)
        self._pattern = re.compile("|".join(f"(?:{p})" for p in filters.damage.patterns))

    def score(self, item: Text) -> float | None:
        """See `Rule`."""
        size = sum(map(len, item.chapter.lines))
        return sum(map(len, self._damage(item))) / size if size else None

    def detail(self, item: Text, score: float) -> str:
        """See `Rule`."""
        first = next(iter(self._damage(item)), "")[:20]
        return f"{score:.2%} of the characters are damaged, first {first!a}"

    def _damage(self, item: Text) -> list[str]:
        return [m.group() for line in item.chapter.lines for m in self._pattern.finditer(line)]


class Poetry(Rule["Text"]):
    """Verse and couplets (the paper). Scores the share of lines that are verse."""

    name = "poetry"
    level = "side"
    direction = "above"

    def __init__(self, filters: Filters) -> None:
        """Keep what verse is."""
        super().__init__(filters)
        self._verse = filters.verse

    def score(self, item: Text) -> float | None:
        """See `Rule`."""
        lines = item.chapter.lines
        return self._count(item) / len(lines) if lines else None

    def detail(self, item: Text, score: float) -> str:
        """See `Rule`."""
        return f"{self._count(item)} of {len(item.chapter.lines)} lines are verse"

    def _count(self, item: Text) -> int:
        return sum(verse_lines(item.chapter.lines, item.chapter.lang, self._verse))


class SequenceRatio(Rule[TextPair]):
    """Sequence ratio above 3.0 (the paper). Scores the greater number of sentences to the less."""

    name = "sequence-ratio"
    level = "pair"
    direction = "above"

    def score(self, item: TextPair) -> float | None:
        """See `Rule`; None if a side has no sentence."""
        return _ratio(len(item.zh.sentences), len(item.en.sentences))

    def detail(self, item: TextPair, score: float) -> str:
        """See `Rule`."""
        return f"{len(item.zh.sentences)} Chinese and {len(item.en.sentences)} English sentences"


class LengthRatio(Rule[TextPair]):
    """The ratio in characters, after English ones are made as long as Chinese ones."""

    name = "length-ratio"
    level = "pair"
    direction = "above"

    def __init__(self, filters: Filters) -> None:
        """Keep how much longer English is."""
        super().__init__(filters)
        self._factor = filters.length.english_per_chinese

    def score(self, item: TextPair) -> float | None:
        """See `Rule`; None if a side is empty."""
        zh, en = self._sizes(item)
        return _ratio(zh * self._factor, en)

    def detail(self, item: TextPair, score: float) -> str:
        """See `Rule`."""
        zh, en = self._sizes(item)
        return f"{zh} Chinese and {en} English characters, {self._factor:g} expected to one"

    @staticmethod
    def _sizes(item: TextPair) -> tuple[int, int]:
        return sum(map(len, item.zh.sentences)), sum(map(len, item.en.sentences))


class Untranslated(Rule[TextPair]):
    """Scores the share of English sentences that are Chinese, or equal to a Chinese sentence."""

    name = "untranslated"
    level = "pair"
    direction = "above"

    def __init__(self, filters: Filters) -> None:
        """Keep what is Chinese."""
        super().__init__(filters)
        self._han = filters.untranslated.han

    def score(self, item: TextPair) -> float | None:
        """See `Rule`; None if there is no English sentence."""
        return self._count(item) / len(item.en.sentences) if item.en.sentences else None

    def detail(self, item: TextPair, score: float) -> str:
        """See `Rule`."""
        return f"{self._count(item)} of {len(item.en.sentences)} English sentences"

    def _count(self, item: TextPair) -> int:
        source = {sentence.strip() for sentence in item.zh.sentences}
        return sum(
            any(map(str.isalpha, sentence))
            and (sentence.strip() in source or (han_share(sentence) or 0.0) >= self._han)
            for sentence in item.en.sentences
        )


class LowAlignment(Rule[TextPair]):
    """Scores the mean score of the aligner's links to the least wanted; only after alignment."""

    name = "low-alignment"
    level = "pair"
    direction = "below"

    def score(self, item: TextPair) -> float | None:
        """See `Rule`."""
        return item.alignment

    def detail(self, item: TextPair, score: float) -> str:
        """See `Rule`."""
        return f"the mean score of the links is {score:.2f} of the least"


# In the order in which a chapter's main reason is looked for. A new rule adds a line.
SIDE_RULES: dict[str, type[Rule[Text]]] = {
    rule.name: rule for rule in (EmptyBody, WrongLanguage, EncodingDamage, FewSentences, Poetry)
}
PAIR_RULES: dict[str, type[Rule[TextPair]]] = {
    rule.name: rule for rule in (Untranslated, SequenceRatio, LengthRatio, LowAlignment)
}
RULES: dict[str, type[Rule[Text]] | type[Rule[TextPair]]] = {**SIDE_RULES, **PAIR_RULES}


def side_rules(
    filters: Filters, language_of: Callable[[str], str | None] | None = None
) -> list[Rule[Text]]:
    """The rules for one side that the settings enable."""
    return [
        WrongLanguage(filters, language_of) if rule is WrongLanguage else rule(filters)
        for name, rule in _enabled(SIDE_RULES, filters)
    ]


def pair_rules(filters: Filters) -> list[Rule[TextPair]]:
    """The rules for pairs that the settings enable."""
    return [rule(filters) for _, rule in _enabled(PAIR_RULES, filters)]


def decide_side(text: Text, rules: Iterable[Rule[Text]]) -> Dropped | None:
    """Why one side is dropped; None if it is kept."""
    reasons = [reason for rule in rules if (reason := rule.reason(text))]
    chapter = text.chapter
    return _dropped(chapter.book, chapter.chapter, chapter.lang, reasons)


def decide_pair(pair: TextPair, rules: Iterable[Rule[TextPair]]) -> Dropped | None:
    """Why a pair is dropped; None if it is kept.

    Raises:
        UsageError: if the sides are not the Chinese and the English one.
    """
    langs = pair.zh.chapter.lang, pair.en.chapter.lang
    if langs != ("zh", "en"):
        raise UsageError(f"a pair of {langs[0]} and {langs[1]}; expected zh and en")
    reasons = [reason for rule in rules if (reason := rule.reason(pair))]
    return _dropped(pair.zh.chapter.book, pair.zh.chapter.chapter, None, reasons)


def _dropped(book: str, chapter: str, lang: Lang | None, reasons: list[Reason]) -> Dropped | None:
    if not reasons:
        return None
    first, *also = reasons
    return Dropped(
        book, chapter, lang, first.rule, first.score, first.threshold, first.detail, tuple(also)
    )


def _enabled(
    rules: Mapping[str, type[Rule[T]]], filters: Filters
) -> list[tuple[str, type[Rule[T]]]]:
    for name in rules:
        if name not in filters.rules:
            raise UnknownNameError("rule", name, filters.rules)
    return [(name, rule) for name, rule in rules.items() if filters.rules[name].enabled]


def _ratio(a: float, b: float) -> float | None:
    return max(a, b) / min(a, b) if a > 0 and b > 0 else None
