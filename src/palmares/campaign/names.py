"""What systems are called before those who follow a campaign: by name, or by a letter until their names are revealed.

Letters are dealt by the campaign's secret. They say nothing of who is better or who was there first, and stay the same
as long as the campaign lasts; systems that came late have later letters.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection, Iterable, Mapping
from string import ascii_uppercase

import sqlalchemy as sa

from . import Role, schema
from .definition import settings_of

_CAMPAIGN, _SYSTEM, _PAIR = schema.campaign.c, schema.system.c, schema.language_pair.c


def are_hidden(tx: sa.Connection, campaign_id: int, role: Role | str) -> bool:
    """Whether someone of this role may not learn which system is which."""
    if role == Role.ORGANISER or settings_of(tx, campaign_id).results.names == "shown":
        return False
    return tx.execute(sa.select(_CAMPAIGN.revealed_at).where(_CAMPAIGN.id == campaign_id)).scalar_one() is None


def shown_names(tx: sa.Connection, campaign_id: int, role: Role | str) -> Mapping[str, Mapping[str, str]]:
    """By language pair, what every system is called before someone of this role."""
    query = (
        sa.select(_PAIR.name, _SYSTEM.name, _SYSTEM.added_after)
        .join(schema.system, _SYSTEM.language_pair_id == _PAIR.id)
        .where(_PAIR.campaign_id == campaign_id)
    )
    systems: dict[str, list[tuple[int, str]]] = {}
    for pair, name, added_after in tx.execute(query):
        systems.setdefault(pair, []).append((added_after, name))
    if not are_hidden(tx, campaign_id, role):
        return {pair: {name: name for _, name in known} for pair, known in systems.items()}
    secret = str(tx.execute(sa.select(_CAMPAIGN.secret).where(_CAMPAIGN.id == campaign_id)).scalar_one())
    return {pair: _dealt(secret, pair, known) for pair, known in systems.items()}


def without_names(sentences: Iterable[str], names: Collection[str]) -> list[str]:
    """The sentences in which none of these names occurs; of the others, how many there are."""
    given = list(sentences)
    kept = [said for said in given if not any(name.casefold() in said.casefold() for name in names)]
    hidden = len(given) - len(kept)
    if hidden:
        kept.append(f"{hidden} more {'is' if hidden == 1 else 'are'} not shown: names of systems are hidden")
    return kept


def _dealt(secret: str, pair: str, known: Iterable[tuple[int, str]]) -> dict[str, str]:
    """A letter for every system; those that were there at the same time in an order that only the secret gives."""
    order = sorted(known, key=lambda one: (one[0], _key(secret, pair, one[1])))
    return {name: f"system {_letter(number)}" for number, (_, name) in enumerate(order)}


def _key(secret: str, pair: str, name: str) -> bytes:
    return hmac.new(secret.encode(), f"name of a system\0{pair}\0{name}".encode(), hashlib.sha256).digest()


def _letter(number: int) -> str:
    """A to Z, AA, AB and so on."""
    letters = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, len(ascii_uppercase))
        letters = ascii_uppercase[rest] + letters
    return letters
