"""A page for each command, made from its argument parser, which is what ``--help`` prints.

argparse has no public way to look at what was declared, so this reads ``_action_groups`` and
``_group_actions``, as Sphinx's and others' extensions do.
"""

from __future__ import annotations

import argparse
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from bwb.cli import COMMANDS
from sitegen.text import cell, escape, fence, markdown, table

if TYPE_CHECKING:
    from collections.abc import Iterator

_FORM = partial(argparse.RawDescriptionHelpFormatter, width=80)


def page_of(name: str) -> str:
    """Path of a command's page within the site."""
    return f"commands/{name}.md"


def pages() -> Iterator[tuple[str, str]]:
    """Paths and texts of all pages."""
    yield "commands/index.md", index()
    for name in COMMANDS:
        yield page_of(name), page(name)


def index() -> str:
    """The page that lists the commands."""
    rows = [[f"[`bwb {name}`]({name}.md)", escape(text)] for name, (_, text) in COMMANDS.items()]
    return "\n\n".join(
        [
            "# Commands",
            "Results go to stdout, progress and notes to stderr. With `--json` results are JSON "
            "with a `schema_version`. `bwb COMMAND --help` prints what the pages here say.",
            table(["command", "what it does"], rows),
            "Exit codes: 0 done; 1 bad input; 2 a call that makes no sense; 3 finished, with items "
            "that failed and are listed.",
        ]
    )


def parser_of(name: str) -> argparse.ArgumentParser:
    """The parser of a command, as `bwb.cli.main` makes it."""
    module = import_module(COMMANDS[name][0])
    parser = argparse.ArgumentParser(
        prog=f"bwb {name}", description=module.__doc__, formatter_class=_FORM
    )
    module.add_arguments(parser)
    return parser


def page(name: str) -> str:
    """The page of a command."""
    parser = parser_of(name)
    parts = [f"# bwb {name}", markdown(parser.description or "").rstrip("\n")]
    parts += _usage(parser, "## Usage")
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for word, inner in action.choices.items():
                inner.formatter_class = _FORM
                parts.append(f"## bwb {name} {word}")
                if helps.get(word):
                    parts.append(f"{escape(_capital(helps[word]))}.")
                parts += _usage(inner)
    return "\n\n".join(parts) + "\n"


def _usage(parser: argparse.ArgumentParser, heading: str = "") -> Iterator[str]:
    """How it is called, and a table of each group of arguments."""
    usage = parser.format_usage().removeprefix("usage: ").rstrip("\n")
    if heading:
        yield heading
    yield fence(usage)
    for group in parser._action_groups:
        rows = [
            [_called(action), cell(_meaning(parser, action))]
            for action in group._group_actions
            if action.help != argparse.SUPPRESS
            and not isinstance(action, argparse._HelpAction | argparse._SubParsersAction)
        ]
        if rows:
            title = {"positional arguments": "Arguments"}.get(group.title or "", group.title or "")
            yield f"**{escape(_capital(title))}**"
            if group.description:
                yield escape(group.description)
            yield table(["argument", "meaning"], rows)


def _called(action: argparse.Action) -> str:
    """``--out DIR``, or the name of a positional argument."""
    shown = action.metavar or (
        "{" + ",".join(map(str, action.choices)) + "}" if action.choices else action.dest
    )
    name = " ".join(shown) if isinstance(shown, tuple) else str(shown)
    if action.option_strings:
        name = name if action.metavar or action.choices else name.upper()
        flags = ", ".join(action.option_strings)
        said = flags if action.nargs == 0 else f"{flags} {name}"
    else:
        said = name
    return f"`{said}`".replace("|", "&#124;")


def _meaning(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    """The help, with what argparse fills in; choices if the help has none."""
    text = parser._get_formatter()._expand_help(action) if action.help else ""
    if action.choices and action.metavar:
        text = f"{text} ({', '.join(map(str, action.choices))})".strip()
    return text or "–"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
