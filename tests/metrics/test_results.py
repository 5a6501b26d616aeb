from __future__ import annotations

import json

import pytest

from bwb.errors import FormatError, InputError
from bwb.metrics import METRICS
from bwb.metrics.blonde import Blonde
from bwb.metrics.consistency import Ltcr
from bwb.metrics.entity import Entity
from bwb.metrics.results import FORMAT_VERSION, arguments, read_results, write_results
from bwb.metrics.results_make import missed_by_line, turned_lines, worst_lines
from bwb.metrics.stats import compare, score_intervals
from tests.report.scored_corpus import BAD, GOOD, document, results


@pytest.fixture(scope="module")
def made():
    return results()


@pytest.fixture
def written(made, tmp_path):
    path = tmp_path / "results.json"
    write_results(path, made)
    return path


def changed(path, change):
    body = json.loads(path.read_text())
    change(body)
    path.write_text(json.dumps(body))
    return path


def test_what_is_read_is_what_was_written(made, written):
    back = read_results(written)
    assert back == made
    assert [row.scores() for row in back.scored] == [row.scores() for row in made.scored]
    assert back.texts[("book/1", 1)].outputs["bad"] == "He held his lamp."


def test_statistics_need_no_texts(made, written):
    back = read_results(written)
    for old, new in zip(made.scored, back.scored, strict=True):
        how = {"resamples": 200, "seed": 3}
        assert compare(old.metric, old.tallies, **how) == compare(new.metric, new.tallies, **how)
        assert score_intervals(old.metric, old.tallies, **how) == score_intervals(
            new.metric, new.tallies, **how
        )


def test_the_file_says_what_a_report_needs(made):
    assert made.systems == ["good", "bad"]
    first = made.documents[0]
    # Lin Xi's pronouns: She her She her, both "her" omitted in Chinese.
    assert (first.id, first.book, first.genre, first.sentences) == ("book/1", "book", "g", 4)
    assert first.omitted == {"en": 0.5}
    assert made.data["data"].startswith("small@")
    assert [row.name for row in made.metrics] == ["entity", "pronoun", "quotation", "ter"]
    assert made.metrics[0].signature.startswith("entity|case:lc")


def test_texts_can_be_left_out():
    assert results(texts=False).quoted == []
    assert results().quoted


def test_whole_documents_are_not_looked_at_line_by_line():
    from bwb.metrics.results_make import make_results
    from bwb.metrics.scoring import score_systems
    from bwb.metrics.ter import Ter

    one = document()
    outputs = {"good": {one.id: GOOD}}
    scored = score_systems([one], outputs, [Ter()], data={"data": "x@y", "unit": "document"})
    made = make_results(scored, [one], outputs)
    assert (made.pronouns, made.quoted) == ([], [])


def test_nothing_scored_is_nothing_to_write():
    from bwb.metrics.results_make import make_results

    with pytest.raises(InputError, match="nothing was scored"):
        make_results([], [document()], {"good": {"book/1": GOOD}})


def test_arguments_that_are_not_the_default_are_kept():
    assert arguments(Entity()) == {}
    assert arguments(Entity(case=True)) == {"case": True}
    assert arguments(Ltcr(unaligned="left_out")) == {"unaligned": "left_out"}
    kept = arguments(Blonde(plus=True, categories=["tense", "1"], references={"d": [["x"]]}))
    assert kept == {"plus": True, "categories": ["tense", "1"]}
    again = Blonde(**json.loads(json.dumps(kept)))
    assert again.settings.scored == Blonde(**kept).settings.scored == ("tense", "1")


@pytest.mark.parametrize("name", sorted(METRICS))
def test_every_metric_is_made_again_from_its_arguments(name):
    metric = METRICS[name]()
    again = METRICS[name](**arguments(metric))
    assert (again.name, again.options()) == (name, metric.options())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda b: b.update(format="other"), "not a file of results"),
        (lambda b: b.update(format_version="1"), "format_version: found '1'; expected 1 to"),
        (lambda b: b.update(extra=1), "extra: .*found 1"),
        (lambda b: b.pop("systems"), "systems: Field required"),
        (lambda b: b["documents"][0].update(sentences="four"), "documents.0.sentences: .*'four'"),
        (lambda b: b["documents"].append(b["documents"][0]), "an id occurs twice"),
        (lambda b: b.update(metrics=[]), "expected one or more of each"),
        (lambda b: b["metrics"][0].update(name="entitty"), "did you mean 'entity'"),
        (lambda b: b["metrics"][0].update(arguments={"no": 1}), "unexpected keyword argument"),
        (lambda b: b["metrics"][0].update(documents=["x", "y"]), "'x' is not among the documents"),
        (lambda b: b["metrics"][0]["tallies"].pop("bad"), "tallies: systems"),
        (lambda b: b["metrics"][0]["tallies"]["bad"].pop(), "1 rows; expected 2"),
        (
            lambda b: b["metrics"][0]["tallies"]["bad"][0]["misses"][0].__setitem__(0, 99),
            "sentence 99 of 'book/1'; expected 0 to 3",
        ),
        (lambda b: b["pronouns"][0].update(document="no"), "expected a document that is listed"),
        (lambda b: b["pronouns"][0].update(outputs={"x": {}}), "'x' is not among the systems"),
        (
            lambda b: b["metrics"][1]["scores"]["bad"].update(score=0.9),
            r"metrics.1 \(pronoun\).scores.bad.score: 0.9, but the counts come to 0\.\d+",
        ),
        (
            lambda b: b["metrics"][1]["scores"]["bad"].update(score=None),
            "scores.bad.score: None, but the counts",
        ),
    ],
)
def test_a_file_that_is_not_right_is_refused(written, change, said):
    with pytest.raises(FormatError, match=said) as caught:
        read_results(changed(written, change))
    assert str(written) in str(caught.value)


def test_a_file_of_a_later_version_is_refused(written):
    def later(body):
        body.update(format_version=FORMAT_VERSION + 1, version="9.9")

    with pytest.raises(InputError, match=r"format_version 2, written by bwb 9\.9"):
        read_results(changed(written, later))


def test_what_is_no_json_names_its_line(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('{"format":\n  oops}')
    with pytest.raises(FormatError, match=r"x\.json:2: not JSON"):
        read_results(path)
    with pytest.raises(InputError, match="No such file"):
        read_results(tmp_path / "none.json")


def test_a_failed_writing_leaves_the_old_file(made, written):
    from dataclasses import replace

    before = written.read_bytes()
    with pytest.raises(TypeError):
        write_results(written, replace(made, command=[object()]))
    assert written.read_bytes() == before
    assert [path.name for path in written.parent.iterdir()] == ["results.json"]


def test_worst_lines_count_what_several_metrics_miss_once(made):
    found = missed_by_line(made.scored, "bad")
    assert found[("book/1", 0)] == {"Lin Xi": 1}
    assert found[("book/1", 1)] == {"feminine": 2}
    assert worst_lines(made.scored, "bad", 2) == [("book/1", 1), ("book/1", 3)]
    assert worst_lines(made.scored, "good", 5) == []


def test_turned_lines(made):
    assert turned_lines(made.pronouns, "bad", "feminine", "masculine") == [
        (("book/1", 1), 2),
        (("other/1", 1), 2),
    ]
    assert turned_lines(made.pronouns, "good", "feminine", "masculine") == []
    assert BAD != GOOD
