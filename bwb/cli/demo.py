"""See the whole idea on the sample corpus.

Reads it, builds a dataset, loads that with `datasets`, aligns a chapter, rebuilds the corpus from
web pages served on this machine, scores three systems and writes pages of what they get wrong.
"""

from __future__ import annotations

import tempfile
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from bwb.cli.common import plural

if TYPE_CHECKING:
    import argparse

    from bwb.metrics.scoring import Scored
    from bwb.records import Document

_SHOWN = ("entity", "terminology", "pronoun", "zero_pronoun", "quotation", "ltcr")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="where to put the dataset (default: a new folder)"
    )


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    import datasets

    from bwb.annotations.sources import read_documents
    from bwb.assets import sample
    from bwb.cli.score import print_scores
    from bwb.metrics import metric_class
    from bwb.metrics.scoring import data_fields, score_systems
    from bwb.metrics.systems import embedded_outputs
    from bwb.publish.build import build

    datasets.disable_progress_bars()
    out: Path = args.out or Path(tempfile.mkdtemp(prefix="bwb-demo-")) / "bwb-sample"

    documents = list(read_documents())
    pairs = sum(len(document.links) for document in documents)
    mentions = sum(len(side.mentions) for document in documents for side in document.sides)
    books = len({document.book for document in documents})
    print(
        f"1. Read the sample: {plural(books, 'book')}, {plural(len(documents), 'chapter')}, "
        f"{plural(pairs, 'sentence pair')}, {plural(mentions, 'mention')} annotated."
    )
    build(documents, out, name="bwb-sample", overwrite=args.out is not None)
    print(f"2. Built a dataset folder:\n   {out}")
    rows = datasets.load_dataset(str(out), "annotated", split="test")
    first = rows[0]
    print(
        f'3. load_dataset(folder, "annotated", split="test"): {len(rows)} rows; the first begins:'
    )
    print(f"   zh  {first['zh']['sentences'][0]}")
    print(f"   en  {first['en']['sentences'][0]}")
    _align_example("ninth-tide/1/a")
    _rebuild_example(documents, out.parent / "rebuilt")
    print("6. Scored three systems, all invented like the chapters: the numbers say nothing about")
    print("   real systems, they show what a mistake does to a score.\n")
    scored = score_systems(
        documents,
        embedded_outputs(documents),
        [metric_class(name)() for name in _SHOWN],
        data=data_fields("bwb-sample", documents, None),
    )
    print_scores(scored, misses=4)
    _print_example(documents, scored, "sentence-level")
    report, view = _write_pages(documents, scored, out.parent)
    print(f"The dataset is in      {out}")
    print(f"The annotated text in  {sample()}")
    print(f"Open in a browser      {report}")
    print(f"                       {view}")
    print("Next: bwb score --systems mine=YOUR_FOLDER    bwb compare    bwb stats")
    return 0


def _align_example(name: str) -> None:
    """Align a chapter whose sentences were merged, split and dropped, and score the links."""
    from bwb.align.linkrows import read_rows
    from bwb.align.registry import make_aligner
    from bwb.align.scoring import score_links
    from bwb.assets import asset
    from bwb.report.tables import percent

    rows = {row.id: row for row in read_rows(asset("align/gold/sample.jsonl"))}
    row = rows[name]
    src, tgt = row.src or (), row.tgt or ()
    links = make_aligner("hybrid").align(src, tgt)
    score = score_links(row.links, links)
    print(f"4. Aligned the text of {name}: {len(src)} Chinese and {len(tgt)} English sentences,")
    strict = percent(score.f1("strict"))
    print(f"   {len(links)} links, strict F1 {strict}; two of them that are not one to one:")
    for link in [link for link in links if len(link.src) != 1 or len(link.tgt) != 1][:2]:
        print(f"   {link}  {''.join(src[i] for i in link.src)}")
        print(f"   {' ' * len(str(link))}  {' '.join(tgt[i] for i in link.tgt)}")


def _rebuild_example(documents: list[Document], folder: Path) -> None:
    """Serve the sample as web pages, build a corpus from them, and do it once more."""
    from bwb.pipeline.demosite import rebuild_sample

    first, second, requests = rebuild_sample(documents, folder, aligner="bleualign")
    crawl, extract = first.crawl, first.stages[0]
    asked = crawl.requests.total() if crawl else 0
    removed = sum(n for what, n in extract.flow.notes.items() if what.startswith("lines removed"))
    print(
        "5. Rebuilt the sample from two web sites on this machine (advertisements, watermarks, GBK"
    )
    print(f"   that calls itself gb2312, a busy server): {plural(asked, 'request')},")
    print(
        f"   {plural(removed, 'line')} of titles, watermarks and advertisements taken out, "
        f"{plural(first.documents, 'chapter')} aligned;"
    )
    same = "the same dataset" if second.digest == first.digest else "another dataset"
    print(f"   a second run fetched {requests} pages and made {same}:\n   {first.dataset}")


def _write_pages(
    documents: list[Document], scored: list[Scored], folder: Path
) -> tuple[Path, Path]:
    """Write the pages of the scores and of the documents, which the first links to."""
    from bwb.metrics.results_make import make_results
    from bwb.metrics.systems import embedded_outputs
    from bwb.report.score_page import make_report, report_html
    from bwb.report.view import write_view
    from bwb.textio import replacing

    report, view = folder / "report.html", folder / "view.html"
    write_view(view, documents, title="bwb-sample")
    results = make_results(scored, documents, embedded_outputs(documents), command=["bwb", "demo"])
    made = make_report(results, view=view.name)
    with replacing(report) as file:
        file.write(report_html(made))
    print("7. Wrote two pages, of the scores and of the chapters with every mistake in its place:")
    for sentence in made.headline:
        print(textwrap.fill(sentence, 92, initial_indent="   ", subsequent_indent="   "))
    print()
    return report, view


def _print_example(documents: list[Document], scored: list[Scored], system: str) -> None:
    """Show the line that costs the system most, of those short enough to take in at a glance."""
    lost: dict[tuple[str, int], list[str]] = {}
    for row in scored:
        for tally in row.tallies[system]:
            for miss in tally.misses:
                said = f"{row.metric.name}: {miss.name}"
                lost.setdefault((miss.document, miss.sentence), []).append(said)
    by_id = {document.id: document for document in documents}
    short = [key for key in lost if _length(by_id[key[0]], key[1]) <= 100]
    if not short:
        return
    name, index = max(short, key=lambda key: (len(lost[key]), key))
    document = by_id[name]
    output = next(output for output in document.systems if output.system == system)
    print(f"A line that costs {system} much, {name} sentence {index + 1}:")
    for side in document.sides:
        print(f"  {side.lang}      {side.sentences[index]}")
    print(f"  output  {output.sentences[index]}")
    print(f"  lost    {'; '.join(lost[name, index])}\n")


def _length(document: Document, index: int) -> int:
    return len(document.en.sentences[index]) if document.en else 0
