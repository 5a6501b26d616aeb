"""Try out site recipes.

test runs a recipe on a saved page and shows what it keeps and what it drops, by which rule;
RECIPE is a file, or the name of a recipe that comes with bwb or is in --sites. list shows the
recipes there are; check reads recipe files and lists what is wrong with them.

  bwb recipe test my-site.toml chapter.html --url https://my-site.example/book/12.html
  bwb recipe test biquge list.html --kind list
  bwb recipe check sites/*.toml
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bwb.cli.common import note, plural, print_json

if TYPE_CHECKING:
    import argparse

    from bwb.crawl.charset import Decoded
    from bwb.crawl.recipe import Recipe

_URL = "http://localhost/page.html"
_SHOWN = 5  # lines and links shown at each end


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    test = actions.add_parser("test", help="run a recipe on a saved page")
    test.add_argument("recipe", metavar="RECIPE", help="name of a recipe, or its file")
    test.add_argument("page", type=Path, metavar="PAGE.html", help="the page, as it was served")
    test.add_argument("--url", default=_URL, help=f"address of the page (default {_URL})")
    test.add_argument("--kind", choices=("list", "chapter"), help="default: chapter, else list")
    test.add_argument("--content-type", metavar="HEADER", help="the header it was served with")
    test.add_argument("--all", action="store_true", help="show all lines, not only some")
    listed = actions.add_parser("list", help="list the recipes there are")
    check = actions.add_parser("check", help="check recipe files")
    check.add_argument("files", nargs="+", type=Path, metavar="FILE")
    for action in (test, listed):
        action.add_argument("--sites", type=Path, action="append", default=[], metavar="DIR")
    for action in (test, listed, check):
        action.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    actions = {"test": _test, "list": _list, "check": _check}
    return actions[args.action](args)


def _list(args: argparse.Namespace) -> int:
    from bwb.crawl.recipe import load_recipes
    from bwb.report.tables import table

    recipes = load_recipes(*args.sites)
    if args.json:
        rows = [
            {"name": name, **recipe.model_dump(include={"version", "lang", "description"})}
            for name, recipe in sorted(recipes.items())
        ]
        print_json({"recipes": rows})
        return 0
    shown = [
        [name, str(recipe.version), recipe.lang, f"{recipe.seconds:g}", recipe.description]
        for name, recipe in sorted(recipes.items())
    ]
    print(table(["recipe", "version", "lang", "seconds", "description"], shown, indent=""))
    return 0


def _check(args: argparse.Namespace) -> int:
    from bwb.crawl.recipe import check_recipe

    results = [(path, *check_recipe(path)) for path in args.files]
    findings = [finding for _, _, found in results for finding in found]
    if args.json:
        print_json({"files": len(results), "findings": [asdict(finding) for finding in findings]})
    else:
        for path, recipe, found in results:
            for finding in found:
                print(finding)
            if recipe is not None:
                print(f"{path}: {recipe.signature}, {recipe.lang}: good")
    return 1 if findings else 0


def _test(args: argparse.Namespace) -> int:
    from bwb.crawl.charset import decode_page
    from bwb.crawl.page import PageError
    from bwb.errors import InputError

    recipe = _recipe(args)
    try:
        raw = args.page.read_bytes()
    except OSError as error:
        raise InputError(f"{args.page}: {error.strerror or error}") from None
    page = decode_page(raw, args.content_type, recipe)
    head = {
        "recipe": recipe.signature,
        "page": str(args.page),
        "url": args.url,
        "charset_declared": page.declared,
        "charset_used": page.used,
        "replaced": page.replaced,
    }
    if args.kind != "list":
        try:
            return _test_chapter(args, recipe, page, head)
        except PageError as error:
            if args.kind == "chapter":
                raise
            try:
                return _test_list(args, recipe, page, head)
            except PageError:
                # It is neither; a list that is only links would have been found.
                raise error from None
    return _test_list(args, recipe, page, head)


def _recipe(args: argparse.Namespace) -> Recipe:
    from bwb.crawl.recipe import find_recipe, load_recipe, load_recipes

    path = Path(args.recipe)
    if path.suffix == ".toml" or path.is_file():
        return load_recipe(path)
    return find_recipe(load_recipes(*args.sites), args.recipe)


def _test_chapter(
    args: argparse.Namespace, recipe: Recipe, page: Decoded, head: dict[str, Any]
) -> int:
    from bwb.crawl.page import next_page, read_chapter

    text = read_chapter(recipe, page.text, args.url)
    following = next_page(recipe, page.text, args.url)
    hints = _hints(recipe, text.lines)
    if args.json:
        removed = [asdict(item) for item in text.removed]
        print_json(
            {
                **head,
                "kind": "chapter",
                "title": text.title,
                "lines": text.lines,
                "removed": removed,
                "next": following,
                "hints": hints,
            }
        )
        return 0
    _print_head(head)
    print(f"title: {text.title or '(none)'}")
    print(f"next page: {following or '(none: this is the last)'}")
    print(f"\nkept: {plural(len(text.lines), 'line')}")
    _print_some([f"  {line}" for line in text.lines], args.all)
    print(f"\nleft out: {len(text.removed)}")
    for item in text.removed:
        print(f"  {item.reason} by {item.rule}: {_short(item.text, args.all)}")
    for hint in hints:
        note(hint)
    return 0


def _hints(recipe: Recipe, lines: tuple[str, ...]) -> list[str]:
    """Patterns that match a part of a kept line where the author meant the whole."""
    from bwb.crawl.pick import regex

    hints = []
    for pattern in recipe.lines.drop:
        line = next((line for line in lines if regex(pattern).search(line)), None)
        if line is not None:
            hints.append(
                f"drop = {pattern!r} matches a part of {_short(line, False)!r}, and drops whole "
                "lines only: add .* to it, or put it into cut"
            )
    return hints


def _test_list(
    args: argparse.Namespace, recipe: Recipe, page: Decoded, head: dict[str, Any]
) -> int:
    from bwb.crawl.page import read_list
    from bwb.crawl.titles import chapter_number

    found = read_list(recipe, page.text, args.url)
    numbers = [chapter_number(ref.title or "") for ref in found.chapters]
    known = [number for number in numbers if number is not None]
    falling = len(known) > 2 and known[0] > known[-1]
    if args.json:
        chapters = [
            {"url": ref.url, "title": ref.title, "number": number, "times": ref.times}
            for ref, number in zip(found.chapters, numbers, strict=True)
        ]
        print_json(
            {
                **head,
                "kind": "list",
                "chapters": chapters,
                "next": found.next,
                "source": found.source,
            }
        )
    else:
        _print_head(head)
        if found.source:
            print(f"the list is elsewhere: {found.source}")
            return 0
        print(f"next page: {found.next or '(none: this is the last)'}")
        print(f"\nchapters: {len(found.chapters)}")
        rows = [
            f"  {'' if number is None else number:>5}  {ref.title or '(no title)'}  {ref.url}"
            for ref, number in zip(found.chapters, numbers, strict=True)
        ]
        _print_some(rows, args.all)
    if falling:
        note(f"the list runs from {known[0]} to {known[-1]}; if it begins with the latest: reverse")
    return 0


def _print_head(head: dict[str, Any]) -> None:
    print(f"{head['page']} by {head['recipe']}")
    declared = head["charset_declared"] or "nothing"
    broken = f", {plural(head['replaced'], 'broken character')}" if head["replaced"] else ""
    print(f"charset: {head['charset_used']} (declared: {declared}{broken})")


def _print_some(rows: list[str], everything: bool) -> None:
    if everything or len(rows) <= 2 * _SHOWN + 1:
        shown = rows
    else:
        hidden = len(rows) - 2 * _SHOWN
        shown = [*rows[:_SHOWN], f"  … {hidden} more (--all) …", *rows[-_SHOWN:]]
    for row in shown:
        print(row)


def _short(text: str, everything: bool) -> str:
    return text if everything or len(text) <= 60 else f"{text[:60]}…"
