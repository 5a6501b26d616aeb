"""Tables and figures of the BWB paper that score systems: Tables 6 to 8, Figures 5 to 7."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from bwb.metrics.phenomena import EXACT, PHENOMENA
from bwb.records import ERROR_CODES
from bwb.report.paper_table import Estimate, PaperTable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bwb.metrics.figures import Point
    from bwb.metrics.scoring import Scored
    from bwb.report.paper import Context
    from bwb.report.paper_table import Row

REFERENCE = "(reference)"
_NO_METEOR = "needs the synonyms of WordNet, which bwb does not carry; not implemented"
_NO_NEURAL = "needs the weights of a neural model, which bwb does not carry; not implemented"
_NEURAL = {"METEOR": _NO_METEOR, "BERTScore": _NO_NEURAL, "COMET": _NO_NEURAL}
_TABLE_7 = ("BLEU", "METEOR", "TER", "BERTScore", "COMET", "BlonDe")
# Column of Table 7 → metric.
_METRICS = {"BLEU": "bleu", "TER": "ter", "BlonDe": "blonde"}
_TABLE_8 = ("B3", "CEAFm", "CEAFe", "CoNLL")


def error_types(context: Context) -> PaperTable:
    """Table 6: how many sentences of an output have errors of each type."""
    title = "Errors marked by annotators, by type (a sentence may have several)"
    columns = ("system", "code", "type", "marks", "sentences", "share")
    rows: list[Row] = []
    marked: dict[str, list[Any]] = {}
    for document in context.documents:
        for output in document.systems:
            if output.errors is not None:
                marked.setdefault(output.system, []).append(output)
    for system, outputs in marked.items():
        total = sum(len(output.sentences) for output in outputs)
        counts: list[tuple[str, str, int, int]] = []
        for code, name in ERROR_CODES.items():
            found = [[m.sentence for m in o.errors if m.code == code] for o in outputs]
            lines = sum(len(set(row)) for row in found)
            counts.append((str(code), name, sum(map(len, found)), lines))
        wrong = sum(len({mark.sentence for mark in output.errors}) for output in outputs)
        counts.append(("1-7", "any error", sum(row[2] for row in counts), wrong))
        counts.append(("0", "no error", 0, total - wrong))
        rows += [
            {
                "system": system,
                "code": code,
                "type": name,
                "marks": marks,
                "sentences": lines,
                "share": lines / total if total else None,
            }
            for code, name, marks, lines in counts
        ]
    missing = {} if rows else {"all": "no errors are marked in any output of the corpus"}
    units = {"share": "percent"}
    return PaperTable("table-6", title, columns, tuple(rows), units, missing=missing)


def systems(context: Context) -> PaperTable:
    """Table 7: whole-text metrics, then F1 and exact match by phenomenon."""
    title = "Systems: whole-text metrics, and F1 and exact match (EM) by phenomenon"
    exact = {f"{name} EM": f"{EXACT}{name}.f1" for name in PHENOMENA}
    parts = {f"{name} F1": f"{name}.f1" for name in PHENOMENA} | exact
    ordered = [f"{name} {kind}" for name in PHENOMENA for kind in ("F1", "EM")]
    columns = ("system", *_TABLE_7, *ordered)
    missing = dict(_NEURAL)
    cells: dict[str, dict[str, Estimate]] = {system: {} for system in context.outputs}
    notes = []
    for column, name in (*_METRICS.items(), ("phenomena", "phenomena")):
        scored = context.scored(name)
        if scored is None:
            missing[column] = context.reasons[name]
            continue
        wanted = parts if name == "phenomena" else {column: "score"}
        _fill(cells, context, scored, wanted)
        notes.append(_signature(scored))
        notes += context.left_out(scored)
    if cells and context.outputs:
        for column in parts:
            if all(row.get(column, Estimate(None)).value is None for row in cells.values()):
                missing.setdefault(column, _why_undefined(column))
    rows = tuple(
        {"system": system} | {name: found.get(name) for name in columns[1:]}
        for system, found in cells.items()
    )
    units = dict.fromkeys(columns[1:], "percent")
    return PaperTable("table-7", title, columns, rows, units, tuple(notes), missing)


def _why_undefined(column: str) -> str:
    name = column.partition(" ")[0]
    if name in {"ambiguity", "ellipsis"}:
        return f"no phrases are noted beside errors of {name} in any output"
    if column == "entity EM":
        return "entities are not annotated on both sides"
    return "there is nothing to find in the references"


def _fill(
    cells: dict[str, dict[str, Estimate]],
    context: Context,
    scored: Scored,
    wanted: Mapping[str, str],
) -> None:
    """Put scores into the cells of the systems; `wanted` is column → name of the score."""
    made = context.estimates(scored, list(wanted.values()))
    for system, found in made.items():
        for column, name in wanted.items():
            cells[system][column] = Estimate(*found[name])


def coreference(context: Context) -> PaperTable:
    """Table 8: coreference and coherence of the outputs, the reference beside them."""
    title = "Coreference (F1) and coherence of the outputs, and of the reference itself"
    columns = ("system", *_TABLE_8, "coverage", "coherence", "coherence_rank")
    cells: dict[str, dict[str, Any]] = {name: {} for name in (*context.outputs, REFERENCE)}
    missing: dict[str, str] = {}
    notes = ["CEAF is given by mentions (CEAFm) and by entities (CEAFe)."]
    chains = context.scored("coreference", reference=True)
    if chains is None:
        missing["B3, CEAF"] = context.reasons["coreference"]
    else:
        for system, made in _chain_scores(context, chains).items():
            cells[system].update(made)
        for score in chains.scores():
            cells[score.system]["coverage"] = score.parts["coverage"].recall
        notes += [_signature(chains), *context.left_out(chains)]
        notes.append("Coverage is the share of the reference's mentions that the text has.")
        notes.append("The resolver errs on the reference too: its row is what can be reached.")
    coherence = context.scored("centering", reference=True)
    if coherence is None:
        missing["coherence"] = context.reasons["centering"]
    else:
        _fill(cells, context, coherence, {"coherence": "score"})
        _rank({name: row for name, row in cells.items() if name != REFERENCE})
        notes += [_signature(coherence), *context.left_out(coherence)]
        notes += _kruskal(coherence)
    if missing.keys() == {"B3, CEAF", "coherence"}:
        cells = {}
    rows = tuple(
        {"system": system} | {name: found.get(name) for name in columns[1:]}
        for system, found in cells.items()
    )
    units = dict.fromkeys((*_TABLE_8, "coverage", "coherence"), "percent")
    return PaperTable("table-8", title, columns, rows, units, tuple(notes), missing)


def _chain_scores(context: Context, scored: Scored) -> dict[str, dict[str, Estimate]]:
    """The F1 scores of Table 8: system → column → score.

    An interval is given where the statistics know how the metric makes the score: where they come
    to the same number from the same counts.
    """
    names = dict(zip(_TABLE_8, ("b3.f1", "ceafm.f1", "ceafe.f1", "score"), strict=True))
    made = context.estimates(scored, list(names.values()))
    found: dict[str, dict[str, Estimate]] = {}
    for score in scored.scores():
        found[score.system] = {}
        for column, name in names.items():
            part = score.parts.get(name.removesuffix(".f1"))
            value = score.score if part is None else part.f1
            resampled = made[score.system][name]
            same = None not in (value, resampled[0]) and math.isclose(value or 0, resampled[0] or 0)
            found[score.system][column] = Estimate(*resampled) if same else Estimate(value)
    return found


def _rank(cells: Mapping[str, dict[str, Any]]) -> None:
    """Rank systems by coherence, the best first; equals share the better rank."""
    values = {s: row["coherence"].value for s, row in cells.items() if "coherence" in row}
    known = [value for value in values.values() if value is not None]
    for system, value in values.items():
        rank = None if value is None else 1 + sum(other > value for other in known)
        cells[system]["coherence_rank"] = rank


def _kruskal(scored: Scored) -> list[str]:
    """The paper's test: Kruskal-Wallis of each system against the next worse."""
    from bwb.metrics.stats import compare

    tallies = {name: rows for name, rows in scored.tallies.items() if name != REFERENCE}
    if len(tallies) < 2 or len(scored.documents) < 2:
        return []
    rows = compare(scored.metric, tallies, pairs="ranked", test="kruskal", resamples=100)
    said = [f"{row.system} > {row.baseline}: p = {row.p:.3f}" for row in rows if row.p is not None]
    if not said:
        return []
    return [f"Coherence, Kruskal-Wallis between neighbours in rank: {'; '.join(said)}."]


