"""brat's standoff format, both ways; the brat files of LitBank, reading.

A side is a text file, one sentence a line, and a file of annotations beside it:
``river/3.en.txt``, ``river/3.en.ann``. Offsets are code points of the text file.

    T1  PROP_PER 0 7  Lin Wan            a mention: form and type, PER, PRON or MENTION if unknown
    N1  Reference T1 Entity:林晚  Lin Wan  its entity; without one it is alone: ``en.T1``
    A1  Term T1 T                        T or N; ``A2  Omitted T1`` is the O of BWB
    #1  Id T1  m1                        its id, if that is not T1
    T2  QUOTE 9 14;31 37  “Go,” “home.”  a quote, one range a piece and line
    N2  Reference T2 Speaker:林晚  …       also Addressee:…, and ``A3  Kind T2 thought``
    #2  Pieces T2  9 14;31 37            its exact ranges, where line ends hide them
    R1  appos Arg1:T5 Arg2:T4            LitBank's; the entity of T5 is ``en.T5.appos.T4``

Tabs divide the fields, which are set apart by two spaces here. Ids are percent-encoded.

Sources: https://brat.nlplab.org/standoff.html (Stenetorp et al. 2012); LitBank (Bamman et al.
2019, 2020), which gives each mention of a chain a second annotation on the same span whose label
is the chain (``Lin_Wan-2``), and none to a mention that only hangs on a copula or an apposition.

What is kept and what is lost
    Kept, both ways: sentences, layers (in ``3.en.layers``, one a line; guessed if there is no
    such file), mentions and quotes with all their fields and their order.
    Kept, reading LitBank: ids, spans, types, forms, chains, relations. Chains come from labels;
    the ids of the annotations that hold them, and repeated relations, do not.
    Lost, and returned as `Loss`: whatever else a `Document` has.
    Lost, and reported to the reader's `losses`: events, other relations, notes, attributes and
    references of files that brat's users made.
"""

from __future__ import annotations

import re
from itertools import count
from typing import TYPE_CHECKING

from bwb.annotations.brat_reader import (
    ATTRIBUTES,
    LABELS,
    QUOTE,
    QUOTE_ATTRIBUTES,
    RELATIONS,
    SideReader,
    covered,
    joined,
    ranges,
    visible,
)
from bwb.annotations.layout import guess_lang, side_path
from bwb.annotations.loss import Loss, document_losses, losses_of
from bwb.annotations.tokens import checked, escape, read_exactly, read_pairs
from bwb.errors import InputError
from bwb.records import Side, Span
from bwb.textio import replacing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from bwb.annotations.layout import DocumentFiles
    from bwb.records import Document, Lang, Mention

SUFFIX = ".ann"

_LABEL_OF = {fields: label for label, fields in LABELS.items()}
_NUMBERED = re.compile(r"T(?:0|[1-9][0-9]*)")
_HANGING = re.compile(rf"(?P<own>.+?)(?P<on>(?:\.(?:{'|'.join(RELATIONS)})\.T[0-9]+)+)")


def write(documents: Iterable[Document], folder: Path) -> list[Loss]:
    """Write documents as brat files, with the configuration brat needs to show them.

    Args:
        documents: The documents.
        folder: Gets ``<book>/<chapter>.<lang>.txt``, ``.ann`` and ``.layers``, and
            ``annotation.conf``.

    Returns:
        What the files do not hold.

    Raises:
        InputError: as `tokens.checked`; also if the text begins with a byte order mark or holds
            a carriage return, which brat takes for a line end.
    """
    losses = []
    for document in checked(documents):
        losses += document_losses(document)
        names = {e.id: (*e.en, *e.zh, e.id)[0] for e in document.entities}
        for side in document.sides:
            if "\r" in side.text or side.text.startswith("\ufeff"):
                where = f"document {document.id} [{side.lang}]"
                raise InputError(f"{where}: a carriage return or byte order mark in the text")
            for suffix, lines in (
                (".txt", iter(side.sentences)),
                (".layers", iter(side.layers)),
                (SUFFIX, _SideWriter(side, names).lines()),
            ):
                with replacing(side_path(folder, document.id, side.lang, suffix)) as file:
                    file.writelines(f"{line}\n" for line in lines)
    with replacing(folder / "annotation.conf") as file:
        file.writelines(f"{line}\n" for line in _configuration())
    return losses


def _configuration() -> Iterator[str]:
    """The lines of brat's ``annotation.conf``: what may be annotated."""
    yield from ("[entities]", *LABELS, QUOTE, "[events]", "[relations]")
    yield from (f"{relation} Arg1:<ENTITY>, Arg2:<ENTITY>" for relation in RELATIONS)
    yield "<OVERLAP> Arg1:<ENTITY>, Arg2:<ENTITY>, <OVL-TYPE>:<ANY>"
    yield "[attributes]"
    for name, values in (ATTRIBUTES | QUOTE_ATTRIBUTES).items():
        target = QUOTE if name in QUOTE_ATTRIBUTES else "<ENTITY>"
        yield f"{name} Arg:{target}" + (f", Value:{'|'.join(values)}" if any(values) else "")


