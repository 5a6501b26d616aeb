from __future__ import annotations

import json

import pytest

from bwb.crawl.manifest import ChapterMatch, check_recipes, parse_chapters, read_manifest
from bwb.crawl.recipe import load_recipes
from bwb.errors import FormatError, InputError, UnknownNameError

ROWS = [
    {
        "book": "lamp",
        "zh_url": "http://zh.example/book/1/",
        "zh_recipe": "biquge",
        "en_url": "http://en.example/lamp.html",
        "en_recipe": "novelfull",
        "genre": "fantasy",
        "split": "test",
        "title": "灯渡",
        "chapters": "1-10:1-10 11+12:11",
        "first": 1,
        "last": 12,
    },
    {"book": "bell", "zh_url": "http://zh.example/book/2/", "zh_recipe": "shudian"},
]


def jsonl(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def table(rows, delimiter):
    keys = list(ROWS[0])
    lines = [keys, *([str(row.get(key, "")) for key in keys] for row in rows)]
    return "\ufeff" + "\r\n".join(delimiter.join(line) for line in lines) + "\r\n"


def toml(rows):
    tables = []
    for row in rows:
        pairs = "".join(f"{key} = {json.dumps(value)}\n" for key, value in row.items())
        tables.append(f"[[book]]\n{pairs}")
    return "# a manifest\n\n" + "\n".join(tables)


@pytest.fixture
def load(tmp_path):
    def load(text, name="books.jsonl"):
        path = tmp_path / name
        path.write_bytes(text.encode())
        return read_manifest(path)

    return load


def test_all_formats_say_the_same(load):
    books = load(jsonl(ROWS))
    assert books == load(table(ROWS, ","), "books.csv")
    assert books == load(table(ROWS, "\t"), "books.tsv")
    assert books == load(toml(ROWS), "books.toml")
    assert [book.book for book in books] == ["lamp", "bell"]
    assert [side[0] for side in books[0].sides] == ["zh", "en"]
    assert books[1].sides == (("zh", "http://zh.example/book/2/", "shudian"),)
    assert books[0].matches[-1] == ChapterMatch((11, 12), (11,))
    assert books[1].matches is None


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"zh_recpe": "x"}, "unknown key 'zh_recpe'"),
        ({"book": "a/b"}, "book is 'a/b'"),
        ({"book": ""}, "book"),
        ({"zh_url": "zh.example"}, "expected http://"),
        ({"zh_recipe": None}, "zh_url and zh_recipe need each other"),
        ({"split": "dev"}, "split is 'dev'"),
        ({"first": 5, "last": 2}, "first is 5, after last"),
        ({"first": 0}, "first"),
        ({"chapters": "1-3:1-2"}, "3 chapters against 2"),
        ({"chapters": "1:1 1:2"}, "zh chapter 1 is in the map already"),
        ({"chapters": "1:1 2:1"}, "en chapter 1 is in the map already"),
        ({"chapters": "3-1:1-3"}, "expected a chapter, or a range"),
        ({"chapters": "one"}, "expected chapters such as"),
        ({"chapters": " "}, "the map is empty"),
    ],
)
def test_faulty_rows_are_named_with_file_and_line(load, change, part):
    row = {key: value for key, value in {**ROWS[1], **change}.items() if value is not None}
    for text, name, line in [
        (jsonl([ROWS[0], row]), "books.jsonl", 2),
        (toml([ROWS[0], row]), "books.toml", None),
    ]:
        with pytest.raises(FormatError) as error:
            load(text, name)
        assert part in str(error.value)
        assert error.value.finding.line == line or line is None
        assert error.value.finding.line >= (line or 15)


def test_a_row_without_any_list(load):
    with pytest.raises(FormatError, match="no list of chapters"):
        load('{"book": "a"}\n')


def test_books_and_lists_twice(load):
    with pytest.raises(FormatError, match="book 'bell' is on line 1 already") as error:
        load(jsonl([ROWS[1], ROWS[0], {**ROWS[1], "zh_url": "http://other.example/"}]))
    assert error.value.finding.line == 3
    with pytest.raises(FormatError, match=r"list 'http://zh\.example/book/2/' is on line 1"):
        load(jsonl([ROWS[1], {**ROWS[1], "book": "other"}]))


@pytest.mark.parametrize(
    ("name", "text", "error", "part"),
    [
        ("b.xml", "x", InputError, "named .jsonl, .csv, .tsv or .toml"),
        ("b.jsonl", "", InputError, "no rows"),
        ("b.csv", "book,zh_url\n", InputError, "no rows"),
        ("b.jsonl", "[1]\n", FormatError, "not an object"),
        ("b.jsonl", "{\n", FormatError, "not JSON"),
        ("b.csv", "book,zh_url\na\n", FormatError, "1 cells; expected 2"),
        ("b.csv", 'book,zh_url\n"a,b\n', FormatError, "not a table"),
        ("b.toml", "[[books]]\n", FormatError, "expected [[book]] tables alone"),
        ("b.toml", "book = 1\n", FormatError, "expected [[book]] tables alone"),
        ("b.toml", "[[book]\n", FormatError, "not TOML"),
    ],
)
def test_files_that_are_no_manifest(load, name, text, error, part):
    with pytest.raises(error) as raised:
        load(text, name)
    assert part in str(raised.value)


def test_recipes_of_a_manifest(load):
    recipes = load_recipes()
    check_recipes(load(jsonl(ROWS)), recipes, "books.jsonl")
    with pytest.raises(UnknownNameError, match="did you mean 'shudian'"):
        check_recipes(load(jsonl([{**ROWS[1], "zh_recipe": "shudan"}])), recipes, "books.jsonl")
    with pytest.raises(InputError, match="zh_recipe is 'novelfull', a recipe for en"):
        check_recipes(load(jsonl([{**ROWS[1], "zh_recipe": "novelfull"}])), recipes, "b")


def test_chapter_maps():
    assert parse_chapters("1-2:3-4, 5:7") == (
        ChapterMatch((1,), (3,)),
        ChapterMatch((2,), (4,)),
        ChapterMatch((5,), (7,)),
    )
    assert parse_chapters("1+2-3:4") == (ChapterMatch((1, 2, 3), (4,)),)
