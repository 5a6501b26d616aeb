from __future__ import annotations

import re
import tomllib

import pytest
from huggingface_hub import DatasetCard

from bwb.annotations.corpus_folder import read_config
from bwb.annotations.sources import read_documents
from bwb.assets import sample
from bwb.errors import InputError
from bwb.publish.build import build
from bwb.publish.card import (
    SAMPLE,
    SAMPLE_PUBLISHED,
    About,
    Size,
    card_template,
    citation,
    counts_table,
    fields_table,
    render_card,
)
from bwb.publish.rows import CONFIGS, columns
from bwb.records import ERROR_CODES, LAYERS

SIZES = {
    "annotated": {"test": Size(8, 100, 50)},
    "documents": {"train": Size(1200, 900, 500), "test": Size(8, 90, 40)},
    "pairs": {"train": Size(99_000, 900, 500), "test": Size(1_000, 90, 40)},
}


@pytest.fixture(scope="module")
def ours():
    return render_card(card_template(), About.of(SAMPLE), SIZES)


@pytest.fixture(scope="module")
def other():
    return render_card(card_template(), About.of("mine", description="My corpus."), SIZES)


def head(text):
    return DatasetCard(text).data.to_dict()


def test_the_template_has_each_place_once():
    places = re.findall(r"<!-- (.+?) -->", card_template())
    expected = ["title", "description", "counts", "license"]
    expected += [f"fields {config}" for config in CONFIGS]
    for name in expected:
        assert places.count(name) == 1, name
    sections = [name for name in places if name not in expected]
    assert sections[::2] == [name.removeprefix("/") for name in sections[1::2]]
    assert {*sections} == {"sample", "/sample", "other", "/other"}


def test_the_head_is_what_the_hub_reads(ours):
    read = head(ours)
    assert read["language"] == ["zh", "en"]
    assert read["license"] == read_config(sample()).license.lower() == "cc-by-4.0"
    assert read["pretty_name"] == "bwb sample"
    assert read["size_categories"] == ["100K<n<1M"]
    assert read["task_categories"] == read["multilinguality"] == ["translation"]
    assert read["annotations_creators"] == ["machine-generated"]
    assert read["source_datasets"] == ["original"]
    annotated, documents, pairs = read["configs"]
    assert annotated == {
        "config_name": "annotated",
        "data_files": [{"split": "test", "path": "data/annotated/test-*"}],
        "default": True,
    }
    assert [file["split"] for file in documents["data_files"]] == ["train", "test"]
    assert "default" not in documents
    assert "default" not in pairs
    infos = {info["config_name"]: info for info in read["dataset_info"]}
    assert infos["pairs"]["splits"] == [
        {"name": "train", "num_bytes": 900, "num_examples": 99_000},
        {"name": "test", "num_bytes": 90, "num_examples": 1_000},
    ]
    assert (infos["pairs"]["download_size"], infos["pairs"]["dataset_size"]) == (540, 990)
    names = [feature["name"] for feature in infos["annotated"]["features"]]
    assert names == [column.name for column in columns("annotated")]


def test_the_features_in_the_head_are_those_of_the_schema(built):
    from datasets import Features
    from datasets.info import DatasetInfosDict

    from bwb.publish.rows import config_schema

    infos = DatasetInfosDict.from_dataset_card_data(DatasetCard.load(built / "README.md").data)
    for config in CONFIGS:
        assert infos[config].features == Features.from_arrow_schema(config_schema(config))


def test_a_single_configuration_is_written_as_one(documents, tmp_path):
    build([documents[4]], tmp_path / "out", name="x")
    read = head((tmp_path / "out/README.md").read_text(encoding="utf-8"))
    assert read["dataset_info"]["config_name"] == "documents"
    assert read["configs"][0]["default"] is True
    assert read["language"] == ["zh"]
    assert "multilinguality" not in read
    assert "task_categories" not in read


