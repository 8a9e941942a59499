"""Recorded replies: JSONL rows that people wrote or saved from a live run.

Stands in for a model in replay mode and saves the first calls in live mode. A row with a key answers exactly that
request; a row without one answers whatever is asked for its purpose, subject and sample, so that written test material
survives a change of wording. Method: own.
"""

from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError

from schemas.errors import ConfigError
from schemas.model import ModelReply, ModelRequest

_Subject = tuple[str, str, int]


class RecordedReply(BaseModel):
    """One row of the file."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    key: str = ""
    """`ModelRequest.key()`; empty for a row that is found by purpose, subject and sample."""
    purpose: str
    subject: str = ""
    sample: int = 0
    model: str = "recorded"
    text: str
    reasoning: str = ""
    finish_reason: str = "stop"
    note: str = ""
    """Words for people: why this reply is here, what is wrong with it."""


class RecordedReplies:
    """All rows of a file or folder, found by key first and by subject second."""

    def __init__(self) -> None:
        self._by_key: dict[str, RecordedReply] = {}
        self._by_subject: dict[_Subject, RecordedReply] = {}

    @classmethod
    def read(cls, path: Path) -> Self:
        """Return the rows of a ``.jsonl`` file, or of all such files in a folder.

        Raises:
            ConfigError: nothing there, or a row is broken or stands twice; file and line are named.
        """
        files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
        if not files:
            raise ConfigError(f"model.replies: folder {path.name!r} holds no .jsonl file")
        replies = cls()
        for file in files:
            replies._read_file(file)
        return replies

    def find(self, request: ModelRequest) -> ModelReply | None:
        """Return the recorded answer to a request, or None."""
        key = request.key()
        row = self._by_key.get(key) or self._by_subject.get((request.purpose, request.subject, request.sample))
        if row is None:
            return None
        return ModelReply(
            request_key=key,
            model=row.model,
            text=row.text,
            reasoning=row.reasoning,
            finish_reason=row.finish_reason,
        )

    def _read_file(self, file: Path) -> None:
        try:
            lines = file.read_text(encoding="utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"model.replies: {file.name!r} can't be read: {error}") from error
        for number, line in enumerate(lines, start=1):
            if line.strip():
                self._add(line, f"{file.name}:{number}")

    def _add(self, line: str, place: str) -> None:
        try:
            row = RecordedReply.model_validate_json(line)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field = ".".join(str(step) for step in first["loc"]) or "row"
            raise ConfigError(f"recorded reply ({place}): {field}: {first['msg']}") from error
        if not row.key and not row.subject:
            raise ConfigError(f"recorded reply ({place}): needs a key or a subject")
        subject = (row.purpose, row.subject, row.sample)
        twice = row.key in self._by_key if row.key else subject in self._by_subject
        if twice:
            raise ConfigError(f"recorded reply ({place}): answers the same request as an earlier row")
        if row.key:
            self._by_key[row.key] = row
        else:
            self._by_subject[subject] = row
