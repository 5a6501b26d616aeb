"""Synthetic books: chapters in both languages whose alignment is known, made from templates.

They are for measuring and testing at scale: nobody's prose, made from `crawl/synthetic.toml`, the
same for the same seed, several thousand chapter pairs a second. A book has persons, places and
things of its own, of which each chapter uses a few, so that neighbouring chapters differ in what
they name. One sentence in six is merged, split or left out on one side. On demand a book has
faults, as books on the web have them.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, get_args

from bwb.assets import asset
from bwb.errors import UsageError
from bwb.records import Chapter, Lang
from bwb.schema import dumps
from bwb.textio import replacing
from bwb.tomlfile import Strict, read_toml

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

Fault = Literal["missing", "doubled", "split", "watermark", "short", "duplicate"]
FAULTS: tuple[Fault, ...] = get_args(Fault)
"""In one chapter of a book each: missing in English; doubled in English; split in two in English;
a watermark among the lines of both sides; too short on both sides; taken from the book before."""

Words = tuple[str, str]
Bead = tuple[tuple[int, ...], tuple[int, ...]]
UNITS = 49  # sentences of a chapter before some are merged, split and left out: the BWB's mean
_SHORT = 3
_MERGED, _SPLIT, _NO_EN, _NO_ZH = 0.05, 0.10, 0.13, 0.16  # cumulative shares
_SLOT = re.compile(r"\{(\w)\}")
_DIGITS = "零一二三四五六七八九"


class _Material(Strict):
    """`crawl/synthetic.toml`."""

    sentences: list[Words]
    surnames: list[Words]
    given: list[Words]
    place_names: list[Words]
    place_kinds: list[Words]
    thing_kinds: list[Words]
    thing_marks: list[Words]
    times: list[Words]
    manners: list[Words]
    numbers: list[Words]
    watermark: Words


@dataclass(frozen=True, slots=True)
class SyntheticChapter:
    """The sentences of a chapter as they were made, and which translate each other.

    Attributes:
        zh: Chinese sentences.
        en: English sentences.
        links: Sentences that translate each other; monotone and covering.
        lines: Chinese and English sentences, as they are grouped into lines.
    """

    zh: tuple[str, ...]
    en: tuple[str, ...]
    links: tuple[Bead, ...]
    lines: tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class SyntheticBook:
    """A book.

    Attributes:
        id: Its id.
        zh: Chinese chapters, as a site would have them.
        en: English chapters.
        made: The chapters before any fault.
        pairs: Which chapters belong together: places in `zh` and in `en`, from 0.
        faults: Kind and number (in `made`) of each fault.
    """

    id: str
    zh: list[Chapter]
    en: list[Chapter]
    made: list[SyntheticChapter]
    pairs: list[Bead]
    faults: dict[Fault, int] = field(default_factory=dict)


def synthetic_book(
    seed: int, index: int, chapters: int, faults: Sequence[Fault] = (), *, units: int = UNITS
) -> SyntheticBook:
    """Make a book.

    Args:
        seed: Number of the corpus.
        index: Number of the book in it, from 0.
        chapters: How many chapters it has before any fault.
        faults: Faults it is to have, each in a chapter of its own.
        units: Sentences of a chapter, before some are merged, split and left out.

    Raises:
        UsageError: if there are more faults than chapters, or a fault is unknown.
    """
    unknown = [fault for fault in faults if fault not in FAULTS]
    if unknown:
        raise UsageError(f"unknown fault {unknown[0]!r}: known are {', '.join(FAULTS)}")
    if len(set(faults)) > max(chapters - 2, 0):
        raise UsageError(f"{len(set(faults))} faults in {chapters} chapters; expected 2 fewer")
    rng = random.Random(f"{seed} {index}")
    where = rng.sample(range(1, chapters - 1), len(set(faults))) if faults else []
    found = dict(zip(sorted(set(faults)), where, strict=True))
    world = _World(rng)
    made = [
        world.chapter(_SHORT if found.get("short") == number else units)
        for number in range(chapters)
    ]
    if "duplicate" in found and index:
        before = synthetic_book(seed, index - 1, chapters, units=units)
        made[found["duplicate"]] = before.made[found["duplicate"]]
    return _published(f"synthetic{index:05d}", seed, made, found)


def write_chapters(
    folder: Path,
    books: int,
    chapters: int,
    *,
    seed: int = 0,
    faults: Callable[[int], Sequence[Fault]] = lambda index: (),
) -> list[str]:
    """Write books as `<id>.jsonl` files of chapters, as `bwb build-corpus` reads them.

    Args:
        folder: Where to.
        books: How many.
        chapters: Chapters of each.
        seed: Number of the corpus.
        faults: Which faults a book has, by its number.

    Returns:
        Ids of the books. Beside the chapters lies `truth/<id>.json` with `pairs`, `faults`, and
        the `links` of each chapter.
    """
    ids = []
    for index in range(books):
        book = synthetic_book(seed, index, chapters, faults(index))
        ids.append(book.id)
        with replacing(folder / f"{book.id}.jsonl") as file:
            file.writelines(dumps(chapter) + "\n" for chapter in (*book.zh, *book.en))
        truth = {
            "pairs": book.pairs,
            "faults": book.faults,
            "links": [chapter.links for chapter in book.made],
        }
        with replacing(folder / "truth" / f"{book.id}.json") as file:
            json.dump(truth, file)
    return ids


@dataclass(frozen=True, slots=True)
class _Template:
    """A sentence with slots: the list each is filled from, and how far behind the first of it."""

    slots: list[tuple[str, int]]
    zh: str
    zh_slots: list[int]
    en: str
    en_slots: list[int]


class _World:
    """The persons, places and things of a book."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._sentences = _templates()
        data = _material()
        surnames = rng.sample(data.surnames, 10)
        given = rng.sample(data.given, 10)
        persons = [(a[0] + b[0], f"{a[1]} {b[1]}") for a, b in zip(surnames, given, strict=True)]
        places = [
            (a[0] + b[0], f"{a[1]} {b[1]}")
            for a, b in zip(
                rng.sample(data.place_names, 12), rng.choices(data.place_kinds, k=12), strict=True
            )
        ]
        things = [
            (a[0] + b[0], f"the {a[1]} {b[1]}")
            for a, b in zip(
                rng.choices(data.thing_marks, k=28),
                rng.sample(data.thing_kinds, 28),
                strict=True,
            )
        ]
        self._lists = {"a": persons, "p": places, "o": things}
        self._fixed = {"t": data.times, "m": data.manners, "n": data.numbers}

    def chapter(self, units: int) -> SyntheticChapter:
        """A chapter of so many pairs of sentences, before some are merged, split and left out."""
        rng = self._rng
        cast = {slot: rng.sample(words, len(words) // 2) for slot, words in self._lists.items()}
        cast |= {slot: rng.sample(words, 6) for slot, words in self._fixed.items()}
        draw = rng.random
        zh: list[str] = []
        en: list[str] = []
        links: list[Bead] = []
        while len(links) < units:
            one = self._sentence(cast)
            i, j, chance = len(zh), len(en), draw()
            if chance < _SPLIT and units > _SHORT:
                other = self._sentence(cast)
                if chance < _MERGED:
                    zh += one[0], other[0]
                    en.append(f"{one[1][:-1]}; {_lower(other[1])}")
                    links.append(((i, i + 1), (j,)))
                else:
                    zh.append(f"{one[0][:-1]}，{other[0]}")
                    en += one[1], other[1]
                    links.append(((i,), (j, j + 1)))
            elif chance < _NO_EN and links and units > _SHORT:
                zh.append(one[0])
                links.append(((i,), ()))
            elif chance < _NO_ZH and links and units > _SHORT:
                en.append(one[1])
                links.append(((), (j,)))
            else:
                zh.append(one[0])
                en.append(one[1])
                links.append(((i,), (j,)))
        return SyntheticChapter(tuple(zh), tuple(en), tuple(links), self._lines(zh, en, links))

    def _sentence(self, cast: dict[str, list[Words]]) -> Words:
        draw = self._rng.random
        form = self._sentences[int(draw() * len(self._sentences))]
        words: list[Words] = []
        first = 0
        for kind, step in form.slots:
            # Two of a kind in a sentence are neighbours in the list, so that they differ.
            choice = cast[kind]
            if not step:
                first = int(draw() * len(choice))
            words.append(choice[(first + step) % len(choice)])
        chinese = form.zh % tuple([words[k][0] for k in form.zh_slots])
        english = form.en % tuple([words[k][1] for k in form.en_slots])
        return chinese, _upper(english)

    def _lines(
        self, zh: list[str], en: list[str], links: list[Bead]
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Lines of one to five links each; lines without a sentence on a side are not on it."""
        cuts = [0]
        while cuts[-1] < len(links):
            cuts.append(min(cuts[-1] + 1 + int(self._rng.random() * 5), len(links)))
        sides: tuple[list[str], list[str]] = [], []
        for low, high in pairwise(cuts):
            some = links[low:high]
            sides[0].append("".join([zh[i] for bead in some for i in bead[0]]))
            sides[1].append(" ".join([en[j] for bead in some for j in bead[1]]))
        return tuple(filter(None, sides[0])), tuple(filter(None, sides[1]))


def _published(
    book: str, seed: int, made: list[SyntheticChapter], faults: dict[Fault, int]
) -> SyntheticBook:
    """The chapters as a site would have them, with the faults."""
    zh: list[Chapter] = []
    en: list[Chapter] = []
    pairs: list[Bead] = []
    for number, chapter in enumerate(made):
        chinese, english = chapter.lines
        if faults.get("watermark") == number:
            chinese, english = (
                (*lines[:1], mark, *lines[1:])
                for lines, mark in zip(chapter.lines, _material().watermark, strict=True)
            )
        i, j = len(zh), len(en)
        zh.append(_chapter(book, seed, "zh", i, number, chinese))
        if faults.get("missing") == number:
            pairs.append(((i,), ()))
            continue
        parts = [english]
        if faults.get("split") == number:
            half = len(english) // 2
            parts = [english[:half], english[half:]]
        elif faults.get("doubled") == number:
            parts = [english, english]
        for part in parts:
            en.append(_chapter(book, seed, "en", len(en), number, part))
        if faults.get("doubled") == number:
            pairs += [((i,), (j,)), ((), (j + 1,))]
        else:
            pairs.append(((i,), tuple(range(j, len(en)))))
    return SyntheticBook(book, zh, en, made, pairs, faults)


def _chapter(
    book: str, seed: int, lang: Lang, place: int, number: int, lines: tuple[str, ...]
) -> Chapter:
    title = f"第{_chinese(number + 1)}章" if lang == "zh" else f"Chapter {number + 1}"
    return Chapter(
        book=book,
        chapter=str(place + 1),
        lang=lang,
        url=f"https://books.invalid/{seed}/{book}/{lang}/{place + 1}.html",
        lines=lines,
        title=title,
        number=number + 1,
        sha256_text=hashlib.sha256("\n".join(lines).encode()).hexdigest(),
    )


def _chinese(number: int) -> str:
    """A number digit by digit, as many titles have it."""
    return "".join(_DIGITS[int(digit)] for digit in str(number))


def _upper(text: str) -> str:
    """A sentence with its first letter a capital, behind a quotation mark too."""
    at = 1 if text[0] == "“" else 0
    return text[:at] + text[at].upper() + text[at + 1 :]


def _lower(text: str) -> str:
    """A sentence to stand behind a semicolon: `The` is no name."""
    return "the" + text[3:] if text.startswith("The ") else text


@cache
def _material() -> _Material:
    return read_toml(asset("crawl/synthetic.toml"), _Material)


@cache
def _templates() -> list[_Template]:
    kinds = {"b": "a", "c": "a", "q": "p", "u": "o"}
    out = []
    for texts in _material().sentences:
        names = sorted(set(_SLOT.findall(texts[0])), key=lambda x: (kinds.get(x, x), x))
        slots: list[tuple[str, int]] = []
        for name in names:
            kind = kinds.get(name, name)
            slots.append((kind, sum(k == kind for k, _ in slots)))
        zh, en = ([names.index(slot) for slot in _SLOT.findall(text)] for text in texts)
        forms = [_SLOT.sub("%s", text.replace("%", "%%")) for text in texts]
        out.append(_Template(slots, forms[0], zh, forms[1], en))
    return out