def test_the_card_of_another_corpus_does_not_claim_to_be_the_sample(ours, other):
    read = head(other)
    assert read["license"] == "unknown"
    assert read["pretty_name"] == "mine"
    for key in ("annotations_creators", "language_creators", "source_datasets", "tags"):
        assert key in head(ours)
        assert key not in read
    body = DatasetCard(other).text
    assert body.startswith("# mine\n\nMy corpus.\n")
    assert "Not stated by who built it." in body
    for claim in ("invented", "written for this project", "CC BY", "sample"):
        assert claim in DatasetCard(ours).text
        assert claim not in body


def test_what_is_stated_about_another_corpus_is_in_its_card():
    about = About.of("mine", license="CC-BY-SA-4.0")
    card = render_card(card_template(), about, SIZES)
    assert head(card)["license"] == "cc-by-sa-4.0"
    assert "## Licence\n\n`CC-BY-SA-4.0`." in card


def test_no_comment_is_left_and_no_paragraph_is_lost(ours, other):
    for text in (ours, other):
        assert "<!--" not in text
        assert "-->" not in text
        assert "\n\n\n" not in text
        assert text.endswith("```\n")
        assert text.count("\n## ") >= 7


def test_the_sample_card_says_what_it_must(ours):
    for said in (
        "scores on these outputs say nothing about real systems",
        "is not shipped here",
        "bwb import RELEASE",
        "aclanthology.org/2022.naacl-main.111",
        "aclanthology.org/2023.acl-long.435",
        "Creative Commons Attribution 4.0",
    ):
        assert said in ours
    for code, name in ERROR_CODES.items():
        assert f"{code} {name}" in ours
    for layer in LAYERS:
        assert f"**{layer.capitalize()}.**" in ours


def test_the_sample_card_is_true_of_the_sample(ours):
    documents = list(read_documents())
    assert "Four invented web novels, two chapters each" in ours
    assert len({document.book for document in documents}) == 4
    assert len(documents) == 8
    names = {output.system for document in documents for output in document.systems}
    assert names == {*re.findall(r"`(sentence-level|document-level|post-edited)`", ours)}


def test_the_date_is_that_of_the_citation_file(repository):
    text = (repository / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^date-released: (.+)$", text, re.MULTILINE)[1] == SAMPLE_PUBLISHED
    config = tomllib.loads((sample() / "corpus.toml").read_text(encoding="utf-8"))
    assert About.of(SAMPLE).version == config["version"]


def test_counts_and_fields():
    assert counts_table(SIZES).splitlines() == [
        "| configuration | train | test |",
        "|---|---:|---:|",
        "| `annotated` | – | 8 |",
        "| `documents` | 1,200 | 8 |",
        "| `pairs` | 99,000 | 1,000 |",
    ]
    fields = fields_table("annotated")
    assert "| `zh.mentions[].start` | int64 | First code point in the side's text. |" in fields
    assert "| `en` | struct, as `zh` | The English side;" in fields
    assert "| `id` | string | `<document>#<n>`, n counting" in fields_table("pairs")


def test_a_template_of_ones_own(documents, tmp_path):
    own = "---\nlicense: mit\ntags: [a]\n---\n<!-- title -->\nMine. <!-- counts -->\n"
    build(documents, tmp_path / "out", name="x", card=own)
    text = (tmp_path / "out/README.md").read_text(encoding="utf-8")
    assert DatasetCard(text).text.startswith("# x\nMine. | configuration | train |")
    assert citation(own) is None
    with pytest.raises(InputError, match="template of the dataset card"):
        build(documents, tmp_path / "bad", name="x", card="---\n- a\n---\n")


@pytest.mark.parametrize(
    ("rows", "category"),
    [(999, "n<1K"), (1000, "1K<n<10K"), (9_576_566, "1M<n<10M"), (10**9, "100M<n<1B")],
)
def test_size_categories(rows, category):
    sizes = {"documents": {"train": Size(rows, 1, 1)}}
    text = render_card(card_template(), About.of("x"), sizes)
    assert head(text)["size_categories"] == [category]
