"""What everything in the sandbox that must be closed has in common: leaving its ``with`` block closes it.

Beside the road. Method: own.
"""

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self


class Closing(ABC):
    """Base of sessions, runners, provers and judges: closed at the end of a ``with`` block, however that ends."""

    @abstractmethod
    def close(self) -> None:
        """Give everything back; idempotent."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
