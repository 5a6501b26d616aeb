"""The code on the pages runs, in order, and prints what the pages show."""

from __future__ import annotations

import pytest

# Pages with code that is run; a page that is not here has none, which is tested too.
RUN = (
    "index.md",
    "tutorials/load.md",
    "tutorials/rebuild.md",
    "tutorials/score.md",
    "metrics/variants.md",
    "extend.md",
    "human.md",
    "judge.md",
    "reports.md",
)


@pytest.fixture
def tutorials(sitegen):
    from sitegen import tutorials

    return tutorials


@pytest.mark.parametrize("page", RUN)
def test_a_page_prints_what_it_shows(tutorials, repository, tmp_path, page):
    text = (repository / "docs" / page).read_text("utf-8")
    found = tutorials.steps(text)
    assert any(step.shown for step in found)
    wrong = [
        f"line {step.line} prints\n{printed}\nand not\n{step.shown}"
        for step, printed in tutorials.differences(text, tmp_path)
    ]
    assert wrong == []


def test_no_page_has_code_that_is_not_run(tutorials, repository):
    docs = repository / "docs"
    with_code = {
        page.relative_to(docs).as_posix()
        for page in docs.rglob("*.md")
        if page.name != "README-proposal.md" and tutorials.steps(page.read_text("utf-8"))
    }
    assert with_code == set(RUN)


def test_blocks_are_run_in_one_folder_and_one_interpreter(tutorials, tmp_path):
    blocks = ("python\nx = 1", "bash\necho 2 > y", "python\nprint(x, open('y').read())")
    text = "\n".join(f"```{block}\n```\n" for block in blocks)
    with tutorials.Session(tmp_path) as session:
        assert [session.run(step) for step in tutorials.steps(text)] == ["", "", "1 2\n\n"]


def test_a_difference_is_found_and_can_be_written(tutorials, tmp_path):
    text = "```python\nprint('b  7.25')\n```\n\n```text\na\n```\n"
    changes = list(tutorials.differences(text, tmp_path))
    assert [printed for _, printed in changes] == ["b  7.25\n"]
    written = tutorials._rewritten(text, changes)
    assert "```text\nb  7.25\n```" in written
    assert list(tutorials.differences(written, tmp_path)) == []


@pytest.mark.parametrize("code", ["```python\n1 / 0\n```\n", "```bash\nexit 3\n```\n"])
def test_a_block_that_fails_is_an_error_with_its_line(tutorials, tmp_path, code):
    with pytest.raises(tutorials.RunError, match="line 3"):
        list(tutorials.differences(f"# A\n\n{code}", tmp_path))


def test_norun_and_other_languages_are_not_run(tutorials):
    text = "```{ .bash .norun }\nexit 1\n```\n\n```toml\na = 1\n```\n\n```text\nx\n```\n"
    assert tutorials.steps(text) == []


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a  b\n c", "a b c", True),
        ("P 49.7 R", "P 49.8 R", True),
        ("P 49.7 R", "P 50.0 R", False),
        ("8 documents", "9 documents", False),
        ("a ... z", "a b\nc z", True),
        ("a ... z", "b z", False),
        ("data@...|x", "data@1f|x", True),
        ("(a.b)", "(axb)", False),
    ],
)
def test_what_counts_as_the_same(tutorials, shown, printed, same):
    assert tutorials.matches(shown, printed) is same
