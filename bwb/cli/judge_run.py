r"""Ask a model to judge the outputs of systems, document by document or window by window.

  bwb judge run --rubric docmt --model M --out answers.jsonl --dry-run
  bwb judge run --rubric context --window 10 --model M --base-url http://localhost:8000/v1 \
      --no-key --out answers.jsonl
  bwb judge run --systems mine/ --data corpus.jsonl --model M --out answers.jsonl --repeats 2 \
      --budget 5 --price-in 2.5 --price-out 10

OUT only grows. The same command again asks what is not answered yet; limits are for all that is
in OUT, and a request is sent only if they hold even should its answer be as long as --max-tokens.
An answer is kept as it came, however it reads: `bwb judge replay OUT` reads it.

For models that know no max_tokens or temperature:
  --param max_tokens=null --param temperature=null --param max_completion_tokens=4000
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bwb.cli.common import note, note_findings, plural, print_json

if TYPE_CHECKING:
    import argparse

    from bwb.judge.budget import Limits
    from bwb.judge.rubric import NamedRubric
    from bwb.judge.runner import Run
    from bwb.judge.tasks import Task
    from bwb.metrics.systems import Outputs
    from bwb.records import Document

_ENDPOINT = "https://api.openai.com/v1"
_LISTED = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    what = parser.add_argument_group("what is judged")
    what.add_argument(
        "--systems",
        nargs="+",
        action="extend",
        default=[],
        metavar="[NAME=]PATH",
        help="outputs, as for bwb score (default: those that the corpus carries)",
    )
    what.add_argument(
        "--data", type=Path, metavar="PATH", help="any corpus bwb reads (default: the sample)"
    )
    what.add_argument("--split", choices=("train", "validation", "test"), help="only this split")
    what.add_argument("--documents", metavar="ID,…", help="only these documents")
    what.add_argument("--window", type=int, metavar="N", help="windows of N sentences (default: "
                      "whole documents)")  # fmt: skip
    what.add_argument("--lenient", action="store_true", help="repair a corpus that is messy")
    how = parser.add_argument_group("how")
    how.add_argument("--rubric", default="docmt", metavar="R", help="a rubric of bwb judge prompts,"
                     " or a TOML file (default: docmt)")  # fmt: skip
    how.add_argument("--parts", metavar="A,B", help="only these parts of the rubric")
    how.add_argument("--out", type=Path, required=True, metavar="OUT", help="where all is kept")
    how.add_argument("--repeats", type=int, default=1, metavar="N", help="ask everything N times")
    how.add_argument("--dry-run", action="store_true", help="say what would be sent, and stop")
    how.add_argument("--scores", type=Path, metavar="FILE", help="write a line of JSON for each "
                     "system, document and metric")  # fmt: skip
    judge = parser.add_argument_group("the judge")
    judge.add_argument("--model", required=True, metavar="M", help="name of the model")
    judge.add_argument("--base-url", default=_ENDPOINT, metavar="URL", help=f"default: {_ENDPOINT}")
    judge.add_argument("--key-env", default="OPENAI_API_KEY", metavar="NAME", help="environment "
                       "variable that holds the key (default: OPENAI_API_KEY)")  # fmt: skip
    judge.add_argument("--no-key", action="store_true", help="the endpoint needs no key")
    judge.add_argument("--temperature", type=float, default=0.0, help="default: 0")
    judge.add_argument("--top-p", type=float, metavar="P", help="default: not sent")
    judge.add_argument("--seed", type=int, help="default: not sent; the same for all repeats")
    judge.add_argument("--max-tokens", type=int, default=4000, metavar="N", help="longest answer "
                       "(default: 4000)")  # fmt: skip
    judge.add_argument("--param", action="append", default=[], metavar="NAME=JSON", help="another "
                       "key of the request, or null to leave one out")  # fmt: skip
    judge.add_argument("--no-schema", action="store_true", help="do not ask for structured output")
    pace = parser.add_argument_group("pace and limits")
    pace.add_argument("--concurrency", type=int, default=4, metavar="N", help="requests at a time "
                      "(default: 4)")  # fmt: skip
    pace.add_argument("--timeout", type=float, default=120.0, metavar="S", help="default: 120")
    pace.add_argument("--tries", type=int, default=6, metavar="N", help="how often a request is "
                      "sent at most (default: 6)")  # fmt: skip
    pace.add_argument("--max-wait", type=float, default=300.0, metavar="S", help="longest rest "
                      "that Retry-After is granted (default: 300)")  # fmt: skip
    pace.add_argument("--budget", type=float, metavar="USD", help="most that OUT may cost")
    pace.add_argument("--price-in", type=float, metavar="USD", help="for a million prompt tokens")
    pace.add_argument("--price-out", type=float, metavar="USD", help="for a million answer tokens")
    pace.add_argument("--max-requests", type=int, metavar="N", help="most requests of OUT")
    pace.add_argument("--max-tokens-total", type=int, metavar="N", help="most tokens of OUT")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from bwb.judge.budget import Budget
    from bwb.judge.client import Client, endpoint_url, read_key
    from bwb.judge.header import new_records, run_record
    from bwb.judge.runner import Patience, Runner
    from bwb.judge.store import Store
    from bwb.judge.tasks import tasks
    from bwb.metrics.scoring import data_fields

    limits = _limits(args)
    endpoint = endpoint_url(args.base_url)
    settings = _settings(args)
    rubric = _rubric(args)
    documents, outputs = _load(args)
    asked = tasks(rubric, documents, outputs, settings, endpoint=endpoint, window=args.window,
                  structured=not args.no_schema)  # fmt: skip
    if args.dry_run:
        return _dry_run(args, asked, limits)
    client = Client(endpoint, read_key(None if args.no_key else args.key_env), timeout=args.timeout)
    name = args.data.resolve().name if args.data else "bwb-sample"
    header = run_record(
        rubric,
        settings,
        endpoint=endpoint,
        window=args.window,
        structured=not args.no_schema,
        data=data_fields(name, documents, args.split),
    )
    with Store(args.out) as store:
        note_findings(store.findings)
        store.add(new_records(store, header, asked))
        spent = (store.tries, store.prompt_tokens, store.answer_tokens)
        budget = Budget(limits, *spent)
        with _Bar(budget) as bar:
            runner = Runner(
                client,
                store,
                budget,
                workers=args.concurrency,
                answer_tokens=args.max_tokens,
                patience=Patience(tries=args.tries, rest=args.max_wait),
                watch=bar.watch,
            )
            done = runner.ask_all(asked, args.repeats)
        body = _body(done, budget, header)
    return _report(args, done, body)


def _limits(args: argparse.Namespace) -> Limits:
    from bwb.errors import UsageError
    from bwb.judge.budget import Limits

    least = {"repeats": 1, "max_tokens": 1, "concurrency": 1, "tries": 1, "timeout": 0.001,
             "max_wait": 0, "temperature": 0}  # fmt: skip
    for name, low in least.items():
        value = getattr(args, name)
        if not low <= value < float("inf"):
            raise UsageError(f"--{name.replace('_', '-')} {value}; expected at least {low}")
    if args.top_p is not None and not 0 < args.top_p <= 1:
        raise UsageError(f"--top-p {args.top_p}; expected more than 0 and at most 1")
    return Limits(
        dollars=args.budget,
        requests=args.max_requests,
        tokens=args.max_tokens_total,
        prompt_price=args.price_in,
        answer_price=args.price_out,
    )


def _settings(args: argparse.Namespace) -> dict[str, Any]:
    """What stands in every request beside the messages and the form."""
    import json

    from bwb.errors import UsageError

    settings: dict[str, Any] = {
        "model": args.model,
        "temperature": args.temperature,
        "top_p": args.top_p,
        "seed": args.seed,
        "max_tokens": args.max_tokens,
    }
    for param in args.param:
        name, equals, value = param.partition("=")
        try:
            settings[name] = json.loads(value)
        except json.JSONDecodeError:
            raise UsageError(f"--param {param!r}; expected NAME=JSON, as max_completion_tokens=4000"
                             ) from None  # fmt: skip
        if not equals or not name or name in ("messages", "response_format", "stream", "n"):
            raise UsageError(f"--param {param!r}; this key is not for --param")
    return {name: value for name, value in settings.items() if value is not None}


def _rubric(args: argparse.Namespace) -> NamedRubric:
    from bwb.errors import UnknownNameError
    from bwb.judge.rubric import load_rubric

    rubric = load_rubric(args.rubric)
    if args.parts is None:
        return rubric
    known = {part.name: part for part in rubric.parts}
    names = [name.strip() for name in args.parts.split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise UnknownNameError("part", name, known)
    parts = tuple(part for part in rubric.parts if part.name in names)
    return rubric.model_copy(update={"parts": parts})


def _load(args: argparse.Namespace) -> tuple[list[Document], Outputs]:
    from bwb.annotations.sources import read_documents
    from bwb.errors import Finding, InputError, UnknownNameError
    from bwb.metrics.systems import embedded_outputs, read_outputs

    findings: list[Finding] = []
    documents = list(read_documents(args.data, strict=not args.lenient, findings=findings))
    if args.split:
        documents = [document for document in documents if document.split == args.split]
        if not documents:
            raise InputError(f"{args.data or 'the sample'} has no documents of split {args.split}")
    if args.systems:
        outputs = read_outputs(args.systems, documents, findings)
    else:
        outputs = embedded_outputs(documents)
    note_findings(findings)
    if args.documents:
        by_id = {document.id: document for document in documents}
        names = [name.strip() for name in args.documents.split(",") if name.strip()]
        for name in names:
            if name not in by_id:
                raise UnknownNameError("document", name, by_id)
        documents = [document for document in documents if document.id in names]
    return documents, outputs


def _dry_run(args: argparse.Namespace, asked: list[Task], limits: Limits) -> int:
    """Say what would be sent: requests, estimated tokens and dollars, and the first prompt."""
    from bwb.judge.tasks import EXPECTED_ANSWER
    from bwb.report.tables import table

    unique = {task.key: task for task in reversed(asked)}
    parts: dict[str, list[int]] = {}
    for task in asked:
        row = parts.setdefault(task.part, [0, 0, 0])
        row[0] += 1
        if unique.get(task.key) is task:
            row[1] += args.repeats
            row[2] += args.repeats * task.tokens
    requests = sum(row[1] for row in parts.values())
    prompt = sum(row[2] for row in parts.values())
    answer = requests * min(EXPECTED_ANSWER, args.max_tokens)
    body = {
        "requests": requests,
        "prompt_tokens": prompt,
        "answer_tokens": answer,
        "dollars": limits.cost(prompt, answer),
        "dollars_at_most": limits.cost(prompt, requests * args.max_tokens),
        "parts": {part: {"texts": row[0], "requests": row[1], "prompt_tokens": row[2]}
                  for part, row in parts.items()},
    }  # fmt: skip
    if args.json:
        print_json({**body, "first": asked[0].body})
        return 0
    for message in asked[0].body["messages"]:
        print(f"[{message['role']}]\n{message['content']}\n")
    print(table(["part", "texts", "requests", "prompt tokens, about"],
                [[part, *row] for part, row in parts.items()]))  # fmt: skip
    cost = limits.cost(prompt, answer)
    most = limits.cost(prompt, requests * args.max_tokens)
    money = "; give --price-in and --price-out for dollars" if cost is None else (
        f", about ${cost:,.2f}, at most about ${most:,.2f}")  # fmt: skip
    print(f"\n{plural(requests, 'request')}, about {prompt:,} prompt tokens and {answer:,} answer "
          f"tokens{money}. Nothing was sent.")  # fmt: skip
    return 0


def _body(done: Run, budget: Any, header: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401 - a Budget
    return {
        "signature": header["signature"],
        "wanted": done.wanted,
        "there_before": done.there,
        "answered": done.answered,
        "failed": len(done.failed),
        "missing": done.missing,
        "stopped": done.stopped,
        "requests_sent": done.sent,
        "troubles": dict(done.troubles),
        "forms": dict(done.forms),
        "cut_off": done.cut_off,
        "seconds": round(done.seconds, 3),
        "of_all_runs": {
            "requests": budget.requests,
            "prompt_tokens": budget.prompt,
            "answer_tokens": budget.answer,
            "dollars": budget.dollars,
        },
        "failures": done.failed,
        "notes": done.notes,
    }


def _report(args: argparse.Namespace, done: Run, body: dict[str, Any]) -> int:
    from bwb.cli.judge import print_replay, replay_json, write_scores
    from bwb.judge.replay import replay

    for text in done.notes:
        note(text)
    if done.cut_off:
        note(f"{plural(done.cut_off, 'answer')} ended at --max-tokens {args.max_tokens}")
    for failure in done.failed[:_LISTED]:
        where = f"{failure['part']}, {failure['system']}, {failure['document']}"
        note(f"{where}: {failure['trouble']} (sent {failure['tries']}×): {failure['message']}")
    if len(done.failed) > _LISTED:
        note(f"… and {len(done.failed) - _LISTED} more; --json lists them all")
    if done.stopped:
        note(f"stopped: {done.stopped}")
    if done.missing:
        note(f"{plural(done.missing, 'answer')} missing; the same command asks for them")
    found = replay([args.out]) if done.there + done.answered else None
    if args.scores and found is not None:
        write_scores(args.scores, found)
    if args.json:
        print_json({**body, **(replay_json(found) if found else {})})
    else:
        if found is not None:
            print_replay(found)
        total = body["of_all_runs"]
        money = "" if total["dollars"] is None else f", ${total['dollars']:,.4f}"
        print(f"\n{plural(done.answered, 'answer')} came, {done.there:,} were there; "
              f"{args.out}: {total['requests']:,} requests, {total['prompt_tokens']:,} + "
              f"{total['answer_tokens']:,} tokens{money}")  # fmt: skip
    if done.missing and not done.answered and not done.there:
        return 1
    return 3 if done.missing else 0


class _Bar:
    """A progress bar on a terminal: answers, errors, cost."""

    def __init__(self, budget: Any) -> None:  # noqa: ANN401 - a Budget
        from tqdm import tqdm

        self.budget = budget
        self.bar = tqdm(unit="answer", disable=None, dynamic_ncols=True, file=sys.stderr)

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *error: object) -> None:
        self.bar.close()

    def watch(self, run: Run) -> None:
        """Show how far a run is."""
        if self.bar.disable:
            return
        if self.bar.total is None:
            self.bar.initial = run.there
        self.bar.total = run.wanted
        self.bar.n = run.there + run.answered
        dollars = self.budget.dollars
        shown = {} if dollars is None else {"cost": f"${dollars:.4f}"}
        self.bar.set_postfix(errors=run.troubles.total(), failed=len(run.failed), **shown)
