"""Score predicted coreference against a key, text by text with the same name.

Printed are recall, precision and F1 of MUC, B3, CEAFm, CEAFe, LEA, BLANC (as the official scorer
and as Luo et al. 2014 treat missing kinds of links) and of the mentions found, and the CoNLL F1,
the mean of the F1 of MUC, B3 and CEAFe. Numerators and denominators are summed over documents,
then divided. Singletons count wherever they are written down, on either side.

Both sides are CoNLL-2012 files (of any name, or folders of .conll files), CoNLL-U, documents in
JSONL, whatever else `bwb` reads, or predictions in JSONL; they have to have the same documents
with the same text.

Examples:
  bwb coref key.conll response.conll
  bwb coref key.conll predicted.jsonl --documents --json
  bwb coref annotations/sample second.jsonl --lang en
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bwb.cli.common import note, plural, print_json

if TYPE_CHECKING:
    import argparse

    from bwb.corefscores import CorefCounts, Ratio

_TITLES = {
    "mentions": "mentions",
    "muc": "MUC",
    "b3": "B3",
    "ceafm": "CEAFm",
    "ceafe": "CEAFe",
    "lea": "LEA",
    "blanc": "BLANC",
    "blanc_luo2014": "BLANC (Luo 2014)",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("key", type=Path, help="the annotated chains")
    parser.add_argument("response", type=Path, help="the predicted chains")
    parser.add_argument("--lang", choices=("zh", "en"), help="only texts in this language")
    parser.add_argument("--documents", action="store_true", help="each document by itself, too")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from bwb.coref.predictions import pair_clusterings, read_clusterings
    from bwb.corefscores import count, score

    pairs = pair_clusterings(
        read_clusterings(args.key, lang=args.lang), read_clusterings(args.response, lang=args.lang)
    )
    total = score((key.clusters, response.clusters) for key, response in pairs)
    apart = (
        {key.name: count(key.clusters, response.clusters) for key, response in pairs}
        if args.documents
        else {}
    )
    repeats = _repeats(pairs)
    if repeats:
        note(f"{plural(repeats, 'mention')} given twice on one side; counted in the first chain")
    if args.json:
        body: dict[str, Any] = {"documents": len(pairs), "repeated_mentions": repeats}
        body |= scores(total)
        if args.documents:
            body["per_document"] = [{"document": n, **scores(c)} for n, c in apart.items()]
        print_json(body)
        return 0
    for name, counts in apart.items():
        print(name)
        _print(counts)
    print(plural(len(pairs), "document"))
    _print(total)
    return 0


def scores(counts: CorefCounts) -> dict[str, Any]:
    """All scores of some counts, as fractions, with the counts; None where undefined."""
    body: dict[str, Any] = {"conll_f1": counts.conll_f1}
    ratios = {
        "mentions": counts.mentions,
        "muc": counts.muc,
        "b3": counts.b_cubed,
        "ceafm": counts.ceafm,
        "ceafe": counts.ceafe,
        "lea": counts.lea,
    }
    for name, ratio in ratios.items():
        prf = {"recall": ratio.recall, "precision": ratio.precision, "f1": ratio.f1}
        body[name] = {**prf, **_numbers(ratio)}
    links = {
        "coreferent": _numbers(counts.blanc_coreferent),
        "non_coreferent": _numbers(counts.blanc_non_coreferent),
    }
    body["blanc"] = {**counts.blanc()._asdict(), **links}
    body["blanc_luo2014"] = counts.blanc("luo2014")._asdict()
    return body


def _numbers(ratio: Ratio) -> dict[str, float]:
    names = ("recall_num", "recall_den", "precision_num", "precision_den")
    return {name: getattr(ratio, name) for name in names}


def _repeats(pairs: Any) -> int:  # noqa: ANN401 - pairs of clusterings
    return sum(
        len(spans) - len(set(spans))
        for pair in pairs
        for side in pair
        for spans in [[span for cluster in side.clusters for span in cluster]]
    )


def _print(counts: CorefCounts) -> None:
    from bwb.report.tables import percent, table

    body = scores(counts)
    rows = [
        [title, *(percent(body[name][part], 2) for part in ("recall", "precision", "f1"))]
        for name, title in _TITLES.items()
    ]
    rows.append(["CoNLL F1", "", "", percent(body["conll_f1"], 2)])
    print(table(["score", "recall %", "precision %", "F1 %"], rows))
