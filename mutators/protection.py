"""Which parts of a Python file no operator may change.

A mutant there is noise: it changes no behaviour that a test sees, or it breaks the import of the whole module. Used
while a `Document` walks its tree. Method: own.
"""

from tree_sitter import Node

_NEVER = frozenset(
    {
        "decorator",
        "ERROR",
        "future_import_statement",
        "global_statement",
        "import_from_statement",
        "import_statement",
        "nonlocal_statement",
        "type",
        "type_alias_statement",
        "type_parameter",
    }
)
_STRINGS = frozenset({"string", "concatenated_string"})
_LOGGERS = frozenset({b"LOG", b"LOGGER", b"_log", b"_logger", b"log", b"logger", b"logging", b"warnings"})
_VERSIONS = frozenset({b"VERSION", b"version"})


def is_protected(node: Node, *, at_module_level: bool, keep_main: bool) -> bool:
    """Whether a node and all below it must stay.

    Args:
        at_module_level: whether the node lies outside functions and classes.
        keep_main: whether the block under ``if __name__ == "__main__"`` may change.
    """
    kind = node.type
    if kind in _NEVER:
        return True
    if kind == "expression_statement":
        first = node.children[0]
        return first.type in _STRINGS or _is_logging(first) or (at_module_level and _is_metadata(first))
    if kind == "if_statement":
        condition = node.child_by_field_name("condition")
        return condition is not None and _is_static(condition, keep_main=keep_main)
    if kind == "comparison_operator":
        return _is_main_check(node)
    if kind == "argument_list":
        return node.parent is not None and node.parent.type == "class_definition"
    return False


def is_pragma(comment: Node) -> bool:
    """Whether a comment asks that its line be left alone, as mutation tools understand it."""
    text = comment.text or b""
    return b"pragma:" in text and b"no mutate" in text


def _is_static(condition: Node, *, keep_main: bool) -> bool:
    text = condition.text or b""
    return text in {b"TYPE_CHECKING", b"typing.TYPE_CHECKING"} or (not keep_main and _is_main_check(condition))


def _is_main_check(node: Node) -> bool:
    return node.type == "comparison_operator" and (node.text or b"").startswith(b"__name__")


def _is_metadata(statement: Node) -> bool:
    """Whether a statement sets a module's ``__all__``, version or other metadata."""
    if statement.type not in {"assignment", "augmented_assignment"}:
        return False
    target = statement.child_by_field_name("left")
    name = b"" if target is None else target.text or b""
    return name in _VERSIONS or (name.startswith(b"__") and name.endswith(b"__"))


def _is_logging(expression: Node) -> bool:
    """Whether an expression only writes a log line or a warning."""
    if expression.type != "call":
        return False
    function = expression.child_by_field_name("function")
    if function is None or function.type != "attribute":
        return False
    owner = function.child_by_field_name("object")
    if owner is not None and owner.type == "attribute":
        owner = owner.child_by_field_name("attribute")
    return owner is not None and (owner.text or b"") in _LOGGERS
