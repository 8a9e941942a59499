"""Who answers model requests: an endpoint, recorded replies, or nobody.

Stands where topics and parents become specifications. Replies are content-addressed, so a second run asks nothing that
the first one was told. Method: own; docs/models.md says what is stored and what it costs.
"""

from pathlib import Path

from schemas.config import Model
from schemas.errors import ConfigError
from schemas.model import ModelClient
from schemas.store import ContentStore
from seeds.models.off import OffClient
from seeds.models.recorded import RecordedReplies
from seeds.models.replay import ReplayClient
from seeds.models.stored import StoredReplies

__all__ = ["open_client"]


def open_client(section: Model, store: ContentStore, base_dir: Path) -> ModelClient:
    """Return the client of the configured mode; nothing is connected and no key is read yet.

    Args:
        section: the ``model`` section of the config.
        store: where live replies are kept.
        base_dir: folder of the config file; ``replies`` is taken relative to it.

    Raises:
        ConfigError: the recorded replies can't be read, or live mode has no model name.
    """
    if section.mode == "off":
        return OffClient()
    recorded = RecordedReplies.read(base_dir / section.replies) if section.replies else RecordedReplies()
    stored = StoredReplies(store, section.name)
    if section.mode == "replay":
        return ReplayClient(section, stored, recorded)
    if not section.name:
        raise ConfigError("model.name is empty: live mode needs the name of the model to ask")
    from seeds.models.live import LiveClient  # noqa: PLC0415 - the SDK loads for half a second, only live needs it

    return LiveClient(section, stored, recorded)
