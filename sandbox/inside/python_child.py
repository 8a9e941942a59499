"""What a forked child of the fork server does: run one Python program on its inputs and write records.

Runs inside the sandbox, next to untrusted code, so nothing that it writes is believed beyond "this is what the
program put out". Imports the standard library and `schemas.values` only. Stdin programs end like a real interpreter:
threads are joined, exit functions run, buffers are flushed. Method: own.
"""

import atexit
import errno
import importlib
import io
import json
import os
import random
import signal
import sys
import traceback
import types
from collections.abc import Callable
from typing import TypedDict

from sandbox.inside.requests import RECORD_FD, Task
from schemas.values import EncodingError, decode_call, encode_call, encode_exception, encode_text

_SOURCE_PATH = "/work/solution.py"
_DETAIL_CHARS = 1000
_SPECIALIZING_CALLS = 10
"""Calls after which CPython has specialized the bytecode of a function; it does so within eight."""
_DISK_ERRNOS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}

_set_handler = getattr(signal.signal, "__wrapped__", signal.signal)
"""`signal.signal` without its enums, whose pages a fresh child would have to copy."""


class Record(TypedDict):
    """What is said about one input."""

    index: int
    state: str
    output: str
    detail: str


def run_functions(task: Task) -> int:
    """Call the entry point once per input, write one record line each, and return the exit code 0.

    An `Exception` that comes out of the call is an output. What goes wrong before the call, resource errors, endless
    recursion and exits are failures.
    """
    write = os.write
    namespace, failure = _define(task, "solution")
    for index, text in enumerate(task["inputs"]):
        record = failure or _call(task["entry_point"], namespace, text)
        line = json.dumps({**record, "index": index}).encode("ascii") + b"\n"
        while line:
            line = line[write(RECORD_FD, line) :]
    return 0


def run_program(task: Task) -> int:
    """Run the source as ``__main__`` and return its exit code; one record says what was raised."""
    _, failure = _define(task, "__main__")
    code = 0 if failure is None else 1
    if failure is not None and failure["state"] == "EXIT":
        code = int(failure["output"])
        failure["state"] = "RE" if code else "OK"
    for finish in (_join_threads, atexit._run_exitfuncs, _flush_streams):  # noqa: SLF001
        code = _finish(finish, code)
    if failure is not None:
        os.write(RECORD_FD, json.dumps(failure).encode("ascii") + b"\n")
    return code


def warm_up() -> None:
    """Do in the server, once, what every child would do first: make the compiler's types, codecs and caches.

    The first `compile` of a process builds the types of the syntax tree, which takes a millisecond.
    """
    compile("", "<warm-up>", "exec", dont_inherit=True)
    call = encode_call((1, 2.5, "text", [True, None], {"key": (3,)}), {})
    for _ in range(_SPECIALIZING_CALLS):
        json.dumps(_record("OK", output=encode_text(list(decode_call(call)[0])))).encode("ascii")
    io.TextIOWrapper(io.BytesIO(), "utf-8", "surrogateescape", line_buffering=True)


def add_packages(arguments: list[str]) -> str:
    """Let programs import what is in a folder, import some of it ahead, and return what went wrong, if anything.

    What a module prints meanwhile goes to standard error, since standard output is the server's own.

    Args:
        arguments: the folder, and the modules to import ahead; empty is no folder.
    """
    if not arguments:
        return ""
    sys.path.append(arguments[0])
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        for name in arguments[1:]:
            importlib.import_module(name)
        if "numpy" in sys.modules:
            importlib.import_module("numpy.random")  # so that every child's draws begin with our seed
    except BaseException as error:  # noqa: BLE001  # a module may raise anything, exits among it
        return f"{name} can't be imported in the sandbox: {_describe(error)}"
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)
    if len(os.listdir("/proc/self/task")) > 1:  # noqa: PTH208  # no Path in this module
        return f"{', '.join(arguments[1:])} start threads, and a forked child has none of its server's"
    return ""


def prepare(seed: int) -> None:
    """Bring a fresh child into the state of a fresh interpreter: streams, signals, random numbers, folder."""
    signal.set_wakeup_fd(-1)
    _set_handler(signal.SIGCHLD, signal.SIG_DFL)
    _set_handler(signal.SIGINT, signal.default_int_handler)
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0)), "utf-8", "surrogateescape")
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "w")), "utf-8", "surrogateescape")
    sys.stderr = io.TextIOWrapper(io.BufferedWriter(io.FileIO(2, "w")), "utf-8", line_buffering=True)
    sys.stderr.reconfigure(errors="backslashreplace")
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr  # type: ignore[misc]
    sys.argv = [_SOURCE_PATH]
    random.seed(seed)
    if numpy_random := sys.modules.get("numpy.random"):
        numpy_random.seed(seed)
    os.chdir("/work")


