"""Replies in the content store: what was once answered is never asked, or paid, again.

Stands behind the live client, and behind the replay client as a second place to look. A reply's address is made of the
request's key and the model's name; where the model ran isn't part of it. Method: own.
"""

import logging
from dataclasses import replace

from schemas.codec import decode_record, encode_record
from schemas.config import Model
from schemas.errors import ModelError, SchemaError
from schemas.model import ModelReply, ModelRequest
from schemas.store import ContentStore

_KIND = "replies"
_log = logging.getLogger(__name__)


class StoredReplies:
    """The replies of one model.

    Args:
        store: where they lie, under the kind ``replies``.
        model: name of the model as it is sent to the endpoint.
    """

    def __init__(self, store: ContentStore, model: str) -> None:
        self._store = store
        self._model = model

    def find(self, request_key: str) -> ModelReply | None:
        """Return the stored reply, or None."""
        data = self._store.get(_KIND, self._address(request_key))
        if data is None:
            return None
        try:
            reply = decode_record(ModelReply, data)
            if reply.request_key != request_key:
                raise SchemaError("it belongs to another request")
            return reply
        except SchemaError as error:
            _log.warning("stored reply to %s can't be read and is asked again: %s", request_key, error)
            return None

    def keep(self, reply: ModelReply) -> None:
        """Store a reply.

        Raises:
            ConfigError: the store can't be written.
        """
        self._store.put(_KIND, self._address(reply.request_key), encode_record(reply).encode("utf-8"))

    def _address(self, request_key: str) -> str:
        return self._store.key_of("reply", request_key, self._model)


def settle_request(request: ModelRequest, section: Model) -> ModelRequest:
    """Return the request with the configured temperature and token limit, which are part of its key."""
    return replace(request, temperature=section.temperature, max_tokens=section.max_tokens)


def refuse_unfinished(reply: ModelReply, request: ModelRequest) -> ModelReply:
    """Return the reply if the model came to its end.

    Raises:
        ModelError: ``truncated`` (the token limit cut it) or ``filtered`` (the endpoint withheld it).
    """
    if reply.finish_reason == "length":
        raise ModelError(
            f"{request.purpose} {request.subject!r}: the answer was cut at {request.max_tokens} tokens; "
            "raise model.max_tokens",
            reason="truncated",
        )
    if reply.finish_reason == "content_filter":
        raise ModelError(
            f"{request.purpose} {request.subject!r}: the endpoint's content filter withheld the answer",
            reason="filtered",
        )
    return reply
