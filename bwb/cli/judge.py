"""Have a language model judge translations, and score what it said.

  bwb judge prompts docmt                          what a rubric asks
  bwb judge run --rubric docmt --model M --base-url URL --out answers.jsonl --dry-run
  bwb judge run --rubric docmt --model M --out answers.jsonl --repeats 2 --budget 5 …
  bwb judge replay answers.jsonl --json            score stored answers, ours or published ones
  bwb judge sheet answers.jsonl --out sheet.csv    a person says yes or no to each judgement
  bwb judge agreement sheet.csv                    share of yes

Any endpoint that speaks the chat protocol of OpenAI will do. The key is read from the environment
and stored nowhere. Every request and every answer is kept in --out: run the same command again
after whatever happened, and nothing is paid for twice. `bwb judge STEP --help` tells more.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bwb.cli import judge_run
from bwb.cli.common import note, note_findings, plural, print_json

if TYPE_CHECKING:
    from bwb.judge.replay import Replay, Summary
    from bwb.report.tables import Cell


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    steps = parser.add_subparsers(dest="step", required=True, metavar="STEP")
    run_step = steps.add_parser(
        "run",
        help="ask a model",
        description=judge_run.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    judge_run.add_arguments(run_step)
    step = steps.add_parser("replay", help="score stored answers")
    step.add_argument("files", type=Path, nargs="+", metavar="FILE", help="answers.jsonl, or files "
                      "of records with gpt_response")  # fmt: skip
    step.add_argument("--scores", type=Path, metavar="FILE", help="write a line of JSON for each "
                      "system, document and metric")  # fmt: skip
    step.add_argument("--spans", action="store_true", help="find quoted mistakes in the texts")
    step.add_argument("--list", action="store_true", help="list every answer that was repaired, "
                      "odd or unreadable (--json always does)")  # fmt: skip
    step = steps.add_parser("sheet", help="a sheet on which a person checks the judge")
    step.add_argument("files", type=Path, nargs="+", metavar="FILE", help="stored answers")
    step.add_argument("--out", type=Path, required=True, metavar="SHEET.csv", help="the sheet")
    step.add_argument("--sample", type=int, metavar="N", help="N judgements drawn at random of "
                      "each metric of each system and direction")  # fmt: skip
    step.add_argument("--seed", type=int, default=0, help="seed of the draw (default: 0)")
    step = steps.add_parser("agreement", help="share of yes on a sheet")
    step.add_argument("sheet", type=Path, metavar="SHEET.csv", help="the filled-in sheet")
    step = steps.add_parser("prompts", help="list the rubrics, or print the prompts of one")
    step.add_argument("rubric", nargs="?", metavar="RUBRIC", help="a name, or a TOML file")
    for step in steps.choices.values():
        step.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    steps = {
        "run": judge_run.run,
        "replay": _replay,
        "sheet": _sheet,
        "agreement": _agreement,
        "prompts": _prompts,
    }
    return steps[args.step](args)


def _replay(args: argparse.Namespace) -> int:
    from bwb.judge.replay import not_strict, replay

    found = replay(args.files)
    for findings in found.findings.values():
        note_findings(findings)
    if args.scores:
        write_scores(args.scores, found)
    body = replay_json(found)
    if args.spans:
        from bwb.judge.spans import count_found, spans_of

        spans = [span for one in found.judged for span in spans_of(one)]
        body["spans"] = {"counts": count_found(spans), "mistakes": spans}
    if args.json:
        print_json({**body, "answers": not_strict(found.judged)})
    else:
        print_replay(found)
        if args.spans:
            _print_spans(body["spans"]["counts"])
        if args.list:
            _print_list(not_strict(found.judged))
    lost = any(f.fails for findings in found.findings.values() for f in findings)
    return 3 if lost else 0


def write_scores(path: Path, found: Replay) -> None:
    """Write a line for each system, document and metric."""
    import json

    from bwb.textio import replacing

    rows = found.scores()
    with replacing(path) as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    note(f"{path}: {plural(len(rows), 'score')}")


def replay_json(found: Replay) -> dict[str, Any]:
    """Summaries by file, by system, and of all answers."""
    from dataclasses import asdict

    def metrics(group: dict[str, Summary]) -> dict[str, Any]:
        return {metric: summary.as_dict() for metric, summary in group.items()}

    files = []
    groups = found.summaries("file")
    for name, findings in found.findings.items():
        own = [one for one in found.judged if one.stored.file == name]
        files.append(
            {
                "file": name,
                "direction": next((one.stored.direction for one in own), None),
                "answers": len(own),
                "strict": sum(one.reading.status == "strict" for one in own),
                "repaired": sum(one.reading.status == "repaired" for one in own),
                "unreadable": sum(one.reading.status == "unreadable" for one in own),
                "lost_records": sum(finding.fails for finding in findings),
                "metrics": metrics(groups.get((name,), {})),
                "findings": [str(finding) for finding in findings],
            }
        )
    systems = [
        {"system": system, "direction": direction or None, "judge": judge or None,
         "metrics": metrics(group)}
        for (system, direction, judge), group in
        found.summaries(*_BY).items()
    ]  # fmt: skip
    pooled = metrics(found.summaries().get((), {}))
    again = {metric: asdict(result) for metric, result in found.retests().items()}
    return {"files": files, "systems": systems, "pooled": pooled, "retest": again}


def print_replay(found: Replay) -> None:
    """Tables of scores, of repairs and of the agreement of repeats."""
    from bwb.report.tables import percent, table

    rows: list[list[Cell]] = []
    for (system, direction, judge), group in found.summaries(*_BY).items():
        rows += [_row(system, direction, judge, m, summary) for m, summary in group.items()]
    pooled = found.summaries().get((), {})
    if len(rows) > len(pooled):
        rows += [_row("all", "", "", metric, summary) for metric, summary in pooled.items()]
    print(table(_HEADER, rows))
    print("\nscores from 1 to 5, higher is better; the others are mistakes a text, lower is better")
    repairs: list[list[Cell]] = [
        [m, name, n] for m, s in pooled.items() for name, n in sorted(s.repaired.items())
    ]
    if repairs:
        print()
        print(table(["metric", "repair", "answers"], repairs))
    again = found.retests()
    if again:
        print()
        header = ["metric", "asked again", "pairs", "equal, %", "mean difference", "alpha"]
        print(table(header, [[m, r.items, r.pairs, percent(r.equal), r.difference, r.alpha]
                             for m, r in again.items()]))  # fmt: skip


_BY = ("system", "direction", "judge")
_HEADER = [
    "system",
    "direction",
    "judge",
    "metric",
    "mean",
    "sd",
    "n",
    "readable",
    "strict",
    "repaired",
]


def _row(system: str, direction: str, judge: str, metric: str, summary: Summary) -> list[Cell]:
    body = summary.as_dict()
    numbers = [body[name] for name in ("mean", "sd", "n", "readable", "strict", "repaired_answers")]
    return [system, direction or "–", judge or "–", metric, *numbers]


def _print_spans(counts: dict[str, dict[str, int]]) -> None:
    from bwb.report.tables import table

    names = sorted({name for of in counts.values() for name in of})
    print()
    print(table(["metric", *names], [[m, *(of.get(n, 0) for n in names)]
                                     for m, of in counts.items()]))  # fmt: skip


def _print_list(rows: list[dict[str, Any]]) -> None:
    from bwb.report.tables import table

    cells: list[list[Cell]] = [
        [
            f"{Path(row['file']).name}:{row['line']}",
            row["status"],
            ", ".join([*row["repairs"], *map(str, row["odd"].values())]) or "–",
            ", ".join(f"{m} {'–' if s is None else f'{s:g}'}" for m, s in row["scores"].items()),
        ]
        for row in rows
    ]
    print()
    print(table(["answer", "", "what", "scores"], cells))


def _sheet(args: argparse.Namespace) -> int:
    from bwb.errors import UsageError
    from bwb.judge.replay import replay
    from bwb.judge.sheet import draw, sheet_rows, write_sheet

    if args.out.suffix != ".csv":
        raise UsageError(f"--out {args.out}: expected a name that ends in .csv")
    if args.sample is not None and args.sample < 1:
        raise UsageError(f"--sample {args.sample}: expected 1 or more")
    found = replay(args.files)
    for findings in found.findings.values():
        note_findings(findings)
    rows = sheet_rows(found.judged)
    if args.sample:
        rows = draw(rows, args.sample, args.seed)
    write_sheet(rows, args.out)
    if args.json:
        print_json({"sheet": str(args.out), "judgements": len(rows)})
    else:
        print(f"{args.out}: {plural(len(rows), 'judgement')}; write yes or no into `agree`")
    return 0


def _agreement(args: argparse.Namespace) -> int:
    from dataclasses import asdict

    from bwb.judge.sheet import agreement, read_sheet
    from bwb.report.tables import percent, table

    found = agreement(read_sheet(args.sheet))
    if args.json:
        print_json(asdict(found))
        return 3 if found.unfinished else 0
    rows: list[list[Cell]] = [
        [row.metric, row.direction or "–", row.system or "all", row.yes, row.answered,
         percent(row.share), "–" if row.wilson is None else
         f"{percent(row.wilson[0])} – {percent(row.wilson[1])}"]
        for row in found.rows
    ]  # fmt: skip
    print(table(["metric", "direction", "system", "yes", "answered", "yes, %", "95 %"], rows))
    if found.unfinished:
        listed = ", ".join(str(cell.line) for cell in found.unfinished[:20])
        more = ", …" if len(found.unfinished) > 20 else ""
        note(f"{plural(len(found.unfinished), 'judgement')} not answered, row {listed}{more}")
    return 3 if found.unfinished else 0


def _prompts(args: argparse.Namespace) -> int:
    from bwb.judge.prompts import shown
    from bwb.judge.rubric import load_rubric, rubric_names
    from bwb.report.tables import table

    if args.rubric is None:
        rubrics = {name: load_rubric(name) for name in rubric_names()}
        if args.json:
            listed = [{"rubric": n, "title": r.title, "metrics": r.metrics}
                      for n, r in rubrics.items()]  # fmt: skip
            print_json({"rubrics": listed})
        else:
            rows: list[list[Cell]] = [[n, r.title, ", ".join(r.metrics)]
                                      for n, r in rubrics.items()]  # fmt: skip
            print(table(["rubric", "what it is", "metrics"], rows))
        return 0
    body = shown(load_rubric(args.rubric))
    if args.json:
        print_json(body)
        return 0
    for part in body["parts"]:
        print(f"── {body['rubric']}, {part['part']} (prompt {part['prompt']}) ──")
        for message in part["messages"]:
            print(f"\n[{message['role']}]\n{message['content']}")
        print()
    return 0
