"""Tables of scores in every form, and what is wrong with them."""

from __future__ import annotations

import json
import math

import pytest

from bwb.cli import main
from bwb.errors import FormatError, InputError, UnknownNameError
from bwb.metrics.meta_grid import join, lower_is_better, merge
from bwb.metrics.meta_table import read_scores


def written(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


WIDE = "system,document,bleu,ter\na,1,0.5,0.25\na,2,,0.5\nb,1,0.25,1\n"


def test_all_forms_say_the_same(tmp_path):
    wide = read_scores(written(tmp_path, "w.csv", WIDE))
    assert wide.form == "wide"
    assert wide.scores["ter"] == {("a", "1"): 0.25, ("a", "2"): 0.5, ("b", "1"): 1}
    assert math.isnan(wide.scores["bleu"]["a", "2"])
    rows = [
        {"system": system, "document": document, "metric": metric, "score": score}
        for metric, scores in wide.scores.items()
        for (system, document), score in scores.items()
    ]
    rows = [row | {"score": None if math.isnan(row["score"]) else row["score"]} for row in rows]
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    cells = [["" if cell is None else str(cell) for cell in row.values()] for row in rows]
    tsv = "\n".join("\t".join(row) for row in [list(rows[0]), *cells])
    flat = {}
    for row in rows:
        key = {name: row[name] for name in ("system", "document")}
        flat.setdefault(tuple(key.values()), key)[row["metric"]] = row["score"]
    others = {
        "long.jsonl": ("long", lines),
        "long.tsv": ("long", tsv),
        "wide.jsonl": ("wide", "\n".join(map(json.dumps, flat.values()))),
        "list.json": ("report", json.dumps(rows)),
        "score.json": ("report", json.dumps({"schema_version": 1, "results": rows})),
    }
    for name, (form, text) in others.items():
        found = read_scores(written(tmp_path, name, text))
        assert found.form == form
        assert str(found.scores) == str(wide.scores), name  # nan is not equal to itself


def test_no_document_is_the_system_as_a_whole(tmp_path):
    path = written(tmp_path, "h.csv", "system,document,mqm\n a ,,3\na,1,4\n\n7,2,1\n")
    assert read_scores(path).scores["mqm"] == {("a", None): 3, ("a", "1"): 4, ("7", "2"): 1}
    path = written(tmp_path, "n.jsonl", '{"system": 7, "document": 2, "mqm": 1}\n')
    assert read_scores(path).scores["mqm"] == {("7", "2"): 1}


def test_a_file_of_results_has_systems_and_documents(tmp_path, capsys):
    path = tmp_path / "results.json"
    assert main(["score", "--metrics", "pronoun", "--json", "--out", str(path)]) == 0
    printed = json.loads(capsys.readouterr().out)["results"]
    found = read_scores(path)
    assert (found.form, set(found.scores)) == ("results", {"pronoun"})
    scores = found.scores["pronoun"]
    for row in printed:
        assert scores[row["system"], None] == pytest.approx(row["score"])
    documents = [document for _, document in scores if document is not None]
    assert len(documents) == 8 * len(printed)
    assert all(0 <= score <= 1 for score in scores.values())


def test_what_a_long_table_holds_besides_is_named(tmp_path):
    text = "system,metric,score,seconds\na,bleu,1,20\n"
    assert read_scores(written(tmp_path, "l.csv", text)).unread == ("seconds",)
    line = '{"system": "a", "metric": "CE", "score": 2, "mistakes": ["x"]}\n'
    assert read_scores(written(tmp_path, "l.jsonl", line)).unread == ("mistakes",)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "", "empty"),
        ("a.csv", "system,x\n", "no scores"),
        ("a.csv", "document,x\n1,2\n", r"a\.csv:1: columns 'document', 'x'; expected system"),
        ("a.csv", "system\na\n", "a column a metric"),
        ("a.csv", "system,x,x\na,1,1\n", "each name once"),
        ("a.csv", "system,x,\na,1,1\n", "each name once"),
        ("a.csv", "system,x\na,1\n\nb\n", r"a\.csv:4: 1 cells, the header has 2"),
        ("a.csv", "system,x\na,good\n", r"a\.csv:2: x 'good' is no score"),
        ("a.csv", "system,x\na,inf\n", "'inf' is no score"),
        ("a.csv", "system,x\na,nan\n", "'nan' is no score"),
        ("a.csv", "system,x\n,1\n", "without a system"),
        ("a.csv", "system,x\na,1\na,1\n", r"a\.csv:3: x of a for a second time"),
        ("a.csv", 'system,x\n"a,1\n', "closed quotes"),
        ("a.csv", "system,metric,score\na,,1\n", "without a metric"),
        ("a.csv", "system,document,metric,score\na,1,m,1\na,1,m,2\n", "m of a 1 for a second"),
        ("a.jsonl", "{}\n", "expected system"),
        ("a.jsonl", "[1]\n", "is no object"),
        ("a.jsonl", '{"system": "a", "x": 1}\n{"system"\n', r"a\.jsonl:2: no JSON"),
        ("a.jsonl", '{"system": "a", "x": true}\n', "True is no score"),
        ("a.jsonl", '{"system": "a", "x": [1]}\n', r"\[1\] is no score"),
        ("a.jsonl", '{"system": ["a"], "x": 1}\n', "expected a name"),
        (
            "a.jsonl",
            '{"system": "a", "x": 1}\n{"system": "a", "metric": "m", "score": 1}\n',
            r"a\.jsonl:2: a row in long form after rows in wide",
        ),
        ("a.json", "[", "no JSON"),
        ("a.json", '{"x": 1}', "expected a list of rows"),
        ("a.json", "[1]", "result 1: 1 is no object"),
        ("a.json", '[{"system": "a"}]', "result 1: keys system; expected system, metric, score"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path, name, text, message):
    with pytest.raises(FormatError, match=message):
        read_scores(written(tmp_path, name, text))


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        read_scores(tmp_path / "none.csv")
    with pytest.raises(InputError, match=r"is \.csv, .* not '\.txt'"):
        read_scores(written(tmp_path, "a.txt", WIDE))


