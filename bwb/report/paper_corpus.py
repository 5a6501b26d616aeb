"""Tables of the BWB paper that describe a corpus: sizes, genres, agreement, mentions, quotes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bwb.report.paper_table import Estimate, PaperTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from bwb.report.paper import Context
    from bwb.report.paper_table import Row

_AGREEMENT = ("lang", "layer", "F1", "precision", "recall", "first", "second", "both")


def sizes(context: Context) -> PaperTable:
    """Table 1."""
    columns = ("split", "lang", "books", "documents", "sentences", "length", "unit")
    return _counted(context, "table-1", "Sizes", "sizes", columns)


def lengths(context: Context) -> PaperTable:
    """Table 9."""
    columns = (
        "split",
        "lang",
        "sentences_per_document",
        "length_per_sentence",
        "length_per_document",
        "unit",
    )
    return _counted(context, "table-9", "Lengths", "sizes", columns)


def genres(context: Context) -> PaperTable:
    """Figure 2."""
    return _counted(context, "figure-2", "Genres", "genres", ("genre", "documents"))


def entities(context: Context) -> PaperTable:
    """Table 4."""
    columns = ("lang", "kind", "mentions", "share", "entities", "repetition")
    return _counted(context, "table-4", "Entity mentions", "entities", columns)


def pronouns(context: Context) -> PaperTable:
    """Table 5."""
    columns = ("lang", "class", "pronouns", "share", "omitted", "omitted_share")
    title = "Pronouns, and how many the other language leaves out"
    return _counted(context, "table-5", title, "pronouns", columns)


def quotes(context: Context) -> PaperTable:
    """Section 3.2."""
    columns = (
        "lang",
        "quotes",
        "sentences_with_speech",
        "share_of_sentences",
        "distinct_speakers",
        "unknown_speaker",
    )
    return _counted(context, "quotes", "Direct speech", "quotes", columns)


def chains(context: Context) -> PaperTable:
    """Figure 3, summed up."""
    columns = ("lang", "series", "n", "mean", "median", "max")
    title = "Chains: distance to the nearest antecedent, spread, size (sentences, mentions)"
    return _counted(context, "figure-3", title, "chains", columns)


def chain_series(context: Context) -> PaperTable:
    """Figure 3, point by point."""
    columns = ("lang", "series", "value", "count")
    rows = tuple(context.statistics.series())
    title = "The series of Figure 3: how often each value occurs"
    return PaperTable("figure-3-series", title, columns, rows, long=True)


def agreement(context: Context) -> PaperTable:
    """Table 3."""
    from bwb.annotations.agreement import agreement as agree
    from bwb.annotations.agreement import pair_documents

    title = "Agreement of two annotators"
    if context.second is None:
        why = "no second annotation of these documents; name one with --second"
        return PaperTable("table-3", title, _AGREEMENT, (), missing={"all": why})
    pairs = pair_documents(context.documents, context.second)
    rows = tuple(
        {
            "lang": row.lang,
            "layer": "coreference (CoNLL)" if row.measure == "coreference" else row.measure,
            "F1": row.f1,
            "precision": row.precision,
            "recall": row.recall,
            "first": row.first,
            "second": row.second,
            "both": row.both,
        }
        for row in agree(pairs)
    )
    units = dict.fromkeys(("F1", "precision", "recall"), "percent")
    said = f"Over {len(pairs)} documents that both annotated; the first annotator is the key."
    return PaperTable("table-3", title, _AGREEMENT, rows, units, (said,))


def alignment(context: Context) -> PaperTable:
    """Appendix D: accuracy of the alignment, and lines corrected, from a marked sheet."""
    title = "Alignment: links found right by hand, and lines corrected"
    columns = (
        "documents",
        "links",
        "right",
        "accuracy",
        "wilson_low",
        "wilson_high",
        "links_corrected",
        "lines",
        "lines_corrected",
    )
    if context.audit is None:
        why = "needs a sheet marked by a person (bwb align-audit draw), named with --audit"
        return PaperTable("appendix-d", title, columns, (), missing={"all": why})
    from bwb.align.audit import audit
    from bwb.align.audit_sheet import read_sheet

    rows = read_sheet(context.audit)
    found = audit(rows, resamples=context.resamples, seed=context.seed)
    low, high = found.bootstrap or (None, None)
    wilson = found.wilson or (None, None)
    row: Row = {
        "documents": found.documents,
        "links": found.links,
        "right": found.ok,
        "accuracy": Estimate(found.accuracy, low, high),
        "wilson_low": wilson[0],
        "wilson_high": wilson[1],
        "links_corrected": found.corrected,
        "lines": found.lines,
        "lines_corrected": found.lines_corrected,
    }
    units = dict.fromkeys(("accuracy", "wilson_low", "wilson_high"), "percent")
    notes = []
    if found.unmarked:
        notes.append(f"{found.unmarked} links on the sheet are not marked, and not counted.")
    return PaperTable("appendix-d", title, columns, (row,), units, tuple(notes))


def human(_: Context) -> PaperTable:
    """The human evaluation."""
    why = "needs ratings by people: ranks for adequacy and fluency; a corpus holds none"
    columns = ("system", "unit", "adequacy", "fluency")
    return PaperTable("human", "Human evaluation: ranks", columns, (), missing={"all": why})


def _counted(
    context: Context, name: str, title: str, source: str, columns: tuple[str, ...]
) -> PaperTable:
    """A table of `bwb.annotations.statistics`, some of its columns."""
    found = context.statistics.tables()[source]
    rows = tuple({column: row[column] for column in columns} for row in found)
    units = {column: "percent" for column in columns if "share" in column}
    return PaperTable(name, title, columns, rows, units)


BUILDERS: dict[str, Callable[[Context], PaperTable]] = {
    "table-1": sizes,
    "table-9": lengths,
    "figure-2": genres,
    "table-3": agreement,
    "table-4": entities,
    "table-5": pronouns,
    "quotes": quotes,
    "figure-3": chains,
    "figure-3-series": chain_series,
    "appendix-d": alignment,
    "human": human,
}
