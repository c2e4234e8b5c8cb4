"""What the output of a system for a segment is better than the system, u ~ N(0, σ²), integrated out by segment.

Of one segment, the u of all systems that were judged there have a joint Gaussian posterior: of all Gaussians q the one
that is nearest, in the sense that it maximises E_q log P(answers, u) + entropy. What the ordered-response model then
sees of a judgment is θ_a − θ_b + d with d = u_a − u_b ~ N(m, v), by Gauss–Hermite nodes of d, so that it is averaged
over what is not known of the outputs. Laplace's approximation about the mode will not do here: doubling all
sensitivities and halving θ and u fits alike, and its small bias adds up in that direction round by round.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ..judgments import FloatArray, IntArray
from .ordinal import Answers, Place, gap_slopes, slopes

NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(5)
WEIGHTS: FloatArray = _WEIGHTS / _WEIGHTS.sum()
#: Numbers in the matrices of the segments that are solved at once.
_AT_ONCE = 8_000_000
_TOLERANCE, _STEPS = 1e-6, 50


@dataclass(frozen=True)
class Outputs:
    """Every output that was judged, that is, every system and segment that occur together, sorted by segment."""

    #: Of every output: the number of its segment (from 0, without gaps) and its system.
    segment: IntArray = field(repr=False)
    system: IntArray = field(repr=False)
    #: The two outputs of every entry.
    a: IntArray = field(repr=False)
    b: IntArray = field(repr=False)

    @classmethod
    def of(cls, segment: IntArray, a: IntArray, b: IntArray, systems: int) -> Outputs:
        """From the segment and the two systems of every entry."""
        both = np.concatenate([segment * systems + a, segment * systems + b])
        known, place = np.unique(both, return_inverse=True)
        place = place.reshape(2, -1)
        _, number = np.unique(known // systems, return_inverse=True)
        return cls(number.reshape(-1), known % systems, place[0], place[1])

    def __len__(self) -> int:
        return len(self.segment)

    def difference(self, values: FloatArray) -> FloatArray:
        return np.asarray(values[self.a] - values[self.b])

    def sums(self, values: FloatArray) -> FloatArray:
        """Sums of the values of entries by output: as a, less as b."""
        size = len(self)
        return np.asarray(np.bincount(self.a, values, size) - np.bincount(self.b, values, size))

    @cached_property
    def batches(self) -> tuple[Batch, ...]:
        """Segments with equally many outputs, as many at once as memory allows."""
        sizes = np.bincount(self.segment)
        starts = np.concatenate([[0], np.cumsum(sizes)])
        of_entry = self.segment[self.a]
        found = []
        for size in np.unique(sizes).tolist():
            among = np.flatnonzero(sizes == size)
            step = max(1, _AT_ONCE // size**2)
            for lo in range(0, len(among), step):
                chosen = among[lo : lo + step]
                row = np.full(len(sizes), -1)
                row[chosen] = np.arange(len(chosen))
                entries = np.flatnonzero(row[of_entry] >= 0)
                found.append(Batch(size, starts[chosen], entries, row[of_entry[entries]], self))
        return tuple(found)


@dataclass(frozen=True)
class Batch:
    """Some segments of equally many outputs: where their outputs begin, and their entries with the segment's place."""

    size: int
    starts: IntArray = field(repr=False)
    entries: IntArray = field(repr=False)
    row: IntArray = field(repr=False)
    outputs: Outputs = field(repr=False)

    @property
    def members(self) -> IntArray:
        """The outputs of every segment, (segments, size)."""
        return np.asarray(self.starts[:, None] + np.arange(self.size))

    @property
    def local(self) -> tuple[IntArray, IntArray]:
        """The places of the two outputs of every entry among those of its segment."""
        start = self.starts[self.row]
        return self.outputs.a[self.entries] - start, self.outputs.b[self.entries] - start

    def matrices(self, known: FloatArray) -> FloatArray:
        """Σ known (e_a − e_b)(e_a − e_b)ᵀ of every segment, (segments, size, size)."""
        size, (a, b), values = self.size, self.local, known[self.entries]
        flat, base = np.zeros(len(self.starts) * size * size), self.row * size * size
        for i, j, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
            flat += np.bincount(base + i * size + j, sign * values, len(flat))
        return flat.reshape(-1, size, size)

    def covariances(self, known: FloatArray, sd: float) -> FloatArray:
        """(W + 1/σ²)⁻¹ of every segment."""
        return np.asarray(np.linalg.inv(self.matrices(known) + np.eye(self.size) / sd**2))


