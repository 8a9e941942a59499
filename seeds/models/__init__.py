"""Who answers model requests: an endpoint, recorded replies, or nobody.

Stands where topics and parents become specifications. Replies are content-addressed, so a second run asks nothing that
the first one was told. Method: own; docs/models.md says what is stored and what it costs.
"""

import threading
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

_live: dict[tuple[Model, str, Path], ModelClient] = {}
_opening = threading.Lock()


def open_client(section: Model, store: ContentStore, base_dir: Path) -> ModelClient:
    """Return the client of the configured mode; nothing is connected and no key is read yet.

    Equal arguments give the same live client within a process.

    Args:
        section: the ``model`` section of the config.
        store: where live replies are kept.
        base_dir: folder of the config file; ``replies`` is taken relative to it.

    Raises:
        ConfigError: the recorded replies can't be read, or live mode has no model name.
    """
    if section.mode == "off":
        return OffClient()
    if section.mode == "live":
        return _share_live(section, store, base_dir)
    return ReplayClient(section, StoredReplies(store, section.name), _read_recorded(section, base_dir))


def _read_recorded(section: Model, base_dir: Path) -> RecordedReplies:
    return RecordedReplies.read(base_dir / section.replies) if section.replies else RecordedReplies()


def _share_live(section: Model, store: ContentStore, base_dir: Path) -> ModelClient:
    """Return this process's one client of these settings, so that budget, pace and breaker are kept together."""
    if not section.name:
        raise ConfigError("model.name is empty: live mode needs the name of the model to ask")
    from seeds.models.live import LiveClient  # noqa: PLC0415 - the SDK loads for half a second, only live needs it

    where = (section, store.root, base_dir)
    with _opening:
        if where not in _live:
            recorded = _read_recorded(section, base_dir)
            _live[where] = LiveClient(section, StoredReplies(store, section.name), recorded)
        return _live[where]
