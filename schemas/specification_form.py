"""The words that tell a model how to fill in a specification.

Shared by the topic source and the rewriting operators: what the task is about stands in their own prompts, the form and
its rules stand here, beside the form that `schemas/specification.py` reads. Method: own.
"""

from schemas.candidate import TaskStyle

_COMMON = """\
Fill in one JSON object with these fields.

- `title`: three to six words.
- `statement`: the whole task in Markdown. It settles every case that a legal input can raise: ties, repeated values,
  empty input, nothing found, rounding, the order of results. One legal input has one right answer. Don't list the
  bounds of the parameters and don't give the solution away.
- `reference`: a correct Python 3 solution. Standard library only; no files, clock, network or randomness; the result
  doesn't depend on the order of a set or on hash values.
- `second_solution`: another correct solution, found in a different way; slower and simpler is fine.
- `examples`: at least six, worked out from the statement and not from the code. Start with two typical ones, then cover
  the edges. Their results differ, so that no constant answer fits them.
- `tags`: two to four words.
"""

_FUNCTION = """\
- `entry_point`: the name of the function that `reference` and `second_solution` define.
- `parameters`: in order, each with `name`, `type` (a Python annotation such as `list[tuple[int, int]]`) and
  `constraints`. A constraint is `{{"path": ..., "rule": ..., "value": ...}}`. `path` is "" for the value itself, `[]`
  for its items, `{k}` and `{v}` for keys and values of a mapping, and steps may follow one another. Rules with a bound:
  `min`, `max`, `min_length`, `max_length`, `alphabet` (a string of the allowed characters), `choices` (a list). Rules
  whose value is null: `unique`, `sorted`, `nonempty`. Bound every number, every length and every string. Whatever the
  rows allow is legal input, so the function must answer all of it; a rule between two parameters can't be stated, so
  let the statement say what happens instead.
- `returns`: the annotation of the result.
- Each example has `call`, for instance `f([(1, 2)], 3)`, and `result`, for instance `[2, 4]`: Python literals only. An
  expected exception is written `raises ValueError`.
- `checker`: `exact`; `float` if the result holds computed floats; `unordered` if any order of the list is right.
""".replace("{{", "{").replace("}}", "}")

_STDIN = """\
- `reference` and `second_solution` are programs that read standard input and write standard output.
- The statement describes the input line by line with the bounds of each number. The first line starts with the number
  of lines or of numbers that follow.
- Each example has `stdin` and `stdout`, with line breaks.
- `checker`: `lines`; `tokens` if blanks don't matter; `tokens_caseless`; `tokens_float` if floats are printed.
"""


def describe_form(style: TaskStyle) -> str:
    """Return the rules of the form for a style, as a part of a prompt."""
    return _COMMON + (_STDIN if style is TaskStyle.STDIN else _FUNCTION)
