"""Which names a function binds, and where: enough to swap one variable for another that exists.

Method: own; a rough reading of scopes that needs no symbol table, since mutants are compiled anyway.
"""

from collections.abc import Iterator

from tree_sitter import Node

_NESTED = frozenset({"function_definition", "class_definition", "lambda"})
_PATTERNS = frozenset({"pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern"})
_PARAMETERS = frozenset({"typed_parameter", "default_parameter", "typed_default_parameter", "list_splat_pattern"})
_RECEIVERS = frozenset({b"self", b"cls"})


def enclosing_function(node: Node) -> Node | None:
    """Return the innermost function definition around a node."""
    parent = node.parent
    while parent is not None and parent.type != "function_definition":
        parent = parent.parent
    return parent


def enclosing_class(node: Node) -> Node | None:
    """Return the innermost class definition around a node."""
    parent = node.parent
    while parent is not None and parent.type != "class_definition":
        parent = parent.parent
    return parent


class Bindings:
    """Local names of the functions of one tree, found once per function.

    Args:
        root: the module node.
    """

    def __init__(self, root: Node) -> None:
        self._root = root
        self._found: dict[int, tuple[tuple[int, bytes], ...]] = {}

    def before(self, node: Node) -> tuple[bytes, ...]:
        """Return the names bound in the node's function (or module) before the node, latest first.

        Receivers (``self``, ``cls``) and names with a leading underscore are left out.
        """
        owner = enclosing_function(node) or self._root
        if owner.id not in self._found:
            self._found[owner.id] = tuple(self._bound(owner))
        names = [name for offset, name in self._found[owner.id] if offset < node.start_byte]
        return tuple(dict.fromkeys(reversed(names)))

    def _bound(self, owner: Node) -> Iterator[tuple[int, bytes]]:
        parameters = owner.child_by_field_name("parameters")
        nodes = [] if parameters is None else list(parameters.named_children)
        for parameter in nodes:
            yield from self._names(parameter, owner.start_byte)
        body = owner.child_by_field_name("body") or owner
        stack = [body]
        while stack:
            node = stack.pop()
            if node.type in {"assignment", "for_statement"}:
                target = node.child_by_field_name("left")
                if target is not None:
                    yield from self._names(target, node.start_byte)
            stack.extend(child for child in reversed(node.named_children) if child.type not in _NESTED)

    def _names(self, target: Node, offset: int) -> Iterator[tuple[int, bytes]]:
        if target.type == "identifier":
            name = target.text or b""
            if name not in _RECEIVERS and not name.startswith(b"_"):
                yield offset, name
        elif target.type in _PARAMETERS:
            name_node = target.child_by_field_name("name") or target.named_child(0)
            if name_node is not None:
                yield from self._names(name_node, offset)
        elif target.type in _PATTERNS:
            for child in target.named_children:
                yield from self._names(child, offset)
