"""A small corpus with three systems, whose pronouns can be counted by hand, and a large one."""

from __future__ import annotations

import re

from bwb.metrics.entity import Entity
from bwb.metrics.pronoun import Pronoun
from bwb.metrics.quotation import Quotation
from bwb.metrics.results_make import make_results
from bwb.metrics.scoring import data_fields, score_systems
from bwb.metrics.ter import Ter
from bwb.records import Document, Link, Mention, Side, sentence_offsets
from bwb.records import Entity as Person

REFERENCE = (
    "Lin Xi opened the door.",
    "She held her lamp.",
    "“Who is there?” he asked.",
    "She saw him and her hand shook.",
)
GOOD = REFERENCE
# "She … her" becomes "He … his", "him" stays, "Lin Xi" is lost.
BAD = (
    "Brook opened the door.",
    "He held his lamp.",
    "“Who is there?” he asked.",
    "The hand shook at him.",
)


def side(sentences, owner="1", name="Lin Xi"):
    """An English side with its feminine pronouns, and a name, annotated."""
    starts = sentence_offsets(tuple(sentences))
    found = []
    for index, (start, text) in enumerate(zip(starts, sentences, strict=True)):
        for word, form in ((name, "name"), ("She", "pronoun"), ("her", "pronoun")):
            match = re.search(rf"\b{word}\b", text)
            if match is not None:
                at = match.start()
                kind = None if form == "pronoun" else "PER"
                span = (start + at, start + at + len(word))
                omitted = form == "pronoun" and word == "her"
                number = f"m{len(found)}"
                found.append(
                    Mention(number, owner, *span, index, word, kind, form, omitted=omitted)
                )
    return Side("en", tuple(sentences), ("entity", "coreference"), tuple(found))


def document(name="book/1", book="book", sentences=REFERENCE):
    zh = Side("zh", tuple("林溪。" for _ in sentences))
    links = tuple(Link((n,), (n,)) for n in range(len(sentences)))
    people = (Person("1", "PER", None, ("林溪",), ("Lin Xi",)),)
    return Document(name, book, name.split("/")[-1], zh, side(sentences), links, people, genre="g")


def results(outputs=None, documents=None, metrics=None, **more):
    """Results of the small corpus: two chapters, a good system and a bad one."""
    documents = documents or [document("book/1"), document("other/1", "other")]
    outputs = outputs or {
        "good": {one.id: GOOD for one in documents},
        "bad": {one.id: BAD for one in documents},
    }
    metrics = metrics or [Entity(), Pronoun(), Quotation(), Ter()]
    data = data_fields("small", documents, None)
    scored = score_systems(documents, outputs, metrics, data=data)
    return make_results(scored, documents, outputs, command=["bwb", "score"], **more)


def large(documents=80, systems=7):
    """Results of many documents and systems, the later of which are worse."""
    made = [document(f"book{n // 4}/{n % 4}", f"book{n // 4}") for n in range(documents)]
    outputs = {
        f"system-{s}": {
            one.id: tuple(
                BAD[i] if (n * 7 + i * 3 + s) % 9 < s else GOOD[i] for i in range(len(GOOD))
            )
            for n, one in enumerate(made)
        }
        for s in range(systems)
    }
    return results(outputs, made)
