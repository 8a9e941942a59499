"""Runs the graph: claims the output folder, sets up the runner, shows progress, prints the funnel.

Behind `taskfoundry build`. Method: own.
"""

import time
from collections.abc import Sequence
from pathlib import Path

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions
from rich.console import Console

from pipelines.dataset import read_manifest
from pipelines.failures import explain_failures
from pipelines.folder import STATE, STORE_NAME, claim_output, remove_leftovers
from pipelines.funnel import print_funnel
from pipelines.graph import build_graph
from pipelines.interruption import stop_on_signals
from pipelines.live import show_progress
from pipelines.next_steps import print_next_steps
from pipelines.runner import runner_options
from sandbox.environments import default_cache
from sandbox.languages.python import try_packages
from sandbox.packages import find_configured
from schemas.config import Config
from schemas.errors import ConfigError
from schemas.storage import Folder, explain_write_failure
from transforms.context import BUG_LOG, RunContext
from transforms.workers import close_workers, end_workers
from transforms.workshops import open_backend


def _name_store(config: Config, output: Path) -> None:
    """Leave word where the store is when it isn't in the output folder, for `status`."""
    folder = Folder(str(output))
    if config.store:
        folder.write(STORE_NAME, config.store.encode())
    else:
        folder.remove(STORE_NAME)


def make_context(config: Config, base_dir: Path, output: Path, *, workers: int) -> RunContext:
    """Return what every step knows, with a fresh file for progress.

    Raises:
        ConfigError: the cache folder can't be made.
    """
    progress = output / STATE / "progress.jsonl"
    for stale in (progress, progress.with_name(BUG_LOG)):
        stale.unlink(missing_ok=True)
    cache = Path(config.cache) if config.cache else default_cache()
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise explain_write_failure(f"cache {str(cache)!r}", error) from error
    return RunContext(
        config=config,
        base_dir=base_dir.absolute(),
        output=str(output.absolute()),
        cache_dir=cache.absolute(),
        workers=workers,
        progress=progress.absolute(),
    )


def _finish(config: Config, output: Path, console: Console, seconds: float) -> None:
    manifest = read_manifest(output)
    remove_leftovers(output, frozenset(shard["path"] for shard in manifest["shards"]))
    print_funnel(manifest, console)
    counts = manifest["counts"].values()
    emitted = sum(count["emitted"] for count in counts)
    console.print(f"\n{emitted} tasks in {output} after {seconds:.0f} s.\n", markup=False, soft_wrap=True)
    print_next_steps(output, manifest, console)
    read = sum(count["read"] for count in counts)
    rejected = sum(count["rejected"] for count in counts)
    if read and rejected / read > config.output.max_rejected_share:
        raise ConfigError(
            f"{rejected} of {read} records were rejected, more than output.max_rejected_share = "
            f"{config.output.max_rejected_share:g}; the reasons are above and in {output}/rejected"
        )
    if not emitted:
        raise ConfigError(f"no task was emitted; the reasons are above and in {output}/rejected")


def _run(context: RunContext, options: PipelineOptions, console: Console) -> None:
    assert context.progress is not None
    try:
        with show_progress(context.progress, console), beam.Pipeline(options=options) as pipeline:
            build_graph(pipeline, context)
        close_workers()
    finally:
        end_workers()


def run_build(
    config: Config, base_dir: Path, output: Path, *, workers: int, runner_args: Sequence[str], console: Console
) -> None:
    """Build the dataset that a config describes; `check_config` has found nothing wrong with it.

    Args:
        base_dir: folder that relative paths of the config start from.

    Raises:
        TaskfoundryError: something for the user to fix; finished work is kept.
        Interruption: the run was asked to stop.
    """
    started = time.monotonic()
    options = runner_options(runner_args)
    backend, packages = open_backend(config.sandbox), find_configured(config.sandbox, base_dir)
    if packages is not None:
        try_packages(backend, config.sandbox.limits.to_limits(), packages)
    with stop_on_signals(end_workers), explain_failures(), claim_output(output, config.name):
        context = make_context(config, base_dir, output, workers=workers)
        _name_store(config, output)
        _run(context, options, console)
        _finish(config, output, console, time.monotonic() - started)