@dataclass(frozen=True)
class Effects:
    """The posterior of u: its mode and variances by output; by entry, the mean and standard deviation of d, and the
    information on it.
    """

    sd: float
    mode: FloatArray = field(repr=False)
    variance: FloatArray = field(repr=False)
    mean: FloatArray = field(repr=False)
    spread: FloatArray = field(repr=False)
    known: FloatArray = field(repr=False)

    def less(self, values: FloatArray, outputs: Outputs) -> Effects:
        """With the mode lower by so much for every output."""
        mode = self.mode - values
        return replace(self, mode=mode, mean=outputs.difference(mode))

    def scaled(self, factor: float) -> Effects:
        """All of it on a scale that is so many times as wide."""
        mode, mean, spread = (factor * values for values in (self.mode, self.mean, self.spread))
        return Effects(factor * self.sd, mode, factor**2 * self.variance, mean, spread, self.known / factor**2)

    @property
    def next_sd(self) -> float:
        """One step of EM: the root of the mean of u² over its posterior."""
        return float(np.sqrt((self.mode**2 + self.variance).mean()))


def start(outputs: Outputs, sd: float) -> Effects:
    """Nothing known yet."""
    nothing, prior = np.zeros(len(outputs.a)), np.full(len(outputs.a), np.sqrt(2) * sd)
    return Effects(sd, np.zeros(len(outputs)), np.full(len(outputs), sd**2), nothing, prior, nothing)


def posterior(
    link: str, data: Answers, outputs: Outputs, at: Place, before: Effects, sd: float, *, steps: int = _STEPS
) -> Effects:
    """The posterior of u at this place, by Newton's method from an earlier one: E ℓ' = m / σ², C⁻¹ = E(−ℓ'') + 1/σ²."""
    found = replace(before, sd=sd)
    for _ in range(steps):
        whole = averaged(data, found)
        slope, known = (values.reshape(len(NODES), -1).sum(axis=0) for values in gap_slopes(link, whole, at))
        gradient = outputs.sums(slope) - found.mode / sd**2
        step, variance, spread = np.empty(len(outputs)), np.empty(len(outputs)), np.empty(len(outputs.a))
        for batch in outputs.batches:
            covariance = batch.covariances(known, sd)
            step[batch.members] = (covariance @ gradient[batch.members][..., None])[..., 0]
            own = np.diagonal(covariance, axis1=1, axis2=2)
            variance[batch.members] = own
            a, b = batch.local
            spread[batch.entries] = own[batch.row, a] + own[batch.row, b] - 2 * covariance[batch.row, a, b]
        mode = found.mode + step
        found = Effects(sd, mode, variance, outputs.difference(mode), np.sqrt(np.maximum(spread, 0.0)), known)
        if float(np.abs(step).max(initial=0.0)) < _TOLERANCE * sd:
            break
    return found


def covariances(outputs: Outputs, effects: Effects, first: IntArray, second: IntArray) -> FloatArray:
    """The posterior covariance of u of pairs of outputs of one segment, whether or not they met; 0 where one is −1."""
    shared, both = np.zeros(len(first)), np.minimum(first, second) >= 0
    for batch in outputs.batches:
        row = np.full(int(outputs.segment.max()) + 1, -1)
        row[outputs.segment[batch.starts]] = np.arange(len(batch.starts))
        here = np.flatnonzero(both & (row[outputs.segment[first]] >= 0))
        if len(here):
            of = row[outputs.segment[first[here]]]
            i, j = (side[here] - batch.starts[of] for side in (first, second))
            shared[here] = batch.covariances(effects.known, effects.sd)[of, i, j]
    return shared


