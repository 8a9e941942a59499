"""The command `taskfoundry`: parses options, prints what people read, and turns errors into exit codes.

Exit 0: done. Exit 1: done, but the answer is no (a damaged dataset, a task that can't be proven again). Exit 2: the
user can fix it, or too many records met a bug. Anything else is a bug and shows its traceback. Method: own, with typer.
"""

import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from rich.console import Console
from rich.markup import escape

from pipelines.dataset import find_row, read_manifest
from pipelines.funnel import print_funnel
from pipelines.inspection import print_rejection, print_task
from pipelines.interruption import Interruption, hurry
from pipelines.visible_text import make_visible
from schemas.config import load_config
from schemas.errors import ConfigError, InternalError, ModelError, SandboxError, SeedError

if TYPE_CHECKING:
    from sandbox.packages import Packages

app = typer.Typer(
    name="taskfoundry",
    help="Proven coding tasks for reinforcement learning with verifiable rewards.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
_LOG_COLUMNS = 150
"""Width of what is printed to a file or a pipe."""
ConfigPath = Annotated[Path, typer.Argument(help="The config file (YAML).", show_default=False)]
PackagesPath = Annotated[Path | None, typer.Option("--packages", help="Packages that Python solutions may import.")]
ExploitsFlag = Annotated[bool, typer.Option("--exploits", help="Run the exploits again that the build ran.")]
PreloadNames = Annotated[list[str], typer.Option("--preload", help="A module of them to import ahead; repeatable.")]
DatasetPath = Annotated[Path, typer.Argument(help="The output folder of a run.", show_default=False)]


def _find_packages(folder: Path | None, preload: list[str]) -> "Packages | None":
    """Return the packages of a folder, or those that environment variables name."""
    from sandbox.packages import find_named, find_packages  # noqa: PLC0415 - keeps the start of the command fast

    if preload and folder is None:
        raise ConfigError("--preload names modules of --packages, and that isn't given")
    return find_packages(folder, preload) if folder else find_named(os.environ)


def _console() -> Console:
    return Console(highlight=False, width=None if sys.stdout.isatty() else _LOG_COLUMNS)


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def build(
    context: typer.Context,
    config: ConfigPath,
    output: Annotated[Path, typer.Option("-o", "--output", help="The folder to write to.", show_default=False)],
    workers: Annotated[int, typer.Option(min=1, max=512, help="Sandboxes at once.")] = os.cpu_count() or 1,
) -> None:
    """Build the dataset that CONFIG describes. Options after -- go to the Beam runner."""
    from pipelines.plan import check_config  # noqa: PLC0415 - readers take a second to import

    loaded = load_config(config)
    check_config(loaded, config.parent)
    from pipelines.build import run_build  # noqa: PLC0415 - Beam takes seconds to import; mistakes are said before

    run_build(loaded, config.parent, output, workers=workers, runner_args=tuple(context.args), console=_console())


@app.command()
def plan(config: ConfigPath) -> None:
    """Say what a build will read, run and ask, without a key and without a network."""
    from pipelines.plan import make_plan, print_plan  # noqa: PLC0415 - readers take a second to import

    print_plan(make_plan(load_config(config), config.parent), _console())


@app.command()
def validate(config: ConfigPath) -> None:
    """Check CONFIG and the files it names."""
    from pipelines.plan import check_config  # noqa: PLC0415 - readers take a second to import

    loaded = load_config(config)
    check_config(loaded, config.parent)
    named = ", ".join(source.name for source in (*loaded.sources, *loaded.benchmarks))
    _console().print(f"{config} is valid, and what it names is there: {named}", markup=False, soft_wrap=True)


@app.command()
def status(folder: DatasetPath) -> None:
    """Say how far the run in DIR has come."""
    from pipelines.status import read_status  # noqa: PLC0415 - keeps the start of the command fast

    console = _console()
    found = read_status(folder)
    console.print(f"{folder}: {found.state}; store: {found.proofs} proofs, {found.replies} replies")
    for sentence in found.damage:
        console.print(f"[red]{sentence}[/red]")
    if found.state in {"finished", "damaged"}:
        print_funnel(read_manifest(folder), console)
    if found.state == "damaged":
        raise typer.Exit(1)


@app.command()
def inspect(
    folder: DatasetPath,
    task_id: Annotated[
        str,
        typer.Argument(
            metavar="ID", help="An id or its beginning, or the id or place in the source.", show_default=False
        ),
    ],
) -> None:
    """Show a task or a rejection as a person wants to see it."""
    row = find_row(folder, read_manifest(folder), task_id)
    if "task_id" in row:
        print_task(row, _console())
    else:
        print_rejection(row, _console())


@app.command()
def verify(
    folder: DatasetPath,
    sample: Annotated[int, typer.Option(min=0, help="Tasks to prove again; 0 takes all.")] = 0,
    workers: Annotated[int, typer.Option(min=1, max=512, help="Sandboxes at once.")] = os.cpu_count() or 1,
    packages: PackagesPath = None,
    preload: PreloadNames = [],  # noqa: B006  # typer copies it
    exploits: ExploitsFlag = False,  # noqa: FBT002
) -> None:
    """Check the files of DIR against the manifest and prove its tasks again."""
    from pipelines.verification import verify_dataset  # noqa: PLC0415 - sandboxes aren't needed by other commands

    found = _find_packages(packages, preload)
    well = verify_dataset(folder, sample=sample, workers=workers, console=_console(), packages=found, exploits=exploits)
    if not well:
        raise typer.Exit(1)


@app.command()
def doctor(
    config: Annotated[
        Path | None, typer.Argument(help="A config; its packages are tried too.", show_default=False)
    ] = None,
) -> None:
    """Say what this machine can do, and why not."""
    from pipelines.doctor import examine, print_findings  # noqa: PLC0415 - probes aren't needed by other commands

    findings = examine(load_config(config).sandbox, config.parent) if config else examine()
    if not print_findings(findings, _console()):
        raise typer.Exit(1)


@app.command()
def serve(  # noqa: PLR0913, PLR0917  # one option each
    host: Annotated[str, typer.Option(help="Address to bind; others than loopback need a token.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8080,
    backend: Annotated[str, typer.Option(help="Sandbox backend, or auto.")] = "auto",
    min_isolation: Annotated[str, typer.Option(help="Weakest isolation level that may be taken.")] = "process",
    concurrency: Annotated[int, typer.Option(min=1, max=512, help="Requests worked on at once.")] = os.cpu_count() or 1,
    waiting: Annotated[int, typer.Option(min=0, help="Requests that may wait; more get 429.")] = 128,
    max_body_mb: Annotated[float, typer.Option(min=0.001, help="Largest request body in MiB.")] = 16.0,
    request_seconds: Annotated[float, typer.Option(min=1, max=86400, help="Longest that a request takes.")] = 600.0,
    sessions: Annotated[int, typer.Option(min=1, max=512, help="Sessions of remote clients at once.")] = 32,
    cache_mb: Annotated[float, typer.Option(min=1, help="MiB kept of what remote clients send.")] = 4096.0,
    allow_network: Annotated[bool, typer.Option(help="Give remote clients' jobs a network if they ask.")] = False,  # noqa: FBT002
    token_file: Annotated[Path | None, typer.Option(help="File with the token; or TASKFOUNDRY_TOKEN.")] = None,
    dataset: Annotated[Path | None, typer.Option(help="Output folder with the trees of repository tasks.")] = None,
    packages: PackagesPath = None,
    preload: PreloadNames = [],  # noqa: B006  # typer copies it
    audit: Annotated[Path | None, typer.Option(help="File for one line of JSON per request.")] = None,
) -> None:
    """Serve verdicts, rewards and runs over HTTP."""
    try:
        from sandbox.server.serving import read_token, serve_forever  # noqa: PLC0415 - an optional dependency
    except ModuleNotFoundError as error:
        raise ConfigError(f"{error.name} isn't installed; install taskfoundry[serve]") from error
    from sandbox.backends import select_backend  # noqa: PLC0415 - probes aren't needed by other commands
    from sandbox.server.settings import ServerSettings  # noqa: PLC0415

    settings = ServerSettings(
        host=host,
        port=port,
        token=read_token(token_file),
        concurrency=concurrency,
        waiting=waiting,
        most_body_mb=max_body_mb,
        most_request_s=request_seconds,
        sessions=sessions,
        cache_mb=cache_mb,
        allow_network=allow_network,
        dataset=dataset,
        packages=_find_packages(packages, preload),
        audit=audit,
    )
    serve_forever(select_backend(backend, min_isolation=min_isolation), settings)


def _quiet_third_parties() -> None:
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    for name in ("httpx2", "openai", "datasets", "git"):
        logging.getLogger(name).setLevel(logging.ERROR)
    logging.getLogger("apache_beam").setLevel(logging.CRITICAL)  # it logs every exception that it also raises
    logging.getLogger().addFilter(lambda record: record.levelno >= logging.ERROR or record.name != "root")


def run_command() -> NoReturn:
    """Run the command of this process's arguments.

    Raises:
        SystemExit: always; its code says how it went.
    """
    _quiet_third_parties()
    try:
        app()
    except Interruption as interruption:
        interruption.tell()
        sys.exit(interruption.exit_code)
    except (ConfigError, SeedError, ModelError, SandboxError, InternalError) as error:
        Console(stderr=True, highlight=False, soft_wrap=True).print(
            f"[red]error:[/red] {escape(make_visible(str(error)))}"
        )
        sys.exit(2)
    sys.exit(0)


def main() -> None:
    """Run the command and exit with its code."""
    try:
        run_command()
    except SystemExit as done:
        if done.code:
            hurry(done.code if isinstance(done.code, int) else 1)
        raise
