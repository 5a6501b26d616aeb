"""The wheel is what people install: it must work alone, outside the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(repository, tmp_path_factory):
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out)]
    subprocess.run([*command, str(repository)], check=True, capture_output=True)
    (file,) = out.glob("*.whl")
    return file


def test_its_only_top_level_package_is_bwb(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"bwb"}
    assert "bwb/_assets/annotations/sample/corpus.toml" in names
    assert "bwb/_assets/DATASET_CARD.md" in names
    assert "bwb/_assets/annotations/pronouns.toml" in names
    assert "bwb/py.typed" in names


def test_installed_in_a_clean_environment_it_runs_the_demo(wheel, tmp_path):
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, str(wheel)], check=True, cwd=tmp_path)
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "BWB", "HF_"))}
    clean |= {"HOME": str(tmp_path / "home"), "HF_HUB_OFFLINE": "1"}
    command = [str(tmp_path / "env" / "bin" / "bwb"), "demo", "--out", "demo"]
    done = subprocess.run(
        command, cwd=tmp_path, env=clean, check=True, capture_output=True, text=True
    )
    assert "post-edited" in done.stdout
    assert (tmp_path / "demo" / "README.md").is_file()
    where = [str(python), "-c", "import bwb; print(bwb.__file__)"]
    found = subprocess.run(
        where, cwd=tmp_path, env=clean, check=True, capture_output=True, text=True
    )
    assert found.stdout.startswith(str(tmp_path))
