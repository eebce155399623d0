"""TypeScript and TSX: the tables, which differ in the grammar and in elements."""

from __future__ import annotations

from ce.extract.languages.ecmascript import ecmascript
from ce.extract.spec import UnitKind

__all__ = ["TSX", "TYPESCRIPT"]

_BASES = (("<class_heritage>", "<extends_clause>"), ("<class_heritage>", "<implements_clause>"))
_TYPES = (
    *(
        UnitKind(
            node=node,
            kind="named",
            declares="expression" if node == "class" else "class",
            name_around=(("variable_declarator", "name"),),
            bases=_BASES,
            bases_ignored=("type_arguments", "comment"),
            bases_generic=("generic_type",),
            is_type=True,
        )
        for node in ("class_declaration", "abstract_class_declaration", "class")
    ),
    UnitKind(
        node="interface_declaration",
        kind="named",
        declares="interface",
        bases=(("<extends_type_clause>",),),
        bases_ignored=("comment",),
        bases_generic=("generic_type",),
        is_type=True,
    ),
    UnitKind(node="enum_declaration", kind="named", declares="enum"),
    UnitKind(node="type_alias_declaration", kind="named", declares="type"),
    UnitKind(node="function_signature", kind="named", declares="function"),
    UnitKind(node="internal_module", kind="named", declares="namespace"),
    UnitKind(node="module", kind="named", declares="namespace"),
)
_IMPORT = """
    (import_statement "type" @type) @site
    (import_statement (import_require_clause (identifier) @namespace source: (string) @spec)) @site
"""
_EXPORT_FROM = """
    (export_statement "type" @type source: (string)) @site
"""

# Newer than the grammar: variance, type exports of whole modules, types behind an import type, exported aliases of `require`.
_IN_PARAMETERS = rb"[<,]\s*(?:/\*[^*]*\*/\s*)?(?:in[ \t]+)?"
_UNREAD = (
    (b"out ", rb"(out)[ \t]+[A-Za-z_$]", _IN_PARAMETERS),
    (b"in ", rb"(in)[ \t]+[A-Z_$][\w$]*\s{0,200}(?:[,=>]|extends\b)", rb"<\s*(?:/\*[^*]*\*/\s*)?"),
    (b"export type *", rb"\bexport[ \t]+(type)[ \t]*\*", b""),
    (
        b"import(",
        rb"\bimport\(\s{0,200}(?:\"[^\"\n]*\"|'[^'\n]*')\s{0,200}\)(?:\.[\w$]+)*"
        rb"((?:\[\])+|<(?:[^<>;({]|<[^<>;({]{0,200}>){0,200}>(?:\[\])*)",
        b"",
    ),
    (b"export import", rb"\b(export)[ \t]+import[ \t]+[\w$]+[ \t]*=", b""),
)

TYPESCRIPT = ecmascript(
    "typescript", "typescript", types=_TYPES, more_imports=_IMPORT, more_exports=_EXPORT_FROM, has_elements=False, unread=_UNREAD
)
TSX = ecmascript("tsx", "tsx", types=_TYPES, more_imports=_IMPORT, more_exports=_EXPORT_FROM, has_elements=True, unread=_UNREAD)
