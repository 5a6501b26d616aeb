"""Files of documents, whole and in chunks: what is read, and what is refused."""

from __future__ import annotations

import json

import pytest

from bwb.errors import FormatError, InputError, LengthError
from bwb.metrics.chunks import chunk_counts, join_chunks, joined_references, read_chunks
from bwb.metrics.document_files import Text, matched, read_texts

VICUNA = """USER: Translate the following text.

甲。
乙。

ASSISTANT: A.

B.
USER: Translate the following text.

丙。

ASSISTANT:  C.
"""
MISTRAL = """[INST] Translate the following text.

甲。 乙。

 [/INST] A.

B.
[INST] Translate the following text.

丙。

 [/INST] C.
"""


def write(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def rows(path, *objects):
    return write(path, "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects))


def read(path):
    return [text.joined(" ") for text in read_texts(path, [])]


def test_a_document_a_line(tmp_path):
    # An empty line is a document, and only a line feed ends a line.
    assert read(write(tmp_path / "a.txt", "One.\u2028Two.\n\nThree.\n")) == [
        "One.\u2028Two.", "", "Three.",
    ]  # fmt: skip
    findings = []
    read_texts(write(tmp_path / "b.txt", "\ufeffOne.\r\nTwo.\r\n"), findings)
    assert [finding.code for finding in findings] == ["byte-order-mark", "line-ends"]


def test_rows_of_jsonl(tmp_path):
    path = rows(
        tmp_path / "a.jsonl",
        {"id": "x", "text": "One.\nTwo.", "target_lang": "zh", "input": "一", "other": 1},
        {"id": 7, "output": "Three."},
        {"document": "y", "sentences": ["Four.", "Five."]},
    )
    one, two, three = read_texts(path, [])
    assert one == Text(("One.\nTwo.",), 1, "x", "一", "zh")
    assert two == Text(("Three.",), 2, "7")
    assert (three.id, three.sentences, three.joined("")) == (
        "y", ("Four.", "Five."), "Four.Five.",
    )  # fmt: skip
    assert read(rows(tmp_path / "b.jsonl", "a", "b")) == ["a", "b"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"text": "a"}\n{"text": "b"', r"a\.jsonl:2:13: not JSON: .*\(json\)"),
        ('{"input": "a"}\n', r"a\.jsonl:1: keys input; expected one of text, output"),
        ("{}\n", r"keys \(none\); expected"),
        ('{"text": "a", "output": "b"}\n', "text and output; expected one of"),
        ('{"text": 1}\n', "text is 1; expected a string"),
        ('{"text": null}\n', "text is None; expected a string"),
        ('{"sentences": "a"}\n', "sentences is 'a'; expected a list of strings"),
        ('{"text": "a", "id": 1.5}\n', "id is 1.5; expected a string"),
        ('{"text": "a", "target_lang": 1}\n', "target_lang is 1; expected a string"),
        (
            '{"id": "x", "text": "a"}\n{"id": "x", "text": "b"}\n',
            "2: document 'x' is also in line 1",
        ),
        ('{"id": "x", "text": "a"}\n{"text": "b"}\n', "2: a row without id, unlike"),
        ('{"text": "a"}\n{"id": "x", "text": "b"}\n', "2: a row with id, unlike"),
        ("[1]\n", r"'\[1\]'; expected an object"),
        ("", "no rows"),
        (" \n\n", "no rows"),
        (b'{"text": "\xff"}\n', r"a\.jsonl:1:11: .*\(encoding\)"),
        ('{"text": "a"}\n'.encode("utf-16"), "UTF-16"),
    ],
)
def test_what_is_wrong_with_jsonl_is_said(tmp_path, content, message):
    with pytest.raises(FormatError, match=message):
        read_texts(write(tmp_path / "a.jsonl", content), [])


def test_empty_and_missing_files_are_refused(tmp_path):
    with pytest.raises(FormatError, match="the file is empty"):
        read_texts(write(tmp_path / "a.txt", ""), [])
    with pytest.raises(InputError, match="No such file"):
        read_texts(tmp_path / "b.txt", [])


def test_files_go_together_by_id_or_by_order(tmp_path):
    a, b = tmp_path / "a.jsonl", tmp_path / "b.txt"
    named = [Text(("1",), 1, "x"), Text(("2",), 2, "y")]
    turned = [Text(("2",), 1, "y"), Text(("1",), 2, "x")]
    plain = [Text(("3",), 1), Text(("4",), 2)]
    assert matched(a, turned, a, named) == [turned[1], turned[0]]
    assert matched(b, plain, a, named) == plain
    with pytest.raises(LengthError, match=r"b\.txt has 1 documents, .*a\.jsonl has 2; .*--chunks"):
        matched(b, plain[:1], a, named)
    with pytest.raises(InputError, match=r"lacks 1 \(y\) and has beyond those 1 \(z\)"):
        matched(a, [named[0], Text(("3",), 2, "z")], a, named)


@pytest.mark.parametrize("record", [VICUNA, MISTRAL])
def test_records_of_dialogues(tmp_path, record):
    first, second = read_chunks(write(tmp_path / "p.txt", record), [])
    assert "".join(first.source.split()) == "甲。乙。"
    assert (first.answer, second.source, second.answer) == ("A.  B.", "丙。", "C.")
    assert (first.line, record.splitlines()[second.line - 1][:6].strip("[")) in {
        (1, "USER: "), (1, "INST] "[:5]),
    }  # fmt: skip


def test_sources_of_chunks_a_line_or_a_row(tmp_path):
    plain = read_chunks(write(tmp_path / "p.txt", "甲。\n乙。\n"), [])
    assert [(chunk.source, chunk.line, chunk.answer) for chunk in plain] == [
        ("甲。", 1, None), ("乙。", 2, None),
    ]  # fmt: skip
    (row,) = read_chunks(rows(tmp_path / "p.jsonl", {"input": "甲。", "output": "A."}), [])
    assert (row.source, row.answer) == ("甲。", "A.")
    with pytest.raises(FormatError, match="no input; expected the source"):
        read_chunks(rows(tmp_path / "q.jsonl", {"output": "A."}), [])
    silent = write(tmp_path / "q.txt", "USER: a\n\nb\nASSISTANT: x\nUSER: c\n\nd\n")
    with pytest.raises(FormatError, match=r"q\.txt:5:1: a turn without answer"):
        read_chunks(silent, [])


def counted(tmp_path, chunks, *sources):
    path = write(tmp_path / "p.txt", "".join(f"{chunk}\n" for chunk in chunks))
    numbered = [(source, line) for line, source in enumerate(sources, 1)]
    return chunk_counts(read_chunks(path, []), path, numbered, tmp_path / "ref.jsonl")


def test_chunks_are_given_to_documents_by_their_sources(tmp_path):
    assert counted(tmp_path, ["甲。 ", "乙。丙。", "丁。"], "甲。乙。\n 丙。", "丁。") == [2, 1]
    # The same text twice: each document takes what it needs.
    assert counted(tmp_path, ["甲", "甲", "甲"], "甲", "甲甲") == [1, 2]


@pytest.mark.parametrize(
    ("chunks", "message"),
    [
        (["甲乙", "丙"], r"the chunks end before document 2 \(.*:2\) does, after 1 of its 2"),
        (["甲乙", "丙丁", "戊"], r"p\.txt:3: chunk 3 of 3 comes after the last of 2 documents"),
        (["甲乙丙", "丁"], r"p\.txt:1: chunk 1 goes on beyond the end of document 1 .*'丙'"),
        (["甲乙", "丙戊"], r"2: chunk 2 does not fit document 2 .* '戊' after 1 .* has '丁'"),
    ],
)
def test_chunks_that_do_not_fit_are_refused(tmp_path, chunks, message):
    with pytest.raises(InputError, match=message):
        counted(tmp_path, chunks, "甲乙", "丙丁")


def test_chunks_are_stripped_and_joined_with_nothing(tmp_path):
    lines = [Text((text,), line) for line, text in enumerate(["A. ", " B.", "C."], 1)]
    made = join_chunks(lines, [2, 1], tmp_path, tmp_path)
    assert [text.joined("") for text in made] == ["A.B.", "C."]
    with pytest.raises(LengthError, match=r"has 3 chunks, .* has 2"):
        join_chunks(lines, [1, 1], tmp_path, tmp_path)


def test_references_are_joined_as_the_paper_does(tmp_path):
    texts = [Text(("A b. C. D. E.",), 1, "x"), Text(("F g.",), 2, "y")]
    sentences = "A b.C.D.E.F g."

    def joined(sentences, counts, k):
        made = joined_references(texts, tmp_path, sentences, tmp_path / "s", counts, k)
        return [text.joined("") for text in made]

    assert joined(sentences, [2, 1], 3) == ["A b. C. D.E.", "F g."]
    assert joined(sentences, [4, 1], 1) == ["A b.C.D.E.", "F g."]
    with pytest.raises(InputError, match=r"document 1 .* has 4 sentences .* 2 chunks of 3, not 1"):
        joined(sentences, [1, 1], 3)
    with pytest.raises(InputError, match=r"document 2 .* reads otherwise there: 'Gg"):
        joined("A b.C.D.E.Gg.", [2, 1], 3)
    with pytest.raises(InputError, match="text after the last document: 'More"):
        joined(sentences + "More.", [2, 1], 3)
