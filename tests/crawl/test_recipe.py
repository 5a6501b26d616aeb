from __future__ import annotations

import json
import re
import tomllib

import pytest

from bwb.clean.filters import load_filters
from bwb.crawl.manifest import Book
from bwb.crawl.pick import Pick, xpath
from bwb.crawl.recipe import (
    ChapterRules,
    LineRules,
    ListRules,
    Recipe,
    check_recipe,
    find_recipe,
    load_recipe,
    load_recipes,
)
from bwb.errors import FormatError, InputError, UnknownNameError
from bwb.pipeline.settings import CorpusSettings

LEAST = 'name = "mini"\nlang = "zh"\nlist.links = "#list a"\nchapter.body = "#content"\n'


@pytest.fixture
def write(tmp_path):
    def write(text, name="mini.toml"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_the_least_there_can_be(write):
    recipe = load_recipe(write(LEAST))
    assert recipe.signature == "mini-1"
    assert recipe.listing.links[0].selector == "#list a"
    assert recipe.chapter.title[0].selector == "h1"
    assert (recipe.seconds, recipe.chapter.paragraphs) == (2.5, "auto")


def test_ours_are_good():
    recipes = load_recipes()
    assert {"novelfull", "biquge", "shudian"} <= set(recipes)
    assert all(recipe.description and recipe.seconds >= 2.5 for recipe in recipes.values())


@pytest.mark.parametrize(
    ("text", "line", "parts"),
    [
        (LEAST + '[chapter2]\nx = "y"', 5, ["unknown key 'chapter2'", "did you mean 'chapter'?"]),
        (LEAST + '[lines]\ndorp = ["x"]', 6, ["'dorp' in [lines]", "did you mean 'drop'?"]),
        (LEAST + "[lines]\nseconds = 1", 6, ["'seconds' belongs at the top"]),
        (LEAST + '[lines]\nremove = "x"', 6, ["'remove' belongs in [list]"]),
        (LEAST.replace("#list a", "#list a["), 3, ["list.links[0].selector", "not a CSS selector"]),
        (LEAST.replace("#list a", "a::text"), 3, ["Pseudo-elements are not supported"]),
        (LEAST + "lines.cut = '(x'", 5, ["lines.cut[0]: '(x' is not a regular expression"]),
        (LEAST + 'lines.drop = ["a", ".*"]', 5, ["'.*' matches the empty text"]),
        (LEAST.replace("zh", "fr"), 2, ["lang is 'fr'", "'zh' or 'en'"]),
        (LEAST.replace("list.links", "list.source"), 3, ["list.links is missing"]),
        (LEAST + "version = '1'", 5, ["version is '1'", "valid integer"]),
        (LEAST + "seconds = -1", 5, ["seconds is -1", "greater than or equal to 0"]),
        (LEAST + 'charset = "nope"', 5, ["'nope' is not a charset"]),
        (LEAST + "charset_wrong = true", 0, ["charset_wrong needs charset"]),
        (LEAST + 'list.source = "/x/{id}"', 3, ["need each other"]),
        (LEAST + 'list.source = "/x/{book}"', 3, ["the only place to fill is {id}"]),
        (LEAST + 'chapter.next_text = "x"', 4, ["conditions on next, which is missing"]),
        (LEAST + 'chapter.paragraphs = "lines"', 5, ["'lines' is neither of auto, br, newline"]),
        (LEAST + 'chapter.paragraphs = "p["', 5, ["not a CSS selector"]),
        (LEAST + 'chapter.join = "maybe"', 5, ["'never', 'unfinished' or 'always'"]),
        (LEAST + 'chapter.remove = { selector = "a", attribute = "b" }', 5, ["takes elements"]),
        (LEAST + 'chapter.title = { pattern = "x" }', 5, ["pattern needs a group"]),
        (LEAST + 'chapter.title = { text = "x" }', 5, ["one of selector, pattern and url"]),
        (LEAST + 'chapter.title = { selectr = "x" }', 5, ["did you mean 'selector'?"]),
        (LEAST.replace('"#content"', "[]"), 4, ["chapter.body"]),
        (LEAST.replace('"mini"', '"a b"'), 1, ["name is 'a b'"]),
        (LEAST + 'x = "\\d"', 5, ["not TOML", "a backslash needs '…'"]),
        (LEAST + "x", 5, ["not TOML"]),
        ("", 0, ["name is missing"]),
    ],
)
def test_faults_are_named(write, text, line, parts):
    path = write(text)
    recipe, findings = check_recipe(path)
    assert recipe is None
    shown = "\n".join(map(str, findings))
    assert all(part in shown for part in parts), shown
    assert findings[0].line == line, shown
    with pytest.raises(FormatError) as error:
        load_recipe(path)
    assert str(path) in str(error.value)


def test_all_faults_are_listed_unknown_keys_first(write):
    text = LEAST.replace("#content", "p[") + 'lines.cut = "("\nchapter.bodi = "x"\n'
    codes = [finding.code for finding in check_recipe(write(text))[1]]
    assert codes == ["unknown-key", "bad-value", "bad-value"]


def test_folders(tmp_path, write):
    write(LEAST)
    later = tmp_path / "later"
    later.mkdir()
    (later / "any.toml").write_text(LEAST + "version = 2")
    assert load_recipes(tmp_path, later)["mini"].version == 2
    assert load_recipes(later, tmp_path)["mini"].version == 1
    assert set(load_recipes(tmp_path, own=False)) == {"mini"}
    assert "biquge" in load_recipes(tmp_path)
    with pytest.raises(UnknownNameError, match="did you mean 'mini'"):
        find_recipe(load_recipes(tmp_path), "mni")
    write(LEAST, "second.toml")
    with pytest.raises(FormatError, match=r"recipe 'mini' is in \S+mini.toml already"):
        load_recipes(tmp_path)
    with pytest.raises(InputError, match="no such folder"):
        load_recipes(tmp_path / "none")
    with pytest.raises(InputError, match="No such file"):
        load_recipe(tmp_path / "none.toml")


def test_what_the_readme_says(repository):
    text = (repository / "crawl" / "README.md").read_text(encoding="utf-8")
    examples = [tomllib.loads(x) for x in re.findall(r"```toml\n(.*?)```", text, re.DOTALL)]
    recipes, corpora = [x for x in examples if "list" in x], [x for x in examples if "out" in x]
    assert len(recipes) == 2
    assert len(examples) == 3
    assert all(Recipe.model_validate(example) for example in recipes)
    settings = CorpusSettings.model_validate(corpora[0])
    assert load_filters(settings.filters).rules["poetry"].enabled is False
    for model in (Recipe, ListRules, ChapterRules, LineRules, Pick, Book):
        for name, field in model.model_fields.items():
            assert re.search(rf"[`{{ \[]{field.alias or name}(`| =|\.|\])", text), name
    row = json.loads(re.findall(r"```json\n(.*?)```", text, re.DOTALL)[0])
    assert Book.model_validate(row).book == "lamp"


@pytest.mark.parametrize(
    "selector",
    ["p:contains('text')", "div:has(> a)", ":not(.x)", "ul > li:nth-child(2)", "a[href^='/b/']"],
)
def test_selectors_of_the_readme(selector):
    assert callable(xpath(selector))
