"""A soak of `taskfoundry serve`: many clients, some hostile programs, every answer checked.

    python -m benchmarks.server [--requests 10000] [--clients 64] [--hostile 0.05] [--restarts 1]

The server runs in a process of its own, with a token and an audit log, and is restarted (SIGTERM, a new process at the
same port) at even distances. A client tries again when it isn't reached or is told to. At the end it prints how many
requests were answered, wrong answers, latencies, the server's memory over time, and what is left of it; the exit code
is 1 when an answer is missing, wrong, or not in the audit log.
"""

import argparse
import asyncio
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx

TOKEN = "soak"
HONEST = (
    ("n = int(input())\nprint(n * (n + 1) // 2)", "100", "Success", "5050\n"),
    ("print(sorted(input().split()))", "b a", "Success", "['a', 'b']\n"),
    ("import collections\nprint(collections.Counter(input()).most_common(1)[0][0])", "abbc", "Success", "b\n"),
    ("print(1)", "", "Success", "1\n"),
    ("raise ValueError('no')", "", "Failed", ""),
    ("print('x')\nraise SystemExit(3)", "", "Failed", "x\n"),
)
HOSTILE = (
    ("import os\nwhile True:\n    try: os.fork()\n    except OSError: pass", "", "Failed", None),
    ("a = []\nwhile True: a.append(bytearray(10**6))", "", "Failed", None),
    ("while True: print('x' * 1000)", "", "Failed", None),
    ("while True: pass", "", "Failed", None),
    ("import os, signal\ntry: os.kill(-1, signal.SIGKILL)\nexcept OSError: print('alive')", "", "Success", "alive\n"),
    ("import os\nprint(os.environ.get('TASKFOUNDRY_TOKEN'))", "", "Success", "None\n"),
    ("import os\nif os.fork() == 0:\n    os.setsid()\n    while True: pass\nos._exit(7)", "", "Failed", ""),
    ("f = open('/work/big', 'wb')\nwhile True: f.write(bytes(10**6))", "", "Failed", ""),
)


@dataclass(slots=True)
class Tally:
    """What the clients saw."""

    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    retries: int = 0
    ids: set[str] = field(default_factory=set)


def start_server(port: int, audit: Path) -> tuple[subprocess.Popen[str], int]:
    """Return a started server and its port."""
    argv = [sys.executable, "-c", "from pipelines.cli import main; main()", "serve", "--backend", "process"]
    argv += ["--port", str(port), "--audit", str(audit), "--waiting", "256"]
    env = {**os.environ, "TASKFOUNDRY_TOKEN": TOKEN}
    process = subprocess.Popen(argv, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r"running on http://[^:]+:(\d+)", line):
            return process, int(found.group(1))
    raise SystemExit("the server didn't start")


def count_memory(process_id: int) -> tuple[int, int]:
    """Return resident MiB of the server itself, and how many processes descend from it."""
    status = Path(f"/proc/{process_id}/status").read_text()
    resident = int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) // 1024  # type: ignore[union-attr]
    return resident, len(list_descendants(process_id))


def list_descendants(process_id: int) -> list[int]:
    """Return the processes below a process."""
    found, pending = [], [process_id]
    while pending:
        for path in Path("/proc", str(pending.pop()), "task").glob("*/children"):
            try:
                children = [int(word) for word in path.read_text().split()]
            except OSError:
                continue
            found += children
            pending += children
    return found


async def ask(client: httpx.AsyncClient, url: str, case: tuple[str, str, str, str | None], tally: Tally) -> None:
    """Ask until there is an answer, and check it."""
    code, stdin, status, stdout = case
    body = {"code": code, "language": "python", "stdin": stdin, "run_timeout": 1, "memory_limit_MB": 256}
    start = time.perf_counter()
    while True:
        try:
            response = await client.post(url, json=body)
        except httpx.TransportError:
            tally.retries += 1
            await asyncio.sleep(0.2)
            continue
        if response.status_code in {429, 503, 504}:
            tally.retries += 1
            await asyncio.sleep(float(response.headers.get("Retry-After", "1")))
            continue
        break
    tally.seconds.append(time.perf_counter() - start)
    answer = response.json()
    printed = (answer.get("run_result") or {}).get("stdout")
    if response.status_code != 200 or answer["status"] != status or (stdout is not None and printed != stdout):
        tally.wrong.append(f"{code[:40]!r}: {response.status_code} {str(answer)[:300]}")
    tally.ids.add(response.headers["X-Request-Id"])


