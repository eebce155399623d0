"""The node kinds of the Python grammar as numbers: comparing a number costs a fraction of comparing a name."""

from __future__ import annotations

from ce.extract.parsing import grammar

_LANGUAGE = grammar("python")


def _all(*names: str) -> frozenset[int]:
    numbers = range(_LANGUAGE.node_kind_count)
    found = frozenset(n for n in numbers if _LANGUAGE.node_kind_is_named(n) and _LANGUAGE.node_kind_for_id(n) in names)
    assert len({_LANGUAGE.node_kind_for_id(number) for number in found}) == len(names)
    return found


def _one(name: str) -> int:
    (number,) = _all(name)
    return number


def kinds_of(*names: str) -> frozenset[int]:
    """Return the numbers of the named kinds; a kind that the grammar gives in two roles has two."""
    return _all(*names)


IDENTIFIER = _one("identifier")
ATTRIBUTE = _one("attribute")
CALL_NODE = _one("call")
SUBSCRIPT = _one("subscript")
PARENTHESIZED = _one("parenthesized_expression")
AWAIT = _one("await")
ARGUMENTS = _one("argument_list")
KEYWORD_ARGUMENT = _one("keyword_argument")
STRING = _one("string")
CONCATENATED = _one("concatenated_string")
INTERPOLATION = _one("interpolation")
COMMENT = _one("comment")
CONDITIONAL = _one("conditional_expression")
BOOLEAN = _one("boolean_operator")
NOT = _one("not_operator")
NAMED = _one("named_expression")
ASSIGNMENT = _one("assignment")
TYPE = _one("type")
TYPE_PARAMETER = _one("type_parameter")
PARAMETERS = _all("parameters", "lambda_parameters")
DEFAULT_PARAMETER = _one("default_parameter")
TYPED_PARAMETER = _one("typed_parameter")
TYPED_DEFAULT = _one("typed_default_parameter")
LIST_SPLAT_PATTERN = _one("list_splat_pattern")
DICTIONARY_SPLAT_PATTERN = _one("dictionary_splat_pattern")
LIST_SPLAT = _one("list_splat")
DICTIONARY_SPLAT = _one("dictionary_splat")
SEPARATORS = _all("positional_separator", "keyword_separator")
BLOCK = _all("block")
DICTIONARY = _one("dictionary")
PAIR = _one("pair")
FALSE = _one("false")
TRUE = _one("true")
FLOAT = _one("float")
INTEGER = _one("integer")
FUNCTION = _one("function_definition")
CLASS = _one("class_definition")
DECORATED = _one("decorated_definition")
DECORATOR = _one("decorator")
FOR_IN = _one("for_in_clause")
DOTTED_NAME = _one("dotted_name")
ALIASED = _one("aliased_import")
WILDCARD = _one("wildcard_import")
AS_PATTERN = _all("as_pattern")
AS_TARGET = _one("as_pattern_target")
CLASS_PATTERN = _one("class_pattern")
KEYWORD_PATTERN = _one("keyword_pattern")
SPLAT_PATTERN = _one("splat_pattern")
EXCEPT = _one("except_clause")
RETURN = _one("return_statement")
COMPARISON = _one("comparison_operator")
LAMBDA = _all("lambda")
IF = _one("if_statement")
BINARY = _one("binary_operator")

SEQUENCES = _all("list", "tuple", "set", "expression_list", "tuple_expression")
COMPREHENSIONS = _all("list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression")
TARGET_LISTS = _all("pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list")
LITERALS = _all("string", "concatenated_string", "integer", "float", "true", "false", "none", "ellipsis")
FUNCTION_LIKE = LAMBDA | {FUNCTION}
CHAINS = frozenset({IDENTIFIER, ATTRIBUTE, CALL_NODE, SUBSCRIPT, PARENTHESIZED, AWAIT})
