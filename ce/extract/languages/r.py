"""R: the table."""

from __future__ import annotations

from ce.extract.languages.r_file import READ, name_of, read_file
from ce.extract.spec import CallKinds, ComplexityKinds, LanguageSpec, SiteRule, StringKinds, UnitKind, Visibility, VisibilityRule

__all__ = ["R"]

R = LanguageSpec(
    name="r",
    grammar="r",
    units=(UnitKind(node="function_definition", params_ignored=("comma",), params_ignored_marks=","),),
    complexity=ComplexityKinds(
        cyclomatic=("if_statement", "for_statement", "while_statement", "repeat_statement"),
        nesting={
            "if_statement": ("consequence", "alternative"),
            "for_statement": ("body",),
            "while_statement": ("body",),
            "repeat_statement": ("body",),
        },
        operators='(binary_operator operator: ["&&" "||"]) @op',
    ),
    sites=(SiteRule(kind="library", query="(namespace_operator lhs: (identifier) @spec) @site"),),
    calls=CallKinds(query="(call function: (_) @callee)", telling=tuple(sorted(READ))),
    strings=StringKinds(plain="(string content: (string_content) @string)"),
    visibility=VisibilityRule(mechanism=Visibility.READ),
    conditional=("if_statement",),
    endless=(rb"[rR][\"'](-*)[(\[{]", rb"[)\]}](-*)[\"']"),
    finish=read_file,
    name_of=name_of,
)
