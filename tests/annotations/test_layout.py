from __future__ import annotations

import pytest

from bwb.annotations.layout import find_documents, guess_lang, natural_key, side_path
from bwb.errors import InputError


def touch(folder, *names):
    for name in names:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x\n", "utf-8")


def test_sides_are_paired_and_chapters_are_in_natural_order(tmp_path):
    touch(tmp_path, "b/10.zh.an.txt", "b/10.en.an.txt", "b/9.chs_re.an.txt", "b/9.ref_re.an.txt")
    touch(tmp_path, "a/x.an.txt", ".hidden/1.zh.an.txt")
    found = find_documents(tmp_path, ".an.txt")
    assert [d.id for d in found] == ["a/x", "b/9", "b/10"]
    assert found[0].untagged == tmp_path / "a/x.an.txt"
    assert set(found[1].files) == {"zh", "en"}
    assert (found[2].book, found[2].chapter) == ("b", "10")


def test_a_folder_of_chapters_is_a_book(tmp_path):
    touch(tmp_path / "river", "1.zh.an.txt")
    assert [d.id for d in find_documents(tmp_path / "river", ".an.txt")] == ["river/1"]
    (one,) = find_documents(tmp_path / "river" / "1.zh.an.txt", ".an.txt")
    assert one.id == "river/1"


def test_two_files_for_one_side_are_an_error(tmp_path):
    touch(tmp_path, "b/1.zh.an.txt", "b/1.chs_re.an.txt")
    with pytest.raises(InputError, match="two files for the same side"):
        find_documents(tmp_path, ".an.txt")


def test_nothing_there_is_an_error(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        find_documents(tmp_path / "no", ".an.txt")


@pytest.mark.parametrize(("text", "lang"), [("她说OK", "zh"), ("She said 好.", "en"), ("", "en")])
def test_the_language_is_guessed_by_its_script(text, lang):
    assert guess_lang(text) == lang


def test_natural_key_orders_numbers_as_numbers():
    assert sorted(["b10", "b9", "a"], key=natural_key) == ["a", "b9", "b10"]


@pytest.mark.parametrize("name", ["../x", "a//b", "/a", "a/.."])
def test_an_id_cannot_lead_out_of_the_folder(tmp_path, name):
    with pytest.raises(InputError, match="cannot be used"):
        side_path(tmp_path, name, "zh", ".an.txt")
