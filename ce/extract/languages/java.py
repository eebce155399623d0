"""Java: the table."""

from __future__ import annotations

from ce.extract.languages.java_file import read_file
from ce.extract.spec import (
    CallKinds,
    CallRule,
    ComplexityKinds,
    LanguageSpec,
    Naming,
    SiteRule,
    StringKinds,
    UnitKind,
    Visibility,
    VisibilityRule,
)

__all__ = ["JAVA"]

_BASES = (("superclass",), ("interfaces", "<type_list>"), ("<extends_interfaces>", "<type_list>"))

JAVA = LanguageSpec(
    name="java",
    grammar="java",
    comments=("line_comment", "block_comment"),
    units=(
        UnitKind(node="method_declaration", declares="method", requires=(("body",),), params_ignored_marks="/"),
        UnitKind(node="constructor_declaration", declares="method", params_ignored_marks="/"),
        UnitKind(node="compact_constructor_declaration", declares="method"),
        *(
            UnitKind(node=node, kind="named", declares=word, bases=_BASES, bases_generic=("generic_type",), is_type=True)
            for node, word in (
                ("class_declaration", "class"),
                ("interface_declaration", "interface"),
                ("enum_declaration", "enum"),
                ("record_declaration", "record"),
                ("annotation_type_declaration", "annotation"),
            )
        ),
    ),
    complexity=ComplexityKinds(
        cyclomatic=(
            "if_statement", "for_statement", "enhanced_for_statement", "while_statement", "do_statement", "switch_label",
            "ternary_expression", "catch_clause",
        ),
        nesting={
            "if_statement": ("consequence", "alternative"),
            "for_statement": ("body",),
            "enhanced_for_statement": ("body",),
            "while_statement": ("body",),
            "do_statement": ("body",),
            "switch_expression": ("body",),
            "catch_clause": ("body",),
            "ternary_expression": (),
        },
        nest_only=("lambda_expression",),
        operators='(binary_expression operator: ["&&" "||"]) @op',
        jumps="(break_statement (identifier)) @jump (continue_statement (identifier)) @jump",
    ),
    naming=Naming.MIXED_CAPS,
    sites=(
        SiteRule(kind="import_star", query="(import_declaration [(scoped_identifier) (identifier)] @spec (asterisk) @star) @site"),
        SiteRule(kind="import", query="(import_declaration [(scoped_identifier) (identifier)] @spec) @site"),
    ),
    calls=CallKinds(query="(method_invocation) @call", callee="name", from_call_start=True),
    call_rules=(
        CallRule(callees=("Class.forName", "java.lang.Class.forName"), why="reflection", site="dynamic_import", needs_argument=True),
    ),
    receivers=("this",),
    strings=StringKinds(
        nodes=("string_literal",),
        content=("string_fragment",),
        plus=("binary_expression",),
        plain="(string_literal . (string_fragment) @string .)",
        quotes=(b'"',),
        bare_parents=("expression_statement",),
    ),
    visibility=VisibilityRule(mechanism=Visibility.READ),
    reads_ahead=True,
    looks="""
        (package_declaration [(scoped_identifier) (identifier)] @look.package)
        (type_identifier) @look.type
        (scoped_type_identifier) @look.type
        (type_parameter (type_identifier) @look.parameter)
        (marker_annotation name: (_) @look.annotation)
        (annotation name: (_) @look.annotation)
        (record_pattern . (identifier) @look.annotation)
        (method_invocation object: (identifier) @look.head)
        (field_access object: (identifier) @look.qualified)
        (method_reference . (identifier) @look.head)
        (field_declaration declarator: (variable_declarator name: (identifier) @look.field))
        (constant_declaration declarator: (variable_declarator name: (identifier) @look.field))
    """,
    finish=read_file,
)  # fmt: skip
