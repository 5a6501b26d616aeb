"""Bleualign: alignment through a machine translation of a side (Sennrich & Volk 2010, 2011).

Written from the papers and from published inputs and outputs. Every translated source sentence
is scored against every target sentence with a modified sentence BLEU; the best monotone path of
1-1 links gives anchors; what lies between them is filled in.

By default the gaps are filled all at once (`bwb.align.bleualign_joint`), matches are those of
words cut at five letters, Chinese is segmented, quotes and dashes of all kinds are tokens,
several translations are pooled, and the output is monotone, covers both sides and uses no
sentence twice.

``compat=True`` does what Bleualign does, defects included, and reproduces all 28 files of its
evaluation text byte for byte (`Bleualign.raw`; `align` then adds null links, and takes away what
is used twice). Three things that took the files to find out: Gale-Church within a gap gets the
lengths of the translations, not of the source sentences; it is used only where the larger side
has fewer than twice the smaller one's sentences; and the run called ``galechurch`` is no
Gale-Church but Bleualign with the untranslated source as its translation, so it does not depend
on the underflow of Gale-Church either. On long texts Bleualign's own Gale-Church option would
underflow; ours (`bwb.align.galechurch`) does not.

A line ``.EOA`` ends an article on all sides: nothing is linked across it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bwb.align.base import SentenceLink, check_links, cover
from bwb.align.bleualign_gaps import GapFiller, RawLink
from bwb.align.bleualign_grams import Grams
from bwb.align.bleualign_repair import repaired
from bwb.align.bleualign_score import alternatives, best_path, first_of_kind
from bwb.align.bleualign_text import Vocabulary, has_han
from bwb.errors import LengthError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from bwb.align.translators import Translator

    Gaps = Literal["joint", "steps", "none"]

BOUNDARY = ".EOA"

Texts = list[str]


@dataclass(frozen=True, slots=True)
class Article:
    """What lies between two boundaries, on all sides.

    Attributes:
        src: Source sentences.
        tgt: Target sentences.
        forward: Translations of the source.
        backward: Translations of the target.
        at: Number of source and of target lines before it.
    """

    src: Texts
    tgt: Texts
    forward: list[Texts]
    backward: list[Texts]
    at: tuple[int, int]


class Bleualign:
    """Aligns through translations.

    Attributes:
        translator: Translates the source where no translation is given. None takes the gloss
            translator for Chinese, else the source as it is, as Bleualign does for ``-``.
        ngrams: Highest n-gram order of the score that finds anchors.
        maxalternatives: Targets kept for each source sentence.
        Nto1: Largest number of sentences on a side of a link.
        gaps: ``joint`` fills all gaps at once, ``steps`` by Bleualign's rules, ``none`` leaves
            them.
        bleu1to1: Of ``steps``: whether sentences that are each other's best are linked.
        galechurch: Of ``steps``: whether what is left goes to Gale-Church.
        intersect: Whether the output of several translations is the intersection of the runs;
            else (only with ``joint``) their matches are pooled.
        compat: Whether to do as Bleualign.
    """

    name = "bleualign"

    def __init__(
        self,
        *,
        translator: Translator | None = None,
        ngrams: int | None = None,
        maxalternatives: int | None = None,
        Nto1: int | None = None,  # noqa: N803 - Bleualign's name
        gaps: Gaps | None = None,
        bleu1to1: bool = True,
        galechurch: bool = True,
        intersect: bool | None = None,
        compat: bool = False,
    ) -> None:
        """Keep the settings; None is Bleualign's value with `compat`, ours without.

        Raises:
            UsageError: if a number is below 1, or settings contradict each other.
        """
        self.translator = translator
        self.compat = compat
        self.gaps: Gaps = gaps or ("steps" if compat else "joint")
        if self.gaps not in ("joint", "steps", "none"):
            raise UsageError(f"gaps is {gaps!r}; expected joint, steps or none")
        self.ngrams = _default(ngrams, 2 if compat else 1)
        self.maxalternatives = _default(maxalternatives, 3 if compat else 1000)
        self.Nto1 = _default(Nto1, {"joint": 5, "steps": 2, "none": 1}[self.gaps])
        for name in ("ngrams", "maxalternatives", "Nto1"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} is {getattr(self, name)}; expected at least 1")
        if compat and self.gaps == "joint":
            raise UsageError("gaps=joint is not Bleualign's; leave it out, or leave out compat")
        self.bleu1to1, self.galechurch = bleu1to1, galechurch
        self.intersect = self.gaps != "joint" if intersect is None else intersect
        if not self.intersect and self.gaps != "joint":
            raise UsageError(f"gaps={self.gaps} cannot pool translations; expected intersect=True")

    def align(
        self,
        src: Sequence[str],
        tgt: Sequence[str],
        translations: Sequence[Sequence[str]] = (),
        back_translations: Sequence[Sequence[str]] = (),
    ) -> list[SentenceLink]:
        """Align; monotone and covering in every mode.

        Args:
            src: Source sentences; ``.EOA`` is a boundary.
            tgt: Target sentences, likewise.
            translations: Translations of the source into the target's language.
            back_translations: Translations of the target into the source's language. If neither
                is given, the translator makes one of the source.

        Returns:
            Links. A boundary is linked with its counterpart (method ``boundary``).

        Raises:
            LengthError: if a translation has not as many lines as its text, or there are not as
                many articles on all sides.
        """
        articles = self._articles(src, tgt, translations, back_translations)
        links: list[SentenceLink] = []
        for number, article in enumerate(articles):
            if number:
                at = article.at
                links.append(SentenceLink((at[0] - 1,), (at[1] - 1,), 1.0, "boundary"))
            links += (_shifted(link, *article.at) for link in self._article(article))
        check_links(links, len(src), len(tgt))
        return links

    def raw(
        self,
        src: Sequence[str],
        tgt: Sequence[str],
        translations: Sequence[Sequence[str]] = (),
        back_translations: Sequence[Sequence[str]] = (),
    ) -> list[list[RawLink]]:
        """The links as Bleualign has them, an article at a time: no nulls, in source order.

        Arguments and errors are those of `align`. With several translations, these are the links
        on which all runs agree.

        Raises:
            UsageError: if the gaps are filled jointly: then there are no such links.
        """
        if self.gaps == "joint":
            raise UsageError("gaps=joint makes no raw links; expected compat, or gaps=steps")
        return [
            [
                RawLink(
                    tuple(i + article.at[0] for i in link.src),
                    tuple(j + article.at[1] for j in link.tgt),
                    link.method,
                )
                for link in self._runs(article)
            ]
            for article in self._articles(src, tgt, translations, back_translations)
        ]

    def _articles(
        self,
        src: Sequence[str],
        tgt: Sequence[str],
        translations: Sequence[Sequence[str]],
        back_translations: Sequence[Sequence[str]],
    ) -> list[Article]:
        if not translations and not back_translations:
            translations = [self.translated(src)]
        parts: dict[str, list[Texts]] = {"source": _split(src), "target": _split(tgt)}
        for name, given, own in (
            ("translation", translations, "source"),
            ("back-translation", back_translations, "target"),
        ):
            for number, lines in enumerate(given, 1):
                parts[f"{name} {number}"] = _split(lines)
                _check_lengths(f"{name} {number}", parts, own)
        counts = {name: len(articles) for name, articles in parts.items()}
        if len(set(counts.values())) > 1:
            listed = ", ".join(f"{name} {count}" for name, count in counts.items())
            raise LengthError(
                f"articles (text between lines {BOUNDARY}): {listed}; expected as many everywhere"
            )
        forward = [parts[f"translation {k + 1}"] for k in range(len(translations))]
        backward = [parts[f"back-translation {k + 1}"] for k in range(len(back_translations))]
        out = []
        at = 0, 0
        for number, (left, right) in enumerate(zip(parts["source"], parts["target"], strict=True)):
            texts = [side[number] for side in forward], [side[number] for side in backward]
            out.append(Article(left, right, *texts, at))
            at = at[0] + len(left) + 1, at[1] + len(right) + 1
        return out

    def translated(self, src: Sequence[str]) -> Texts:
        """What the translator makes of the source; boundaries stay.

        Raises:
            LengthError: if it does not make a line of each line.
        """
        from bwb.align.translators import Gloss

        translator = self.translator
        if translator is None:
            if self.compat or not has_han(src):
                return list(src)
            translator = Gloss()
        todo = [i for i, line in enumerate(src) if line.strip() != BOUNDARY]
        out = list(src)
        done = translator.translate([src[i] for i in todo])
        if len(done) != len(todo):
            raise LengthError(
                f"the translator {translator.name} made {len(done)} lines of {len(todo)}"
            )
        for i, text in zip(todo, done, strict=True):
            out[i] = text
        return out

    def _article(self, article: Article) -> list[SentenceLink]:
        sizes = len(article.src), len(article.tgt)
        if not all(sizes):
            return cover((), *sizes)
        if self.gaps != "joint":
            return repaired(self._runs(article), article.src, article.tgt)
        if not self.intersect:
            return self._joint(article, article.forward, article.backward)
        runs = [
            *(self._joint(article, [text], []) for text in article.forward),
            *(self._joint(article, [], [text]) for text in article.backward),
        ]
        common = set.intersection(*({(x.src, x.tgt) for x in run} for run in runs))
        kept = [x for x in runs[0] if (x.src, x.tgt) in common and x.src and x.tgt]
        return cover(kept, *sizes)

    def _joint(
        self, article: Article, forward: list[Texts], backward: list[Texts]
    ) -> list[SentenceLink]:
        from bwb.align.bleualign_joint import joint_links

        pairs = [(text, article.tgt) for text in forward]
        pairs += [(article.src, text) for text in backward]
        evidence = []
        anchors: list[tuple[int, int]] = []
        for number, sides in enumerate(pairs):
            words = Vocabulary(compat=False)
            left, right = (words.encode(side) for side in sides)
            stem = words.stems()
            left, right = ([[stem[t] for t in s] for s in side] for side in (left, right))
            evidence.append((left, right))
            if not number:
                found = alternatives(Grams(left, right, self.ngrams), self.maxalternatives)
                anchors = best_path(found, len(right))
        lengths = [len(s.strip()) for s in article.src], [len(t.strip()) for t in article.tgt]
        return joint_links(evidence, anchors, lengths, self.Nto1)

    def _runs(self, article: Article) -> list[RawLink]:
        """One run for each translation, and their intersection."""
        forward = [self._run(article.tgt, text) for text in article.forward]
        backward = [
            [RawLink(link.tgt, link.src, link.method) for link in self._run(article.src, text)]
            for text in article.backward
        ]
        if len(forward) + len(backward) == 1:
            links = (forward + backward)[0]
        else:
            # Within a direction the step that made the link has to be the same, too.
            agreed = [set.intersection(*map(set, runs)) for runs in (forward, backward) if runs]
            common = set.intersection(*({(x.src, x.tgt) for x in links} for links in agreed))
            links = [x for x in (forward or backward)[0] if (x.src, x.tgt) in common]
        return sorted(links, key=lambda link: (link.src, link.tgt))

    def _run(self, tgt: Texts, text: Texts) -> list[RawLink]:
        """Bleualign with one translation, `text`, of the other side."""
        words = Vocabulary(compat=self.compat)
        grams = Grams(words.encode(text), words.encode(tgt), self.ngrams)
        like: dict[int, int] = {}
        if self.compat:
            like = first_of_kind(grams.masks[len(text) :], grams.tgt.__getitem__, self.ngrams)
        anchors = best_path(alternatives(grams, self.maxalternatives, like), len(tgt))
        if self.gaps == "none":
            return [RawLink((i,), (j,), "BLEU") for i, j in anchors]
        return GapFiller(
            grams,
            (text, tgt),
            merge=self.Nto1,
            bleu_1to1=self.bleu1to1,
            galechurch=self.galechurch,
            compat=self.compat,
        ).fill(anchors)


def _default(value: int | None, default: int) -> int:
    return default if value is None else value


def _split(lines: Sequence[str]) -> list[Texts]:
    """The articles of a text; one at the end that is empty counts, as does one in between."""
    out: list[Texts] = [[]]
    for line in lines:
        if line.strip() == BOUNDARY:
            out.append([])
        else:
            out[-1].append(line)
    return out


def _check_lengths(name: str, parts: dict[str, list[Texts]], own: str) -> None:
    """See that a translation has as many lines as its text, article by article."""
    counts = [[len(article) for article in parts[side]] for side in (name, own)]
    if sum(counts[0]) != sum(counts[1]):
        raise LengthError(
            f"{name} has {sum(counts[0])} lines, the {own} {sum(counts[1])}; expected as many"
        )
    if len(counts[0]) == len(counts[1]) and counts[0] != counts[1]:
        k = next(k for k, (a, b) in enumerate(zip(*counts, strict=True)) if a != b)
        raise LengthError(
            f"article {k + 1}: {name} has {counts[0][k]} lines, the {own} {counts[1][k]}; "
            "expected as many"
        )


def _shifted(link: SentenceLink, src: int, tgt: int) -> SentenceLink:
    return SentenceLink(
        tuple(i + src for i in link.src), tuple(j + tgt for j in link.tgt), link.score, link.method
    )
