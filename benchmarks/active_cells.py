"""The cells of the study of active choice: which campaigns, how chosen, looked at by which rules, how far."""

from __future__ import annotations

from dataclasses import dataclass

RULES = ("usual", "any", "once", "horizon")
WORLDS = ("pairs near", "pairs far", "threes", "near-identical")
#: Judgments of the campaigns that shares are a part of.
FULL = 50_000


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

    @property
    def name(self) -> str:
        effects = "effects" if self.effects else "plain"
        return f"{self.part}.{self.world.replace(' ', '-')}.{effects}.{self.size}.{self.strategy}.{self.code}.{self.rule}"


def saving(runs: int) -> list[Cell]:
    """Koehn's campaigns: every strategy, as far as it takes to pass uniform's 60 % point, and to five clusters."""
    cells = []
    for size in (2, 5):
        cells.append(Cell("saving", "koehn", size, "uniform", "own", "any", 2 * FULL, runs))
        far, near = (28_000, 24_000) if size == 2 else (36_000, 30_000)
        for code in ("package", "own"):
            cells += [Cell("saving", "koehn", size, "open-boundaries", code, rule, far, runs) for rule in ("any", "usual")]
            others = ("balanced", "s14", "match-quality", "information", "baseline") if code == "package" else ()
            cells += [Cell("saving", "koehn", size, name, code, "any", near, runs) for name in others]
    return cells


def honesty(runs: int) -> list[Cell]:
    """Systems that are equal: 50,000 judgments."""
    return [
        Cell("honesty", world, size, strategy, "own" if strategy == "uniform" else code, rule, FULL, runs, effects)
        for effects in (False, True)
        for world in WORLDS
        for size in (2, 5)
        for strategy, code, rule in (
            ("uniform", "own", "any"), ("open-boundaries", "package", "any"), ("open-boundaries", "package", "usual"),
            ("open-boundaries", "own", "any"),
        )
    ]  # fmt: skip


def replay(runs: int) -> list[Cell]:
    """Real judgments in another order."""
    return [
        Cell("replay", "wmt13", size, strategy, code, rule, FULL if strategy == "uniform" else 36_000, runs)
        for size in (2, 5)
        for strategy, code, rule in (
            ("uniform", "own", "any"), ("open-boundaries", "package", "any"), ("open-boundaries", "package", "usual"),
            ("balanced", "package", "any"), ("s14", "package", "any"), ("open-boundaries", "own", "any"),
        )
    ]  # fmt: skip


def all_cells(runs: int = 300) -> list[Cell]:
    return saving(runs) + replay(runs) + honesty(runs)