def averaged(data: Answers, effects: Effects, copies: FloatArray | float = 1.0) -> Answers:
    """The answers at every node of d, each with its share of the counts: their log likelihood is E log P.

    ``copies`` is how often each entry's segment is there.
    """
    nodes = len(NODES)
    shift = (effects.mean + NODES[:, None] * effects.spread).ravel()
    counts = ((data.counts * copies)[:, None, :] * WEIGHTS[:, None]).reshape(3, -1)
    judge, a, b = (np.tile(values, nodes) for values in (data.judge, data.a, data.b))
    return Answers(data.systems, data.judges, judge, a, b, counts, np.tile(data.x, (nodes, 1)), shift)


@dataclass(frozen=True)
class Absorbed:
    """What not knowing u takes from the information: of the common parameters (θ, β, γ), Σ_s W_cu C_s W_uc, and of each
    judge's own two (judges, 2, 2).
    """

    common: FloatArray = field(repr=False)
    own: FloatArray = field(repr=False)


def absorbed(link: str, data: Answers, outputs: Outputs, at: Place, effects: Effects) -> Absorbed:
    """What not knowing u takes from the information; what it makes two judges share is left out."""
    found = slopes(link, averaged(data, effects), at)
    n, c, wide = data.systems, data.x.shape[1], int(at.width is not None)

    def mean(values: FloatArray) -> FloatArray:  # the nodes' weights are in the counts
        return np.asarray(values.reshape(len(NODES), -1).sum(axis=0))

    information, by_z = mean(found.sensitivity**2 * found.zz), mean(found.sensitivity * found.zz)
    by_alpha = mean(found.sensitivity * found.zz * found.scaled)
    by_g = mean(found.sensitivity * found.zd * found.delta)
    more = [*data.x.T * by_z, *([by_g] if wide else [])]
    columns = np.stack([outputs.sums(value) for value in more], axis=1) if more else None
    common, own = np.zeros((n + c + wide, n + c + wide)), np.zeros((data.judges, 2, 2))
    for batch in outputs.batches:
        known, covariance = batch.matrices(information), batch.covariances(information, effects.sd)
        system = outputs.system[batch.members]
        np.add.at(common, (system[:, :, None], system[:, None, :]), known @ covariance @ known)
        if columns is not None:
            part = columns[batch.members]
            side = known @ covariance @ part
            for k in range(part.shape[2]):
                np.add.at(common[:, n + k], system, side[..., k])
            common[n:, n:] += np.einsum("sik,sij,sjl->kl", part, covariance, part)
        _add_judges(own, batch, data.judge, np.stack([by_alpha, by_g]), covariance)
    common[n:, :n] = common[:n, n:].T
    return Absorbed(common, own)


def _add_judges(own: FloatArray, batch: Batch, judge: IntArray, by_own: FloatArray, covariance: FloatArray) -> None:
    """Add W_ku C_s W_uk of every judge k in the segments of a batch."""
    who, (a, b) = judge[batch.entries], batch.local
    sitting, place = np.unique(batch.row * len(own) + who, return_inverse=True)
    size, flat = batch.size, place.reshape(-1) * batch.size
    vectors = np.stack([
        (np.bincount(flat + a, value[batch.entries], len(sitting) * size)
         - np.bincount(flat + b, value[batch.entries], len(sitting) * size)).reshape(-1, size)
        for value in by_own
    ], axis=2)  # fmt: skip
    blocks = np.swapaxes(vectors, 1, 2) @ covariance[sitting // len(own)] @ vectors
    np.add.at(own, sitting % len(own), blocks)


def row_pulls(outputs: Outputs, effects: Effects, systems: int) -> FloatArray:
    """By how much the slope of an entry by its own d pulls at θ once u follows: (C_s / σ²)(e_a − e_b), by system."""
    pulls = np.zeros((len(outputs.a), systems))
    for batch in outputs.batches:
        covariance = batch.covariances(effects.known, effects.sd) / effects.sd**2
        a, b = batch.local
        difference = covariance[batch.row, :, a] - covariance[batch.row, :, b]
        pulls[batch.entries[:, None], outputs.system[batch.members][batch.row]] = difference
    return pulls
