"""Bytes of a page to text: the charset as the bytes show it, not as the page says.

Sites name charsets they do not use (`gb2312` for GBK, `utf-8` in a header before a GBK page), or
none. So a declaration is a hint and the bytes decide: a byte order mark, then UTF-8 if the bytes
are valid or nearly valid UTF-8, then the candidate whose text looks most like Chinese (frequent
characters, punctuation, no impossible characters). Order of trial would not do: Big5 decodes as
GB18030 without an error. What cannot be decoded becomes U+FFFD and is counted; a few broken bytes
never change the charset. Names, weights and limits are in ``crawl/charset.toml``.
"""

from __future__ import annotations

import codecs
import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from bwb.assets import asset
from bwb.textio import read_text

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from bwb.crawl.recipe import Recipe

_META = re.compile(rb"""<meta\b[^>]*?\bcharset\s*=\s*["']?\s*([\w.:+-]+)""", re.IGNORECASE)
_XML = re.compile(rb"""^\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([\w.:+-]+)""", re.IGNORECASE)
_HEADER = re.compile(r"""\bcharset\s*=\s*["']?\s*([\w.:+-]+)""", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_MULTIBYTE = re.compile(rb"[\xc2-\xf4][\x80-\xbf]+")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
_BEYOND_ASCII_BYTE = re.compile(rb"[\x80-\xff]")
_UNICODE = ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "gb18030")
_GUESSED = ("utf-8", "gb18030", "big5", "cp1252")
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class Decoded:
    """A decoded page.

    Attributes:
        text: The text, without byte order mark.
        declared: Charset the header, else the page, names, in lower case; None if neither does.
        used: What it was decoded with: ``utf-8``, ``gb18030``, ``big5`` (code page 950 with the
            Hong Kong characters), ``cp1252``, ``utf-16-le`` … GB18030 stands for GB2312 and GBK.
        replaced: Number of U+FFFD that stand for bytes that could not be decoded.
    """

    text: str
    declared: str | None
    used: str
    replaced: int


@dataclass(frozen=True)
class _Settings:
    codecs: Mapping[str, str]
    limits: Mapping[str, float]
    weights: Mapping[str, float]
    frequent: frozenset[str]
    punctuation: frozenset[str]
    latin: frozenset[str]


@lru_cache(maxsize=1)
def _settings() -> _Settings:
    text, _ = read_text(asset("crawl/charset.toml"))
    body = tomllib.loads(text)
    names = {label: codec for codec, labels in body["aliases"].items() for label in labels.split()}
    for name in body["others"]["names"].split():
        names[codecs.lookup(name).name] = name
    characters = {key: frozenset(value) for key, value in body["characters"].items()}
    return _Settings(names, body["limits"], body["weights"], **characters)


def charset_name(label: str) -> str | None:
    """What a charset of this name is decoded with; None if the name means nothing to us."""
    label = label.strip().lower()
    known = _settings().codecs
    if label in known:
        return known[label]
    try:
        return known.get(codecs.lookup(label).name)
    except (LookupError, ValueError):
        return None


def declared_charsets(body: bytes, content_type: str | None) -> list[str]:
    """The charsets that header, page and XML declaration name, in this order, in lower case."""
    limits = _settings().limits
    found = []
    if content_type and (named := _HEADER.search(content_type)):
        found.append(named[1])
    start = _COMMENT.sub(b"", body[: int(limits["prescan_late"])])
    early = _META.search(start[: int(limits["prescan"])])
    for match in (early or _META.search(start), _XML.search(start)):
        if match:
            found.append(match[1].decode("ascii", "replace"))
    return list(dict.fromkeys(name.lower() for name in found))


