"""Have people judge translations: plan it, hand out forms, read what comes back.

  bwb human plan --out study                      forms and sheets for 8 raters, on the sample
  bwb human plan --systems a=A b=B --data corpus/ --raters 12 --seed 7 --out study
  bwb human simulate study --noise 1.5            would so many raters find the better system?
  bwb human read study ratings-*.csv              ranks, sign tests, agreement
  bwb human read study sheets/*.csv --scores human.csv     … and scores for bwb meta

The design is that of the BlonDe and BWB papers: sentences alone, and passages of five sentences,
are ranked by adequacy (with the source) and by fluency (without); a rater has one criterion and
both units, on different books; a tenth of the items are checks with shuffled text.

--design bws asks for the best and the worst of four texts instead (best-worst scaling). It is
quicker to answer, and on literary texts it tells better than error marking what is good: students
preferred professional translations to those of machines about 82 % of the time under best-worst
scaling, and 42 % when they marked errors (MQM; Zhang et al. 2025).

Send a rater forms/NAME.html (open it in a browser, on a phone too; it needs no network and saves
a CSV) or sheets/NAME.csv. Keep plan.json to yourself: it says which text is whose.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bwb.cli.common import note, note_findings, plural, print_json

if TYPE_CHECKING:
    import argparse

    from bwb.errors import Finding
    from bwb.human.design import Plan
    from bwb.human.plan import Options
    from bwb.human.simulate import Noise


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    steps = parser.add_subparsers(dest="step", required=True, metavar="STEP")
    _plan_arguments(steps.add_parser("plan", help="draw items; write forms, sheets and the key"))
    read = steps.add_parser("read", help="results from what raters gave back")
    _folder(read)
    read.add_argument("ratings", type=Path, nargs="+", metavar="RATINGS", help="their CSV files")
    read.add_argument("--scores", type=Path, metavar="FILE.csv", help="write scores for bwb meta")
    read.add_argument("--resamples", type=int, default=2000, help="of intervals (default 2,000)")
    simulate = steps.add_parser("simulate", help="how often would simulated raters be right?")
    _folder(simulate)
    simulate.add_argument("--raters", type=int, metavar="N", help="default: as in the plan")
    simulate.add_argument("--overlap", type=int, metavar="K", help="raters of each item")
    simulate.add_argument(
        "--noise", type=float, default=1.0, help="of a rater, in steps between systems (default 1)"
    )
    simulate.add_argument("--bias", type=float, default=0.3, help="for a system (default 0.3)")
    simulate.add_argument("--tie", type=float, default=0.5, help="too close to tell (default 0.5)")
    simulate.add_argument("--spammers", type=int, default=0, metavar="N", help="rank at random")
    simulate.add_argument("--runs", type=int, default=100, metavar="N", help="default 100")
    simulate.add_argument("--write", type=Path, metavar="FOLDER", help="write one run's ratings")
    for step in (read, simulate):
        step.add_argument(
            "--max-failed",
            type=float,
            default=0.25,
            metavar="SHARE",
            help="raters who fail more of their checks are dropped (default 0.25)",
        )
        step.add_argument("--seed", type=int, default=12345, help="of what is drawn")
        step.add_argument("--json", action="store_true", help="print JSON")


def _folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="what bwb human plan wrote")


def _plan_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--systems", nargs="+", action="extend", default=[], metavar="[NAME=]PATH",
        help="outputs, as for bwb score (default: those the corpus carries)")  # fmt: skip
    add("--data", type=Path, metavar="PATH", help="any corpus bwb reads (default: the sample)")
    add("--split", choices=("train", "validation", "test"), help="only this split")
    add("--lenient", action="store_true", help="repair a corpus that is messy")
    add("--out", type=Path, required=True, metavar="DIR", help="folder to write")
    add("--design", choices=("ranking", "bws"), default="ranking", help="ranks with ties, or "
        "best-worst scaling (default ranking)")  # fmt: skip
    add("--units", default="sentence,document", metavar="A,B", help="sentence, document or both")
    add("--criteria", default="adequacy,fluency", metavar="A,B",
        help="adequacy, fluency, quality, or your own from --instructions")  # fmt: skip
    add("--raters", type=int, default=8, metavar="N", help="default 8: two who share all items")
    add("--overlap", type=int, metavar="K", help="raters of each item (default: all of a group)")
    add("--sentences", type=int, metavar="N", help="sentence items a rater (default up to 40)")
    add("--documents", type=int, metavar="N", help="passages a rater (default up to 10)")
    add("--length", type=int, default=5, metavar="N", help="sentences in a passage (default 5)")
    add("--shown", type=int, metavar="N", help="texts in an item (default up to 5; bws: 4)")
    add("--reference", action="store_true", help="have the reference judged too")
    add("--seed", type=int, default=0, help="of every random choice (default 0)")
    add("--instructions", type=Path, metavar="FILE.toml", help="other words for raters")
    add("--export", choices=("pearmut",), help="also write campaigns for Pearmut")
    add("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    steps = {"plan": _plan, "read": _read, "simulate": _simulate}
    return steps[args.step](args)


def _plan(args: argparse.Namespace) -> int:
    from bwb.cli.scoring import read_corpus
    from bwb.errors import InputError
    from bwb.human.design import PLAN_FILE, read_plan
    from bwb.human.plan import make_plan
    from bwb.human.settings import read_settings
    from bwb.metrics.scoring import data_fields

    findings: list[Finding] = []
    documents, outputs = read_corpus(args, findings)
    note_findings(findings)
    name = args.data.resolve().name if args.data else "bwb-sample"
    data = data_fields(name, documents, args.split)
    plan = make_plan(documents, outputs, _options(args), read_settings(args.instructions), data)
    if (args.out / PLAN_FILE).exists() and (there := read_plan(args.out).id) != plan.id:
        # To overwrite it would leave the forms that raters have without their key.
        raise InputError(f"{args.out} holds another plan ({there}); choose a new folder")
    _write(plan, args)
    for why, count in plan.left_out.items():
        note(f"{count:,} places not drawn from: {why}")
    if args.json:
        from bwb.human.planned import summary

        print_json({"plan": plan.id, "folder": str(args.out), **summary(plan)})
    else:
        from bwb.cli.human_tables import print_plan

        print_plan(plan, args.out)
    return 0


def _options(args: argparse.Namespace) -> Options:
    from bwb.errors import UnknownNameError
    from bwb.human.design import UNITS
    from bwb.human.plan import Options

    units = tuple(name.strip() for name in args.units.split(",") if name.strip())
    for name in units:
        if name not in UNITS:
            raise UnknownNameError("unit", name, UNITS)
    return Options(
        design=args.design,
        units=units,
        criteria=tuple(name.strip() for name in args.criteria.split(",") if name.strip()),
        raters=args.raters,
        overlap=args.overlap,
        sentences=args.sentences,
        documents=args.documents,
        length=args.length,
        shown=args.shown,
        reference=args.reference,
        seed=args.seed,
    )


def _write(plan: Plan, args: argparse.Namespace) -> None:
    """Write the forms and sheets, and the key when all of them are there."""
    from bwb.human.design import PLAN_FILE, write_plan
    from bwb.human.pearmut import write_campaigns
    from bwb.human.sheet import write_csv, write_form

    if args.export == "pearmut":
        write_campaigns(plan, args.out / "pearmut.json")
    for rater in plan.raters:
        write_form(plan, rater, args.out / "forms" / f"{rater.name}.html")
        write_csv(plan, rater, args.out / "sheets" / f"{rater.name}.csv")
    write_plan(plan, args.out / PLAN_FILE)


def _read(args: argparse.Namespace) -> int:
    from bwb.human.design import read_plan
    from bwb.human.evaluate import evaluate
    from bwb.human.sheet import read_answers, require_answers

    _check_share(args)
    plan = read_plan(args.folder)
    findings: list[Finding] = []
    answers = read_answers(plan, args.ratings, findings)
    note_findings(findings)
    require_answers(answers, args.ratings)
    found = evaluate(
        plan, answers, max_failed=args.max_failed, resamples=args.resamples, seed=args.seed
    )
    for rater in found.raters:
        if not rater.kept:
            note(
                f"{rater.rater} dropped: failed {rater.failed} of {plural(rater.checks, 'check')}, "
                f"more than {args.max_failed:.0%} (--max-failed)"
            )
    silent = [rater.name for rater in plan.raters if rater.name not in found.names]
    if silent:
        note(f"nothing from {', '.join(silent)}")
    if args.scores is not None:
        _write_scores(found.scores, args.scores)
    if args.json:
        body: dict[str, Any] = asdict(found)
        print_json({"plan": plan.id, "design": plan.design, "data": plan.data, **body})
    else:
        from bwb.cli.human_tables import print_results

        print_results(plan, found)
    return 0


def _write_scores(rows: tuple[tuple[str, str, str, float], ...], path: Path) -> None:
    import csv

    from bwb.textio import replacing

    with replacing(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("system", "document", "metric", "score"))
        writer.writerows(rows)
    note(f"{path}: {plural(len(rows), 'score')}, the share of comparisons won")


def _simulate(args: argparse.Namespace) -> int:
    import sys

    from tqdm import tqdm

    from bwb.human.assign import assign
    from bwb.human.design import read_plan
    from bwb.human.simulate import Noise, recovery

    _check_share(args)
    plan = read_plan(args.folder)
    if args.raters is not None or args.overlap is not None:
        count = len(plan.raters) if args.raters is None else args.raters
        plan = plan.with_raters(assign(plan, count, args.overlap, plan.seed))
    noise = Noise(args.noise, args.bias, args.tie, args.spammers)
    with tqdm(total=args.runs, disable=not sys.stderr.isatty(), leave=False) as bar:
        rows, caught = recovery(
            plan,
            noise,
            runs=args.runs,
            seed=args.seed,
            max_failed=args.max_failed,
            progress=bar.update,
        )
    if args.write is not None:
        _write_simulated(plan, noise, args)
    if args.json:
        body = {"cells": [asdict(row) for row in rows], "checks": asdict(caught)}
        print_json({"plan": plan.id, "raters": len(plan.raters), "noise": asdict(noise), **body})
    else:
        from bwb.cli.human_tables import print_recovery

        print_recovery(plan, rows, caught)
    return 0


def _write_simulated(plan: Plan, noise: Noise, args: argparse.Namespace) -> None:
    from bwb.errors import UsageError
    from bwb.human.sheet import write_answers
    from bwb.human.simulate import simulate_answers

    if args.raters is not None or args.overlap is not None:
        raise UsageError("--write is for the raters of the plan; leave out --raters, --overlap")
    answers = simulate_answers(plan, noise, args.seed)
    for rater in plan.raters:
        write_answers(plan, rater, answers, args.write / f"ratings-{rater.name}.csv")
    note(f"{args.write}: ratings of {plural(len(plan.raters), 'simulated rater')}")


def _check_share(args: argparse.Namespace) -> None:
    from bwb.errors import UsageError

    if not 0 <= args.max_failed <= 1:
        raise UsageError(f"--max-failed {args.max_failed}; expected a share from 0 to 1")
