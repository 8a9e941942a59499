"""Jobs, runs, outcomes, usage, capabilities and errors as JSON and blobs, for a sandbox that isn't on this kernel.

Stands between a backend here and whoever opens the sandbox elsewhere: the agent in a virtual machine, or a server. What
comes in is checked against the types of the records. Method: own.
"""

import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields
from enum import StrEnum
from pathlib import Path
from typing import TypeVar, Union, get_args, get_origin, get_type_hints

from sandbox.base import Job, Mount
from sandbox.messages import Json, Message, expect
from sandbox.trees import digest_of, pack_tree
from schemas.errors import ConfigError, SandboxError, TaskfoundryError
from schemas.limits import Limits

_Record = TypeVar("_Record")
_KNOWN: dict[type, dict[str, object]] = {}


def encode_record(record: object, message: Message) -> Json:
    """Return a flat record (`Run`, `Outcome`, `Usage`, `Capability`, `Limits`) as JSON; its bytes become blobs."""
    values = ((name, getattr(record, name)) for name in _hints(type(record)))
    return {name: _plain(value, message) for name, value in values}


def _plain(value: object, message: Message) -> object:
    if isinstance(value, bytes):
        return message.add(value)
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value


def decode_record(kind: type[_Record], data: object, message: Message) -> _Record:
    """Return a record that `encode_record` has written.

    Args:
        message: what it came in.

    Raises:
        SandboxError: a name isn't known (the other end is another version), one is missing, or a type is wrong.
    """
    given, hints = expect(data, dict, kind.__name__), _hints(kind)
    unknown = sorted(given.keys() - hints.keys())
    if unknown:
        raise SandboxError(f"{kind.__name__} has unknown {', '.join(unknown)}: the two ends are of different versions")
    missing = sorted(_required(kind) - given.keys())
    if missing:
        raise SandboxError(f"{kind.__name__} lacks {', '.join(missing)}")
    return kind(**{name: _check(value, hints[name], name, message) for name, value in given.items()})


def _hints(kind: type) -> dict[str, object]:
    if kind not in _KNOWN:
        _KNOWN[kind] = get_type_hints(kind)
    return _KNOWN[kind]


def _required(kind: type) -> set[str]:
    return {one.name for one in fields(kind) if one.default is MISSING and one.default_factory is MISSING}


def _check(value: object, hint: object, name: str, message: Message) -> object:  # noqa: PLR0911  # one line a type
    """Return a value as its annotation wants it."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in {Union, types.UnionType}:
        inner = next(one for one in arguments if one is not type(None))
        return None if value is None else _check(value, inner, name, message)
    if origin is tuple:
        return tuple(_check(one, arguments[0], name, message) for one in expect(value, list, name))
    if origin is not None:
        pairs = expect(value, dict, name).items()
        return {expect(key, str, name): _check(one, arguments[1], name, message) for key, one in pairs}
    if hint is bytes:
        return message.blob(value)
    if hint is float and type(value) is int:
        return float(value)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        if value not in hint.__members__.values():
            raise SandboxError(f"{name} is {value!r}, which is no {hint.__name__}")
        return hint(str(value))
    return expect(value, hint, name) if isinstance(hint, type) else value


def encode_job(job: Job, message: Message, *, known: Callable[[Mount], str | None] | None = None) -> Json:
    """Return a job as JSON: files and mounts become blobs, a mount as a tar archive under its digest.

    Args:
        known: returns the path at the other end of a mount that needs no sending, or ``None``.

    Raises:
        SandboxError: a mount can't be read.
    """
    return {
        "limits": encode_record(job.limits, message),
        "files": {name: message.add(content) for name, content in job.files.items()},
        "env": dict(job.env),
        "language": job.language,
        "mounts": [_encode_mount(mount, message, known(mount) if known else None) for mount in job.mounts],
    }


def _encode_mount(mount: Mount, message: Message, place: str | None) -> Json:
    if place is not None:
        return {"target": mount.target, "place": place}
    packed = pack_tree(mount.source)
    return {"target": mount.target, "digest": digest_of(packed), "blob": message.add(packed)}


def decode_job(data: object, message: Message, lay: Callable[[str, bytes], Path]) -> Job:
    """Return a job that `encode_job` has written.

    Args:
        lay: lays a mount's archive out, by digest and content, and returns the path of what was in it.

    Raises:
        SandboxError: it isn't a job, or an archive doesn't have its digest.
    """
    given = expect(data, dict, "job")
    files = expect(given.get("files"), dict, "files")
    env = expect(given.get("env"), dict, "env")
    return Job(
        limits=decode_record(Limits, given.get("limits"), message),
        files={name: message.blob(place) for name, place in files.items()},
        env={name: expect(value, str, "env") for name, value in env.items()},
        language=expect(given.get("language"), str, "language"),
        mounts=_decode_mounts(expect(given.get("mounts"), list, "mounts"), message, lay),
    )


def _decode_mounts(mounts: Sequence[object], message: Message, lay: Callable[[str, bytes], Path]) -> tuple[Mount, ...]:
    decoded = []
    for one in mounts:
        given = expect(one, dict, "mount")
        target = expect(given.get("target"), str, "target")
        if "place" in given:
            source = Path(expect(given["place"], str, "place"))
        else:
            content = message.blob(given.get("blob"))
            if digest_of(content) != given.get("digest"):
                raise SandboxError(f"the archive for {target} doesn't have its digest")
            source = lay(digest_of(content), content)
        decoded.append(Mount(source=source, target=target))
    return tuple(decoded)


def encode_error(error: TaskfoundryError) -> Json:
    """Return an error as JSON."""
    return {"kind": type(error).__name__, "words": str(error)}


def decode_error(data: object) -> TaskfoundryError:
    """Return an error that `encode_error` has written: a `ConfigError` as such, all others as `SandboxError`."""
    given = expect(data, dict, "error")
    words = expect(given.get("words"), str, "words")
    return ConfigError(words) if given.get("kind") == "ConfigError" else SandboxError(words)