def decode_page(body: bytes, content_type: str | None, recipe: Recipe | None = None) -> Decoded:
    """Decode a page.

    Args:
        body: The page as received, any content coding undone.
        content_type: The header, if there was one.
        recipe: Its `charset` counts as a declaration; with `charset_wrong` it is the only one
            and the bytes are not asked.

    Returns:
        The text and how it was got; this never fails.
    """
    declared = declared_charsets(body, content_type)
    first = declared[0] if declared else None
    wanted = charset_name(recipe.charset) if recipe and recipe.charset else None
    if wanted and recipe and recipe.charset_wrong:
        return _decoded(body, first, wanted)
    for mark, codec in _BOMS:
        if body.startswith(mark):
            rest = body[len(mark) :]
            if codec != "utf-8" or _utf8_holds(rest):
                return _decoded(rest, first, codec)
            body = rest  # a template saved with a mark, around a page in another charset
    named = [name for label in declared if (name := charset_name(label))]
    if wanted:
        named.append(wanted)
    return _decoded(body, first, _judge(body, list(dict.fromkeys(named))))


def _judge(body: bytes, named: list[str]) -> str:
    """The charset of a page without byte order mark."""
    wide = _utf16(body)
    if wide:
        return wide
    named = [name for name in named if not name.startswith("utf-16")]
    if body.isascii():
        # HZ and ISO-2022-JP are pure ASCII on the wire; nothing else differs.
        return named[0] if named and named[0] in ("hz", "iso2022_jp") else "utf-8"
    if _utf8_holds(body) and not _chance(body, named):
        return "utf-8"
    if named in (["gb18030"], ["big5"]):
        score = _score(_decode(_sample(body), named[0]))
        if score >= _settings().limits["accept"]:
            return named[0]
    return _best(body, named)


def _best(body: bytes, named: list[str]) -> str:
    limits = _settings().limits
    sample = _sample(body)
    scores = {}
    for name in dict.fromkeys((*named, *_GUESSED)):
        if name == "utf-8" and not _utf8_holds(body):
            continue
        if name in _GUESSED:
            scores[name] = _score(_decode(sample, name), single=name == "cp1252")
            scores[name] += limits["declared"] * (name in named)
        elif "\ufffd" not in _decode(body, name):
            # Of a charset that we cannot judge: right, unless another looks better than that.
            scores[name] = limits["accept"]
    ranked = sorted(scores, key=lambda name: -scores[name])
    if len(ranked) > 1 and scores[ranked[0]] - scores[ranked[1]] < limits["close"]:
        voice = _voice(body, ranked)
        if voice is not None:
            scores[voice] += limits["voice"]
    return max(ranked, key=lambda name: scores[name])


def _voice(body: bytes, names: Collection[str]) -> str | None:
    """What charset-normalizer takes the bytes for, if it is one of the names."""
    from charset_normalizer import from_bytes

    found = from_bytes(_sample(body), cp_isolation=["gb18030", "big5", "cp1252", "utf_8"]).best()
    name = charset_name(found.encoding) if found else None
    return name if name is not None and name in names else None


def _utf8_holds(body: bytes) -> bool:
    """Whether the bytes are UTF-8, but perhaps for a few broken sequences."""
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        return True
    limits = _settings().limits
    if not _mostly_whole(_sample(body)[: int(limits["glance"])], 1.0):
        return False
    return _mostly_whole(body, limits["broken"])


def _mostly_whole(body: bytes, share: float) -> bool:
    """Whether there is at most this share of broken UTF-8 sequences to whole ones."""
    text = body.decode("utf-8", "replace")
    broken = text.count("\ufffd") - body.count(b"\xef\xbf\xbd")
    whole = sum(map(len, _BEYOND_ASCII.findall(text))) - broken
    return broken <= share * whole


def _sample(body: bytes) -> bytes:
    """A stretch from the first byte beyond ASCII on, which starts a character in any charset."""
    first = _BEYOND_ASCII_BYTE.search(body)
    start = first.start() if first else 0
    return body[start : start + int(_settings().limits["bytes"])]


def _chance(body: bytes, named: list[str]) -> bool:
    """Whether so little is valid UTF-8 that another declared charset is as likely."""
    if not named or "utf-8" in named:
        return False
    found = _MULTIBYTE.findall(body)
    if len(found) >= _settings().limits["few"]:
        return False
    text = _decode(body, named[0])
    return _score(text, single=named[0] == "cp1252") > _score(body.decode("utf-8", "replace"))


