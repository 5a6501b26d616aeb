"""Documents with every odd case in them, folders built from them, and a Hub on the loopback."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from bwb.publish.build import build
from bwb.records import (
    Document,
    Entity,
    ErrorMark,
    Link,
    Mention,
    NamedEntity,
    Provenance,
    Quote,
    Side,
    Span,
    SystemOutput,
)

TOKEN = "hf_loopback"


def annotated(book="river", chapter="1", split="test"):
    """Everything annotated on both sides, links of all shapes, three outputs."""
    zh = Side(
        "zh",
        ("闻溪提着灯。", "“谁在那里？”她问。", "没有人。"),
        ("entity", "terminology", "coreference", "quotation"),
        (
            Mention("m1", "1", 0, 2, 0, "闻溪", "PER", "name", True),
            Mention("m2", "1", 14, 15, 1, "她", form="pronoun", omitted=True),
        ),
        (Quote("q1", (Span(7, 10), Span(10, 14)), "1", ("2",)), Quote("q2", (Span(7, 14),))),
        title="夜",
        provenance=Provenance(url="https://example.org/1", status=200),
    )
    en = Side("en", ("Wen Xi held the lamp. “Who?” she asked.", "Nobody."), ("entity",))
    return Document(
        id=f"{book}/{chapter}",
        book=book,
        chapter=chapter,
        zh=zh,
        en=en,
        links=(Link((0, 1), (0,), "hybrid", 0.5), Link((2,), ()), Link((), (1,))),
        entities=(Entity("1", "PER", True, ("闻溪",), ("Wen Xi",)), Entity("2", None, None)),
        systems=(
            SystemOutput("unmarked", ("Wen Xi.", "", "Nobody.")),
            SystemOutput("clean", ("Wen Xi.", "She asked.", "No one."), ()),
            SystemOutput(
                "marked", ("He.", "She.", "None."), (ErrorMark(0, 2, "She", "He", 0, 2),) * 2
            ),
        ),
        genre="fantasy",
        split=split,
    )


def plain(book="hill", chapter="1", split="train", *, languages=("zh", "en")):
    """Text alone: every list of annotations is empty, every optional value is missing."""
    zh = Side("zh", ("一。", "二。")) if "zh" in languages else None
    en = Side("en", ("One.", "Two.")) if "en" in languages else None
    links = (Link((0,), (0,)), Link((1,), (1,))) if zh and en else ()
    return Document(f"{book}/{chapter}", book, chapter, zh, en, links, split=split)


def odd_documents():
    """Documents of four books in three splits, grouped by book, in no other order."""
    counted = Side("en", ("Lin.",), named_entities=(NamedEntity(0, "PERSON", "Lin", 1),))
    empty = Side("zh", ())
    return [
        annotated(chapter="10"),
        annotated(chapter="2"),
        plain("river", "9", "test"),
        plain("hill", "1"),
        plain("hill", "2", languages=("zh",)),
        plain("hill", "3", languages=("en",)),
        plain("hill", "4", languages=()),
        Document("lake/1", "lake", "1", en=counted, split="validation"),
        Document("lake/2", "lake", "2", zh=empty, split="validation"),
        plain("brook", "1"),
    ]


@pytest.fixture
def documents():
    return odd_documents()


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """A folder built from `odd_documents`; not to be changed."""
    folder = tmp_path_factory.mktemp("built") / "odd"
    build(odd_documents(), folder, name="odd", license="CC-BY-4.0", version="2.1.0")
    return folder


@pytest.fixture
def hf_cache(tmp_path, monkeypatch):
    """A cache of its own for what runs in this process."""
    import datasets

    monkeypatch.setattr(datasets.config, "HF_CACHE_HOME", str(tmp_path / "hf"))
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "hf" / "datasets")
    datasets.disable_progress_bars()
    return tmp_path / "hf"


@pytest.fixture
def run_python(tmp_path):
    """Run Python in a process of its own, with a cache of its own, offline unless told."""

    def run(*arguments, cwd=None, **environment):
        kept = {key: value for key, value in os.environ.items() if not key.startswith("HF_")}
        own = {"HF_HOME": str(tmp_path / "hf"), "HF_HUB_OFFLINE": "1", "PYTHONWARNINGS": "error"}
        return subprocess.run(
            [sys.executable, *map(str, arguments)],
            cwd=cwd or tmp_path,
            env={**kept, **own, **environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


class Hub(ThreadingHTTPServer):
    """As much of the Hub as `huggingface_hub` and `datasets` ask for, in memory.

    Attributes:
        repos: Id -> {"private", "branches": {name: commit}, "tags": {name: commit}}.
        commits: Commit -> {path: bytes}.
        requests: ``METHOD path`` of each request, in order.
        broken: Regular expression on such a line -> status to answer instead.
    """

    request_queue_size = 64

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.repos = {}
        self.commits = {}
        self.lfs = {}
        self.requests = []
        self.broken = {}

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def commit(self, files):
        oid = hashlib.sha1(f"{len(self.commits)}".encode()).hexdigest()
        self.commits[oid] = files
        return oid

    def add_repo(self, name, *, private=True, files=None):
        head = self.commit(files or {})
        self.repos[name] = {"private": private, "branches": {"main": head}, "tags": {}}

    def files(self, name, revision="main"):
        repo = self.repos[name]
        return self.commits[(repo["branches"] | repo["tags"]).get(revision, revision)]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def answer(self, status, body=b"", **headers):
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)

    def handle_any(self):
        parts = urlsplit(self.path)
        self.way, self.query = unquote(parts.path), parse_qs(parts.query)
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        line = f"{self.command} {self.way}"
        self.server.requests.append(line)
        for pattern, status in self.server.broken.items():
            if re.search(pattern, line):
                return self.answer(status, {"error": "broken on purpose"})
        signed = self.command == "PUT"  # the address of an upload is itself the permission
        if not signed and self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return self.answer(401, {"error": "Invalid credentials"}, X_Error_Message="Invalid")
        for method, pattern, action in ROUTES:
            found = re.fullmatch(pattern, self.way)
            if found and self.command in method:
                return getattr(self, action)(*found.groups())
        return self.answer(404, {"error": f"no route {line}"})

    do_GET = do_HEAD = do_POST = do_PUT = handle_any  # noqa: N815 - names of the base class

    def repo(self, name):
        repo = self.server.repos.get(name)
        if repo is None:
            self.answer(404, {"error": "no repo"}, X_Error_Code="RepoNotFound")
        return repo

    def revision(self, name, revision):
        """Id of a commit, or None when an error was answered."""
        repo = self.repo(name)
        if repo is None:
            return None
        commit = (repo["branches"] | repo["tags"]).get(revision, revision)
        if commit not in self.server.commits:
            return self.answer(404, {"error": "no revision"}, X_Error_Code="RevisionNotFound")
        return commit

    def create(self):
        asked = json.loads(self.body)
        name = f"{asked['organization']}/{asked['name']}"
        if asked["organization"] == "others":
            return self.answer(403, {"error": "You don't have the rights"})
        url = f"{self.server.url}/datasets/{name}"
        if name in self.server.repos:
            return self.answer(409, {"error": "exists", "url": url})
        self.server.add_repo(name, private=asked.get("visibility", "private") == "private")
        return self.answer(200, {"url": url})

    def validate_yaml(self):
        good = json.loads(self.body)["content"].startswith("---\n")
        self.answer(200, {"errors": [] if good else [{"message": "no YAML"}], "warnings": []})

    def info(self, name, revision="main"):
        commit = self.revision(name, revision)
        if commit:
            files = [{"rfilename": path} for path in self.server.commits[commit]]
            private = self.server.repos[name]["private"]
            self.answer(200, {"id": name, "sha": commit, "private": private, "siblings": files})

    def refs(self, name):
        if repo := self.repo(name):
            body = {"converts": []}
            for kind, where in (("branches", "heads"), ("tags", "tags")):
                refs = repo[kind].items()
                body[kind] = [
                    {"name": n, "ref": f"refs/{where}/{n}", "targetCommit": c} for n, c in refs
                ]
            self.answer(200, body)

    def branch(self, name, branch):
        branches = self.repo(name)["branches"]
        status = 409 if branch in branches else 200
        branches.setdefault(branch, branches["main"])
        self.answer(status, {})

    def tag(self, name, revision):
        commit = self.revision(name, revision)
        self.server.repos[name]["tags"][json.loads(self.body)["tag"]] = commit
        self.answer(200, {})

    def preupload(self, name, revision):
        modes = []
        for path in (file["path"] for file in json.loads(self.body)["files"]):
            mode = "lfs" if path.endswith(".parquet") else "regular"
            modes.append({"path": path, "uploadMode": mode, "shouldIgnore": False})
        if self.revision(name, revision):
            self.answer(200, {"files": modes})

    def lfs_batch(self, name):
        objects = [
            {**wanted, "actions": {"upload": {"href": f"{self.server.url}/lfs/{wanted['oid']}"}}}
            for wanted in json.loads(self.body)["objects"]
        ]
        self.answer(200, {"transfer": "basic", "objects": objects})

    def lfs_put(self, oid):
        self.server.lfs[oid] = self.body
        self.answer(200 if hashlib.sha256(self.body).hexdigest() == oid else 400)

    def commit(self, name, revision):
        files = dict(self.server.files(name, revision))
        for line in self.body.splitlines():
            key, value = json.loads(line).values()
            if key == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif key == "lfsFile":
                files[value["path"]] = self.server.lfs[value["oid"]]
            elif key == "deletedFile":
                del files[value["path"]]
        commit = self.server.commit(files)
        self.server.repos[name]["branches"][revision] = commit
        url = f"{self.server.url}/datasets/{name}/commit/{commit}"
        self.answer(200, {"success": True, "commitOid": commit, "commitUrl": url})

    def entries(self, files, under):
        """Files and folders as the Hub lists them."""
        made = {}
        for path, content in files.items():
            if not path.startswith(under):
                continue
            parts = path.split("/")
            for depth in range(1, len(parts)):
                folder = "/".join(parts[:depth])
                if folder.startswith(under):
                    made[folder] = {"type": "directory", "path": folder, "oid": "0" * 40, "size": 0}
            oid = hashlib.sha256(content).hexdigest()
            made[path] = {"type": "file", "path": path, "oid": oid[:40], "size": len(content)}
            if path.endswith(".parquet"):
                made[path]["lfs"] = {"oid": oid, "size": len(content), "pointerSize": 130}
        return made

    def tree(self, name, revision, under=""):
        if commit := self.revision(name, revision):
            under = f"{under.strip('/')}/" if under else ""
            entries = self.entries(self.server.commits[commit], under)
            deep = self.query.get("recursive", ["false"])[0].lower() in {"true", "1"}
            shown = [e for p, e in entries.items() if deep or "/" not in p[len(under) :]]
            if under and not shown:
                return self.answer(404, {"error": "no entry"}, X_Error_Code="EntryNotFound")
            return self.answer(200, shown)
        return None

    def paths_info(self, name, revision):
        if commit := self.revision(name, revision):
            form = self.headers["Content-Type"].startswith("application/x-www-form")
            wanted = (parse_qs(self.body.decode()) if form else json.loads(self.body))["paths"]
            entries = self.entries(self.server.commits[commit], "")
            self.answer(200, [entries[path] for path in wanted if path in entries])

    def resolve(self, name, rest):
        revision, _, path = rest.partition("/")
        commit = self.revision(name, revision)
        if commit is None:
            return None
        content = self.server.commits[commit].get(path)
        if content is None:
            return self.answer(404, {"error": "no entry"}, X_Error_Code="EntryNotFound")
        headers = {"X_Repo_Commit": commit, "Accept_Ranges": "bytes"}
        headers["ETag"] = f'"{hashlib.sha256(content).hexdigest()}"'
        if asked := re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")):
            start, end = int(asked[1]), int(asked[2] or len(content) - 1)
            headers["Content_Range"] = f"bytes {start}-{end}/{len(content)}"
            return self.answer(206, content[start : end + 1], **headers)
        return self.answer(200, content, **headers)


_REPO = r"/api/datasets/([^/]+/[^/]+)"
ROUTES = [
    ({"POST"}, r"/api/repos/create", "create"),
    ({"POST"}, r"/api/validate-yaml", "validate_yaml"),
    ({"GET"}, _REPO, "info"),
    ({"GET"}, rf"{_REPO}/revision/(.+)", "info"),
    ({"GET"}, rf"{_REPO}/refs", "refs"),
    ({"POST"}, rf"{_REPO}/branch/(.+)", "branch"),
    ({"POST"}, rf"{_REPO}/tag/(.+)", "tag"),
    ({"POST"}, rf"{_REPO}/preupload/(.+)", "preupload"),
    ({"POST"}, rf"{_REPO}/commit/(.+)", "commit"),
    ({"GET"}, rf"{_REPO}/tree/([^/]+)(/.*)?", "tree"),
    ({"POST"}, rf"{_REPO}/paths-info/(.+)", "paths_info"),
    ({"POST"}, r"/datasets/([^/]+/[^/]+)\.git/info/lfs/objects/batch", "lfs_batch"),
    ({"PUT"}, r"/lfs/([0-9a-f]{64})", "lfs_put"),
    ({"GET", "HEAD"}, r"/datasets/([^/]+/[^/]+)/resolve/(.+)", "resolve"),
]


@pytest.fixture
def hub():
    """A Hub that nobody else has, on a free port of 127.0.0.1."""
    server = Hub()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    with server:
        yield server
        server.shutdown()
    thread.join()


@pytest.fixture
def online(hub, run_python):
    """Run Python with that Hub in place of the real one."""

    def run(*arguments, token=TOKEN, **environment):
        own = {"HF_ENDPOINT": hub.url, "HF_HUB_OFFLINE": "0", "HF_HUB_DISABLE_XET": "1"}
        own |= {"HF_TOKEN": token, "PYTHONWARNINGS": ""}  # the client warns of its own code
        return run_python(*arguments, **{**own, **environment})

    return run
