"""`bwb coref`: scores of predicted chains."""

import argparse
import json

import pytest

from bwb.cli import coref
from bwb.errors import BwbError

HEAD = "#begin document (river/{}); part 000"
SCORES = ["mentions", "muc", "b3", "ceafm", "ceafe", "lea", "blanc"]
# Name in the file of official cases → ours.
OFFICIAL = {
    "mentions": "mentions",
    "muc": "muc",
    "bcub": "b3",
    "ceafm": "ceafm",
    "ceafe": "ceafe",
    "lea": "lea",
}


def conll(path, *documents):
    """Write documents: lists of tokens, and clusters of [first, last] tokens."""
    lines = []
    for number, (tokens, clusters) in enumerate(documents, 1):
        cells = [[] for _ in tokens]
        for name, cluster in enumerate(clusters):
            for first, last in cluster:
                if first == last:
                    cells[first].append(f"({name})")
                else:
                    cells[first].append(f"({name}")
                    cells[last].append(f"{name})")
        lines.append(HEAD.format(number))
        for at, (token, cell) in enumerate(zip(tokens, cells, strict=True)):
            lines.append(f"river 0 {at} {token} {'|'.join(cell) or '-'}")
        lines += ["", "#end document"]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def run(capsys, *arguments):
    parser = argparse.ArgumentParser()
    coref.add_arguments(parser)
    code = coref.run(parser.parse_args([str(argument) for argument in arguments]))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def run_json(capsys, *arguments):
    code, out, _ = run(capsys, *arguments, "--json")
    assert code == 0
    return json.loads(out)


WORDS = ["Lin", "left", "and", "she", "slept", ".", "Bo", "woke"]


@pytest.fixture
def files(tmp_path):
    key = conll(tmp_path / "key.conll", (WORDS, [[(0, 0), (3, 3)], [(6, 6)]]), (WORDS, [[(0, 1)]]))
    response = conll(tmp_path / "a.response", (WORDS, [[(0, 0), (6, 6)]]), (WORDS, [[(0, 1)]]))
    return key, response


def test_counts_are_summed_over_documents(files, capsys):
    body = run_json(capsys, *files)
    assert body["schema_version"] == "1"
    assert body["documents"] == 2
    assert "per_document" not in body
    numbers = ("recall_num", "recall_den", "precision_num", "precision_den")
    assert [body["mentions"][name] for name in numbers] == [3, 4, 3, 3]
    assert [body["muc"][name] for name in numbers] == [0, 1, 0, 1]
    # Key: {Lin, she}, {Bo}, {Lin left}; response: {Lin, Bo}, {Lin left}.
    assert [body["b3"][name] for name in numbers] == [0.5 + 1 + 1, 4, 1 + 1, 3]
    assert body["b3"]["recall"] == 2.5 / 4
    assert body["conll_f1"] == pytest.approx(
        (body["muc"]["f1"] + body["b3"]["f1"] + body["ceafe"]["f1"]) / 3
    )
    assert set(body["blanc"]) >= {"recall", "precision", "f1", "coreferent", "non_coreferent"}
    assert set(body["blanc_luo2014"]) == {"recall", "precision", "f1"}


def test_each_document_by_itself(files, capsys):
    body = run_json(capsys, *files, "--documents")
    first, second = body["per_document"]
    assert (first["document"], second["document"]) == ("river/1", "river/2")
    assert first["mentions"]["recall_den"] + second["mentions"]["recall_den"] == 4
    assert second["b3"]["f1"] == 1.0
    # No links on either side: MUC is undefined there, and so is the mean.
    assert second["muc"]["f1"] is None
    assert second["conll_f1"] is None


def test_the_key_against_itself(files, capsys):
    body = run_json(capsys, files[0], files[0])
    assert [body[name]["f1"] for name in SCORES] == [1.0] * len(SCORES)
    assert body["conll_f1"] == 1.0


def test_the_table(files, capsys):
    code, out, err = run(capsys, *files, "--documents")
    assert code == 0
    assert not err
    assert "2 documents" in out
    assert "river/1" in out
    assert all(
        name in out
        for name in ("MUC", "B3", "CEAFm", "CEAFe", "LEA", "BLANC (Luo 2014)", "CoNLL F1")
    )
    assert "62.50" in out  # B3 recall


def test_a_mention_given_twice_is_told(tmp_path, capsys):
    key = conll(tmp_path / "key", (WORDS, [[(0, 0), (3, 3)]]))
    twice = conll(tmp_path / "response", (WORDS, [[(0, 0), (3, 3)], [(0, 0), (6, 6)]]))
    code, out, err = run(capsys, key, twice, "--json")
    assert code == 0
    assert "1 mention given twice" in err
    assert json.loads(out)["repeated_mentions"] == 1


def test_errors_name_what_is_wrong(files, tmp_path, capsys):
    one = conll(tmp_path / "one", (WORDS, []))
    other = conll(tmp_path / "other", (["Lin", "ran", *WORDS[2:]], []), (WORDS, []))
    empty = tmp_path / "empty.conll"
    empty.write_text("", "utf-8")
    for response, message in (
        (one, "the response lacks 'river/2'"),
        (other, "document 'river/1': token 2 is 'left' in the key and 'ran' in the response"),
        (empty, "empty.conll"),
        (tmp_path / "absent", "no such file"),
    ):
        with pytest.raises(BwbError, match=message):
            run(capsys, files[0], response)
    with pytest.raises(BwbError, match="the key lacks 'river/2'"):
        run(capsys, one, files[0])


def test_a_language_that_is_not_there(capsys, tmp_path):
    path = tmp_path / "key.en.conll"
    conll(path, (WORDS, [[(0, 0)]]))
    with pytest.raises(BwbError, match="language 'zh'"):
        run(capsys, path, path, "--lang", "zh")
    assert run_json(capsys, path, path, "--lang", "en")["documents"] == 1


def test_the_official_cases(shared_data, tmp_path, capsys):
    cases = json.loads((shared_data / "coref" / "coref.json").read_text("utf-8"))["cases"]
    scored = 0
    for case in cases:
        sides = []
        for side in ("key", "response"):
            documents = [
                ([f"w{n}" for n in range(len(d["tokens"]))], d[side]) for d in case["documents"]
            ]
            sides.append(conll(tmp_path / f"{case['id']}.{side}", *documents))
        body = run_json(capsys, *sides)
        for name, ours in OFFICIAL.items():
            expected = case["expected"][name]
            for part in ("recall", "precision"):
                value = body[ours][part]
                # The official scorer prints 0 where the denominator is 0.
                assert (value or 0) == pytest.approx(expected[part] or 0, abs=1e-9), (
                    case["id"],
                    name,
                )
        scored += 1
    assert scored == 36
