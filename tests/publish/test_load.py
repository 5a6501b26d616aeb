from __future__ import annotations

import json
import shutil
import socket
import sys
from concurrent.futures import ThreadPoolExecutor

import datasets
import pytest

import bwb
from bwb.annotations.sources import read_documents
from bwb.corpus import logical_digest, read_manifest
from bwb.errors import InputError, UnknownNameError
from bwb.publish.load import load, sample_folder
from bwb.publish.rows import CONFIGS, config_schema, document_rows
from bwb.records import SPLITS
from bwb.schema import from_row, to_row


@pytest.fixture(autouse=True)
def _no_network(monkeypatch, hf_cache):
    def refuse(*arguments):
        raise AssertionError(f"the network was touched: {arguments[1:]}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def rows(documents, config, split):
    """What the rows must be, in the order in which the folder has them."""
    order = ["brook/1", "hill/1", "hill/2", "hill/3", "hill/4", "lake/1", "lake/2"]
    order += ["river/2", "river/9", "river/10"]
    names = config_schema(config).names
    made = []
    for document in sorted(documents, key=lambda document: order.index(document.id)):
        if document.split == split:
            for row in document_rows(document)[config]:
                made.append({name: row[name] for name in names})
    return json.loads(json.dumps(made))


def without_annotations(row):
    for side in ("zh", "en"):
        if row[side] is not None:
            for name in ("layers", "mentions", "quotes", "named_entities"):
                row[side].pop(name)
    return row


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("config", CONFIGS)
def test_every_row_comes_back(built, documents, config, streaming):
    loaded = datasets.load_dataset(str(built), config, streaming=streaming)
    assert {*loaded} == {*read_manifest(built).counts[config]}
    for split in loaded:
        expected = rows(documents, config, split)
        if config == "documents":
            expected = [without_annotations(row) for row in expected]
        assert list(loaded[split]) == expected
        assert loaded[split].features == datasets.Features.from_arrow_schema(config_schema(config))


def test_rows_are_documents(built, documents):
    loaded = load("annotated", "test", data=built)
    bare = {document.id: to_row(document) | {"systems": []} for document in documents}
    for row in loaded:
        assert from_row(row) == from_row(bare[row["id"]])


def test_offsets_point_into_the_joined_sentences(built):
    for row in load("annotated", "test", data=built):
        text = "\n".join(row["zh"]["sentences"])
        for mention in row["zh"]["mentions"]:
            assert text[mention["start"] : mention["end"]] == mention["text"]


def test_columns_and_filters(built):
    pairs = datasets.load_dataset(str(built), "pairs", split="test", columns=["zh", "en"])
    assert pairs.column_names == ["zh", "en"]
    filtered = datasets.load_dataset(
        str(built),
        "pairs",
        split="test",
        filters=[("chapter", "==", "9")],
        verification_mode="no_checks",  # else the number of rows is compared with the card's
    )
    assert [row["id"] for row in filtered] == ["river/9#0", "river/9#1"]


def test_the_default_configuration_is_the_annotated_one(built):
    loaded = datasets.load_dataset(str(built), split="validation")
    assert loaded.column_names == config_schema("annotated").names


def test_errors_that_are_all_none_keep_their_type(tmp_path, documents):
    from bwb.publish.build import build

    outputs = documents[0].systems[:1]
    document = type(documents[0])("b/1", "b", "1", split="train", systems=outputs)
    build([document], tmp_path / "out", name="x")
    loaded = datasets.load_dataset(str(tmp_path / "out"), "systems", split="train")
    assert loaded[0]["errors"] is None
    assert (
        loaded.features["errors"]
        == load("systems", "train", data=tmp_path / "out").features["errors"]
    )


def test_splits(built):
    assert len(load("documents", "train", data=built)) == 5
    assert len(load("documents", "train[:2]", data=built)) == 2
    assert len(load("documents", "train+test", data=built)) == 8
    assert len(load("documents", "all", data=str(built))) == 10
    assert {*load("documents", data=built)} == {*SPLITS}


@pytest.mark.parametrize(
    ("config", "split", "match"),
    [
        ("anotated", None, "unknown configuration 'anotated'.*did you mean 'annotated'"),
        ("systems", "train", "unknown split 'train': known are test"),
        ("pairs", "train+dev", "unknown split 'dev': known are test, train"),
    ],
)
def test_an_unknown_name_is_an_error(built, config, split, match):
    with pytest.raises(UnknownNameError, match=match):
        load(config, split, data=built)


def test_a_folder_that_is_not_built_is_an_error(tmp_path):
    with pytest.raises(InputError, match="run: bwb build CORPUS"):
        load(data=tmp_path)


def test_the_sample_is_built_once_and_again_if_files_are_lost(hf_cache):
    documents = list(read_documents())
    first = load("annotated", "test")
    assert {row["id"] for row in first} == {d.id for d in documents if d.split == "test"}
    folder = sample_folder()
    assert folder.is_relative_to(hf_cache)
    assert read_manifest(folder).digest == logical_digest(documents)
    made = (folder / "manifest.json").stat().st_mtime_ns
    assert (sample_folder() / "manifest.json").stat().st_mtime_ns == made
    lost = next((folder / "data/pairs").iterdir())
    lost.unlink()
    assert sample_folder() == folder
    assert lost.exists()
    assert [path.name for path in folder.parent.iterdir()] == ["bwb-sample"]


def test_the_sample_is_built_by_many_at_once(hf_cache):
    with ThreadPoolExecutor(4) as pool:
        folders = {future.result() for future in [pool.submit(sample_folder) for _ in range(8)]}
    (folder,) = folders
    assert [path.name for path in folder.parent.iterdir()] == ["bwb-sample"]
    assert len(load("documents", "test")) > 0


def test_a_cache_that_cannot_be_written_is_an_error(hf_cache):
    hf_cache.write_text("a file in the way")
    with pytest.raises(InputError, match="cannot be written"):
        sample_folder()


def test_an_older_build_of_the_same_name_is_not_taken_for_it(built, tmp_path):
    from bwb.publish.build import build

    folder = tmp_path / "odd"
    shutil.copytree(built, folder)
    assert len(load("documents", "test", data=folder)) == 3
    some = [d for d in bwb.corpus.read_parquet(built) if d.id != "river/9"]
    build(some, folder, name="odd", overwrite=True)
    assert len(load("documents", "test", data=folder)) == 2


_LOAD = """
import socket, sys
def refuse(*arguments):
    raise SystemExit(f"the network was touched: {arguments}")
socket.socket.connect = socket.getaddrinfo = refuse
import bwb
rows = bwb.load("annotated", split="test")
print(len(rows), type(rows).__name__)
"""


def test_a_fresh_process_without_network(run_python):
    done = run_python("-c", _LOAD)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[1] == "Dataset"
    online = run_python("-c", _LOAD, HF_HUB_OFFLINE="0")
    assert (online.returncode, online.stdout) == (0, done.stdout), online.stderr


_BY_NAME = """
import datasets
try:
    loaded = datasets.load_dataset("bwb")
except Exception as error:
    print(type(error).__name__, str(error))
else:
    print("loaded", loaded)
"""


def test_in_the_checkout_the_bare_name_is_a_clear_error(run_python, repository):
    """`load_dataset("bwb")` takes the package's folder for data, and must find none in it."""
    done = run_python("-c", _BY_NAME, cwd=repository)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("DataFilesNotFoundError"), done.stdout


def test_no_data_files_lie_in_the_package(repository):
    from datasets.packaged_modules import _EXTENSION_TO_MODULE

    # TOML is data to `datasets` only under the name task.toml.
    known = {*_EXTENSION_TO_MODULE, ".zip"} - {".toml"}
    files = [path for path in (repository / "bwb").rglob("*") if path.is_file()]
    assert [path for path in files if {*path.suffixes} & known] == []
    assert [path for path in files if path.name in {"task.toml", "instruction.md"}] == []
    assert not (repository / "bwb" / "bwb.py").exists()
    assert sys.modules["bwb"].__file__ == str(repository / "bwb" / "__init__.py")
