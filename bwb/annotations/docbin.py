"""spaCy's DocBin, both ways: what spaCy trains on.

All sides of a language are in one file, ``zh.spacy`` or ``en.spacy``. A `Doc` has

    doc.text               the side's text, exactly; line ends and extra spaces are tokens
    doc.spans["mentions"]  label: type, PRON for a pronoun, MENTION if unknown; kb_id: entity;
                           id: mention
    doc.spans["quotes"]    one span a piece; label: kind; kb_id: speaker; id: quote
    token.is_sent_start    at the first token of each line
    doc.user_data["bwb"]   id, rank and layers of the document; what labels cannot say

The tokens are those of `bwb.annotations.tokens`, cut at mentions and quotes, in a blank pipeline.

Sources: https://spacy.io/api/docbin, https://spacy.io/api/spangroup.

What is kept and what is lost
    Kept, both ways: sentences, layers, mentions and quotes with all their fields and their
    order. Of that, spaCy's own tools see text, tokens, sentence starts and spans; types of
    pronouns, forms, terms, omitted pronouns and addressees are in ``user_data`` alone, and are
    gone if a file is saved without it.
    Read without ``user_data``: text, spans and their labels; each file is a language.
    Lost, and returned as `Loss`: whatever else a `Document` has.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from bisect import bisect_right
from itertools import islice
from typing import TYPE_CHECKING, Any, cast, get_args

from bwb.annotations.layout import guess_lang
from bwb.annotations.loss import Loss, document_losses
from bwb.annotations.tokens import checked, join_sides, malformed, side_tokens
from bwb.errors import InputError, MissingDependencyError
from bwb.records import ENTITY_TYPES, LANGS, EntityType, Form, Mention, Quote, QuoteKind, Side, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from bwb.records import Document, Lang

SUFFIX = ".spacy"

_KEY = "bwb"
_PRONOUN, _MENTION = "PRON", "MENTION"


def write(documents: Iterable[Document], folder: Path, *, spaced: bool = False) -> list[Loss]:
    """Write the sides of all documents to ``zh.spacy`` and ``en.spacy``, where there are any.

    Args:
        documents: The documents.
        folder: Where to.
        spaced: Tokens are what white space divides, as in a corpus that came tokenised.

    Returns:
        What the files do not hold.

    Raises:
        InputError: as `tokens.checked`.
        MissingDependencyError: if spaCy is not installed.
    """
    spacy = _spacy()
    bins: dict[Lang, Any] = {}
    vocabs: dict[Lang, Any] = {}
    losses = []
    for rank, document in enumerate(checked(documents)):
        losses += document_losses(document)
        for side in document.sides:
            if side.lang not in bins:
                bins[side.lang] = spacy.tokens.DocBin(store_user_data=True)
                vocabs[side.lang] = spacy.blank(side.lang).vocab
            doc = _doc(side, vocabs[side.lang], spaced=spaced)
            doc.user_data[_KEY] = {"id": document.id, "rank": rank, **_user_data(side)}
            bins[side.lang].add(doc)
    for lang, docs in bins.items():
        _replace(folder / f"{lang}{SUFFIX}", docs.to_bytes())
    return losses


def read(path: Path, *, lang: Lang | None = None) -> Iterator[Document]:
    """Read DocBin files: ours, or others with spans under the same keys.

    Args:
        path: A folder with ``zh.spacy``, ``en.spacy`` or both, or one file.
        lang: Language of a file whose name does not say; guessed from the text if None.

    Raises:
        FormatError: if a file is no DocBin, or its ``user_data`` does not fit its spans.
        InputError: if there is nothing to read, or a document has the same side twice.
        MissingDependencyError: if spaCy is not installed.
    """
    files = [path] if path.is_file() else [path / f"{name}{SUFFIX}" for name in LANGS]
    files = [file for file in files if file.is_file()]
    if not files:
        raise InputError(f"{path}: neither a DocBin nor a folder with zh.spacy or en.spacy")
    found: dict[str, dict[Lang, Side]] = {}
    ranks: dict[str, int] = {}
    for file in files:
        known = file.stem if file.stem in LANGS else lang
        for number, doc in enumerate(_docs(file, known or "en")):
            try:
                data = dict(doc.user_data.get(_KEY, {}))
                side = _side(doc, data, known or guess_lang(doc.text), file)
            except (KeyError, TypeError, ValueError, IndexError) as error:
                message = f"document {number}: user_data[{_KEY!r}] is not as written: {error!r}"
                raise malformed(file, 0, 0, "user-data", message) from None
            name = str(data.get("id", f"{file.stem}/{number}"))
            sides = found.setdefault(name, {})
            ranks.setdefault(name, int(data.get("rank", number)))
            if side.lang in sides:
                raise InputError(f"{file}: a second {side.lang} side of document {name}")
            sides[side.lang] = side
    for name in sorted(found, key=lambda name: ranks[name]):
        yield join_sides(name, found[name].get("zh"), found[name].get("en"))


def _spacy() -> Any:  # noqa: ANN401 - an optional module
    try:
        import spacy
        import spacy.tokens
    except ImportError:
        raise MissingDependencyError("spaCy", "spacy>=3.8,<3.9") from None
    return spacy


def _docs(file: Path, lang: Lang) -> Iterator[Any]:
    spacy = _spacy()
    try:
        docs = spacy.tokens.DocBin().from_disk(file)
    # spaCy lets whatever its parsers raise through.
    except Exception as error:
        message = f"not a DocBin: {type(error).__name__}: {error}"
        raise malformed(file, 0, 0, "not-docbin", message) from None
    yield from docs.get_docs(spacy.blank(lang).vocab)


def _replace(path: Path, data: bytes) -> None:
    """Write a file that takes its name only when all of it is written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)  # noqa: PTH101 - mkstemp made it private
        os.replace(name, path)  # noqa: PTH105 - a name, not a Path
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)  # noqa: PTH108
        raise


