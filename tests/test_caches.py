from __future__ import annotations

import sqlite3
import subprocess
import sys

import pytest

from bwb.caches import CacheWarning, Store, text_key, user_caches

KEYS = [text_key(f"text {number}") for number in range(200)]
VALUES = {key: key * 9 for key in KEYS}


def store(folder, limit=1000):
    return Store(folder, "model", limit=limit)


def test_what_was_written_is_read(tmp_path):
    assert store(tmp_path).read(KEYS) == {}
    store(tmp_path).write(VALUES)
    assert store(tmp_path).read([*KEYS, b"other"]) == VALUES
    assert Store(tmp_path, "another model", limit=9).read(KEYS) == {}


def damage(path, how):
    if how == "no database":
        path.write_bytes(b"not a database at all" * 99)
    elif how == "empty file":
        path.write_bytes(b"")
    elif how == "overwritten":
        raw = bytearray(path.read_bytes())
        raw[4096:] = b"\xff" * (len(raw) - 4096)
        path.write_bytes(raw)
    else:
        base = sqlite3.connect(path)
        base.execute("UPDATE kept SET value = x'00112233445566'")
        base.commit()
        base.close()


@pytest.mark.parametrize("how", ["no database", "empty file", "overwritten", "bad rows"])
def test_a_damaged_file_is_ignored_and_made_anew(tmp_path, how):
    store(tmp_path).write(VALUES)
    (path,) = tmp_path.iterdir()
    damage(path, how)
    assert store(tmp_path).read(KEYS) == {}
    store(tmp_path).write(VALUES)
    assert store(tmp_path).read(KEYS) == VALUES


def test_a_damaged_file_is_replaced_by_a_write_too(tmp_path):
    store(tmp_path).write(VALUES)
    damage(store(tmp_path).path, "no database")
    store(tmp_path).write(VALUES)
    store(tmp_path).write(VALUES)
    assert store(tmp_path).read(KEYS) == VALUES


def test_a_folder_that_cannot_be_used_is_told_once(tmp_path):
    (tmp_path / "file").write_text("")
    kept = store(tmp_path / "file" / "folder")
    with pytest.warns(CacheWarning, match="BWB_CACHE"):
        assert kept.read(KEYS) == {}
    kept.write(VALUES)
    assert kept.read(KEYS) == {}


def test_the_oldest_rows_make_room(tmp_path):
    kept = store(tmp_path, limit=3)
    for key in KEYS[:5]:
        kept.write({key: b"value"})
    assert sorted(kept.read(KEYS)) == sorted(KEYS[2:5])


WRITER = """
import sys
from pathlib import Path
from bwb.caches import Store, text_key
store = Store(Path(sys.argv[1]), "model", limit=1000)
print("ready", flush=True)
sys.stdin.readline()
for number in range(60):
    store.write({text_key(f"{sys.argv[2]} {number}"): sys.argv[2].encode()})
    store.read([text_key(str(number))])
"""


def test_processes_that_write_at_once_wait_for_each_other(tmp_path):
    names = ("one", "two", "three")
    pipe = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    running = [
        subprocess.Popen([sys.executable, "-W", "error", "-c", WRITER, str(tmp_path), name], **pipe)
        for name in names
    ]
    for process in running:  # all stand at the line
        assert process.stdout.readline() == "ready\n"
    for process in running:
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in running:
        process.communicate(timeout=100)
    assert [process.returncode for process in running] == [0, 0, 0]
    for name in names:
        found = store(tmp_path).read([text_key(f"{name} {number}") for number in range(60)])
        assert len(found) == 60
        assert set(found.values()) == {name.encode()}


def test_the_folder_is_the_users_to_choose(monkeypatch, tmp_path):
    monkeypatch.setenv("BWB_CACHE", str(tmp_path))
    assert user_caches() == tmp_path
    monkeypatch.delenv("BWB_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    assert user_caches() == tmp_path / "bwb"
