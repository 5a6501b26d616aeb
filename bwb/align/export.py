"""Alignments as files: joined sentences, TSV, TMX, and bwb documents."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from bwb.align.bleualign_text import joined
from bwb.errors import InputError, UsageError
from bwb.records import LANGS, Document, Link, Side
from bwb.textio import replacing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from bwb.align.base import SentenceLink
    from bwb.align.bleualign_gaps import RawLink

    AnyLink = SentenceLink | RawLink

_BREAKS = str.maketrans({"\t": " ", "\n": " ", "\r": " "})


def aligned_texts(
    links: Iterable[AnyLink], src: Sequence[str], tgt: Sequence[str], *, nulls: bool
) -> Iterator[tuple[str, str]]:
    """The sentences of each link, joined by a space.

    Args:
        links: The links; boundaries between articles are passed over.
        src: Source sentences.
        tgt: Target sentences.
        nulls: Whether links with an empty side are there, too.
    """
    for link in links:
        if link.method != "boundary" and (nulls or (link.src and link.tgt)):
            yield joined(src, link.src), joined(tgt, link.tgt)


def write_sides(prefix: Path, name: str, texts: Iterable[tuple[str, str]]) -> None:
    """Write ``PREFIX{name}-s`` and ``PREFIX{name}-t``, a link a line."""
    paths = [prefix.with_name(f"{prefix.name}{name}-{side}") for side in "st"]
    with replacing(paths[0]) as left, replacing(paths[1]) as right:
        for a, b in texts:
            left.write(a.replace("\n", " ") + "\n")
            right.write(b.replace("\n", " ") + "\n")


TSV_HEAD = "id\tsrc\ttgt\tmethod\tscore\tsource\ttarget\n"


def tsv_line(name: str, link: SentenceLink, left: str, right: str) -> str:
    """A line of a table: id, source and target indices, method, score, and both texts."""
    indices = (",".join(map(str, side)) for side in (link.src, link.tgt))
    score = "" if link.score is None else f"{link.score:.6g}"
    cells = (name, *indices, link.method, score, left, right)
    return "\t".join(cell.translate(_BREAKS) for cell in cells) + "\n"


TMX_TAIL = "</body>\n</tmx>\n"


def tmx_head(lang: str) -> str:
    """What a TMX 1.4 file begins with, given the language of the source."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n'
        '<header creationtool="bwb" creationtoolversion="1" segtype="sentence" '
        f'o-tmf="bwb" adminlang="en" srclang={quoteattr(lang)} datatype="plaintext"/>\n<body>\n'
    )


def tmx_unit(name: str, link: SentenceLink, texts: tuple[str, str], langs: tuple[str, str]) -> str:
    """A translation unit; nothing for a null link, for a unit has both languages."""
    if not (link.src and link.tgt):
        return ""
    score = "" if link.score is None else f'<prop type="x-score">{link.score:.6g}</prop>'
    units = "".join(
        f"<tuv xml:lang={quoteattr(lang)}><seg>{escape(_xml(text))}</seg></tuv>"
        for lang, text in zip(langs, texts, strict=True)
    )
    return f'<tu><prop type="x-document">{escape(_xml(name))}</prop>{score}{units}</tu>\n'


def document(
    name: str,
    src: Sequence[str],
    tgt: Sequence[str],
    links: Sequence[SentenceLink],
    langs: tuple[str, str],
    book: str | None = None,
) -> Document:
    """An aligned text as a document; boundaries between articles are left out.

    Args:
        name: Id of the text: ``book/chapter``, or the chapter alone.
        src: Source sentences.
        tgt: Target sentences.
        links: An alignment that covers both.
        langs: Languages of the two; one must be zh, the other en.
        book: Id of the book, if `name` does not say; None takes ``text``.

    Raises:
        UsageError: if the languages are not zh and en.
        InputError: if a sentence holds a line feed.
    """
    if sorted(langs) != sorted(LANGS):
        raise UsageError(f"languages {' and '.join(langs)}: documents hold zh and en only")
    for side, sentences in (("source", src), ("target", tgt)):
        for line, sentence in enumerate(sentences, 1):
            if "\n" in sentence:
                raise InputError(f"{name}: {side} sentence {line} holds a line feed")
    dropped = [{i for x in links if x.method == "boundary" for i in side(x)} for side in _SIDES]
    kept = [
        [i for i in range(len(s)) if i not in d] for s, d in zip((src, tgt), dropped, strict=True)
    ]
    number = [{old: new for new, old in enumerate(side)} for side in kept]
    sides = {
        lang: Side(lang=lang, sentences=tuple(text[i] for i in side))  # type: ignore[arg-type]
        for lang, text, side in zip(langs, (src, tgt), kept, strict=True)
    }
    made = []
    for link in links:
        if link.method != "boundary":
            runs = [tuple(number[k][i] for i in _SIDES[k](link)) for k in (0, 1)]
            by = dict(zip(langs, runs, strict=True))
            made.append(Link(by["zh"], by["en"], link.method or "line", link.score))
    at, _, chapter = name.rpartition("/")
    home = book or at or "text"
    return Document(
        f"{home}/{chapter}", home, chapter, zh=sides["zh"], en=sides["en"], links=tuple(made)
    )


def _src(link: SentenceLink) -> tuple[int, ...]:
    return link.src


def _tgt(link: SentenceLink) -> tuple[int, ...]:
    return link.tgt


_SIDES = (_src, _tgt)


def _xml(text: str) -> str:
    """Text without the control characters that XML cannot hold, even escaped."""
    return "".join(c if c >= " " or c in "\t\n\r" else " " for c in text)
