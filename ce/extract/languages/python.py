"""Python: the table, and what no field of a table says: the module body, the spellings of `__all__`, tokens without a parse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce.extract.languages.python_module import read_module
from ce.extract.spec import (
    CallKinds,
    CallRule,
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

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ce.extract.leaves import Leaves

__all__ = ["PYTHON"]


def _lex(texts: Sequence[bytes]) -> list[Leaves | None]:
    from ce.extract.languages.python_tokens import lex_all

    return lex_all(texts)


_CALL_RULES = (
    CallRule(
        callees=(
            "importlib.import_module", "import_module", "importlib.__import__", "importlib.util.find_spec", "importlib.util.resolve_name",
        ),
        why="import_module", keyword="name", site="dynamic_import", package=1, package_keyword="package",
    ),
    CallRule(callees=("__import__", "builtins.__import__"), why="__import__", keyword="name", site="dynamic_import"),
    CallRule(callees=("runpy.run_module",), why="run_module", keyword="mod_name", site="dynamic_import"),
    CallRule(callees=("runpy.run_path",), why="run_path", keyword="path_name", site="dynamic_import"),
    CallRule(callees=("pkgutil.resolve_name",), why="resolve_name", keyword="name", site="dynamic_import"),
    CallRule(callees=("pkgutil.find_loader", "pkgutil.get_loader"), why="find_loader", site="dynamic_import"),
    CallRule(callees=("pkgutil.iter_modules", "pkgutil.walk_packages"), why="pkgutil", constant=".*", within="__path__"),
    CallRule(
        callees=("importlib.util.spec_from_file_location", "importlib.machinery.SourceFileLoader", "imp.load_source"),
        why="load_file", argument=1, keyword="location", site="dynamic_import",
    ),
    CallRule(callees=("importlib.resources.files", "importlib.resources.path", "pkg_resources.resource_filename"), why="resources",
             keyword="package", site="dynamic_import", needs_argument=True),
    CallRule(
        callees=("importlib.metadata.entry_points", "importlib_metadata.entry_points", "pkg_resources.iter_entry_points"),
        why="entry_points", keyword="group", template="entry_points:{}",
    ),
    CallRule(
        callees=("django.utils.module_loading.import_string", "werkzeug.utils.import_string", "import_string"),
        why="import_string", site="dynamic_import",
    ),
    CallRule(callees=("werkzeug.utils.find_modules",), why="find_modules", template="{}.*"),
    CallRule(callees=("django.utils.module_loading.autodiscover_modules", "autodiscover_modules"), why="autodiscover", template="*.{}"),
    CallRule(callees=("eval", "builtins.eval"), why="eval", literal_is_harmless=True),
    CallRule(callees=("exec", "builtins.exec", "execfile"), why="exec", literal_is_harmless=True),
    CallRule(callees=("getattr", "builtins.getattr"), why="getattr", argument=1),
    CallRule(callees=("globals", "locals", "vars"), why="globals", subscript=True, needs_argument=True),
    CallRule(callees=("operator.attrgetter", "operator.methodcaller"), why="getattr"),
)  # fmt: skip

PYTHON = LanguageSpec(
    name="python",
    grammar="python",
    units=(
        UnitKind(
            node="function_definition",
            member="method",
            params_ignored=("keyword_separator", "positional_separator", "line_continuation"),
            params_ignored_marks="*/#\\",
        ),
        UnitKind(
            node="class_definition",
            kind="named",
            declares="class",
            bases=(("superclasses",),),
            bases_ignored=("keyword_argument", "comment"),
            is_type=True,
        ),
    ),
    decorators=Decorators(kinds=("decorator",)),
    complexity=ComplexityKinds(
        cyclomatic=(
            "if_statement", "elif_clause", "conditional_expression", "for_statement", "while_statement", "except_clause", "case_clause",
            "assert_statement", "for_in_clause", "if_clause",
        ),
        nesting={
            "if_statement": ("consequence", "alternative"),
            "for_statement": ("body", "alternative"),
            "while_statement": ("body", "alternative"),
            "except_clause": ("<block>",),
            "conditional_expression": (),
            "match_statement": ("body",),
        },
        flat=("elif_clause", "else_clause"),
        nest_only=("lambda",),
        operators="(boolean_operator) @op",
    ),
    naming=Naming.SNAKE,
    sites=(
        SiteRule(kind="import", query="(import_statement name: (_) @name) @site", per_name=True),
        SiteRule(
            kind="import_from",
            query="""
                (import_from_statement module_name: (_) @spec) @site
                (import_from_statement name: (_) @name) @site
                (import_from_statement (wildcard_import) @star) @site
            """,
        ),
        SiteRule(kind="import_from", query="(future_import_statement name: (_) @name) @site", spec="__future__"),
    ),
    calls=CallKinds(),
    call_rules=_CALL_RULES,
    receivers=("self", "cls"),
    strings=StringKinds(
        concatenations=("concatenated_string",),
        plus=("binary_operator",),
        percent=True,
        format_method="format",
        raw_prefixes=("r", "rb", "br", "fr", "rf"),
        plain="(string . (string_start) . (string_content) @string . (string_end) .)",
        bare_parents=("module", "block"),
        keyword_arguments=("keyword_argument",),
        bindings=(
            ("assignment", "left"), ("augmented_assignment", "left"), ("for_statement", "left"), ("for_in_clause", "left"),
            ("named_expression", "name"), ("as_pattern", "alias"), ("function_definition", "parameters"), ("lambda", "parameters"),
        ),
        assignments=("assignment",),
    ),
    visibility=VisibilityRule(mechanism=Visibility.EXPORT_LIST, private_prefix="_"),
    conditional=("if_statement", "try_statement", "match_statement"),
    type_guards=("TYPE_CHECKING", "typing.TYPE_CHECKING", "typing_extensions.TYPE_CHECKING", "MYPY"),
    reexport_files=("__init__.py", "__init__.pyi"),
    alias_reexports=True,
    lists=(
        "INSTALLED_APPS", "MIDDLEWARE", "MIDDLEWARE_CLASSES", "AUTHENTICATION_BACKENDS", "DATABASE_ROUTERS", "pytest_plugins",
        "CELERY_IMPORTS", "CELERY_INCLUDE", "imports", "include", "collect_ignore", "extensions",
        "templates_path", "html_theme_path", "html_static_path", "html_extra_path",
    ),
    finish=read_module,
    lex=_lex,
)  # fmt: skip