def side(**columns):
    return {
        name: {(system, document): value for system, document, value in rows}
        for name, rows in columns.items()
    }


def test_joining_keeps_order_turns_signs_and_averages():
    metrics = side(ter=[("b", "1", 0.25), ("b", "2", 0.75), ("a", "1", 1.0)])
    human = side(mqm=[("a", "1", 3.0), ("b", "2", 1.0), ("b", "1", 2.0)])
    grid = join(metrics, human, lower=["ter"])
    assert (grid.systems, grid.documents) == (("b", "a"), ("1", "2"))
    assert grid.metrics["ter"].single.tolist()[0] == [-0.25, -0.75]
    assert math.isnan(grid.metrics["ter"].single[1, 1])
    assert grid.metrics["ter"].whole.tolist() == [-0.5, -1.0]
    assert grid.metrics["ter"].averaged
    assert grid.human["mqm"].whole.tolist() == [1.5, 3.0]


def test_a_score_of_the_system_is_not_the_mean_of_its_documents():
    metrics = side(bleu=[("a", "1", 0.25), ("a", None, 0.75)])
    grid = join(metrics, side(mqm=[("a", "1", 1.0)]))
    assert grid.metrics["bleu"].whole.tolist() == [0.75]
    assert not grid.metrics["bleu"].averaged
    # Where one side has no documents there is no level of documents, but there are means.
    grid = join(side(m=[("a", "1", 1.0), ("a", "2", 2.0)]), side(mqm=[("a", None, 1.0)]))
    assert (grid.documents, grid.metrics["m"].whole.tolist()) == ((), [1.5])


def test_ids_of_one_side_only_are_listed_and_left_out_if_asked_for():
    metrics = side(m=[("a", "1", 1.0), ("b", "1", 2.0), ("b", "3", 9.0)])
    human = side(h=[("a", "1", 1.0), ("c", "2", 2.0)])
    with pytest.raises(InputError, match=r"without human scores \(1\): 'b'; .* 'c'.*--common"):
        join(metrics, human)
    grid = join(metrics, human, common=True)
    assert (grid.systems, grid.documents) == (("a",), ("1",))
    assert grid.left_out["documents without metric scores"] == ("2",)
    with pytest.raises(InputError, match="no systems in common"):
        join(metrics, side(h=[("x", "1", 1.0)]), common=True)
    with pytest.raises(InputError, match="'m' is the name of a score on both sides"):
        join(metrics, metrics)


def test_directions():
    names = ["ter", "TER", "ter.score", "ter.f1", "bleu", "mqm"]
    assert lower_is_better(names) == {"ter", "TER", "ter.score"}
    assert lower_is_better(names, ["mqm"], ["TER"]) == {"ter", "ter.score", "mqm"}
    with pytest.raises(UnknownNameError, match="unknown score 'mqn'"):
        lower_is_better(names, ["mqn"])
    with pytest.raises(InputError, match="both when lower and when higher"):
        lower_is_better(names, ["mqm"], ["mqm"])


def test_two_files_with_one_metric(tmp_path):
    one = read_scores(written(tmp_path, "a.csv", WIDE))
    other = read_scores(written(tmp_path, "b.csv", "system,bleu\na,1\n"))
    with pytest.raises(InputError, match=r"b\.csv: 'bleu' is also in .*a\.csv"):
        merge([one, other])