def _define(task: Task, module_name: str) -> tuple[dict[str, object], Record | None]:
    """Return the namespace of the program after it ran, and how it failed if it did."""
    module = types.ModuleType(module_name)
    module.__dict__.update(__file__=_SOURCE_PATH, __builtins__=__builtins__)
    sys.modules[module_name] = sys.modules["__main__"] = module
    try:
        for text, path in ((task["preamble"], "/work/preamble.py"), (task["source"], _SOURCE_PATH)):
            exec(compile(text, path, "exec", dont_inherit=True), module.__dict__)  # noqa: S102
    except SystemExit as error:
        return module.__dict__, _exit_record(error, module_name)
    except BaseException as error:  # noqa: BLE001  # whatever untrusted code raises is data here
        if module_name == "__main__":
            traceback.print_exc()
        return module.__dict__, _failure(error)
    return module.__dict__, None


def _exit_record(error: SystemExit, module_name: str) -> Record:
    if module_name != "__main__":
        return _record("RE", detail="SystemExit while the solution was loaded")
    if error.code is None or isinstance(error.code, int):
        return _record("EXIT", output=str((error.code or 0) & 0xFF))
    sys.stderr.write(f"{error.code}\n")
    return _record("EXIT", output="1")


def _call(entry_point: str, namespace: dict[str, object], text: str) -> Record:
    try:
        args, kwargs = decode_call(text)
        target = eval(entry_point, namespace)  # noqa: S307
    except BaseException as error:  # noqa: BLE001  # whatever untrusted code raises is data here
        return _failure(error)
    try:
        value = target(*args, **kwargs)
    except Exception as error:  # noqa: BLE001  # an exception is an output of the call
        return _failure(error) if _is_resource_error(error) else _raised(error)
    except BaseException as error:  # noqa: BLE001  # exits and interrupts are failures
        return _failure(error)
    _silence_tracers()
    try:
        return _record("OK", output=encode_text(value))
    except EncodingError as error:
        return _record("RE", detail=f"result: {error}")
    except BaseException as error:  # noqa: BLE001  # signal handlers of untrusted code may raise anywhere
        return _failure(error)


def _silence_tracers() -> None:
    sys.settrace(None)
    sys.setprofile(None)
    sys.setrecursionlimit(10_000)


def _raised(error: Exception) -> Record:
    _silence_tracers()
    return _record("OK", output=encode_exception(_class_name(error)), detail=_describe(error))


def _failure(error: BaseException) -> Record:
    _silence_tracers()
    return _record(_state_of(error), detail=_describe(error))


def _state_of(error: BaseException) -> str:
    if issubclass(type(error), MemoryError):
        return "MLE"
    if issubclass(type(error), OSError):
        number = OSError.__dict__["errno"].__get__(error)
        if number in _DISK_ERRNOS:
            return "DLE"
        if number == errno.EAGAIN:
            return "PLE"
    if type(error) is RuntimeError and error.args == ("can't start new thread",):
        return "PLE"
    return "RE"


def _is_resource_error(error: Exception) -> bool:
    return _state_of(error) != "RE" or issubclass(type(error), RecursionError)


def _class_name(error: BaseException) -> str:
    return str(type.__dict__["__name__"].__get__(type(error)))[:100]


def _describe(error: BaseException) -> str:
    """Return the exception and the line of the solution that raised it; never raises itself."""
    try:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == _SOURCE_PATH]
        where = f" (line {lines[-1]})" if lines else ""
        return ("".join(traceback.format_exception_only(error)).strip() + where)[:_DETAIL_CHARS]
    except BaseException:  # noqa: BLE001  # __str__ of an untrusted exception
        return _class_name(error)


def _record(state: str, *, output: str = "", detail: str = "") -> Record:
    return {"index": 0, "state": state, "output": output, "detail": detail}


def _join_threads() -> None:
    """Wait for the threads of the program; not imported here, since every fork would pay for the module."""
    if threading := sys.modules.get("threading"):
        threading._shutdown()  # noqa: SLF001


def _flush_streams() -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and not stream.closed:
            stream.flush()


def _finish(step: Callable[[], object], code: int) -> int:
    try:
        step()
    except BaseException:  # noqa: BLE001  # exit functions and streams belong to untrusted code
        return code or 1
    return code
