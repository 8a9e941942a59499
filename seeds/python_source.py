"""Reads Python source text as a syntax tree, without running any of it.

Banks use it to tell Python 3 solutions from others, to read signatures from starter code, and to find out which names
test code takes from the solution. Method: own, on the standard library's parser.
"""

import ast
from functools import lru_cache

from schemas.candidate import Parameter
from schemas.syntax import parse_source

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@lru_cache(maxsize=32)
def parse_module(source: str) -> ast.Module | None:
    """Return the syntax tree, or None when the text isn't Python 3; the tree is shared and must not be changed."""
    try:
        return parse_source(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def unify_line_ends(source: str) -> str:
    """Return the text with LF line ends only, as Python itself reads it."""
    return source.replace("\r\n", "\n").replace("\r", "\n")


def find_function(module: ast.Module, entry_point: str) -> FunctionNode | None:
    """Return the definition that an entry point (``name`` or ``Solution().name``) calls, or None."""
    owner, _, name = entry_point.rpartition(".")
    body: list[ast.stmt] = module.body
    if owner:
        class_name = owner.removesuffix("()")
        body = next((n.body for n in module.body if isinstance(n, ast.ClassDef) and n.name == class_name), [])
    found = [node for node in body if isinstance(node, FunctionNode) and node.name == name]
    return found[-1] if found else None


def read_header(source: str, entry_point: str) -> FunctionNode | None:
    """Return the definition in a starter code whose body may be missing, or None."""
    for text in (source, f"{source.rstrip()} pass", f"{source.rstrip()}\n        pass"):
        module = parse_module(text)
        node = find_function(module, entry_point) if module else None
        if node is not None:
            return node
    return None


def read_parameters(node: FunctionNode) -> tuple[Parameter, ...]:
    """Return the parameters in order, without ``self``; ``*args`` and ``**kwargs`` keep their stars in the name."""
    args = node.args
    positional = [*args.posonlyargs, *args.args]
    defaults = [None] * (len(positional) - len(args.defaults)) + list(args.defaults)
    found = [_parameter(arg, default) for arg, default in zip(positional, defaults, strict=True)]
    if found and found[0].name == "self":
        found = found[1:]
    if args.vararg:
        found.append(_parameter(args.vararg, None, stars="*"))
    found += [_parameter(arg, default) for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)]
    if args.kwarg:
        found.append(_parameter(args.kwarg, None, stars="**"))
    return tuple(found)


def _parameter(arg: ast.arg, default: ast.expr | None, *, stars: str = "") -> Parameter:
    return Parameter(
        name=stars + arg.arg,
        annotation=ast.unparse(arg.annotation) if arg.annotation else "",
        default=ast.unparse(default) if default else "",
    )


def read_returns(node: FunctionNode) -> str:
    """Return the annotation of the return value, empty when there is none."""
    return ast.unparse(node.returns) if node.returns else ""


def bound_names(module: ast.Module) -> frozenset[str]:
    """Return every name that the code binds anywhere: assignments, definitions, imports, parameters."""
    names: set[str] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.ClassDef | FunctionNode):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
    return frozenset(names)


def loaded_names(module: ast.Module) -> frozenset[str]:
    """Return every name that the code reads."""
    loads = (n for n in ast.walk(module) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    return frozenset(node.id for node in loads)


def returns_booleans(node: FunctionNode) -> bool:
    """Return whether every value the function returns is evidently a boolean."""
    if read_returns(node) == "bool":
        return True
    values, assigned = _returned_values(node)
    return bool(values) and all(_is_boolean(value, assigned) for value in values)


def returned_container(node: FunctionNode) -> type | None:
    """Return the container (list, tuple, set, frozenset) that every returned value evidently is, or None."""
    declared = read_returns(node).removeprefix("typing.").split("[")[0].lower()
    if declared in _CONTAINERS:
        return _CONTAINERS[declared]
    values, assigned = _returned_values(node)
    found = {_container_of(value, assigned) for value in values}
    return found.pop() if len(found) == 1 else None


def _returned_values(node: FunctionNode) -> tuple[list[ast.expr], dict[str, list[ast.expr]]]:
    """Return the expressions that a function returns, and what its names are assigned."""
    values: list[ast.expr] = []
    assigned: dict[str, list[ast.expr]] = {}
    for item in _own_nodes(node):
        if isinstance(item, ast.Return):
            values.append(item.value or ast.Constant(value=None))
        if isinstance(item, ast.Assign):
            for target in item.targets:
                if isinstance(target, ast.Name):
                    assigned.setdefault(target.id, []).append(item.value)
    return values, assigned


_CONTAINERS: dict[str, type] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
_DISPLAYS: dict[type[ast.expr], type] = {
    ast.List: list, ast.ListComp: list, ast.Tuple: tuple, ast.Set: set, ast.SetComp: set,
}  # fmt: skip


def _container_of(value: ast.expr, assigned: dict[str, list[ast.expr]]) -> type | None:
    if isinstance(value, ast.Name):
        found = {None if isinstance(s, ast.Name) else _container_of(s, assigned) for s in assigned.get(value.id, [])}
        return found.pop() if len(found) == 1 else None
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        return list if value.func.id == "sorted" else _CONTAINERS.get(value.func.id)
    return _DISPLAYS.get(type(value))


_BOOLEAN_CALLS = {"bool", "isinstance", "issubclass", "any", "all", "callable", "hasattr"}
_BOOLEAN_METHODS = {"startswith", "endswith", "issubset", "issuperset", "isdisjoint"}


def _is_boolean(value: ast.expr, assigned: dict[str, list[ast.expr]]) -> bool:
    if isinstance(value, ast.BoolOp):
        return all(_is_boolean(item, assigned) for item in value.values)
    if isinstance(value, ast.IfExp):
        return _is_boolean(value.body, assigned) and _is_boolean(value.orelse, assigned)
    if isinstance(value, ast.Name):
        sources = assigned.get(value.id, [])
        return bool(sources) and all(not isinstance(s, ast.Name) and _is_boolean(s, assigned) for s in sources)
    if isinstance(value, ast.Call):
        return _is_boolean_call(value.func)
    negated = isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not)
    return (
        negated or isinstance(value, ast.Compare) or (isinstance(value, ast.Constant) and isinstance(value.value, bool))
    )


def _is_boolean_call(function: ast.expr) -> bool:
    if isinstance(function, ast.Name):
        return function.id in _BOOLEAN_CALLS
    method = function.attr if isinstance(function, ast.Attribute) else ""
    return method in _BOOLEAN_METHODS or method.startswith("is")


def _own_nodes(node: FunctionNode) -> list[ast.AST]:
    """Return the nodes of a function without those of the functions inside it."""
    found: list[ast.AST] = []
    queue: list[ast.AST] = list(node.body)
    while queue:
        item = queue.pop()
        found.append(item)
        if not isinstance(item, FunctionNode | ast.Lambda | ast.ClassDef):
            queue.extend(ast.iter_child_nodes(item))
    return found
