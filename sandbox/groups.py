"""Several of our own programs as one: a fork and its clean-up are shared by mutants that can't disturb each other.

Each member is loaded in a module of its own right before its first call, with the random numbers, the recursion limit
and the arguments that it would find in a process of its own; only its loading happens a few frames deeper. Members that
reach more than these aren't admitted, and expected values never go in. Used by `sandbox.batches`. Method: own.
"""

import ast
import re
from collections.abc import Sequence

from sandbox.judging import Program
from schemas.candidate import TaskStyle
from schemas.syntax import parse_source
from schemas.values import encode_call

GROUP_SIZE = 12
"""Members of one group at most."""
GROUP_CHARS = 2**20
"""Characters of all calls of a group at most: answers are of the same order, and their room is shared."""
END_CALL = encode_call((), {})


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STATELESS = _words(
    """__future__ abc array bisect collections copy dataclasses datetime enum fractions functools hashlib heapq
    itertools math operator random re statistics string sys textwrap typing"""
)
"""Modules whose public names change no state; those of `random` and the recursion limit do, and are set back."""
_SYS_NAMES = _words("exit maxsize setrecursionlimit float_info")
_SYS_STREAMS = _words("stdin stdout stderr")
_REACHING_NAMES = _words(
    """__builtins__ __import__ breakpoint compile delattr eval exec exit getattr globals help input locals open quit
    setattr vars"""
)
_STREAM_NAMES = _words("input open")
"""A stream has descriptors of its own for each call."""
_PLAIN_DUNDERS = _words(
    """__init__ __post_init__ __name__ __len__ __iter__ __next__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __hash__
    __repr__ __str__ __add__ __sub__ __mul__ __truediv__ __floordiv__ __mod__ __neg__ __bool__ __contains__ __getitem__
    __setitem__ __delitem__ __call__ __enter__ __exit__ __missing__ __class__ __doc__"""
)
_IMPORT_LINE = re.compile(r"^[ \t]*(?:from|import)[ \t]+[\w., \t]+", re.MULTILINE)

_GROUP = """'''
{imports}
'''
import random, sys, types
class Members:
    def __init__(self):
        self.taken = 0
        self.random, self.depth = random.getstate(), sys.getrecursionlimit()
        self.preambles = {{}}
    def take(self):
        member, call = divmod(self.taken, {calls} + 1)
        self.taken += 1
        if call == {calls}:
            return bool
        if not call:
            self.load(*MEMBERS[member])
        if self.failure is not None:
            raise self.failure.with_traceback(None)
        return eval(self.entry, self.module.__dict__)
    def load(self, preamble, source, entry):
        self.entry, self.failure = entry, None
        self.module = types.ModuleType("solution")
        self.module.__dict__.update(__file__={path!r}, __builtins__=__builtins__)
        sys.modules["solution"] = sys.modules["__main__"] = self.module
        random.setstate(self.random)
        sys.setrecursionlimit(self.depth)
        try:
            if preamble not in self.preambles:
                self.preambles[preamble] = compile(preamble, "/work/preamble.py", "exec", dont_inherit=True)
            exec(self.preambles[preamble], self.module.__dict__)
            exec(compile(source, {path!r}, "exec", dont_inherit=True), self.module.__dict__)
        except BaseException as error:
            self.failure = error
MEMBERS = {members!r}
members = Members()
"""
_SOURCE_PATH = "/work/solution.py"


def join_programs(programs: Sequence[Program], calls: int) -> Program:
    """Return one program that answers ``calls`` calls as the first of the programs, the next ones as the second, etc.

    After the calls of each member comes `END_CALL`, whose answer is a value when the member has left the process alive.
    All must be made in that order in one process. A member that can't be loaded fails in all its calls.
    """
    texts = [text for one in programs for text in (one.preamble, one.source)]
    imports = dict.fromkeys(line.strip() for text in texts for line in _IMPORT_LINE.findall(text))
    source = _GROUP.format(
        imports="\n".join(imports),
        calls=calls,
        path=_SOURCE_PATH,
        members=[(one.preamble, one.source, one.entry_point) for one in programs],
    )
    return Program(source=source, entry_point="members.take()")


def is_contained(source: str, style: TaskStyle) -> bool:
    """Return whether a program, as far as its text tells, can't change what others in its process find.

    It imports modules without state only, writes to nothing that it imported, and uses no name that reaches further.

    Raises:
        SyntaxError: the source doesn't parse.
    """
    nodes = list(ast.walk(parse_source(source)))
    streams = style is TaskStyle.STDIN
    imported: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            imported |= {(one.asname or one.name).partition(".")[0] for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported |= {one.asname or one.name for one in node.names}
    return all(_is_harmless(node, imported, streams=streams) for node in nodes)


def _is_harmless(node: ast.AST, imported: set[str], *, streams: bool) -> bool:
    if isinstance(node, ast.Import):
        return all(_is_stateless(one.name) and (one.name != "sys" or one.asname is None) for one in node.names)
    if isinstance(node, ast.ImportFrom):
        names = [one.name for one in node.names]
        if node.module == "sys":
            return all(_is_plain_sys(name, streams=streams) for name in names)
        return not node.level and _is_stateless(node.module or "") and not any(name[0] == "_" for name in names)
    if isinstance(node, ast.Name):
        return node.id not in _REACHING_NAMES or (streams and node.id in _STREAM_NAMES)
    if isinstance(node, ast.Attribute):
        return _is_plain_attribute(node, imported, streams=streams)
    is_changed = isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load)
    return not is_changed or _root_of(node) not in imported


def _is_plain_attribute(node: ast.Attribute, imported: set[str], *, streams: bool) -> bool:
    if not isinstance(node.ctx, ast.Load) and _root_of(node) not in {"self", "cls"}:
        return _root_of(node) not in imported and _root_of(node) is not None
    if isinstance(node.value, ast.Name) and node.value.id == "sys":
        return _is_plain_sys(node.attr, streams=streams)
    if node.attr.startswith("__"):
        return node.attr in _PLAIN_DUNDERS
    return not (node.attr.startswith("_") and _root_of(node) in imported)


def _is_stateless(module: str) -> bool:
    return module.partition(".")[0] in _STATELESS


def _is_plain_sys(name: str, *, streams: bool) -> bool:
    return name in _SYS_NAMES or (streams and name in _SYS_STREAMS)


def _root_of(node: ast.AST) -> str | None:
    """Return the name that a chain of attributes and subscripts starts from."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None
