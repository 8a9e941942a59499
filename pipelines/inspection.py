"""A task as a person wants to see it: statement, tests, diff, evidence.

Behind `taskfoundry inspect`. Method: own, with rich.
"""

import json

import yaml
from rich.console import Console
from rich.markdown import Markdown
from rich.panel import Panel
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from pipelines.visible_text import show_record
from sandbox.exploits.base import CLASSES
from schemas.arrow import Row
from schemas.candidate import TaskStyle, TestCase
from schemas.exploit_results import Basis, Result
from schemas.prompt import render_call
from schemas.proven import Evidence
from schemas.row_reading import from_row
from schemas.task import Task

_SHOWN_TESTS = 12
_SHOWN_IDS = 10
_SHOWN_CHARS = 4000


def _code(title: str, text: str, language: str) -> Panel:
    return Panel(Syntax(text.rstrip(), language, word_wrap=True), title=title, title_align="left")


def _facts(pairs: list[tuple[str, str]]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in pairs:
        if value:
            table.add_row(name, Text(value))
    return table


def _identity(task: Task) -> Table:
    candidate = task.proven.candidate
    ref = candidate.source
    return _facts(
        [
            ("task", task.task_id),
            ("title", candidate.title),
            ("id in source", ref.original_id),
            ("family", task.family_id),
            ("source", f"{ref.source} ({ref.kind.value}), {ref.locator}"),
            ("parents", ", ".join(candidate.parent_ids)),
            ("licence", ref.license),
            ("style", f"{candidate.style.value}, {candidate.language}, {candidate.domain}"),
            ("split", f"{task.split.value}, phase {task.difficulty.phase}, weight {task.weight:.2f}"),
            ("model", candidate.generation.model if candidate.generation else ""),
            ("checker", candidate.checker.name.value),
        ]
    )


def _case_line(task: Task, case: TestCase) -> str:
    candidate = task.proven.candidate
    if candidate.style is TaskStyle.FUNCTION and candidate.signature is not None:
        return render_call(case, candidate.signature.entry_point)
    return f"{json.dumps(case.input)} -> {json.dumps(case.expected)}"


def _tests(task: Task) -> Table:
    table = Table(title="Tests", title_justify="left")
    for name in ("seen", "tier", "origin", "case"):
        table.add_column(name, overflow="fold")
    for case in task.proven.tests[:_SHOWN_TESTS]:
        seen = "public" if case.public else "hidden"
        table.add_row(seen, case.tier.value, case.origin.value, Text(_case_line(task, case)[:400]))
    rest = len(task.proven.tests) - _SHOWN_TESTS
    if rest > 0:
        table.add_row("", "", "", f"and {rest} more")
    return table


def _id_list(title: str, ids: tuple[str, ...]) -> Text:
    shown = "\n".join(f"  {name}" for name in ids[:_SHOWN_IDS])
    rest = len(ids) - _SHOWN_IDS
    return Text(f"{title} ({len(ids)})\n{shown}" + (f"\n  and {rest} more" if rest > 0 else ""))


def _exploits(evidence: Evidence) -> list[tuple[str, str]]:
    """Return what is known of exploit classes: the refused ones by what that rests on, and each open one."""
    facts = []
    for basis, name in ((Basis.PROOF, "exploits, by the proof"), (Basis.BATTERY, "exploits, by the battery")):
        mine = [each for each in evidence.exploits if each.basis is basis]
        refused = ", ".join(str(each.number) for each in mine if each.result is Result.REFUSED)
        facts.append((name, f"classes {refused} refused (version {evidence.battery_version})" if refused else ""))
        facts += [
            (f"open to class {each.number}", f"{CLASSES[each.number]}: {', '.join(each.open_to)}")
            for each in mine
            if each.result is Result.ACCEPTED
        ]
    return facts


def _evidence(task: Task) -> Table:
    evidence = task.proven.evidence
    probes = sum(probe.accepted for probe in evidence.probes)
    score = f"{evidence.mutants_killed} of {evidence.mutants} mutants killed" if evidence.mutants else ""
    nearest = "; ".join(f"{c.benchmark} {c.score:.2f} ({c.method})" for c in task.contamination)
    return _facts(
        [
            ("verdict strength", evidence.verdict_strength.value),
            ("sandbox", f"{evidence.backend}, isolation {evidence.isolation}"),
            ("limits held", ", ".join(evidence.limits_enforced)),
            ("repeats", f"{evidence.repeats}, each with another hash seed, order and time zone"),
            ("baseline", f"{evidence.baseline} fails {evidence.baseline_failed} hidden tests"),
            ("mutation", score),
            ("probes", f"{probes} of {len(evidence.probes)} dishonest solutions accepted" if evidence.probes else ""),
            *_exploits(evidence),
            (
                "fuzzing",
                f"{evidence.fuzz_valid} of {evidence.fuzz_inputs} inputs valid" if evidence.fuzz_inputs else "",
            ),
            ("given tests left out", str(task.proven.candidate.given_tests_left_out or "")),
            ("flaky tests", ", ".join(evidence.flaky_tests)),
            ("refused alternatives", ", ".join(evidence.failed_alternatives)),
            ("nearest benchmark", nearest),
            ("difficulty", f"{task.difficulty.score:.2f} ({task.difficulty.provenance})"),
        ]
    )


def print_task(row: Row, console: Console) -> None:
    """Print a row of the dataset."""
    task = show_record(from_row(row))
    proven = task.proven
    console.print(_identity(task))
    console.print(Panel(Markdown(proven.candidate.statement), title="Statement", title_align="left"))
    if proven.candidate.mutation is not None and proven.repository is not None:
        console.print(_code("Bug", proven.candidate.mutation.bug_patch, "diff"))
        console.print(_id_list("Must turn from failing to passing", proven.repository.fail_to_pass))
        console.print(_id_list("Must go on passing", proven.repository.pass_to_pass))
    else:
        console.print(_code("Reference", proven.candidate.reference, "python"))
        console.print(_tests(task))
    console.print(Panel(_evidence(task), title="Evidence", title_align="left"))
    for survivor in proven.evidence.survivors:
        equivalent = ", suspected equivalent" if survivor.suspected_equivalent else ""
        console.print(_code(f"Survivor: {survivor.operator}{equivalent}", survivor.diff, "diff"))


def print_rejection(row: Row, console: Console) -> None:
    """Print a row of the rejected output."""
    row = show_record(row)
    console.print(
        _facts([(name, str(row[name])) for name in ("record_id", "source", "locator", "stage", "reason", "retriable")])
    )
    console.print(Panel(Text(row["detail"]), title="Why", title_align="left"))
    if row["payload_json"]:
        _print_payload(row["payload_json"], console)


def _print_payload(payload_json: str, console: Console) -> None:
    """Print a rejected record: what has lines as people read it, the rest as YAML."""
    try:
        payload = show_record(json.loads(payload_json))
    except ValueError:
        payload = None
    if not isinstance(payload, dict):
        console.print(_code("Record", payload_json[:_SHOWN_CHARS], "text"))
        return
    mutation = payload.get("mutation")
    patch = ""
    if isinstance(mutation, dict):
        patch = mutation.pop("bug_patch", "")
        payload["mutation"] = {name: value for name, value in mutation.items() if name not in {"edits", "fix_patch"}}
    texts = {"Statement": payload.pop("statement", ""), "Reference": payload.pop("reference", ""), "Bug": patch}
    languages = {"Statement": "text", "Reference": "python", "Bug": "diff"}
    for title, text in texts.items():
        if isinstance(text, str) and text:
            console.print(_code(title, text, languages[title]))
    rest = {name: value for name, value in payload.items() if value not in (None, "", [], {})}
    shown = yaml.safe_dump(rest, sort_keys=False, default_flow_style=None, allow_unicode=True, width=console.width - 4)
    console.print(_code("Record", shown[:_SHOWN_CHARS], "yaml"))
