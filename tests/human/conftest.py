from __future__ import annotations

import pytest

from bwb.human.plan import Options, make_plan
from bwb.human.settings import read_settings
from bwb.records import Document, Link, Side

SYSTEMS = ("alpha", "beta", "gamma")
HARM = "<script>document.title = 'hurt'</script> & <b>bold</b>"


def document(name, sentences=30):
    zh = tuple(f"{name}第{i}句。" for i in range(sentences))
    en = tuple(f"Line {i} of {name} says this and also that." for i in range(sentences))
    links = tuple(Link((i,), (i,)) for i in range(sentences))
    book, chapter = name.split("/")
    return Document(name, book, chapter, Side("zh", zh), Side("en", en), links)


def outputs_of(documents, systems=SYSTEMS):
    """Every system says something else in eight words; none of the words is its name."""
    return {
        system: {
            d.id: tuple(
                f"{HARM} one two three {d.id} {i} version {number}."
                for i in range(len(d.en.sentences))
            )
            for d in documents
        }
        for number, system in enumerate(systems)
    }


@pytest.fixture
def documents():
    return [document(f"{book}/{chapter}") for book in ("x", "y", "z") for chapter in "12"]


@pytest.fixture
def study(documents):
    """Makes a plan: ``study(design="bws", raters=4)``."""

    def make(systems=SYSTEMS, **options):
        given = {"sentences": 9, "documents": 9, **options}
        return make_plan(
            documents, outputs_of(documents, systems), Options(**given), read_settings()
        )

    return make
