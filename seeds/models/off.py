"""The client that refuses: no model is configured.

Stands in for a model where the config says ``mode: off``. Method: own.
"""

from schemas.errors import ModelError
from schemas.model import ModelReply, ModelRequest


class OffClient:
    """Answers nothing."""

    def ask(self, request: ModelRequest) -> ModelReply:
        """Return never.

        Raises:
            ModelError: always, with reason ``model_off``.
        """
        raise ModelError(
            f"models are off, so {request.purpose} {request.subject!r} can't be asked; set model.mode",
            reason="model_off",
        )
