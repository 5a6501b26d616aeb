"""CorefUD's CoNLL-U, both ways.

A side is a file ``river/3.en.conllu``. Its tokens are those of `bwb.annotations.tokens`; columns 3
to 9 are empty. Mentions are brackets in MISC, as CorefUD has them:

    # newdoc id = river/3
    # global.Entity = eid-etype-head-other
    # bwb.layers = entity coreference quotation
    # bwb.quote = id=q1 spans=0:9,20:31 kind=direct speaker=林晚 addressees=沈舟
    # sent_id = river%2F3-1
    # text = “Go, Lin Wan.”
    4  Lin  _ …  Entity=(林晚-PER-1-bwb.id:m1,bwb.form:name
    5  Wan  _ …  Entity=林晚)|SpaceAfter=No

Ids and values are percent-encoded where CorefUD gives a character a meaning. The spans of a quote
are code points of the document's text (sentences joined by a line feed). ``etype`` is the
entity's type; a mention of another type, or of none, says so in ``bwb.type``. ``head`` is 1, as
udapi writes it where there is no tree: the heads are not known. ``bwb.left`` and ``bwb.right``
count white space a mention holds beyond its tokens, ``bwb.words`` its tokens where it crosses a
mention of the same entity, ``bwb.n`` its rank where the order is not that of the brackets. White
space other than one space is in ``SpacesAfter`` and ``SpacesBefore``, with UDPipe's escapes. An
empty sentence is a token ``_`` with ``Blank=Yes``.

Sources: https://universaldependencies.org/format.html; Nedoluzhko et al. 2022 (CorefUD 1.0) and
https://ufal.mff.cuni.cz/corefud; udapi's and the UD validator's reading of it.

What is kept and what is lost
    Kept, both ways: sentences to the last space, layers, mentions and quotes with all their
    fields and their order. Mentions that cross each other are fine. CorefUD has no mentions over
    several sentences; they are written and read here, but not by other tools.
    Refused: a mention that is nothing but white space within a sentence.
    Lost, and returned as `Loss`: whatever else a `Document` has.
    Lost, and reported to the reader's `losses`: the analysis in columns 3 to 9, bridging, split
    antecedents, mentions of empty nodes, gaps in mentions, entity types that are not ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bwb.annotations.assemble import collect_entities
from bwb.annotations.conllu_reader import read_file
from bwb.annotations.layout import DocumentFiles, side_path
from bwb.annotations.loss import Loss, document_losses
from bwb.annotations.tokens import (
    Place,
    checked,
    escape,
    place,
    read_pairs,
    self_crossing,
    side_tokens,
)
from bwb.errors import InputError
from bwb.textio import replacing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from bwb.annotations.tokens import Offsets
    from bwb.records import Document, EntityType, Lang, Mention, Quote, Side

SUFFIX = ".conllu"

_SPECIAL = "-=|()[],:<>"
_SPACES = str.maketrans(
    {" ": r"\s", "\t": r"\t", "\r": r"\r", "\n": r"\n", "|": r"\p", "\\": r"\\"}
)


def write(documents: Iterable[Document], folder: Path, *, spaced: bool = False) -> list[Loss]:
    """Write each side to ``<book>/<chapter>.<lang>.conllu``.

    Args:
        documents: The documents.
        folder: Where to.
        spaced: Tokens are what white space divides, as in a corpus that came tokenised.

    Returns:
        What the files do not hold.

    Raises:
        InputError: as `tokens.checked`; also for a mention that is only white space.
    """
    losses = []
    for document in checked(documents):
        losses += document_losses(document)
        types = {entity.id: entity.type for entity in collect_entities(document.sides)}
        for side in document.sides:
            lines = _lines(document.id, side, types, spaced=spaced)
            with replacing(side_path(folder, document.id, side.lang, SUFFIX)) as file:
                file.writelines(f"{line}\n" for line in lines)
    return losses


def read(
    path: Path, *, lang: Lang | None = None, losses: list[Loss] | None = None
) -> Iterator[Document]:
    """Read CoNLL-U files: ours, or CorefUD's with any list of fields in ``global.Entity``.

    Args:
        path: A file, or a folder of ``.conllu`` files. A file may hold several documents; those
            without a book in their ``newdoc id`` belong to the book its folder names.
        lang: Language of files whose name does not say; guessed from the text if None.
        losses: List that is told what the files have and a `Document` has no place for.

    Raises:
        FormatError: at the first line that is malformed, bracket that does not match, ``text``
            that is not that of the tokens.
        InputError: as `tokens.read_pairs`.
    """
    sink: list[Loss] = [] if losses is None else losses

    def read_sides(
        file: Path, known: Lang | None, group: DocumentFiles
    ) -> Iterator[tuple[str, Side]]:
        return read_file(file, known, group, sink)

    suffix = path.suffix if path.is_file() else SUFFIX
    return read_pairs(path, suffix, lang, read_sides)


def _lines(
    name: str, side: Side, types: Mapping[str, EntityType | None], *, spaced: bool
) -> Iterator[str]:
    """The lines of a side's file, without line feeds."""
    yield f"# newdoc id = {name}"
    yield "# global.Entity = eid-etype-head-other"
    yield f"# bwb.layers = {' '.join(side.layers)}"
    yield from (f"# bwb.quote = {_quote(quote)}" for quote in side.quotes)
    # An empty sentence has one token of no length, at its end.
    sentences = [
        tokens or [(base + len(sentence),) * 2]
        for tokens, base, sentence in zip(
            side_tokens(side, spaced=spaced), side.offsets, side.sentences, strict=True
        )
    ]
    tokens = [token for sentence in sentences for token in sentence]
    brackets = _brackets(side.mentions, tokens, types, f"document {name} [{side.lang}]")
    node = 0
    for number, spans in enumerate(sentences, 1):
        whole = side.sentence_span(number - 1)
        text = side.text[whole.start : whole.end].strip()
        yield f"# sent_id = {escape(name, '/')}-{number}"
        yield f"# text = {text or '_'}"
        ends = [start for start, _ in spans[1:]] + [whole.end]
        for index, ((start, end), stop) in enumerate(zip(spans, ends, strict=True), 1):
            before = side.text[whole.start : start] if index == 1 else ""
            misc = [] if end > start else ["Blank=Yes"]
            misc += [f"Entity={brackets[node]}"] if node in brackets else []
            misc += _spaces(before, side.text[end:stop], last=index == len(spans))
            form = side.text[start:end] or "_"
            yield "\t".join((str(index), form, *"_______", "|".join(misc) or "_"))
            node += 1
        yield ""
    if not sentences:
        yield ""


