"""The pages that are made from the code: nothing is missing in them."""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import json
import re
import sys

import pytest

from bwb import records
from bwb.cli import COMMANDS
from bwb.metrics import METRICS
from bwb.schema import from_row, to_row


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_has_a_page_that_explains_it(pages, name):
    metric = METRICS[name]()
    text = pages[f"metrics/{name}.md"]
    assert text.startswith(f"# {name}\n")
    said = _words(inspect.getdoc(sys.modules[type(metric).__module__]))
    assert len(said) > 30, "the docstring of its module says how it is computed"
    shown = set(_words(text))
    assert [word for word in said if word not in shown] == []
    assert set(_words(metric.paper)) <= shown
    for option, value in metric.options().items():
        assert f"{option}:{value}" in text


@pytest.mark.parametrize("name", METRICS)
def test_the_list_of_metrics_has_it_with_a_link(pages, name):
    assert f"({name}.md)" in pages["metrics/all.md"]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_page_with_every_argument(pages, name):
    from sitegen.commands import parser_of

    text = pages[f"commands/{name}.md"]
    assert text.startswith(f"# bwb {name}\n")
    assert f"({name}.md)" in pages["commands/index.md"]
    parsers = [parser_of(name)]
    for parser in parsers:
        for action in parser._actions:
            for flag in action.option_strings:
                assert flag in {"-h", "--help"} or flag in text
            if isinstance(action, argparse._SubParsersAction):
                parsers += action.choices.values()


def test_every_field_of_every_record_is_described(pages):
    from sitegen.records import anchors, fields

    made = [
        m for m in vars(records).values() if isinstance(m, type) and dataclasses.is_dataclass(m)
    ]
    assert set(anchors().values()) == set(made)
    assert len(made) > 8
    for record in made:
        assert f"### {record.__name__}\n" in pages["schema.md"]
        names = [field.name for field in dataclasses.fields(record)]
        described = fields(record)
        assert [name for name, _, _ in described] == names
        assert all(text for _, _, text in described)
        for name, _, text in described:
            assert f"| `{name}` |" in pages["schema.md"]
            assert set(_words(text)) <= set(_words(pages["schema.md"]))


def test_the_example_is_a_document_of_which_lists_were_cut(pages):
    from sitegen.records import compact, example

    row = example()
    assert json.loads(compact(row)) == row
    assert compact(row) in pages["schema.md"]
    document = from_row(row)
    assert to_row(document) == row
    assert document.en.mentions
    assert document.systems


def test_a_type_is_shown_with_its_choices_or_a_link(pages):
    text = pages["schema.md"]
    assert "[`tuple[Mention, ...]`](#mention)" in text
    assert "PER, FAC, GPE, LOC, VEH, ORG" in text
    assert "`zh.mentions[].start`" in text


def test_included_pages_are_the_files_themselves(pages, repository):
    guidelines = (repository / "annotations/GUIDELINES.md").read_text("utf-8")
    assert pages["guidelines.md"] == guidelines
    assert pages["recipes.md"].startswith("# Recipes and manifests\n")


def test_shared_definitions_are_those_that_metrics_name(pages):
    text = pages["metrics/definitions.md"]
    assert "## bwb.metrics.matching" in text
    assert "](definitions.md#bwb-metrics-names)" in pages["metrics/entity.md"]
    assert "](zero_pronoun.md)" in pages["metrics/azpt.md"]


def _words(text):
    """The words of a docstring or a page, whatever marks stand around them."""
    text = re.sub(r"\]\([^)]*\)|</?d[dlt]\b[^>]*>", " ", text)
    return re.sub(r"[`*\\_|\[\]]", " ", text.replace("&lt;", "<").replace("&#124;", " ")).split()
