"""The solution in a model's completion: exactly one fenced block of the wanted language.

First step of every reward on text. What a reasoning model thinks aloud isn't its answer: only what follows the last
``</think>`` counts. Standard library only. Source: fenced code blocks of CommonMark 0.31, section 4.5.
"""

import re
from dataclasses import dataclass

from schemas.errors import ConfigError, suggest_name

FENCE_TAGS = {
    "cpp": frozenset({"cpp", "c++", "cc", "cxx"}),
    "diff": frozenset({"diff", "patch"}),
    "go": frozenset({"go", "golang"}),
    "java": frozenset({"java"}),
    "javascript": frozenset({"javascript", "js", "mjs", "node"}),
    "python": frozenset({"python", "python3", "py"}),
    "rust": frozenset({"rust", "rs"}),
    "typescript": frozenset({"typescript", "ts"}),
}
"""Words after the fence that name a language; ``diff`` is what repository tasks are answered in."""
_FENCE = re.compile(r" {0,3}(?P<fence>`{3,}|~{3,})(?P<info>.*)")
_END_OF_THOUGHT = "</think>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What was found in a completion."""

    solution: str | None
    """Text of the last block of the language, None when there's none."""
    blocks: int
    """Closed blocks of the language."""

    @property
    def is_clean(self) -> bool:
        """Whether there was exactly one block of the language, as the prompt asks."""
        return self.blocks == 1


def extract_solution(completion: str, language: str) -> Extraction:
    """Return the last closed fenced block that is tagged with the language, and how many there are.

    Args:
        language: a key of `FENCE_TAGS`.

    Raises:
        ConfigError: no such language.
    """
    if language not in FENCE_TAGS:
        raise ConfigError(f"unknown language {language!r} of a fenced block.{suggest_name(language, FENCE_TAGS)}")
    answer = completion.rpartition(_END_OF_THOUGHT)[2]
    found = [text for tag, text in _read_blocks(answer) if tag in FENCE_TAGS[language]]
    return Extraction(solution=found[-1] if found else None, blocks=len(found))


def _read_blocks(text: str) -> list[tuple[str, str]]:
    """Return the tag in lower case and the content of every block that is closed."""
    blocks: list[tuple[str, str]] = []
    fence, tag, content = "", "", list[str]()
    for line in text.split("\n"):
        match = _FENCE.fullmatch(line.rstrip("\r"))
        if fence:
            if match and match["fence"].startswith(fence) and not match["info"].strip():
                blocks.append((tag, "".join(content)))
                fence = ""
            else:
                content.append(line + "\n")
        elif match and not (match["fence"][0] == "`" and "`" in match["info"]):
            words = match["info"].split()
            fence, tag, content = match["fence"], words[0].lower() if words else "", []
    return blocks
