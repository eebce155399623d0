"""Which fields of which nodes bind, call, name parts and take statements, by language.

A key of `roles` is `kind.field`, `kind>kind of the child` or `kind` alone for all children that nothing else speaks of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["TABLES", "PositionTable"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PositionTable:
    """The positions of one language.

    `written`: nodes that bind or write by their operator, as (field, operator) to role. `blocks` are the kinds whose children are
    statements, `patterns` further kinds through which a binding reaches its names, `names` further kinds of names, `signatures` and
    `bodies` kinds that begin the parameters and the body of a function. `receivers` are the leaves that mean the object or the class
    around a function without a parameter for it. `expressions` are kinds that look like lists or statements and are values.
    With `binds_methods` a method that is passed keeps its object.
    """

    roles: Mapping[str, str] = field(default_factory=dict)
    written: Mapping[str, Mapping[tuple[str, str], str]] = field(default_factory=dict)
    blocks: frozenset[str] = frozenset()
    patterns: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    signatures: frozenset[str] = frozenset({"parameters", "formal_parameters", "parameter_list"})
    bodies: frozenset[str] = frozenset()
    receivers: frozenset[str] = frozenset({"this", "super"})
    expressions: frozenset[str] = frozenset()
    binds_methods: bool = False


def _roles(**places: str) -> dict[str, str]:
    """Return places by role as one mapping from place to role."""
    return {place: role for role, listed in places.items() for place in listed.split()}


_PYTHON = PositionTable(
    roles=_roles(
        binding="function_definition.name class_definition.name parameters lambda_parameters default_parameter.name "
        "typed_default_parameter.name typed_parameter list_splat_pattern dictionary_splat_pattern assignment.left "
        "augmented_assignment.left for_statement.left for_in_clause.left named_expression.name as_pattern.alias case_pattern "
        "as_pattern_target",
        expression="default_parameter.value typed_default_parameter.value",
        type="typed_parameter.type assignment.type function_definition.return_type",
        member="attribute.attribute keyword_argument.name class_pattern>dotted_name",
        label="dict_pattern.key",
        callee="call.function",
        decorated="decorated_definition.definition",
        **{"import": "import_statement import_from_statement future_import_statement", "global": "global_statement nonlocal_statement"},
    ),
    blocks=frozenset({"block", "module"}),
    patterns=frozenset({"as_pattern_target", "case_pattern", "class_pattern", "dict_pattern", "as_pattern"}),
    signatures=frozenset({"parameters"}),
    receivers=frozenset({"super", "__class__"}),
    binds_methods=True,
    expressions=frozenset({"list", "expression_list", "pattern_list"}),
)
_ECMASCRIPT = PositionTable(
    roles=_roles(
        binding="function_declaration.name generator_function_declaration.name function_expression.name method_definition.name "
        "class_declaration.name variable_declarator.name formal_parameters required_parameter.pattern optional_parameter.pattern "
        "arrow_function.parameter for_in_statement.left catch_clause.parameter rest_pattern assignment_pattern.left "
        "pair_pattern.value object_assignment_pattern.left",
        target="assignment_expression.left augmented_assignment_expression.left update_expression.argument",
        expression="assignment_pattern.right object_assignment_pattern.right required_parameter.value optional_parameter.value",
        member="member_expression.property pair.key pair_pattern.key public_field_definition.name field_definition.property "
        "property_signature.name method_signature.name jsx_attribute>property_identifier jsx_opening_element.name jsx_closing_element.name "
        "jsx_self_closing_element.name object>shorthand_property_identifier",
        callee="call_expression.function new_expression.constructor",
        label="labeled_statement.label break_statement.label continue_statement.label",
    ),
    blocks=frozenset({"statement_block", "program", "class_body", "switch_case", "switch_default"}),
    patterns=frozenset({"object_pattern", "array_pattern"}),
    names=frozenset({"shorthand_property_identifier_pattern"}),
)
_RUST = PositionTable(
    roles=_roles(
        binding="function_item.name let_declaration.pattern parameter.pattern closure_parameters for_expression.pattern match_arm.pattern "
        "let_condition.pattern captured_pattern const_item.name static_item.name field_pattern.pattern",
        target="assignment_expression.left compound_assignment_expr.left",
        expression="match_pattern.condition",
        member="field_expression.field field_initializer.field scoped_identifier.name scoped_identifier.path "
        "field_initializer_list>shorthand_field_initializer shorthand_field_initializer",
        callee="call_expression.function generic_function.function",
        macro="macro_invocation token_tree",
        label="label loop_label",
    ),
    blocks=frozenset({"block", "source_file", "declaration_list"}),
    patterns=frozenset({"match_pattern", "tuple_struct_pattern", "struct_pattern", "field_pattern"}),
    receivers=frozenset({"Self"}),
)
_GO = PositionTable(
    roles=_roles(
        binding="function_declaration.name method_declaration.name parameter_declaration.name variadic_parameter_declaration.name "
        "short_var_declaration.left range_clause.left var_spec.name const_spec.name type_switch_statement.alias receive_statement.left",
        target="assignment_statement.left inc_statement dec_statement",
        member="selector_expression.field keyed_element.key",
        callee="call_expression.function",
        type="composite_literal.type",
        label="labeled_statement.label goto_statement break_statement continue_statement",
    ),
    blocks=frozenset({"block", "statement_list", "source_file"}),
    receivers=frozenset(),
    binds_methods=True,
)
_C_PLACES = {
    "binding": "function_definition.declarator declaration.declarator init_declarator.declarator parameter_declaration.declarator "
    "optional_parameter_declaration.declarator for_range_loop.declarator structured_binding_declarator",
    "target": "assignment_expression.left update_expression.argument",
    "expression": "init_declarator.value array_declarator.size optional_parameter_declaration.default_value declaration.value",
    "member": "field_expression.field field_designator qualified_identifier.scope template_function.name template_function.arguments",
    "callee": "call_expression.function",
    "type": "parameter_declaration.type declaration.type compound_literal_expression.type cast_expression.type sizeof_expression.type "
    "new_expression.type",
    "label": "labeled_statement.label goto_statement.label case_statement.value",
    "macro": "preproc_def preproc_function_def preproc_if.condition preproc_elif.condition preproc_ifdef.name preproc_call",
}
_C = PositionTable(roles=_roles(**_C_PLACES), blocks=frozenset({"compound_statement", "translation_unit", "case_statement"}))
_JAVA = PositionTable(
    roles=_roles(
        binding="method_declaration.name constructor_declaration.name variable_declarator.name formal_parameter.name "
        "catch_formal_parameter.name enhanced_for_statement.name resource.name instanceof_expression.name inferred_parameters "
        "lambda_expression.parameters",
        target="assignment_expression.left update_expression",
        member="field_access.field method_invocation.name method_reference annotation",
        type="object_creation_expression.type",
        label="labeled_statement>identifier break_statement continue_statement switch_label",
    ),
    blocks=frozenset({"block", "constructor_body", "class_body", "switch_block_statement_group", "program"}),
)
_LUA = PositionTable(
    roles=_roles(
        binding="function_declaration.name parameters variable_declaration for_numeric_clause.name for_generic_clause>variable_list",
        target="assignment_statement>variable_list",
        expression="assignment_statement>expression_list for_generic_clause>expression_list",
        member="dot_index_expression.field method_index_expression.method field.name",
        callee="function_call.name",
        label="goto_statement label_statement",
    ),
    blocks=frozenset({"block", "chunk"}),
    patterns=frozenset({"variable_list", "attribute"}),
    receivers=frozenset(),
    expressions=frozenset({"function_definition"}),
)
_R = PositionTable(
    roles=_roles(
        binding="parameter.name for_statement.variable",
        member="extract_operator.rhs argument.name namespace_operator.lhs namespace_operator.rhs",
        callee="call.function",
    ),
    written={
        "binary_operator": {
            ("lhs", "<-"): "binding",
            ("lhs", "="): "binding",
            ("rhs", "->"): "binding",
            ("lhs", "<<-"): "target",
            ("rhs", "->>"): "target",
        }
    },
    blocks=frozenset({"braced_expression", "program"}),
    names=frozenset({"dots"}),
    receivers=frozenset(),
    expressions=frozenset({"function_definition"}),
)
_HASKELL = PositionTable(
    roles=_roles(
        binding="function.name bind.name bind.pattern patterns alternative.pattern generator.pattern as.bind signature.name",
        member="projection.field field_update.field qualified.module record.field",
        callee="apply.function",
        type="signature.type",
    ),
    blocks=frozenset({"do", "declarations", "local_binds", "alternatives"}),
    patterns=frozenset({"apply", "parens", "tuple", "list", "infix", "as", "irrefutable", "strict", "patterns"}),
    names=frozenset({"variable"}),
    signatures=frozenset({"patterns"}),
    bodies=frozenset({"match"}),
    receivers=frozenset(),
    expressions=frozenset({"list"}),
)
TABLES: Mapping[str, PositionTable] = {
    "python": _PYTHON,
    "typescript": _ECMASCRIPT,
    "tsx": _ECMASCRIPT,
    "javascript": _ECMASCRIPT,
    "rust": _RUST,
    "go": _GO,
    "c": _C,
    "cpp": _C,
    "java": _JAVA,
    "lua": _LUA,
    "r": _R,
    "haskell": _HASKELL,
}
