"""The JSON object in a model's answer, with few and harmless repairs.

Stands between a `ModelReply` and whatever the answer should be. Taken away: prose around the object, a code fence, a
byte order mark, commas before a closing bracket, raw line breaks inside strings. Never repaired: an answer that ends
in the middle, a key that stands twice, NaN. Method: own.
"""

import json
import re
from collections.abc import Iterator
from typing import NoReturn

from schemas.canonical import Json, is_unicode
from schemas.errors import ModelError

ANSWER_CHARS = 200_000
_FENCE = re.compile(r"^```[a-z]*[ \t]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
_SPARE_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
_APOLOGY = re.compile(
    r"\W*(?:i(?:'m| am) (?:very |really )?sorry|sorry|i (?:can(?:'|no)t|am unable to)|as an ai)\b", re.IGNORECASE
)
_APOLOGY_WORDS = 80  # longer answers that open politely may still hold an object


def extract_object(text: str) -> dict[str, Json]:
    """Return the JSON object that an answer consists of, stands fenced in it, or starts at its first brace.

    Raises:
        ModelError: ``empty_answer``, ``refused`` (an apology instead of an answer) or ``broken_json``.
    """
    answer = text.lstrip("\ufeff").strip()
    if not any(char.isalnum() for char in answer):
        raise ModelError("the answer is empty", reason="empty_answer")
    if "{" not in answer:
        if is_apology(answer):
            raise ModelError(f"the model refused: {answer[:200]!r}", reason="refused")
        raise ModelError(f"the answer holds no JSON object: {answer[:200]!r}", reason="broken_json")
    if len(answer) > ANSWER_CHARS:
        raise ModelError(f"the answer has {len(answer)} characters, more than {ANSWER_CHARS}", reason="broken_json")
    furthest: tuple[int, str] = (-1, "")
    for piece in _pieces(answer):
        try:
            return _load(piece)
        except json.JSONDecodeError as error:
            furthest = max(furthest, (error.pos, f"{error.msg}, character {error.pos} of {len(piece)}"))
        except (ValueError, RecursionError) as error:
            furthest = max(furthest, (0, str(error)))
    raise ModelError(f"the answer's JSON is broken: {furthest[1]}", reason="broken_json")


def is_apology(text: str) -> bool:
    """Return whether a text is a short apology (WizardLM's second elimination rule, arXiv 2304.12244)."""
    return _APOLOGY.match(text) is not None and len(text.split()) < _APOLOGY_WORDS


def _pieces(answer: str) -> Iterator[str]:
    if answer.startswith("{"):
        yield answer
    for match in _FENCE.finditer(answer):
        if match[1].lstrip().startswith("{"):
            yield match[1].strip()
    yield answer[answer.index("{") :]


def _load(piece: str) -> dict[str, Json]:
    decoder = json.JSONDecoder(strict=False, object_pairs_hook=_unique_keys, parse_constant=_refuse_constant)
    repaired = _SPARE_COMMA.sub(lambda match: match[1] or "", piece)
    value, _ = decoder.raw_decode(repaired)
    if not isinstance(value, dict):
        raise ValueError("the outermost value is no object")
    if not is_unicode(json.dumps(value, ensure_ascii=False)):
        raise ValueError("a text holds half of a character")
    return value


def _unique_keys(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} stands twice")
        found[key] = value
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")
