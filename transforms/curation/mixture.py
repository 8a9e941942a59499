"""Which rows are emitted, and with what weight, so that the parts of the mixture get their shares.

The mix stage. Two policies: *weigh* keeps every row and gives it a sampling weight, *enforce* holds rows out until the
counts themselves show the shares. What can't be reached (a part without rows, a source over its cap) is said in the
report and its share goes to the other parts in proportion. Depends on the set of rows alone, not on their order.
Method: own; water-filling for the caps.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from schemas.canonical import uniform_for
from schemas.config import Mixture
from schemas.source import MixtureBucket

SHARE_REASON = "mixture_share"
CAP_REASON = "mixture_source_cap"
_TINY = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class MixtureEntry:
    """One row as the mixture sees it."""

    record_id: str
    bucket: MixtureBucket
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOut:
    """One row that isn't emitted for training, and why."""

    record_id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MixtureReport:
    """One part of the mixture. Shares lie in [0, 1] and are rounded to 4 digits."""

    bucket: MixtureBucket
    available: int
    target_share: float
    emitted: int
    actual_share: float
    """Share of the emitted rows."""
    weighted_share: float
    """Share of the emitted weight: what a sampler that heeds the weights draws."""
    weight: float
    """Mean weight of the emitted rows, rounded to 6 digits; 0 without rows."""
    held_out: tuple[tuple[str, int], ...] = ()
    """How many rows were held out for each reason, ordered by reason."""
    note: str = ""
    """What couldn't be reached and why; empty when the target is met."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MixturePlan:
    """What the mix stage does."""

    weights: Mapping[tuple[MixtureBucket, str], float]
    """Weight of a row by bucket and source, rounded to 6 digits; the mean over all emitted rows is 1."""
    held_out: tuple[HeldOut, ...]
    """Ordered by record id."""
    report: tuple[MixtureReport, ...]
    """One line a bucket, in the order of `MixtureBucket`."""

    def weight_of(self, entry: MixtureEntry) -> float:
        """Return the sampling weight of a row."""
        return self.weights[entry.bucket, entry.source]


def fill_shares(wanted: Mapping[str, float], capacity: Mapping[str, float]) -> dict[str, float]:
    """Return shares that sum to 1, in proportion to what is wanted, none above its capacity.

    Shares that hit their capacity give the rest to the others in proportion. When all capacities together are below 1
    the result is in proportion to the capacities, since some sum must be reached.
    """
    if sum(capacity.values()) <= 1.0 + _TINY:
        total = sum(capacity.values())
        return {name: capacity[name] / total for name in wanted} if total > 0 else dict.fromkeys(wanted, 0.0)
    shares: dict[str, float] = {}
    open_names = sorted(wanted)
    while open_names:
        left = 1.0 - sum(shares.values())
        mass = sum(wanted[name] for name in open_names)
        scaled = {name: left * (wanted[name] / mass if mass > 0 else 1.0 / len(open_names)) for name in open_names}
        over = [name for name in open_names if scaled[name] > capacity[name] + _TINY]
        shares.update({name: capacity[name] for name in over} if over else scaled)
        open_names = [name for name in open_names if name not in over] if over else []
    return shares


def _reachable(counts: Counter[tuple[MixtureBucket, str]], settings: Mixture) -> dict[MixtureBucket, float]:
    """Return the shares of the buckets that have rows, under the cap a source."""
    sources = Counter(bucket for bucket, _ in counts)
    targets = {bucket.value: settings.target(bucket) for bucket in sources}
    capacity = {bucket.value: settings.max_share_per_source * number for bucket, number in sources.items()}
    return {MixtureBucket(name): share for name, share in fill_shares(targets, capacity).items()}


def _weigh(
    counts: Counter[tuple[MixtureBucket, str]], shares: Mapping[MixtureBucket, float], cap: float
) -> dict[tuple[MixtureBucket, str], float]:
    """Return the weight of a row by bucket and source."""
    total = sum(counts.values())
    weights: dict[tuple[MixtureBucket, str], float] = {}
    for bucket, share in shares.items():
        inside = {source: float(number) for (place, source), number in counts.items() if place == bucket}
        limit = cap / share if share > 0 else 1.0
        for source, part in fill_shares(inside, dict.fromkeys(inside, limit)).items():
            weights[bucket, source] = round(share * part * total / counts[bucket, source], 6)
    return weights


def _largest_size(
    counts: Counter[tuple[MixtureBucket, str]], shares: Mapping[MixtureBucket, float], cap: float
) -> float:
    """Return how many rows can be emitted at most with every bucket at its share and no source above its cap."""

    def holds(size: float) -> bool:
        return all(
            sum(min(number, cap * size) for (place, _), number in counts.items() if place == bucket)
            >= share * size - _TINY
            for bucket, share in shares.items()
        )

    low, high = 0.0, float(sum(counts.values()))
    if holds(high):
        return high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _hold_out(
    entries: Iterable[MixtureEntry], shares: Mapping[MixtureBucket, float], size: float, cap: float, seed: int
) -> tuple[HeldOut, ...]:
    """Return the rows above the quota of their bucket or the cap of their source, in a drawn order."""
    drawn = sorted(entries, key=lambda entry: (uniform_for(seed, entry.record_id, "mixture"), entry.record_id))
    limit = max(1, int(cap * size + 1e-6))
    taken: Counter[MixtureBucket] = Counter()
    by_source: Counter[str] = Counter()
    held: list[HeldOut] = []
    for entry in drawn:
        if taken[entry.bucket] >= int(shares[entry.bucket] * size + 0.5):
            held.append(HeldOut(record_id=entry.record_id, reason=SHARE_REASON))
        elif by_source[entry.source] >= limit:
            held.append(HeldOut(record_id=entry.record_id, reason=CAP_REASON))
        else:
            taken[entry.bucket] += 1
            by_source[entry.source] += 1
    return tuple(sorted(held, key=lambda item: item.record_id))


def _note(bucket: MixtureBucket, available: int, weighted: float, settings: Mixture) -> str:
    target = settings.target(bucket)
    if available == 0:
        return f"no rows: the target of {target:.2f} can't be reached; the other parts share it" if target else ""
    if target == 0:
        return "the config gives this part no share; its rows have weight 0 or are held out"
    if abs(weighted - target) < 0.005:
        return ""
    return f"reaches {weighted:.2f} instead of {target:.2f}, since other parts have no rows or sources are capped"


def _report(
    rows: Iterable[MixtureEntry],
    held_out: Iterable[HeldOut],
    weights: Mapping[tuple[MixtureBucket, str], float],
    settings: Mixture,
) -> tuple[MixtureReport, ...]:
    """Return the report of rows in the order of their ids."""
    reasons = {item.record_id: item.reason for item in held_out}
    available: Counter[MixtureBucket] = Counter()
    number: Counter[MixtureBucket] = Counter()
    held: defaultdict[MixtureBucket, Counter[str]] = defaultdict(Counter)
    mass: defaultdict[MixtureBucket, float] = defaultdict(float)
    for entry in rows:
        available[entry.bucket] += 1
        if entry.record_id in reasons:
            held[entry.bucket][reasons[entry.record_id]] += 1
            continue
        number[entry.bucket] += 1
        mass[entry.bucket] += weights[entry.bucket, entry.source]
    emitted, total = sum(number.values()), sum(mass.values())
    lines = []
    for bucket in MixtureBucket:
        weighted = mass[bucket] / total if total else 0.0
        lines.append(
            MixtureReport(
                bucket=bucket,
                available=available[bucket],
                target_share=round(settings.target(bucket), 4),
                emitted=number[bucket],
                actual_share=round(number[bucket] / emitted, 4) if emitted else 0.0,
                weighted_share=round(weighted, 4),
                weight=round(mass[bucket] / number[bucket], 6) if number[bucket] else 0.0,
                held_out=tuple(sorted(held[bucket].items())),
                note=_note(bucket, available[bucket], weighted, settings),
            )
        )
    return tuple(lines)


def plan_mixture(entries: Iterable[MixtureEntry], settings: Mixture, seed: int) -> MixturePlan:
    """Return weights, held-out rows and report for the rows of one run, whatever their order.

    Under *enforce* every emitted row has weight 1 and rows are held out in the order of a number drawn from the seed
    and the record id. A source over `max_share_per_source` loses weight (weigh) or rows (enforce).
    """
    rows = sorted(entries, key=lambda entry: entry.record_id)
    counts = Counter((entry.bucket, entry.source) for entry in rows)
    shares = _reachable(counts, settings)
    cap = settings.max_share_per_source
    held_out: tuple[HeldOut, ...] = ()
    if settings.enforce:
        size = _largest_size(counts, shares, cap)
        held_out = _hold_out(rows, shares, size, cap, seed)
        weights = dict.fromkeys(counts, 1.0)
    else:
        weights = _weigh(counts, shares, cap)
    return MixturePlan(weights=weights, held_out=held_out, report=_report(rows, held_out, weights, settings))
