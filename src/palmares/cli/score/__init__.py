"""``palmares score``: the other tasks of a shared-task year."""

from __future__ import annotations

import click

from ...registry import Entry, Registry
from .. import LazyGroup

#: Every command below ``palmares score``, in the order that help shows them.
SCORE_COMMANDS = Registry(
    "command",
    {
        "translation": Entry(
            "palmares.cli.score.translation:translation", "Score translations: BLEU, chrF, TER, PER, CDER."
        ),
        "quality-estimation": Entry(
            "palmares.cli.score.quality_estimation:quality_estimation",
            "Score predictions of translation quality, or make a baseline.",
        ),
        "retrieval": Entry(
            "palmares.cli.score.retrieval:retrieval", "Score searches, also with queries that systems translated."
        ),
    },
)


@click.group(
    cls=LazyGroup,
    registry=SCORE_COMMANDS,
    examples=(
        "python examples/shared_tasks.py year  # makes the files of a small year",
        "palmares score translation year/texts --langs fr-en",
        "palmares score quality-estimation words --gold year/quality/words.gold --system year/quality/quest.words",
        "palmares score retrieval --qrels year/search/qrels.txt --documents year/search/documents.tsv "
        "--queries year/search/queries.tsv --translations year/search/atlas.en",
    ),
)
def score() -> None:
    """Score translations, predictions of quality, and searches.

    The other tasks of a shared-task year, with intervals, significance and tables ready to print. Needs the extra
    `scoring`: pip install 'palmares[scoring]'.
    """
