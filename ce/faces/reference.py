"""The generated pages of the reference: `python -m ce.faces.reference docs/reference` rewrites them.

A test fails when a page no longer says what the code says.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path

__all__ = ["PAGES", "commands_page", "diagnostics_page", "relations_page", "settings_page", "write_pages"]

_COLUMNS = "100"


def write_pages(directory: Path) -> None:
    """Write every generated page into the directory."""
    for name, page in PAGES.items():
        (directory / name).write_text(page(), encoding="utf-8")


def commands_page() -> str:
    """Return the page of all commands: their help texts."""
    from ce.faces.cli import COMMANDS

    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = _COLUMNS
    try:
        parts = ["# Commands\n"]
        for name, (module, summary) in COMMANDS.items():
            text = import_module(f"ce.faces.cli.{module}").parser().format_help()
            parts.append(f"## `ce {name}`\n\n{summary[0].upper()}{summary[1:]}.\n\n```text\n{text.rstrip()}\n```\n")
        return "\n".join(parts)
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before


def relations_page() -> str:
    """Return the page of all relations: those of the schema, then those of the prelude."""
    from ce.facts.schema import RELATIONS, VOCABULARIES
    from ce.verdicts.family import program_text

    lines = ["# Relations", "", "What a program may read. Costly relations are measured only when a program reaches them.", ""]
    lines += ["| relation | meaning | cost | from |", "|---|---|---|---|"]
    lines += [f"| `{one.signature}` | {one.meaning.replace('|', chr(92) + '|')} | {one.cost} | {one.provider} |" for one in RELATIONS]
    lines += ["", "## Closed vocabularies", "", "A constant outside them is an error that names the nearest member.", ""]
    lines += ["| vocabulary | where | words |", "|---|---|---|"]
    for name, words in VOCABULARIES.items():
        where = ", ".join(f"`{one.name}.{column}`" for one in RELATIONS for column, _, vocabulary in one.columns if vocabulary == name)
        lines.append(f"| {name} | {where} | {', '.join(f'`{word}`' for word in words)} |")
    lines += ["", "## The prelude", "", "Defined for every question; nobody may redefine them.", ""]
    for name in ("prelude.dl", "deadcode/entries.dl"):
        source, text = program_text(name)
        lines += [f"`{source}`:", "", "```prolog", text.rstrip(), "```", ""]
    return "\n".join(lines).rstrip() + "\n"


def settings_page() -> str:
    """Return the page of all settings."""
    from ce.source.settings import Settings

    lines = ["# Settings", "", "`ce.toml` at the root of the tree; without one everything has its default. An unknown key is an error.", ""]
    lines += ["| key | type | default | meaning |", "|---|---|---|---|", *_rows(Settings, "")]
    return "\n".join(lines) + "\n"


def diagnostics_page() -> str:
    """Return the page of all diagnostics: those of programs from their tables, the others from the list below."""
    from ce.datalog.codes import all_codes

    lines = ["# Diagnostics", "", "`file:line:column: severity code: sentence`, the line with a caret, and how to mend it.", ""]
    lines += ["## Programs", "", "| code | fault | meaning |", "|---|---|---|"]
    lines += [f"| `{code.number}` | {code.title} | {code.meaning} |" for code in all_codes()]
    for title, codes in _OTHER_CODES.items():
        lines += [
            "",
            f"## {title}",
            "",
            "| code | meaning |",
            "|---|---|",
            *(f"| `{code}` | {meaning} |" for code, meaning in codes.items()),
        ]
    return "\n".join(lines) + "\n"


def _rows(table: type, prefix: str) -> list[str]:
    from ce.source.setting_keys import key_of

    lines: list[str] = []
    for declared in fields(table):
        key = key_of(declared)
        if key is None:
            nested = declared.default_factory
            if isinstance(nested, type) and is_dataclass(nested):
                lines += _rows(nested, f"{prefix}[{declared.name}] ")
            continue
        name = key.name or declared.name
        lines.append(f"| `{prefix}{name}` | {key.type_name} | {key.default or 'unset'} | {key.meaning.replace('|', chr(92) + '|')} |")
        if key.record is not None:
            lines += _rows(key.record, f"{prefix.rstrip().removesuffix(']')}.{name}]] ".replace("[", "[[", 1))
    return lines


_OTHER_CODES: dict[str, dict[str, str]] = {
    "Trees and settings": {
        "CE501": "there is no such directory, or the text is no path",
        "CE502": "the root is not a directory",
        "CE503": "`ce.toml` cannot be read, is too large or is not UTF-8",
        "CE504": "`ce.toml` has an unknown table or key",
        "CE505": "a value of `ce.toml` is not of the kind that its key takes",
        "CE506": "a text is not a glob",
        "CE507": "a threshold for failing lies below the one for warning",
        "CE508": "a rule class has no name or no globs, shares its name, or is one too many",
        "CE509": "`ce.toml` is not TOML",
        "CE510": "`crate_roots` or `search_roots` names what is not measured",
    },
    "Evaluation and facts": {
        "CE401": "a result does not fit in 64 bits; numbers never wrap",
        "CE402": "a division or remainder by zero has no value: its literal fails (warning)",
        "CE403": "a pattern that a rule computes cannot be used",
        "CE411": "a row given from Python has another number of values than its relation has columns",
        "CE412": "a value given from Python is not of the sort of its column",
        "CE413": "a number given from Python does not fit in 64 bits",
        "CE421": "there is no file of facts for a declared relation, which is then empty (warning)",
        "CE422": "a file of facts cannot be read",
        "CE423": "a row of a file of facts is not what its relation wants",
        "CE430": "there is no engine of that name",
        "CE431": "a proof was asked of a row that does not hold",
        "CE432": "a row was asked about that has another number of columns",
        "CE433": "an explanation was asked although a limit was crossed and nothing was derived",
        "CE434": "an optional package is not installed",
        "CE435": "a row given from Python is not a tuple of numbers and names",
        "CE436": "a derived relation was read from Python although a limit was crossed",
    },
    "Policy clauses, the allowlist and copies": {
        "CE601": "a policy clause is not well formed",
        "CE602": "a record of a run is not well formed",
        "CE603": "no clause in force has that id",
        "CE604": "a file of clauses cannot be read",
        "CE605": "no corpus of clauses is named, or two are",
        "CE611": "a module of the judged packages is missing, doubled, unreadable or does not parse",
        "CE612": "no allowlist is named",
        "CE613": "the allowlist cannot be written",
        "CE631": "the candidates of copied code or prose are not well formed",
        "CE632": "`ce dedup --check` has no budget to check against",
        "CE633": "merges could not be judged within the limits",
        "CE634": "`ce merge` is asked for what is not there: a path, a group, a function",
    },
    "Erase": {
        "CE701": "the tree is not in a git repository",
        "CE702": "the root is not the top of its repository",
        "CE703": "the worktree is not clean, or its state cannot be read",
        "CE704": "a target belongs to a submodule or a nested repository, or the last commit cannot be read",
        "CE705": "a target changed since the plan was made, is gone, or cannot be erased",
        "CE706": "a licence of the plan does not hold",
        "CE707": "another apply is at work in this tree",
        "CE708": "the journal of an interrupted apply is there or cannot be used: `ce erase --recover`",
        "CE710": "writing failed; everything was taken back",
        "CE711": "the erase did not converge or its verification failed; everything was taken back",
        "CE712": "a file could not be taken back",
        "CE721": "the eraser could not judge",
        "CE722": "dead files or copies could not be judged, so there is no plan",
        "CE723": "the saved plan is not a document of `ce erase --format json`",
    },
    "Commands": {
        "CE900": "the operating system refused something: the sentence names the file and the reason",
        "CE901": "a shipped program or rules file is missing: the installation is incomplete",
        "CE902": "the machine ran out of memory, or something is nested too deeply; nothing was judged",
        "CE903": "a fault of `ce` itself; its traceback stands above the message",
        "CE904": "a limit was crossed and nothing was judged (Python interface; the commands report it as `degraded`)",
        "CE911": "there is no rules file of that name",
        "CE912": "`[rules] file` names a file that does not exist",
        "CE913": "a rules file cannot be read or is not UTF-8",
        "CE920": "`ce query` was given no question",
        "CE921": "`ce query` was given a directory where the question belongs",
        "CE922": "an interactive question begins with a dot and is no command, or is an assertion",
        "CE923": "`ce query --interactive` was given a question",
        "CE924": "`ce query` was asked for proofs or a plan in a format that has no place for them",
        "CE930": "there is no relation of that name",
        "CE931": "`set` was asked for without a glob",
        "CE940": "there is no program of that name (`ce datalog`)",
        "CE941": "there is no directory of facts of that name (`ce datalog`)",
        "CE932": "`ce facts` was given a directory where the relation belongs",
        "CE951": "a pattern of a rule matches no file of the tree (warning)",
        "CE952": "a baseline is missing, cannot be read or is none",
        "CE953": "a marker `ce:allow(rule) -- why` exempts nothing (warning)",
        "CE954": "a baseline cannot be written",
        "CE955": "`--write-baseline` was given without `--baseline`",
        "CE956": "`ce demo --copy` was given a directory that exists",
        "CE957": "a file or directory that a program names is not in the tree (warning)",
        "CE961": "`ce fmt` cannot read a file",
        "CE962": "`ce fmt` cannot write a file",
        "CE963": "`ce lint` was given two directories",
        "CE971": "an entry of `.ceignore` or `ce.toml` changes nothing: another one covers it (warning)",
        "CE972": "a glob of `ce.toml` matches no file of the tree (warning)",
        "CE991": "`ce deadcode --symbols` or `ce why` found no root: nothing starts any file",
        "CE992": "`[deadcode] without` names a file of roots that is not shipped",
        "CE981": "an editor asked for a rename that cannot be",
    },
}

PAGES: dict[str, Callable[[], str]] = {
    "commands.md": commands_page,
    "relations.md": relations_page,
    "settings.md": settings_page,
    "diagnostics.md": diagnostics_page,
}


if __name__ == "__main__":
    write_pages(Path(sys.argv[1]))
