"""A conversation with a tree: questions, rules that stay, and commands; one line in, one reply out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ce.app.evaluation import Options
from ce.app.project import Project, rules_files
from ce.app.query import ask_rules
from ce.app.report import Report
from ce.app.vocabulary import Completion, Known, completions, known_relations
from ce.diagnostics import CeError
from ce.verdicts.family import PRELUDE_SOURCE, RulesFile, include_loader, program_text

__all__ = ["COMMANDS", "Reply", "Session", "is_complete"]

COMMANDS = {
    ".schema": "list the relations, or show the one named: .schema ref",
    ".why": "show how each answer is derived: .why BODY, or .why for the last question",
    ".why-not": "show which premise failed: .why-not BODY, or the last question",
    ".plan": "show in which order a question is joined: .plan BODY, or the last question",
    ".rules": "show the rules that were entered",
    ".forget": "forget the rules that were entered",
    ".help": "show this",
    ".quit": "leave (or end of input)",
}

# How diagnostics and proofs call the rules that were entered.
_ENTERED = "entered"


@dataclass(frozen=True, slots=True)
class Reply:
    """What a line gave: the report on a question, or lines of text; `done` when the conversation ends."""

    report: Report | None = None
    lines: tuple[str, ...] = ()
    done: bool = False


def is_complete(text: str) -> bool:
    """Tell whether a text can be answered: it neither ends in the middle of a body nor leaves a parenthesis open."""
    stripped = "\n".join(line.partition("#")[0] if '"' not in line else line for line in text.split("\n")).rstrip()
    if stripped.startswith("."):
        return True
    opens = stripped.count("(") - stripped.count(")")
    return opens <= 0 and not stripped.endswith((",", ":-", ";"))


class Session:
    """The rules that were entered so far, over the rules files given at the start. Every question sees the tree as it is then."""

    def __init__(self, project: Project, files: Sequence[str], options: Options) -> None:
        """Begin a conversation about the tree. Raises CeError when a rules file has a fault."""
        self._project = project
        self._files = rules_files(project, files)
        self._options = options
        self._entered: list[str] = []
        self._last = ""
        self._paths: tuple[str, ...] | None = None
        self.known: dict[str, Known] = {}
        self._learn(())

    def reply(self, text: str) -> Reply:
        """Return the reply to a line. Raises CeError for a fault in it; what was entered before stays."""
        line = text.strip()
        if not line or line.startswith("#"):
            return Reply()
        word, _, rest = line.partition(" ")
        if word.startswith(".") and not word[1:2].isdigit():
            return self._command(word, rest.strip())
        if line.startswith("assert "):
            raise CeError.of(
                "CE922", "assertions stand in a rules file", notes=("ask for the body, or judge the file: ce rules --file FILE",)
            )
        if _is_rule(line):
            self._learn((*self._entered, line if line.endswith(".") else f"{line}."))
            return Reply(lines=("noted; .rules shows what was entered",))
        return self._ask(line)

    def complete(self, before: str) -> tuple[int, list[Completion]]:
        """Return where the word at the end of the text starts, and what may stand there."""
        if before.startswith(".") and " " not in before:
            return 0, [Completion(name, "command", meaning) for name, meaning in COMMANDS.items() if name.startswith(before)]
        skipped = len(before) - len(before.split(" ", 1)[1]) if before.startswith(".") else 0
        start, found = completions(before[skipped:], self.known, self._all_paths)
        return start + skipped, found

    def _command(self, word: str, rest: str) -> Reply:
        if word == ".quit":
            return Reply(done=True)
        if word == ".help":
            width = max(map(len, COMMANDS))
            intro = ("A line is a question, such as dead(F); a rule, such as big(F) :- lines(F, N), N > 500. ; or a command:", "")
            return Reply(lines=(*intro, *(f"  {name:<{width}}  {meaning}" for name, meaning in COMMANDS.items())))
        if word == ".schema":
            return Reply(lines=self._schema(rest))
        if word == ".rules":
            return Reply(lines=tuple(self._entered) or ("no rule was entered",))
        if word == ".forget":
            self._learn(())
            return Reply(lines=("forgotten",))
        if word in (".why", ".why-not", ".plan"):
            return self._ask(rest or self._last, why=word == ".why", why_not=word == ".why-not", plan=word == ".plan")
        raise CeError.of("CE922", f"there is no command `{word}`", notes=(f"there are {', '.join(COMMANDS)}",))

    def _ask(self, body: str, *, why: bool = False, why_not: bool = False, plan: bool = False) -> Reply:
        if not body:
            raise CeError.of("CE920", "nothing was asked yet", notes=("example: dead(F)",))
        report = ask_rules(self._project, self._rules(), body, why=why, why_not=why_not, plan=plan, options=self._options)
        self._last = body
        return Reply(report)

    def _rules(self) -> tuple[RulesFile, ...]:
        if not self._entered:
            return self._files
        return (*self._files, RulesFile(_ENTERED, "\n".join(self._entered) + "\n", None))

    def _learn(self, entered: Sequence[str]) -> None:
        """Take the rules when they pass the checks; else raise CeError and keep the earlier ones."""
        from ce.datalog.checks import check
        from ce.datalog.parse import parse_program
        from ce.facts.schema import schema
        from ce.verdicts.family import RESERVED_SOURCES

        before, self._entered = self._entered, list(entered)
        try:
            prelude = program_text(PRELUDE_SOURCE.removeprefix("programs/"))
            beside = tuple(file.directory for file in self._files if file.directory is not None)
            sources = [prelude, *((file.source, file.text) for file in self._rules())]
            program = parse_program(sources, include_loader(self._project.root, beside), recover=True)
            checked = check(program, schema(), reserved=RESERVED_SOURCES)
        except CeError:
            self._entered = before
            raise
        self.known = known_relations(program, checked.relations)

    def _schema(self, name: str) -> tuple[str, ...]:
        if not name:
            own = sorted(
                (each for each in self.known.values() if each.origin != "test"), key=lambda each: (each.origin != "facts", each.name)
            )
            return tuple(each.signature for each in own)
        found = self.known.get(name)
        if found is None:
            from difflib import get_close_matches

            near = get_close_matches(name, self.known, 1)
            raise CeError.of("CE930", f"there is no relation `{name}`", notes=[f"did you mean `{near[0]}`?"] if near else [])
        words = [f"  {column.name} is one of {', '.join(column.words)}" for column in found.columns if column.words]
        place = [f"  defined at {found.at.source}:{found.at.line}"] if found.at is not None else []
        return (found.signature, *([f"  {found.meaning}"] if found.meaning else []), *words, *place)

    def _all_paths(self) -> tuple[str, ...]:
        if self._paths is None:
            from ce.app.index import ProjectIndex

            with ProjectIndex(self._project.root) as index:
                index.refresh()
                self._paths = tuple(index.tree.paths)
        return self._paths


def _is_rule(line: str) -> bool:
    """Tell whether a line states something: a rule, a declaration, an include, or a fact, which ends with a dot."""
    return not line.startswith("?-") and (":-" in line or line.startswith(("decl ", "include ", "@")))
