"""The client that needs no key and no network: recorded rows first, then what live runs have stored.

Stands in for a model where the config says ``mode: replay``. Method: own.
"""

from schemas.canonical import canonical_json
from schemas.config import Model
from schemas.errors import ModelError
from schemas.model import ModelReply, ModelRequest
from seeds.models.recorded import RecordedReplies
from seeds.models.stored import StoredReplies, refuse_unfinished, settle_request


class ReplayClient:
    """Answers from records only."""

    def __init__(self, section: Model, stored: StoredReplies, recorded: RecordedReplies) -> None:
        self._section = section
        self._stored = stored
        self._recorded = recorded

    def ask(self, request: ModelRequest) -> ModelReply:
        """Return the recorded reply.

        Raises:
            ModelError: ``missing_reply`` (the message says how to record it), ``truncated`` or ``filtered``.
        """
        settled = settle_request(request, self._section)
        reply = self._recorded.find(settled) or self._stored.find(settled.key())
        if reply is None:
            raise ModelError(self._explain_missing(settled), reason="missing_reply")
        return refuse_unfinished(reply, settled)

    def _explain_missing(self, request: ModelRequest) -> str:
        row = {"purpose": request.purpose, "subject": request.subject, "sample": request.sample, "text": "..."}
        return (
            f"no recorded reply for {request.purpose} {request.subject!r}, request key {request.key()}. "
            f"Run once with model.mode: live, or add the line {canonical_json(row)} to "
            f"{self._section.replies or 'a file named in model.replies'}"
        )
