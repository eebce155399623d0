"""Go: the table. What the comments and declarations of a file add to it is in `go_file.py`."""

from __future__ import annotations

from ce.extract.languages.go_file import read_file
from ce.extract.spec import (
    CallKinds,
    ComplexityKinds,
    LanguageSpec,
    Naming,
    SiteRule,
    StringKinds,
    UnitKind,
    Visibility,
    VisibilityRule,
)

__all__ = ["GO"]

_CASES = ("<expression_case>", "<default_case>")
_TYPE_CASES = ("<type_case>", "<default_case>")

GO = LanguageSpec(
    name="go",
    grammar="go",
    units=(
        UnitKind(node="function_declaration"),
        UnitKind(
            node="method_declaration",
            declares="method",
            parts={"receiver": ("receiver", "<parameter_declaration>", "type")},
            key="({receiver}) {name}/{arity}",
        ),
        UnitKind(node="type_spec", kind="named", declares="type", top_level=True),
        UnitKind(node="type_alias", kind="named", declares="type", top_level=True),
        UnitKind(node="const_spec", kind="named", declares="const", top_level=True),
        UnitKind(node="var_spec", kind="named", declares="variable", top_level=True),
    ),
    complexity=ComplexityKinds(
        cyclomatic=("if_statement", "for_statement", "expression_case", "type_case", "communication_case"),
        nesting={
            "if_statement": ("consequence", "alternative"),
            "for_statement": ("body",),
            "expression_switch_statement": _CASES,
            "type_switch_statement": _TYPE_CASES,
            "select_statement": (),
        },
        nest_only=("func_literal",),
        operators='(binary_expression operator: ["&&" "||"]) @op',
        jumps="(break_statement (label_name)) @jump (continue_statement (label_name)) @jump (goto_statement (label_name)) @jump",
    ),
    naming=Naming.MIXED_CAPS,
    sites=(
        SiteRule(
            kind="import",
            query="""
                (import_spec path: (_) @spec) @site
                (import_spec name: (package_identifier) @namespace) @site
                (import_spec name: (dot) @star) @site
            """,
        ),
    ),
    calls=CallKinds(query="(call_expression function: (_) @callee)"),
    strings=StringKinds(
        nodes=("interpreted_string_literal", "raw_string_literal"),
        content=("interpreted_string_literal_content", "raw_string_literal_content"),
        interpolation=(),
        plus=("binary_expression",),
        plain="(interpreted_string_literal . (interpreted_string_literal_content) @string .)",
        quotes=(b'"',),
        bare_parents=("import_spec",),
    ),
    visibility=VisibilityRule(mechanism=Visibility.CAPITALISED),
    finish=read_file,
)
