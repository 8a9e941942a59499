"""How near a record stands to a benchmark: evidence kept with every row, not only with the refused ones.

Made by the screen stage, carried unchanged into the row. Method: own; the measures are in transforms/curation.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ContaminationRecord:
    """The nearest item of one benchmark."""

    benchmark: str
    nearest_item: str
    """Id of the nearest benchmark item; empty when nothing overlaps."""
    score: float
    """Share in [0, 1], rounded to 4 digits."""
    method: str
    """``statement_10gram``, ``code_window_alpha``, ``io_fingerprint`` or ``provenance``."""
    span: str = ""
    """A matched piece of text, at most 200 characters."""
