"""A line of 100,000 characters with thousands of mentions goes through every format whole."""

from __future__ import annotations

import pytest

from bwb.annotations import brat, conllu, docbin
from bwb.annotations.assemble import assemble
from bwb.records import Mention, Side


@pytest.mark.parametrize("form", [brat, conllu, docbin])
def test_long_lines(form, tmp_path):
    text = "林晚 " * 33_334
    mentions = tuple(
        Mention(f"m{i}", f"{i % 50}", 3 * i, 3 * i + 2, 0, "林晚", "PER", "name")
        for i in range(0, 33_334, 10)
    )
    document = assemble("b/1", "b", "1", Side("zh", (text,), ("entity",), mentions), None)
    form.write([document], tmp_path)
    assert list(form.read(tmp_path)) == [document]
