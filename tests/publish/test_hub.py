from __future__ import annotations

import json
import shutil
import socket

import pytest

from bwb.cli import main
from bwb.corpus import read_manifest, read_parquet
from bwb.errors import HubError, InputError, UsageError
from bwb.publish.build import build
from bwb.publish.hub import push

REPOSITORY = "lab/odd"


def pushed(online, folder, *options, **environment):
    arguments = ("-m", "bwb", "push", folder, REPOSITORY, "--execute", *options)
    return online(*arguments, **environment)


def failed(done, *said):
    """The message of a command that must fail with one line and no traceback."""
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("bwb: error: ")
    for part in said:
        assert part in line
    return line


def local(folder):
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture
def copied(built, tmp_path):
    folder = tmp_path / "copied"
    shutil.copytree(built, folder)
    return folder


def test_a_dry_run_plans_and_touches_no_network(built, monkeypatch):
    def refuse(*arguments):
        raise AssertionError(f"the network was touched: {arguments[1:]}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    plan = push(built, REPOSITORY, tag="v2.1.0")
    assert {file.path for file in plan.files} == {*local(built)}
    assert plan.bytes == sum(map(len, local(built).values()))
    digest = read_manifest(built).digest[:12]
    assert plan.message.startswith(f"odd 2.1.0, digest {digest}, built with bwb ")
    assert (plan.private, plan.branch, plan.tag) == (True, "main", "v2.1.0")
    assert (plan.commit, plan.url, plan.ignored) == (None, None, ())


def test_a_folder_that_was_changed_is_refused(copied):
    (copied / "notes.txt").write_text("mine")
    assert push(copied, REPOSITORY).ignored == ("notes.txt",)
    (copied / "README.md").write_text("changed")
    with pytest.raises(InputError, match=r"not as it was built: README\.md has 7 bytes"):
        push(copied, REPOSITORY)


def test_a_folder_that_is_not_built_is_refused(tmp_path):
    with pytest.raises(InputError, match="run: bwb build"):
        push(tmp_path, REPOSITORY)


@pytest.mark.parametrize("name", ["odd", "a/b/c", "lab/-odd", "lab/o d", ""])
def test_a_bad_name_is_refused(built, name):
    with pytest.raises(UsageError, match="repository"):
        push(built, name)


def test_without_a_token_nothing_is_tried(built, monkeypatch):
    monkeypatch.setattr("huggingface_hub.get_token", lambda: None)
    with pytest.raises(HubError, match="no access token: log in with `hf auth login`"):
        push(built, REPOSITORY, dry_run=False)


_LOAD = """
import json, sys
import datasets
name, revision, streaming = sys.argv[1], sys.argv[2], sys.argv[3] == "streaming"
counts = {}
for config in datasets.get_dataset_config_names(name, revision=revision):
    loaded = datasets.load_dataset(name, config, revision=revision, streaming=streaming)
    for split, rows in loaded.items():
        counts.setdefault(config, {})[split] = sum(1 for _ in rows)
print(json.dumps(counts))
"""


@pytest.mark.parametrize("options", [(), ("--branch", "next", "--tag", "v2.1.0", "--public")])
def test_what_is_pushed_can_be_loaded(hub, online, built, options):
    done = pushed(online, built, *options, "--json")
    assert done.returncode == 0, done.stderr
    body = json.loads(done.stdout)
    revision = "v2.1.0" if options else "main"
    assert hub.files(REPOSITORY, revision) == local(built)
    assert hub.repos[REPOSITORY]["private"] is not bool(options)
    assert body["uploaded"]
    assert body["commit"] in body["url"]
    assert body["private"] is not bool(options)
    if options:
        assert hub.repos[REPOSITORY]["tags"] == {"v2.1.0": body["commit"]}
        assert hub.files(REPOSITORY, "main") == {}
    for how in ("normal", "streaming"):
        loaded = online("-c", _LOAD, REPOSITORY, revision, how)
        assert loaded.returncode == 0, loaded.stderr
        assert json.loads(loaded.stdout) == read_manifest(built).counts


def test_a_second_push_replaces_the_first(hub, online, tmp_path, documents):
    trained = [document for document in documents if document.split == "train"]
    build(trained, tmp_path / "first", name="odd", max_shard_books=1)
    build(trained, tmp_path / "second", name="odd")
    assert pushed(online, tmp_path / "first").returncode == 0
    assert pushed(online, tmp_path / "second").returncode == 0
    assert hub.files(REPOSITORY) == local(tmp_path / "second")
    assert len(local(tmp_path / "first")) > len(local(tmp_path / "second"))
    again = pushed(online, tmp_path / "second")
    assert again.returncode == 0, again.stderr


def test_a_snapshot_is_a_built_folder(hub, online, built, tmp_path):
    assert pushed(online, built).returncode == 0
    get = "import sys, huggingface_hub as h; h.snapshot_download(*sys.argv[1:2], "
    get += "repo_type='dataset', local_dir=sys.argv[2])"
    done = online("-c", get, REPOSITORY, tmp_path / "snapshot")
    assert done.returncode == 0, done.stderr
    assert list(read_parquet(tmp_path / "snapshot")) == list(read_parquet(built))
    assert push(tmp_path / "snapshot", REPOSITORY).files == push(built, REPOSITORY).files


def test_a_tag_does_not_move(hub, online, built):
    assert pushed(online, built, "--tag", "v1").returncode == 0
    before = dict(hub.commits)
    failed(pushed(online, built, "--tag", "v1"), "has a tag 'v1' already", "choose another tag")
    assert hub.commits == before


def test_a_public_repository_is_refused_unless_meant(hub, online, built):
    hub.add_repo(REPOSITORY, private=False)
    failed(pushed(online, built), "exists and is public", "--public")
    assert hub.files(REPOSITORY) == {}
    assert pushed(online, built, "--public").returncode == 0


def test_a_repository_with_other_data_is_refused(hub, online, built):
    hub.add_repo(REPOSITORY, files={"data/precious.parquet": b"theirs"})
    failed(pushed(online, built), "holds other data")
    assert hub.files(REPOSITORY) == {"data/precious.parquet": b"theirs"}


def test_a_wrong_token(online, built):
    done = online("-m", "bwb", "push", built, REPOSITORY, "--execute", token="hf_wrong")
    failed(done, "401", "hf auth login", "HF_TOKEN")


def test_a_namespace_of_others(online, built):
    done = online("-m", "bwb", "push", built, "others/odd", "--execute")
    failed(done, "403", "does not let this token write to others")


@pytest.mark.parametrize(
    ("request_line", "status", "said"),
    [
        ("POST /api/repos/create", 500, "could not do it (500"),
        ("POST /api/datasets/lab/odd/commit", 500, "could not do it (500"),
        ("POST /api/datasets/lab/odd/commit", 404, "does not find lab/odd"),
        ("PUT /lfs", 403, "(403"),
        ("POST /api/datasets/lab/odd/tag", 500, "could not do it (500"),
    ],
)
def test_a_hub_that_fails(hub, online, built, request_line, status, said):
    hub.broken[request_line] = status
    failed(pushed(online, built, "--tag", "v1"), said, "broken on purpose")
    assert hub.repos.get(REPOSITORY, {"tags": {}})["tags"] == {}


def test_a_hub_that_is_not_there(online, built):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and never listens
        there = f"http://127.0.0.1:{taken.getsockname()[1]}"
        failed(pushed(online, built, HF_ENDPOINT=there), f"cannot push to {there}")


def test_offline_mode(online, built):
    failed(pushed(online, built, HF_HUB_OFFLINE="1"), "HF_HUB_OFFLINE is set")


def test_the_command_says_what_it_would_do(built, capsys):
    assert main(["push", str(built), REPOSITORY, "--tag", "v1"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("lab/odd, branch main, tag v1, private: odd 2.1.0, digest ")
    assert "manifest.json" in out
    assert "nothing was uploaded: add --execute" in out
    assert main(["push", str(built), "odd"]) == 2
    assert main(["push", str(built.parent), REPOSITORY]) == 1
    assert main(["push", str(built), REPOSITORY, "--json"]) == 0
    captured = capsys.readouterr()
    body = json.loads(captured.out)
    assert body["schema_version"] == "1"
    assert body["uploaded"] is False
    assert body["url"] is None
