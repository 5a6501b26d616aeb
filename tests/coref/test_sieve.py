"""The deterministic resolver, sieve by sieve, on sentences of our own."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bwb.coref.base import Span, Speech, check_spans
from bwb.coref.sieve import Sieve
from bwb.coref.words import words
from bwb.errors import InputError


def marked(*lines):
    """Sentences and labelled mentions of lines such as "{1:Edith} lost {2:{1:her} hat}"."""
    sentences, chains = [], {}
    for number, line in enumerate(lines):
        text, opened = "", []
        for part in re.split(r"(\{\w+:|\})", line):
            if part.startswith("{"):
                opened.append((part[1:-1], len(text)))
            elif part == "}":
                label, start = opened.pop()
                chains.setdefault(label, []).append(Span(number, start, len(text)))
            else:
                text += part
        sentences.append(text)
    return sentences, chains


def as_sets(chains):
    return {frozenset(chain) for chain in chains}


def check(*lines, speakers=None, **options):
    sentences, expected = marked(*lines)
    mentions = [span for chain in expected.values() for span in chain]
    found = Sieve(**options).resolve(sentences, mentions, speakers)

    def shown(chains):
        return sorted(sorted((n, sentences[n][a:b], a) for n, a, b in chain) for chain in chains)

    assert shown(found) == shown(expected.values())


@pytest.mark.parametrize(
    "lines",
    [
        # Sieve 1: who speaks, and to whom.
        ("“{1:I} lost the key,” said {1:Martha}.",),
        ("“Did {2:you} lose it?” {1:Martha} asked {3:the cook}.", "“{2:I} did not,” said {2:Tom}."),
        ("{1:I} walked home alone.", "Nobody waited for {1:me}."),
        ("“{1:I} am tired,” said {1:Ruth}.", "“Then {1:you} must sleep, {1:Ruth},” said {2:Paul}."),
        # Sieve 2: the same words.
        ("{1:The lighthouse} was dark.", "No one had climbed {1:the lighthouse} for years."),
        ("{1:A sailor} sang.", "{2:A sailor} wept."),
        # Sieve 3: the same words up to the head.
        ("{1:The clerk} yawned.", "{1:The clerk who kept the books} went home."),
        # Sieve 4: appositions, predicates, relative pronouns, acronyms, demonyms.
        ("{1:Bian Suqin}, {1:the finance director}, closed the file.",),
        ("{1:Helen} was {1:the owner of {2:the shop}}.",),
        ("{1:The porter {1:who} came late} was fined.",),
        ("{1:The Salvage Bureau Office} closed.", "{1:SBO} never paid."),
        ("{1:China} was far away.", "{1:The Chinese} had ships."),
        # Sieves 5 to 7: the same head.
        ("{1:The old wooden bridge} broke.", "{1:The bridge} was never mended."),
        ("{1:The first room} was cold.", "{2:The second room} was worse."),
        ("{1:Ruth} sold {2:{1:her} boat}.", "{3:Paul} kept {4:{3:his} boat}."),
        # Sieves 8 and 9: names and titles.
        ("{1:Wen Xiaoman} knelt.", "{1:Xiaoman} looked up.", "{1:Miss Wen} said nothing."),
        ("{1:Katharine Hilbery} poured tea.", "{2:Mrs. Hilbery} watched."),
        ("{1:Mr. Shaw} left.", "{2:Mrs. Shaw} stayed."),
        ("{1:General Duan} rode in.", "{1:The general} dismounted."),
        # Sieve 10: pronouns, by gender, number, animacy, and salience.
        ("{1:Martha} met {2:Tom}.", "{1:She} thanked {2:him}."),
        ("{1:The boys} found {2:a boat}.", "{1:They} painted {2:it}."),
        ("{1:The widow} owned {2:the mill}.", "{1:She} sold {2:it} to {3:{1:her} brother}."),
        ("{1:Tom} looked at {1:himself}.",),
        ("{1:Arthur} told {2:Henry} a story.", "Then {1:he} laughed."),
        ("{1:Martha} said that {2:Ruth} liked {1:her}.",),
    ],
)
def test_what_is_linked(lines):
    check(*lines)


def test_gender_of_a_name_is_told_by_the_pronouns_after_it():
    check(
        "{1:Qinglan} laid {1:her} cheek to the stone.",
        "{2:The watchman} came in.",
        "{1:Qinglan} rose, and {2:he} bowed to {1:her}.",
    )


def test_attributes_apart_is_the_convention_of_litbank():
    check("{1:Helen} was {2:the owner of {3:the shop}}.", attributes=False)
    assert "apart" in Sieve(attributes=False).name
    assert "apart" not in Sieve().name


def test_given_speakers_are_the_same_wherever_they_speak():
    lines = ("“{1:I} am late.”", "The bell rang.", "Rain fell.", "“Wait for {1:me}.”")
    sentences, _ = marked(*lines)
    check(
        *lines,
        speakers=[
            Speech(0, 0, len(sentences[0]), "7"),
            Speech(3, 0, len(sentences[3]), "7"),
        ],
    )
    check(
        "“{1:I} am late.”",
        "The bell rang.",
        "“Wait for {2:me}.”",
        speakers=[Speech(0, 0, 12, "7"), Speech(2, 0, 14, "8")],
    )


def test_every_given_mention_is_in_one_chain():
    sentences = ["The ferry, he said, was hers — ours, even.", "…", ""]
    mentions = [Span(0, 0, 9), Span(0, 0, 9), Span(0, 11, 13), Span(0, 24, 29), Span(1, 0, 1)]
    chains = Sieve().resolve(sentences, mentions)
    assert sorted(span for chain in chains for span in chain) == sorted(set(mentions))


def test_mentions_that_cut_tokens_are_kept_as_they_are():
    span = Span(0, 1, 3)
    assert Sieve().resolve(["Marmalade was there."], [span]) == [(span,)]


def test_own_mentions_are_people_and_places_and_not_everything():
    sentences = ["Martha gave the porter an idea.", "It was raining, and she left for London."]
    chains = Sieve().resolve(sentences)
    found = {sentences[n][a:b] for chain in chains for n, a, b in chain}
    assert {"Martha", "the porter", "she", "London"} <= found
    assert not {"an idea", "It"} & found
    by_text = [{sentences[n][a:b] for n, a, b in chain} for chain in chains]
    assert {"Martha", "she"} in by_text


PIECES = [
    "Lin Xi",
    " ",
    "“",
    "”",
    "said",
    "she",
    "\u3000",
    "’s",
    "\ud800",
    "母亲",
    "…",
    "'",
    "It",
    ".",
]


@settings(max_examples=60, deadline=None)
@given(st.data(), st.lists(st.lists(st.sampled_from(PIECES), max_size=6).map(" ".join), max_size=4))
def test_any_text_and_any_mentions(data, sentences):
    places = [
        Span(n, a, b)
        for n, sentence in enumerate(sentences)
        for a in range(len(sentence))
        for b in range(a + 1, min(len(sentence), a + 9) + 1)
    ]
    mentions = data.draw(st.lists(st.sampled_from(places), max_size=6)) if places else []
    chains = Sieve().resolve(sentences, mentions)
    assert sorted(span for chain in chains for span in chain) == sorted(set(mentions))
    check_spans(sentences, [span for chain in Sieve().resolve(sentences) for span in chain])


def test_the_result_does_not_depend_on_the_order_of_the_mentions():
    sentences, expected = marked("{1:Martha} met {2:Tom}.", "{1:She} thanked {2:him}.")
    mentions = [span for chain in expected.values() for span in chain]
    assert Sieve().resolve(sentences, mentions) == Sieve().resolve(sentences, mentions[::-1])


def test_nothing_comes_of_nothing():
    assert Sieve().resolve([]) == []
    assert Sieve().resolve(["", " "]) == []
    assert Sieve().resolve(["Martha left."], []) == []


@pytest.mark.parametrize(
    ("span", "message"),
    [
        (Span(1, 0, 2), "sentence 1; the text has 1"),
        (Span(0, 3, 3), r"\[3, 3\)"),
        (Span(0, 4, 99), "12 code points"),
        (Span(-1, 0, 1), "sentence -1"),
    ],
)
def test_spans_outside_the_text_are_refused(span, message):
    with pytest.raises(InputError, match=message):
        Sieve().resolve(["Martha left."], [span])
    with pytest.raises(InputError, match="speech"):
        Sieve().resolve(["Martha left."], [], [Speech(*span, "1")])


def test_lists_have_no_word_under_two_genders():
    lists = words()
    assert not lists["names.masculine"] & lists["names.feminine"]
    assert not lists["nouns.masculine"] & lists["nouns.feminine"]
    assert all(
        word == word.lower()
        for listed in lists.lists.values()
        for word in listed - lists["detection.not_entities"]
    )
    assert lists.places["chinese"] == "china"
