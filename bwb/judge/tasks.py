"""What a judge has to be asked: each part of a rubric about each text of each system.

A text is a whole document, or a window of so many of its sentences; the last window of a document
may be shorter. Two systems with the same text share a request, and its answer.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bwb.errors import InputError, UsageError
from bwb.judge.prompts import messages, response_format
from bwb.judge.rubric import load_protocol
from bwb.metrics.systems import check_outputs
from bwb.records import sentence_offsets

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bwb.judge.rubric import NamedRubric, Part, Protocol, Sees
    from bwb.metrics.systems import Outputs
    from bwb.records import Document

# Characters a token, by measure on English and Chinese prose with usual vocabularies: an estimate.
_PER_TOKEN_ASCII = 4.0
_PER_TOKEN_OTHER = 1.2

# Tokens of an answer that an estimate reckons with.
EXPECTED_ANSWER = 400


@dataclass(frozen=True, slots=True)
class Task:
    """A text, and what is asked about it.

    Attributes:
        key: Digest of the request.
        part: Name of the part of the rubric.
        system: Whose text it is.
        document: Id of the document.
        first: Index of the window's first sentence.
        last: One past its last.
        windows: Number of windows of the document.
        text: The text to be judged, a sentence a line.
        offset: Where it begins in the system's output, in code points.
        reference: The same lines of the reference; None if there is none or it is not seen.
        body: The request as it is wanted, with structured output where that is tried.
        tokens: Estimated tokens of the prompt.
    """

    key: str
    part: str
    system: str
    document: str
    first: int
    last: int
    windows: int
    text: str
    offset: int
    reference: str | None
    body: dict[str, Any]
    tokens: int


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of a document.

    Attributes:
        first: Index of the first sentence.
        last: One past the last.
        texts: Each text that a part may see.
    """

    first: int
    last: int
    texts: Mapping[Sees, str]


def tasks(
    rubric: NamedRubric,
    documents: Sequence[Document],
    outputs: Outputs,
    settings: Mapping[str, Any],
    *,
    endpoint: str,
    window: int | None = None,
    structured: bool = True,
) -> list[Task]:
    """All there is to ask.

    Args:
        rubric: What is asked.
        documents: The documents; with a source or reference where the rubric shows one.
        outputs: The systems' sentences.
        settings: Model, temperature and the like: all of a request but messages and form.
        endpoint: Address of the endpoint, part of a request's digest.
        window: Number of sentences of a window; None is the whole document.
        structured: Whether to ask for structured output.

    Raises:
        InputError: if a text that the rubric shows is not there, or an output does not fit.
        UsageError: if the window is empty.
    """
    if window is not None and window < 1:
        raise UsageError(f"--window {window}: expected 1 sentence or more")
    if not documents:
        raise InputError("there are no documents to judge")
    if not outputs:
        raise InputError("there are no systems to judge; name some with --systems")
    check_outputs(outputs, documents)
    protocol = load_protocol()
    found = []
    for part in rubric.parts:
        for document in documents:
            for system, of in outputs.items():
                cut = list(windows(document, of[document.id], window, part.sees))
                offsets = sentence_offsets(tuple(of[document.id]))
                for one in cut:
                    body = _body(protocol, part, one, settings, structured=structured)
                    found.append(
                        Task(
                            key=request_key(endpoint, body),
                            part=part.name,
                            system=system,
                            document=document.id,
                            first=one.first,
                            last=one.last,
                            windows=len(cut),
                            text=one.texts["output"],
                            offset=offsets[one.first],
                            reference=one.texts.get("reference"),
                            body=body,
                            tokens=sum(tokens(m["content"]) for m in body["messages"]),
                        )
                    )
    return found


def windows(
    document: Document, output: Sequence[str], size: int | None, sees: Sequence[Sees]
) -> Iterator[Window]:
    """The windows of a document, with the texts that are seen.

    Raises:
        InputError: if one of them is not there, or the document is empty.
    """
    length = len(output)
    if not length:
        raise InputError(f"{document.id}: no sentences to judge")
    step = size or length
    for first in range(0, length, step):
        last = min(first + step, length)
        texts: dict[Sees, str] = {}
        for name in sees:
            if name == "output":
                texts[name] = "\n".join(output[first:last])
            elif name == "output_before":
                texts[name] = "\n".join(output[:first])
            elif name == "reference":
                texts[name] = "\n".join(_reference(document)[first:last])
            else:
                begin, end = (0, first) if name == "source_before" else (first, last)
                texts[name] = "\n".join(_source(document, begin, end))
        yield Window(first, last, texts)


def _reference(document: Document) -> tuple[str, ...]:
    if document.en is None:
        raise InputError(f"{document.id}: no English reference, which this rubric shows the judge")
    return document.en.sentences


def _source(document: Document, first: int, last: int) -> tuple[str, ...]:
    """The source of some lines: those linked to them, or the same lines if there are no links."""
    if document.zh is None:
        raise InputError(f"{document.id}: no Chinese source, which this rubric shows the judge")
    if document.en is None or not document.links:
        return document.zh.sentences[first:last]
    linked = [i for link in document.links if any(first <= j < last for j in link.en)
              for i in link.zh]  # fmt: skip
    if not linked:
        return ()
    return document.zh.sentences[0 if first == 0 else min(linked) : max(linked) + 1]


def _body(
    protocol: Protocol,
    part: Part,
    window: Window,
    settings: Mapping[str, Any],
    *,
    structured: bool,
) -> dict[str, Any]:
    body = {**settings, "messages": messages(protocol, part, window.texts)}
    if structured:
        body["response_format"] = response_format(part)
    return body


def request_key(endpoint: str, body: Mapping[str, Any]) -> str:
    """Digest of a request, settings and endpoint included; 64 hexadecimal digits."""
    whole = json.dumps({"endpoint": endpoint, "body": body}, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(whole.encode()).hexdigest()


def tokens(text: str) -> int:
    """How many tokens a text has, estimated; real ones are up to a third more or fewer."""
    ascii_only = len(text.encode("ascii", "ignore"))
    return round(ascii_only / _PER_TOKEN_ASCII + (len(text) - ascii_only) / _PER_TOKEN_OTHER) + 1