def _doc(side: Side, vocab: Any, *, spaced: bool) -> Any:  # noqa: ANN401 - spaCy's types
    """The side as a `Doc` with the same text."""
    spacy = _spacy()
    text = side.text
    pieces = [(m.start, m.end) for m in side.mentions]
    pieces += [(span.start, span.end) for quote in side.quotes for span in quote.spans]
    tokens, spaces = _all_tokens(side, pieces, spaced=spaced)
    starts = {start: index for index, (start, _) in enumerate(tokens)}
    ends = {end: index for index, (_, end) in enumerate(tokens, 1)}
    firsts = set(side.offsets)
    doc = spacy.tokens.Doc(
        vocab,
        words=[text[start:end] for start, end in tokens],
        spaces=spaces,
        sent_starts=[start in firsts for start, _ in tokens],
    )
    doc.spans["mentions"] = [
        spacy.tokens.Span(
            doc,
            starts[mention.start],
            ends[mention.end],
            label=_PRONOUN if mention.pronoun else mention.type or _MENTION,
            kb_id=mention.entity,
            span_id=mention.id,
        )
        for mention in side.mentions
    ]
    doc.spans["quotes"] = [
        spacy.tokens.Span(
            doc,
            starts[span.start],
            ends[span.end],
            label=quote.kind,
            kb_id=quote.speaker or "",
            span_id=quote.id,
        )
        for quote in side.quotes
        for span in quote.spans
    ]
    return doc


def _all_tokens(
    side: Side, pieces: list[tuple[int, int]], *, spaced: bool
) -> tuple[list[tuple[int, int]], list[bool]]:
    """All tokens, white space among them, and whether one space follows that is in none.

    A space is a token of its own where a mention or quote begins or ends with it; so is every
    line feed, and what white space there is between these and other boundaries.
    """
    text = side.text
    begins = {start for start, _ in pieces}
    stops = {end for _, end in pieces}
    tokens: list[tuple[int, int]] = []
    spaces: list[bool] = []
    position = 0
    spans = [token for sentence in side_tokens(side, spaced=spaced) for token in sentence]
    for start, end in [*spans, (len(text), len(text))]:
        plain = text[position : position + 1] == " " and position < start and bool(tokens)
        if plain and position not in begins and position + 1 not in stops:
            spaces[-1] = True
            position += 1
        # White space in front of the token: cut at boundaries, each line feed alone.
        first = position
        for at in range(position + 1, start + 1):
            cut = at == start or at in begins or at in stops or "\n" in text[at - 1 : at + 1]
            if cut:
                tokens.append((first, at))
                spaces.append(False)
                first = at
        if end > start:
            tokens.append((start, end))
            spaces.append(False)
        position = end
    return tokens, spaces