class _SideWriter:
    """Numbers the annotations of a side and makes their lines."""

    def __init__(self, side: Side, names: dict[str, str]) -> None:
        self.side = side
        self.names = names
        self.ids = {prefix: count(1) for prefix in "AN#R"}
        ids = [m.id for m in side.mentions] + [q.id for q in side.quotes]
        self.used = {name for name in ids if _NUMBERED.fullmatch(name)}
        self.free = (name for n in count(1) if (name := f"T{n}") not in self.used)
        # A quote may have the id of a mention, but they share brat's numbers.
        self.kept = {m.id for m in side.mentions} & self.used

    def lines(self) -> Iterator[str]:
        """The annotation file, without line feeds."""
        for mention in self.side.mentions:
            own = mention.id if mention.id in self.kept else next(self.free)
            span = (Span(mention.start, mention.end),)
            yield from self._bound(own, _LABEL_OF[mention.type, mention.form], span)
            yield from self._entity(mention, own)
            if mention.term is not None:
                yield self._line("A", f"Term {own} {'T' if mention.term else 'N'}")
            if mention.omitted:
                yield self._line("A", f"Omitted {own}")
            if own != mention.id:
                yield self._line("#", f"Id {own}", escape(mention.id))
        for quote in self.side.quotes:
            keep = quote.id in self.used - self.kept
            own = quote.id if keep else next(self.free)
            yield from self._bound(own, QUOTE, quote.spans)
            if quote.speaker is not None:
                yield self._reference(own, "Speaker", quote.speaker)
            for addressee in quote.addressees:
                yield self._reference(own, "Addressee", addressee)
            if quote.kind != "direct":
                yield self._line("A", f"Kind {own} {quote.kind}")
            if own != quote.id:
                yield self._line("#", f"Id {own}", escape(quote.id))

    def _line(self, prefix: str, *fields: str) -> str:
        return "\t".join((f"{prefix}{next(self.ids[prefix])}", *fields))

    def _bound(self, own: str, label: str, spans: tuple[Span, ...]) -> Iterator[str]:
        text = self.side.text
        shown = visible(spans, text)
        if not shown:
            raise InputError(f"{label} {own} holds nothing but line ends: {ranges(spans)}")
        yield f"{own}\t{label} {ranges(shown)}\t{covered(shown, text)}"
        if joined(shown, text) != spans:
            yield self._line("#", f"Pieces {own}", ranges(spans))

    def _reference(self, own: str, role: str, entity: str) -> str:
        name = " ".join(self.names.get(entity, entity).split())
        return self._line("N", f"Reference {own} {role}:{escape(entity)}", name)

    def _entity(self, mention: Mention, own: str) -> Iterator[str]:
        alone = f"{self.side.lang}.{own}"
        if mention.entity == alone:
            return
        hanging = _HANGING.fullmatch(mention.entity)
        if hanging and hanging["own"] == alone:
            relations = hanging["on"].split(".")[1:]
            pairs = list(zip(relations[::2], relations[1::2], strict=True))
            targets = {target for _, target in pairs}
            if len(set(pairs)) == len(pairs) and targets <= self.kept - {own}:
                for relation, target in pairs:
                    yield self._line("R", f"{relation} Arg1:{own} Arg2:{target}")
                return
        yield self._reference(own, "Entity", mention.entity)


def read(
    path: Path, *, lang: Lang | None = None, losses: list[Loss] | None = None
) -> Iterator[Document]:
    """Read brat files: ours, LitBank's, or others with the same labels.

    Args:
        path: An ``.ann`` or ``.txt`` file, the other beside it, or a folder of them. Files
            ``3.zh.ann`` and ``3.en.ann`` are the two sides of a document.
        lang: Language of files whose name does not say; guessed from the text if None.
        losses: List that is told what the files have and a `Document` has no place for.

    Raises:
        FormatError: at the first line that is malformed, whose offsets or text do not fit the
            text file, whose label or id is not known, or whose id is there already.
        InputError: as `tokens.read_pairs`.
    """
    sink: list[Loss] = [] if losses is None else losses

    def read_file(
        file: Path, known: Lang | None, group: DocumentFiles
    ) -> Iterator[tuple[str, Side]]:
        text = read_exactly(file.with_suffix(".txt"))
        sentences = tuple(text.removesuffix("\n").split("\n")) if text else ()
        reader = SideReader(file, text.removesuffix("\n"), known or guess_lang(text))
        reader.feed(read_exactly(file).split("\n"))
        yield group.id, reader.side(sentences)
        sink.extend(losses_of(group.id, reader.skipped))

    ann = path.with_suffix(SUFFIX) if path.suffix == ".txt" and path.is_file() else path
    return read_pairs(ann, SUFFIX, lang, read_file)