async def run_clients(options: argparse.Namespace, audit: Path) -> tuple[Tally, list[tuple[int, int]], list[int]]:
    """Return what the clients saw, memory samples, and processes that outlived the servers."""
    rng, tally = random.Random(0), Tally()
    cases = [rng.choice(HOSTILE if rng.random() < options.hostile else HONEST) for _ in range(options.requests)]
    server, port = start_server(0, audit)
    url = f"http://127.0.0.1:{port}/run_code"
    restarts = {len(cases) * (step + 1) // (options.restarts + 1) for step in range(options.restarts)}
    memory: list[tuple[int, int]] = []
    leftovers: list[int] = []
    limits = httpx.Limits(max_connections=options.clients)
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with httpx.AsyncClient(timeout=300, limits=limits, headers=headers) as client:
        pending = iter(cases)

        async def work() -> None:
            for case in pending:
                await ask(client, url, case, tally)

        tasks = [asyncio.create_task(work()) for _ in range(options.clients)]
        while not all(task.done() for task in tasks):
            await asyncio.sleep(1)
            if restarts and len(tally.seconds) >= min(restarts):
                restarts.remove(min(restarts))
                leftovers += await asyncio.to_thread(stop_server, server)
                server, _ = await asyncio.to_thread(start_server, port, audit)
            memory.append(count_memory(server.pid))
        await asyncio.gather(*tasks)
    leftovers += stop_server(server)
    return tally, memory, leftovers


def stop_server(server: subprocess.Popen[str]) -> list[int]:
    """Stop a server in order and return which of its processes are still there a second later."""
    below = {process: tell_start(process) for process in list_descendants(server.pid)}
    server.send_signal(signal.SIGTERM)
    if server.wait(120):
        raise SystemExit(f"the server ended with exit code {server.returncode}")
    time.sleep(1)
    return [process for process, start in below.items() if start and tell_start(process) == start]


def tell_start(process_id: int) -> str:
    """Return when a living process started, in clock ticks since boot: no other of the same number has that.

    One that is dead and waits for the machine's first process to take note of it gives the empty text.
    """
    try:
        facts = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if facts[0] == "Z" else facts[19]


def main() -> None:
    """Soak, print and judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--hostile", type=float, default=0.05, help="share of hostile programs")
    parser.add_argument("--restarts", type=int, default=1)
    options = parser.parse_args()
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        audit = Path(folder, "audit.jsonl")
        tally, memory, leftovers = asyncio.run(run_clients(options, audit))
        logged = {json.loads(line)["request"] for line in audit.read_text().splitlines()}
    seconds = time.perf_counter() - start
    quantiles = statistics.quantiles(tally.seconds, n=100)
    answered, unlogged = len(tally.seconds), len(tally.ids - logged)
    third = max(1, len(memory) // 3)
    print(f"answered {answered} of {options.requests}, wrong {len(tally.wrong)}, tried again {tally.retries}")
    print(f"answers missing in the audit log {unlogged}, processes left {len(leftovers)}")
    print(f"{answered / seconds:.1f} answers/s; p50 {quantiles[49]:.2f} s, p99 {quantiles[98]:.2f} s")
    first, last = ([size for size, _ in part] for part in (memory[:third], memory[-third:]))
    print(
        f"server memory, median of first and last third: {statistics.median(first)} and {statistics.median(last)} MiB"
    )
    print("\n".join(tally.wrong[:10]))
    if answered != options.requests or tally.wrong or unlogged or leftovers:
        sys.exit(1)


if __name__ == "__main__":
    main()
