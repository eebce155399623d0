"""What the tables of TypeScript and JavaScript share: two grammars with the same names for the same things."""

from __future__ import annotations

from ce.extract.languages.ecmascript_calls import TELLING, calls_by_other_names
from ce.extract.languages.ecmascript_module import read_module
from ce.extract.spec import (
    CallKinds,
    ComplexityKinds,
    Decorators,
    LanguageSpec,
    Naming,
    SiteRule,
    StringKinds,
    UnitKind,
    Visibility,
    VisibilityRule,
)

__all__ = ["FUNCTIONS", "ecmascript"]

_NAME_AROUND = (
    ("variable_declarator", "name"),
    ("pair", "key"),
    ("assignment_expression", "left"),
    ("public_field_definition", "name"),
    ("field_definition", "property"),
)

FUNCTIONS = (
    UnitKind(node="function_declaration"),
    UnitKind(node="generator_function_declaration"),
    UnitKind(node="method_definition", declares="method"),
    UnitKind(node="arrow_function", declares="expression", member="method", param=("parameter",), name_around=_NAME_AROUND),
    UnitKind(node="function_expression", declares="expression", member="method", name_around=_NAME_AROUND),
    UnitKind(node="generator_function", declares="expression", member="method", name_around=_NAME_AROUND),
)

_COMPLEXITY = ComplexityKinds(
    cyclomatic=(
        "if_statement", "ternary_expression", "for_statement", "for_in_statement", "while_statement", "do_statement", "switch_case",
        "catch_clause",
    ),
    nesting={
        "if_statement": ("consequence", "alternative"),
        "for_statement": ("body",),
        "for_in_statement": ("body",),
        "while_statement": ("body",),
        "do_statement": ("body",),
        "switch_statement": ("body",),
        "catch_clause": ("body",),
        "ternary_expression": (),
    },
    flat=("else_clause",),
    operators='(binary_expression operator: ["&&" "||" "??"]) @op',
    cognitive_operators=("&&", "||"),
    jumps="(break_statement label: (_)) @jump (continue_statement label: (_)) @jump",
)  # fmt: skip

_IMPORT = """
    (import_statement source: (string) @spec) @site
    (import_statement (import_clause (identifier) @default)) @site
    (import_statement (import_clause (namespace_import (identifier) @namespace))) @site
    (import_statement (import_clause (named_imports (import_specifier) @name))) @site
"""
_EXPORT_STAR = """
    (export_statement "*" @star source: (string) @spec) @site
    (export_statement (namespace_export (_) @namespace) source: (string) @spec) @site
"""
_EXPORT_FROM = """
    (export_statement source: (string) @spec) @site
    (export_statement (export_clause (export_specifier) @name) source: (string)) @site
"""
_CALLS = """
    (call_expression function: (_) @callee)
    (new_expression constructor: (_) @callee)
"""
# Whole texts, and what stands behind the last hole of a template: `${origin}/src/page.js`.
_PLAIN = """
    (string . (string_fragment) @string .)
    (template_string . (string_fragment) @string .)
    (template_string (template_substitution) . (string_fragment) @string .)
"""
# An element whose name starts with a small letter is one of the page, no component.
_ELEMENTS = """
    ([
        (jsx_opening_element name: (identifier) @callee)
        (jsx_self_closing_element name: (identifier) @callee)
    ] (#match? @callee "^[A-Z_$]"))
    (jsx_opening_element name: (member_expression) @callee)
    (jsx_self_closing_element name: (member_expression) @callee)
"""


def ecmascript(
    name: str,
    grammar: str,
    *,
    types: tuple[UnitKind, ...],
    more_imports: str = "",
    more_exports: str = "",
    has_elements: bool,
    unread: tuple[tuple[bytes, bytes, bytes], ...] = (),
) -> LanguageSpec:
    """Return the table of a dialect: `types` are the units that are no functions, `more_…` further patterns of the site rules."""
    return LanguageSpec(
        name=name,
        grammar=grammar,
        units=(*FUNCTIONS, *types),
        decorators=Decorators(kinds=("decorator",), before=("class_body", "export_statement")),
        complexity=_COMPLEXITY,
        naming=Naming.MIXED_CAPS,
        sites=(
            SiteRule(kind="import", query=_IMPORT + more_imports),
            SiteRule(kind="export_star", query=_EXPORT_STAR, mode="reexport"),
            SiteRule(kind="export_from", query=_EXPORT_FROM + more_exports, mode="reexport"),
        ),
        calls=CallKinds(query=_CALLS + (_ELEMENTS if has_elements else ""), telling=TELLING, has_more=calls_by_other_names),
        receivers=("this",),
        strings=StringKinds(
            nodes=("string", "template_string"),
            content=("string_fragment",),
            interpolation=("template_substitution",),
            plus=("binary_expression",),
            plain=_PLAIN,
            quotes=(b'"', b"'", b"`", b"}"),
            pairs=("pair",),
            leaves_out=r"(?i)\w*(?:exclude|ignore)\w*|external|without",
            bare_parents=("import_statement", "import_require_clause", "export_statement", "expression_statement"),
        ),
        visibility=VisibilityRule(
            mechanism=Visibility.STATEMENT,
            private_prefix="#",
            modifier="accessibility_modifier",
            closed_texts=("private",),
            restricted_texts=("protected",),
            export="export_statement",
            through=("lexical_declaration", "variable_declaration", "decorator"),
            named_through=("variable_declarator",),
            ambient="ambient_declaration",
            ambient_through=("statement_block", "module", "internal_module", "expression_statement", "program"),
            ambient_suffixes=(".d.ts", ".d.mts", ".d.cts"),
        ),
        conditional=("if_statement", "try_statement", "switch_statement", "ternary_expression"),
        unread=unread,
        finish=read_module,
    )
