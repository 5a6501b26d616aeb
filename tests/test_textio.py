from __future__ import annotations

import os
import stat

import pytest

from bwb.errors import FormatError, InputError
from bwb.textio import read_lines, replacing


def test_only_a_line_feed_ends_a_line(tmp_path):
    file = tmp_path / "f.txt"
    file.write_bytes("a\u2028b\x0b\x0c\x85c\rd\n\ne".encode())
    assert read_lines(file)[0] == ["a\u2028b\x0b\x0c\x85c\rd", "", "e"]


def test_the_place_of_a_bad_byte_is_given_and_the_encoding_it_looks_like(tmp_path):
    file = tmp_path / "f.txt"
    file.write_bytes(b"ok\nab" + "他们".encode("gb18030") + b"\n")
    with pytest.raises(FormatError, match=r"f\.txt:2:3: .*gb18030"):
        read_lines(file)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        read_lines(tmp_path / "no.txt")


def test_a_file_takes_its_name_only_when_it_is_whole(tmp_path):
    file = tmp_path / "deep" / "f.txt"
    with replacing(file) as out:
        out.write("old")

    def fail():
        with replacing(file) as out:
            out.write("new")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert file.read_text("utf-8") == "old"
    assert [f.name for f in file.parent.iterdir()] == ["f.txt"]
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(file.stat().st_mode) == 0o666 & ~umask
