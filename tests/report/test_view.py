"""The page as text: what lies in it, what it refuses, and what it cannot be made to do."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import bwb.report.view as module
from bwb.annotations.sources import read_documents
from bwb.cli import main
from bwb.errors import InputError
from bwb.records import Document, Entity, Link, Mention, Side, SystemOutput
from bwb.report.view import fragment, view_page, write_view
from bwb.report.view_cut import plain

CSS = (Path(module.__file__).parent / "view.css").read_text(encoding="utf-8")


def parts(page):
    """The head of a page and its documents, as the script reads them."""
    found = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
    return json.loads(found[0]), [json.loads(text) for text in found[1:]]


def test_every_line_of_every_system_is_there_unchanged():
    documents = list(read_documents())[:2]
    head, bodies = parts(view_page(documents))
    assert head["systems"] == ["document-level", "post-edited", "sentence-level"]
    assert [one["id"] for one in head["documents"]] == [document.id for document in documents]
    for document, body in zip(documents, bodies, strict=True):
        rows = body["rows"]
        assert [plain(row["zh"], 3) for row in rows] == list(document.zh.sentences)
        assert [plain(row["en"], 3) for row in rows] == list(document.en.sentences)
        for number, output in enumerate(document.systems):
            assert [plain(row["s"][number][0], 3) for row in rows] == list(output.sentences)


def test_sides_that_do_not_correspond_line_by_line_are_shown_without_systems():
    zh, en = Side("zh", ("一。", "二。", "三。")), Side("en", ("One, two.", "Added.", "Three."))
    links = (Link((0, 1), (0,)), Link((), (1,)), Link((2,), (2,)))
    document = Document("b/1", "b", "1", zh, en, links)
    _, (body,) = parts(view_page([document]))
    assert [(row["z"], row["e"]) for row in body["rows"]] == [([1, 2], [1]), ([], [2]), ([3], [3])]
    assert plain(body["rows"][0]["zh"], 3) == "一。\n二。"
    with pytest.raises(InputError, match="line by line"):
        view_page([document], {"s": {"b/1": ("a", "b", "c")}})


def test_a_document_of_one_side_and_no_links():
    document = Document("b/1", "b", "1", en=Side("en", ("One.", "Two.")))
    _, (body,) = parts(view_page([document]))
    assert [row["e"] for row in body["rows"]] == [[1], [2]]
    assert body["looked"] == ""


def test_without_links_a_longer_side_goes_on_alone():
    zh, en = Side("zh", ("一。", "二。")), Side("en", ("One.",))
    document = Document("b/1", "b", "1", zh, en)
    _, (body,) = parts(view_page([document], {"s": {"b/1": ("One.",)}}))
    assert [row["s"][0][0] for row in body["rows"]] == [["One."], []]


def test_a_system_of_another_length_is_refused():
    document = Document("b/1", "b", "1", en=Side("en", ("One.", "Two.")))
    with pytest.raises(InputError, match="1 sentences, expected 2"):
        view_page([document], {"s": {"b/1": ("One.",)}})
    with pytest.raises(InputError, match="no documents"):
        view_page([])


def test_text_cannot_end_the_script_that_holds_it():
    evil = '</script><script>alert(1)</script><!-- " onload="x \u2028 \u202e 😀 \ud800'
    document = Document(
        "b/</title>", "b", "1", en=Side("en", (evil,), title=evil),
        systems=(SystemOutput("<b>s</b>", (evil,)),),
    )  # fmt: skip
    page = view_page([document], title="</title><script>")
    assert page.count("<script") == page.count("</script>") == 3
    assert "</title><script>" not in page.replace("<title>", "")
    head, (body,) = parts(page)
    assert head["systems"] == ["<b>s</b>"]
    assert plain(body["rows"][0]["en"], 3) == evil
    page.encode("utf-8")


def test_offsets_behind_astral_characters_are_right():
    zh = Side("zh", ("𠮷野。",), ("entity", "coreference"), ())
    text = "😀 She met 𠮷 Lan."
    mentions = (
        Mention("m1", "1", 2, 5, 0, "She", form="pronoun", omitted=True),
        Mention("m2", "2", 12, 15, 0, "Lan", "PER", "name"),
    )
    assert [text[m.start : m.end] for m in mentions] == ["She", "Lan"]
    en = Side("en", (text,), ("entity", "coreference"), mentions)
    entities = (Entity("1", None, None), Entity("2", "PER", None, (), ("Lan",)))
    document = Document("b/1", "b", "1", zh, en, (Link((0,), (0,)),), entities)
    _, (body,) = parts(view_page([document], {"s": {"b/1": ("😀😀 He met Lan 𠮷.",)}}))
    pieces, problems, _ = body["rows"][0]["s"][0]
    assert pieces[0] == "😀😀 "
    assert pieces[1] == ["b", 0, "PO", "He"]
    assert problems[0][:3] == ["PO", "gender", "She"]
    assert body["rows"][0]["zh"][0] == ["g", 0, "她|She"]


def test_only_what_was_looked_at_is_reported():
    document = Document("b/1", "b", "1", en=Side("en", ("She slept.",)))
    _, (body,) = parts(view_page([document], {"s": {"b/1": ("He slept.",)}}))
    assert body["looked"] == "PQ"
    assert body["counts"][0]["P"] == body["counts"][0]["gender"] == 1


def test_a_fragment_is_percent_encoded():
    assert fragment("a/1", 12, "E 3", "s&t") == "#doc=a/1&line=12&chain=E%203&system=s%26t"
    assert fragment("书/1") == "#doc=%E4%B9%A6/1"


def test_a_page_is_replaced_whole(tmp_path):
    path = tmp_path / "page.html"
    document = Document("b/1", "b", "1", en=Side("en", ("One.",)))
    size = write_view(path, [document])
    assert size == path.stat().st_size > 10_000
    with pytest.raises(InputError):
        write_view(path, [])
    assert path.stat().st_size == size
    assert [file.name for file in tmp_path.iterdir()] == ["page.html"]


def test_eighty_documents_of_seven_systems_are_less_than_fifteen_megabytes():
    source = next(d for d in read_documents() if d.id == "lantern-ferry/1")
    worst = next(s for s in source.systems if s.system == "sentence-level")
    names = [f"system {number}" for number in range(7)]
    outputs = {name: {source.id: worst.sentences} for name in names}
    empty = len(view_page([Document("b/1", "b", "1", en=Side("en", ("",)))]).encode())
    one = len(view_page([source], outputs).encode()) - empty
    assert empty + 80 * one < 15_000_000


def _contrast(one, other):
    def light(colour):
        values = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1, 2], ids=["light", "dark", "print"])
def test_colours_have_a_contrast_of_four_and_a_half(theme):
    blocks = re.findall(r":root \{(.*?)\}", CSS, re.DOTALL)
    listed = {}
    for block in blocks[:1] + blocks[theme : theme + 1]:
        for name, value in re.findall(r"--([\w-]+): (#[0-9a-f]{3,6});", block):
            listed[name] = value if len(value) == 7 else "#" + "".join(2 * c for c in value[1:])
    inks = ["ink", "muted", "bad", "good", *(f"h{n}" for n in range(7)), "hx"]
    pairs = [(ink, ground) for ink in inks for ground in ("paper", "panel")]
    pairs += [("bad", "bad-bg"), ("form", "form-bg"), ("tense", "tense-bg"), ("ink", "bad-bg")]
    pairs += [("ink", "form-bg"), ("ink", "tense-bg"), ("ink", "soft"), ("muted", "soft")]
    assert {p: c for p in pairs if (c := _contrast(listed[p[0]], listed[p[1]])) < 4.5} == {}


def test_the_command_prints_where_the_page_is(tmp_path, capsys):
    out = tmp_path / "page.html"
    assert main(["view", "lantern-ferry", "--no-tense", "--out", str(out)]) == 0
    assert capsys.readouterr().out.strip() == str(out)
    head, _ = parts(out.read_text(encoding="utf-8"))
    assert [one["id"] for one in head["documents"]] == ["lantern-ferry/1", "lantern-ferry/2"]
    assert main(["view", "test", "--no-tense", "--out", str(out), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["documents"][0] == "ninth-tide/1"
    assert said["bytes"] == out.stat().st_size


def test_the_command_names_what_there_is(tmp_path, capsys):
    out = tmp_path / "page.html"
    assert main(["view", "lantern-fery/1", "--out", str(out)]) == 1
    assert "did you mean 'lantern-ferry/1'" in capsys.readouterr().err
    assert not out.exists()


def test_systems_given_are_shown_for_what_is_chosen(tmp_path, capsys):
    out = tmp_path / "page.html"
    systems = Path("annotations/sample/systems/post-edited").resolve()
    code = main(
        ["view", "bell-county/1", "--systems", f"mine={systems}", "--no-tense", "--out", str(out)]
    )
    assert code == 0, capsys.readouterr().err
    head, bodies = parts(out.read_text(encoding="utf-8"))
    assert (head["systems"], len(bodies)) == (["mine"], 1)