def terminology(context: Context) -> PaperTable:
    """Figure 5."""
    from bwb.metrics.figures import terminology_recall

    title = "Recall of terms (T) against other mentions (N)"
    return _class_figure(context, "figure-5", title, "terminology", "recall", terminology_recall)


def persons(context: Context) -> PaperTable:
    """Figure 6."""
    from bwb.metrics.figures import person_against_rest

    title = "F1 of persons against all other entities"
    return _class_figure(context, "figure-6", title, "entity", "F1", person_against_rest)


def _class_figure(
    context: Context,
    name: str,
    title: str,
    metric: str,
    ratio: str,
    points: Callable[..., Sequence[Point]],
) -> PaperTable:
    columns = ("system", "class", ratio, "in_reference")
    scored = context.scored(metric)
    if scored is None:
        return PaperTable(name, title, columns, (), missing={"all": context.reasons[metric]})
    rows = tuple(
        {
            "system": point.system,
            "class": point.series,
            ratio: Estimate(point.value, point.low, point.high),
            "in_reference": point.count,
        }
        for point in points(scored, resamples=context.resamples, seed=context.seed)
    )
    notes = (_signature(scored), *context.left_out(scored))
    return PaperTable(name, title, columns, rows, {ratio: "percent"}, notes)


def omitted_pronouns(context: Context) -> PaperTable:
    """Figure 7."""
    from bwb.errors import InputError
    from bwb.metrics.figures import over_omitted_ratio

    title = "Metrics over the share of pronouns that Chinese omits, |O| / (|O| + |P|) a document"
    columns = ("metric", "low", "high", "documents", "system", "score")
    rows: list[Row] = []
    missing = {"BERTScore": _NO_NEURAL}
    notes = []
    for name in context.over:
        scored = context.scored(name)
        if scored is None:
            missing[name] = context.reasons[name]
            continue
        try:
            found = over_omitted_ratio(
                scored,
                context.documents,
                edges=context.edges,
                quantiles=context.bins,
                resamples=context.resamples,
                seed=context.seed,
            )
        except InputError as error:
            missing[name] = str(error)
            continue
        for one in found.bins:
            rows += [
                {
                    "metric": name,
                    "low": one.low,
                    "high": one.high,
                    "documents": len(one.documents),
                    "system": point.system,
                    "score": Estimate(point.value, point.low, point.high),
                }
                for point in one.points
            ]
        notes.append(_signature(scored))
        notes += [f"{document} is in no bin: {why}." for document, why in found.left_out.items()]
    units = dict.fromkeys(("low", "high", "score"), "percent")
    return PaperTable("figure-7", title, columns, tuple(rows), units, tuple(notes), missing)


def _signature(scored: Scored) -> str:
    return str(scored.metric.signature(scored.data))


BUILDERS: dict[str, Callable[[Context], PaperTable]] = {
    "table-6": error_types,
    "table-7": systems,
    "figure-5": terminology,
    "figure-6": persons,
    "figure-7": omitted_pronouns,
    "table-8": coreference,
}