def _utf16(body: bytes) -> str | None:
    """The byte order of UTF-16 without a mark: markup has a NUL byte a character."""
    limits = _settings().limits
    sample = body[: int(limits["bytes"])]
    if not sample or sample.count(0) < limits["nul"] * len(sample):
        return None
    scores = {}
    for name in ("utf-16-le", "utf-16-be"):
        text = _decode(sample, name)
        ascii_share = sum(" " <= character <= "~" or character.isspace() for character in text)
        beyond = len("".join(_BEYOND_ASCII.findall(text)))
        scores[name] = (ascii_share + _score(text) * beyond) / len(text)
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] >= limits["accept"] else None


def _score(text: str, *, single: bool = False) -> float:
    """How much a decoded text looks like text, -2 to 1; 0 if it is all ASCII.

    Args:
        text: The text.
        single: Whether the charset has one byte a character. Such a charset decodes anything;
            its letters beyond ASCII stand alone or nearly so, while Chinese misread gives runs.
    """
    settings = _settings()
    runs = _BEYOND_ASCII.findall(text)
    if single:
        good = sum(len(run) for run in runs if len(run) <= 2 and settings.latin.issuperset(run))
        total = sum(map(len, runs))
        return settings.weights["frequent"] * (2 * good - total) / total if total else 0.0
    sample = "".join(runs)[: int(settings.limits["sample"])]
    if not sample:
        return 0.0
    return sum(settings.weights[_kind(character)] for character in sample) / len(sample)


@lru_cache(maxsize=8192)
def _kind(character: str) -> str:
    """Key of `[weights]` for a character."""
    settings = _settings()
    if character in settings.punctuation:
        return "punctuation"
    if character in settings.frequent:
        return "frequent"
    if character in settings.latin:
        return "latin"
    if "\u4e00" <= character <= "\u9fff":
        return "common" if _common(character) else "rare"
    if "\uff01" <= character <= "\uff5e":
        return "fullwidth"
    if character == "\ufffd" or unicodedata.category(character) in ("Co", "Cn", "Cc", "Cs"):
        return "impossible"
    return "other"


def _common(character: str) -> bool:
    """Whether the character is of the first level of GB2312 (to row 55) or Big5 (to 0xC67E)."""
    for codec, last in (("gb2312", 0xD7), ("big5", 0xC6)):
        try:
            if character.encode(codec)[0] <= last:
                return True
        except UnicodeEncodeError:
            continue
    return False


def _decoded(body: bytes, declared: str | None, used: str) -> Decoded:
    text = _decode(body, used)
    replaced = text.count("\ufffd")
    if replaced:
        replaced -= body.count("\ufffd".encode(used)) if used in _UNICODE else 0
    return Decoded(text.removeprefix("\ufeff"), declared, used, replaced)


def _decode(body: bytes, name: str) -> str:
    """Decode, with U+FFFD for what cannot be."""
    codec = {"big5": "cp950", "utf-16": "utf-16-le"}.get(name, name)
    return body.decode(codec, _error_handler())


@lru_cache(maxsize=1)
def _error_handler() -> str:
    """Name of an error handler that reads what browsers read where Python's codec stops."""
    codecs.register_error("bwb.page", _instead)
    return "bwb.page"


def _instead(error: UnicodeError) -> tuple[str, int]:
    """What stands for bytes that could not be decoded, and where to go on."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    at, body = error.start, error.object
    if error.encoding == "gb18030" and body[at] == 0x80:
        return "€", at + 1
    if error.encoding == "charmap":
        return chr(body[at]), at + 1
    if error.encoding == "cp950":
        try:
            return body[at : at + 2].decode("big5hkscs"), at + 2
        except UnicodeDecodeError:
            return "\ufffd", error.end
    return "\ufffd", error.end
