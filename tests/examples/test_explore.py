"""The notebook runs from top to bottom, without a network, and is stored without outputs."""

from __future__ import annotations

import os
import subprocess
import sys

import nbformat
import pytest

RUN = """
import sys, nbformat
from nbclient import NotebookClient
book = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(book, timeout=300, kernel_name="python3").execute()
nbformat.write(book, sys.argv[2])
"""


@pytest.fixture(scope="module")
def notebook(repository):
    return repository / "examples" / "explore.ipynb"


@pytest.fixture(scope="module")
def executed(notebook, tmp_path_factory):
    """The cells after a run, in a process of their own: what Jupyter warns of is not ours."""
    folder = tmp_path_factory.mktemp("notebook")
    environment = {
        **os.environ,
        "HF_HOME": str(folder / "hf"),
        "HF_HUB_OFFLINE": "1",
        "IPYTHONDIR": str(folder / "ipython"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
    }
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(notebook), str(folder / "run.ipynb")],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return [c for c in nbformat.read(folder / "run.ipynb", as_version=4).cells if c.source]


def printed(cell):
    return "".join(out.text for out in cell.outputs if out.output_type == "stream")


def test_every_cell_of_code_prints_or_plots(executed):
    code = [cell for cell in executed if cell.cell_type == "code"]
    assert len(code) >= 8
    assert [cell.source for cell in code if not cell.outputs] == []
    kinds = [out.get("data", {}) for cell in code for out in cell.outputs]
    assert sum("image/png" in data for data in kinds) == 3


def test_what_it_finds(executed):
    text = "\n".join(printed(cell) for cell in executed if cell.cell_type == "code")
    assert "8 chapters, 252 sentence pairs" in text
    assert "lantern-ferry" in text
    assert "terminology" in text
    assert "p = 0.0078" in text


def test_it_is_stored_without_outputs_and_in_plain_form(notebook):
    book = nbformat.read(notebook, as_version=4)
    nbformat.validate(book)
    code = [cell for cell in book.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    assert notebook.stat().st_size < 30_000