def _spaces(before: str, after: str, *, last: bool) -> Iterator[str]:
    """What MISC says of the white space around a token."""
    if not after and not last:
        yield "SpaceAfter=No"
    elif after and (after != " " or last):
        yield f"SpacesAfter={after.translate(_SPACES)}"
    if before:
        yield f"SpacesBefore={before.translate(_SPACES)}"


def _quote(quote: Quote) -> str:
    fields = {
        "id": escape(quote.id, _SPECIAL),
        "spans": ",".join(f"{span.start}:{span.end}" for span in quote.spans),
        "kind": quote.kind,
    }
    if quote.speaker is not None:
        fields["speaker"] = escape(quote.speaker, _SPECIAL)
    if quote.addressees:
        fields["addressees"] = ",".join(escape(name, _SPECIAL) for name in quote.addressees)
    return " ".join(f"{key}={value}" for key, value in fields.items())


def _brackets(
    mentions: Iterable[Mention],
    tokens: list[Offsets],
    types: Mapping[str, EntityType | None],
    where: str,
) -> dict[int, str]:
    """The value of ``Entity`` for each token that has one.

    Order as udapi's: closing brackets, then opening ones; a mention of one token follows the
    opening ones, or precedes the closing ones if nothing opens.
    """
    rows: list[tuple[Mention, Place]] = []
    for mention in mentions:
        at = place(mention, tokens)
        if at is None:
            raise InputError(f"{where}: mention {mention.id} is white space: {mention.text!r}")
        rows.append((mention, at))
    crossing = self_crossing([(mention.entity, at.first, at.last) for mention, at in rows])
    order = sorted(range(len(rows)), key=lambda i: (rows[i][1].first, -rows[i][1].last, i))
    unordered = order != list(range(len(rows)))
    opening: dict[int, list[str]] = {}
    closing: dict[int, list[str]] = {}
    single: dict[int, list[str]] = {}
    for index in order:
        mention, at = rows[index]
        other = _attributes(mention, at, types.get(mention.entity))
        if index in crossing:
            other["words"] = str(at.last - at.first + 1)
        if unordered:
            other["n"] = str(index)
        named = ",".join(f"bwb.{key}:{value}" for key, value in other.items())
        entity = escape(mention.entity, _SPECIAL)
        head = f"({entity}-{types.get(mention.entity) or ''}-1-{named}"
        if at.first == at.last:
            single.setdefault(at.first, []).append(f"{head})")
        else:
            opening.setdefault(at.first, []).append(head)
            closing.setdefault(at.last, []).insert(0, f"{entity})")
    return {
        node: "".join(
            [*closing.get(node, ()), *opening[node], *single.get(node, ())]
            if node in opening
            else [*single.get(node, ()), *closing.get(node, ())]
        )
        for node in opening.keys() | closing.keys() | single.keys()
    }


def _attributes(mention: Mention, at: Place, entity_type: EntityType | None) -> dict[str, str]:
    """What the field ``other`` says of a mention, without the prefix."""
    other = {"id": escape(mention.id, _SPECIAL)}
    if mention.type != entity_type:
        other["type"] = mention.type or "none"
    if mention.form is not None:
        other["form"] = mention.form
    if mention.term is not None:
        other["term"] = "T" if mention.term else "N"
    if mention.omitted:
        other["omitted"] = "yes"
    if at.left:
        other["left"] = str(at.left)
    if at.right:
        other["right"] = str(at.right)
    return other
