"""The cells of the study of active choice: which campaigns, how chosen, looked at by which rules, how far."""

from __future__ import annotations

from dataclasses import dataclass

WORLDS = ("pairs near", "pairs far", "threes", "near-identical")
#: Judgments of the campaigns that shares are a part of.
FULL = 50_000
#: Ends of uniform campaigns that know where they will end, besides `FULL`.
ENDS = (15_000, 20_000, 25_000)


@dataclass(frozen=True)
class Cell:
    """Campaigns of one kind.

    ``code`` is whose strategy it is: the package's or the study's own. ``rule`` decides which boundaries are open.
    """

    part: str
    world: str
    size: int
    strategy: str
    code: str
    rule: str
    until: int
    runs: int
    effects: bool = False
    batch: int = 20

    @property
    def name(self) -> str:
        effects = "effects" if self.effects else "plain"
        return (
            f"{self.part}.{self.world.replace(' ', '-')}.{effects}.{self.size}.{self.strategy}.{self.code}.{self.rule}"
        )


def saving(runs: int) -> list[Cell]:
    """Koehn's campaigns: every strategy, as far as it takes to pass uniform's 60 % point, and to five clusters."""
    cells = []
    for size in (2, 5):
        cells.append(Cell("saving", "koehn", size, "uniform", "own", "any", 2 * FULL, runs))
        far, near = (16_000, 28_000) if size == 2 else (19_000, 28_000)
        cells += [
            Cell("saving", "koehn", size, "open-boundaries", "package", rule, far, runs) for rule in ("any", "usual")
        ]
        others = ("balanced", "s14", "match-quality", "information", "baseline")
        cells += [Cell("saving", "koehn", size, name, "package", "any", near, runs) for name in others]
        # Further, for where campaigns stop.
        cells += [
            Cell("saving", "koehn", size, "open-boundaries", "own", rule, 28_000, runs) for rule in ("any", "usual")
        ]
    return cells


def honesty(runs: int) -> list[Cell]:
    """Systems that are equal: 50,000 judgments."""
    return [
        Cell("honesty", world, size, strategy, code, rule, FULL, runs, effects, 100)
        for effects in (False, True)
        for world in WORLDS
        for size in (2, 5)
        for strategy, code, rule in (
            ("uniform", "own", "any"), ("open-boundaries", "package", "any"), ("open-boundaries", "package", "usual"),
        )
    ]  # fmt: skip


def stricter(runs: int) -> list[Cell]:
    """Uniform campaigns that know where they will end."""
    return [Cell("stricter", "koehn", size, "uniform", "own", "any", ENDS[-1], runs) for size in (2, 5)]


def replay(runs: int) -> list[Cell]:
    """Real judgments in another order."""
    return [
        Cell("replay", "wmt13", size, strategy, code, rule, FULL if strategy == "uniform" else 20_000, runs)
        for size in (2, 5)
        for strategy, code, rule in (
            ("uniform", "own", "any"), ("open-boundaries", "package", "any"), ("open-boundaries", "package", "usual"),
            ("balanced", "package", "any"), ("s14", "package", "any"), ("open-boundaries", "own", "any"),
        )
    ]  # fmt: skip


def all_cells(runs: int = 300) -> list[Cell]:
    return saving(runs) + stricter(runs) + replay(runs) + honesty(runs)
