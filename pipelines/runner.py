"""The Beam runner that a command line asks for, with every mistake in its options said before anything runs.

Stands between the command line and the graph. Beam itself prints pages of usage for a wrong value and passes over an
unknown option; here both are one message. Method: own.
"""

import io
from collections.abc import Sequence
from contextlib import redirect_stderr

from apache_beam.options.pipeline_options import PipelineOptions, StandardOptions
from apache_beam.runners.runner import create_runner

from schemas.errors import ConfigError, suggest_name

DEFAULT_RUNNER = "FnApiRunner"
"""Named, since Beam's own default tries to download another runner first."""
_LOCAL = {"FnApiRunner", "DirectRunner", "BundleBasedDirectRunner", "SwitchingDirectRunner"}


def runner_options(arguments: Sequence[str]) -> PipelineOptions:
    """Return Beam's options; without a runner the local one is taken.

    Raises:
        ConfigError: an unknown runner or option, a wrong value, or the local runner's threaded mode, which can take
            all memory.
    """
    given = [argument for argument in arguments if argument != "--"]
    _refuse_stray_words(given)
    if any("multi_threading" in argument for argument in given):
        raise ConfigError(
            "--direct_running_mode=multi_threading can take all memory; use --workers N, which runs N sandboxes at once"
        )
    named = any(argument.partition("=")[0] == "--runner" for argument in given)
    options = PipelineOptions([*(() if named else (f"--runner={DEFAULT_RUNNER}",)), *given])
    known = _parse(options)
    runner = str(options.view_as(StandardOptions).runner)
    if runner in _LOCAL:
        unknown = sorted(set(options.get_all_options(retain_unknown_options=True)) - known)
        if unknown:
            raise ConfigError(
                f"unknown option --{unknown[0]}.{suggest_name(unknown[0], (*known, 'output', 'workers'))}"
            )
    try:
        create_runner(runner)
    except (ValueError, ImportError, AttributeError) as error:
        raise ConfigError(
            f"--runner={runner}: no such runner.{suggest_name(runner, StandardOptions.KNOWN_RUNNER_NAMES)}"
        ) from error
    return options


def _refuse_stray_words(given: Sequence[str]) -> None:
    for before, word in zip(["", *given], given, strict=False):
        takes_value = before.startswith("--") and "=" not in before
        if not word.startswith("--") and not takes_value:
            raise ConfigError(f"unexpected {word!r} on the command line; only options of the Beam runner can follow")


def _parse(options: PipelineOptions) -> set[str]:
    """Return the names of all options that Beam knows."""
    said = io.StringIO()
    try:
        with redirect_stderr(said):
            return set(options.get_all_options())
    except SystemExit as error:
        words = said.getvalue().rpartition("error: ")[2].strip()
        raise ConfigError(f"options of the Beam runner: {words}") from error
