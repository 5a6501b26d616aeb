"""What a resolver is, and what it is given and gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from bwb.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Span(NamedTuple):
    """A stretch of one sentence: a mention.

    Attributes:
        sentence: Index of the sentence.
        start: First code point, in the sentence.
        end: One past the last code point, in the sentence.
    """

    sentence: int
    start: int
    end: int


class Speech(NamedTuple):
    """A piece of direct speech within one sentence, and who speaks.

    Attributes:
        sentence: Index of the sentence.
        start: First code point of the piece, in the sentence.
        end: One past its last code point.
        speaker: Any name for the speaker, the same for all that one person says; None if unknown.
        addressees: Names of those spoken to, if known.
    """

    sentence: int
    start: int
    end: int
    speaker: str | None
    addressees: tuple[str, ...] = ()


Chain = tuple[Span, ...]


class Resolver(Protocol):
    """Finds out which mentions of a text refer to the same thing."""

    @property
    def name(self) -> str:
        """Name of the resolver, with all that its result depends on: for labels and signatures."""

    def resolve(
        self,
        sentences: Sequence[str],
        mentions: Iterable[Span] | None = None,
        speakers: Sequence[Speech] | None = None,
    ) -> list[Chain]:
        """Group mentions.

        Args:
            sentences: The text, a sentence a string, in order.
            mentions: The mentions to group, each of which is then in exactly one chain; if None,
                the resolver finds mentions itself.
            speakers: Direct speech, if it is known; if None, the resolver looks for it itself.

        Returns:
            The chains, singletons included, each in the order of the text, in the order of their
            first mentions.

        Raises:
            InputError: if a mention or a piece of speech lies outside its sentence, or the
                resolver cannot do with given mentions.
        """


def check_spans(
    sentences: Sequence[str], spans: Iterable[Span | Speech], what: str = "mention"
) -> None:
    """Refuse spans that do not lie in their sentences.

    Raises:
        InputError: for the first one that is empty or reaches outside.
    """
    for span in spans:
        if not 0 <= span.sentence < len(sentences):
            raise InputError(
                f"{what} in sentence {span.sentence}; the text has {len(sentences)} sentences"
            )
        size = len(sentences[span.sentence])
        if not 0 <= span.start < span.end <= size:
            raise InputError(
                f"{what} [{span.start}, {span.end}) in sentence {span.sentence}, "
                f"which has {size} code points"
            )


def ordered(chains: Iterable[Iterable[Span]]) -> list[Chain]:
    """Chains in the order of the text; mentions that start together the longer one first."""
    made = [
        tuple(sorted(chain, key=lambda span: (span.sentence, span.start, -span.end)))
        for chain in chains
    ]
    return sorted(
        filter(None, made), key=lambda chain: (chain[0].sentence, chain[0].start, -chain[0].end)
    )


def inject(
    sentences: Sequence[str], chains: Iterable[Chain], mentions: Iterable[Span] | None
) -> list[Chain]:
    """Put chains that were made without them onto given mentions.

    A mention gets the chain of the mention with the same span; if there is none, it is a chain of
    its own. What was found and is not among the mentions is left out.

    Args:
        sentences: The text.
        chains: What was found.
        mentions: The mentions; None leaves the chains as they are.

    Raises:
        InputError: if a mention lies outside its sentence.
    """
    if mentions is None:
        return ordered(chains)
    given = {Span(*mention) for mention in mentions}
    check_spans(sentences, given)
    kept = [[span for span in chain if span in given] for chain in chains]
    known = {span for chain in kept for span in chain}
    return ordered([*kept, *([span] for span in given - known)])