def _user_data(side: Side) -> dict[str, Any]:
    """What labels cannot say, as lists in the order of the spans."""
    return {
        "sentences": len(side.sentences),
        "layers": list(side.layers),
        "mentions": [[m.type, m.form, m.term, m.omitted] for m in side.mentions],
        "quotes": [[len(q.spans), q.speaker, list(q.addressees)] for q in side.quotes],
    }


def _side(doc: Any, data: dict[str, Any], lang: Lang, file: Path) -> Side:  # noqa: ANN401
    """The side of a `Doc`."""
    text = doc.text
    bare = not text and data.get("sentences") == 0
    sentences = () if bare else tuple(text.split("\n"))
    spans = {key: list(doc.spans.get(key, ())) for key in ("mentions", "quotes")}
    pieces = sum(row[0] for row in data.get("quotes", ()))
    if data and (len(data["mentions"]), pieces) != tuple(map(len, spans.values())):
        message = (
            f"document {data.get('id')!r}: {len(data['mentions'])} mentions and {pieces} pieces"
        )
        found = f"the spans are {len(spans['mentions'])} and {len(spans['quotes'])}"
        raise malformed(file, 0, 0, "user-data", f"{message} of quotes in user_data; {found}")
    known = [("coreference", spans["mentions"]), ("quotation", spans["quotes"])]
    layers = data.get("layers", [layer for layer, of_it in known if of_it])
    side = Side(lang, sentences, tuple(layers))
    rows = data.get("mentions") or [_from_label(span.label_) for span in spans["mentions"]]
    mentions = tuple(
        Mention(
            id=span.id_ or (span.id_ if data else f"m{number}"),
            entity=span.kb_id_ or (span.kb_id_ if data else span.id_ or f"m{number}"),
            start=span.start_char,
            end=span.end_char,
            sentence=bisect_right(side.offsets, span.start_char) - 1,
            text=text[span.start_char : span.end_char],
            type=kind,
            form=form,
            term=term,
            omitted=omitted,
        )
        for number, (span, (kind, form, term, omitted)) in enumerate(
            zip(spans["mentions"], rows, strict=True), 1
        )
    )
    return Side(lang, sentences, tuple(layers), mentions, _quotes(spans["quotes"], data))


def _from_label(label: str) -> tuple[EntityType | None, Form | None, bool | None, bool]:
    """Type, form, term and omission of a mention of which only the label is known."""
    kind = label if label in ENTITY_TYPES else None
    return kind, "pronoun" if label == _PRONOUN else None, None, False


def _quotes(spans: list[Any], data: dict[str, Any]) -> tuple[Quote, ...]:
    """Quotes from the spans of their pieces."""
    if not data:
        # Pieces belong together if they say so.
        together: dict[str, list[Any]] = {}
        for number, span in enumerate(spans, 1):
            together.setdefault(span.id_ or f"q{number}", []).append(span)
        groups = [(name, of_it, of_it[0].kb_id_ or None, ()) for name, of_it in together.items()]
    else:
        pieces = iter(spans)
        groups = []
        for total, speaker, addressees in data["quotes"]:
            of_it = list(islice(pieces, total))
            groups.append((of_it[0].id_, of_it, speaker, tuple(addressees)))
    return tuple(
        Quote(
            id=name,
            spans=tuple(Span(span.start_char, span.end_char) for span in of_it),
            speaker=speaker,
            addressees=addressees,
            kind=_kind(of_it[0].label_),
        )
        for name, of_it, speaker, addressees in groups
    )


def _kind(label: str) -> QuoteKind:
    return cast("QuoteKind", label) if label in get_args(QuoteKind) else "direct"
