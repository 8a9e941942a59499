"""Property tests try the same examples in every run, and none fails for being slow on a busy machine.

New examples are looked for with ``--hypothesis-profile=default``.
"""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "gate", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("gate")
