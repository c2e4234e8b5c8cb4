"""The JSON interface for who runs campaigns: make one, change it, add to it, invite, give tokens."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from ..campaign import LONGEST_DAYS
from ..campaign.clients import Scope, add_client, clients, revoke_client
from ..campaign.definition import change_settings, change_state, find_campaign, lock
from ..campaign.given_texts import (
    GivenTexts,
    add_pairs_for,
    add_systems_for,
    change_for,
    create_for,
    settings_now,
)
from ..campaign.people import add_in, checked_name, invite_in, people, revoke
from ..texts import TEXT_CHECKS, TEXT_FORMATS
from .access import Program, Staff, Store, scoped
from .addresses import public_address
from .api_parts import (
    ALWAYS,
    PREFIX,
    WRITES,
    After,
    CampaignName,
    CsrfHeader,
    Given,
    Limit,
    Listed,
    Number,
    listed,
    one_of,
    with_example,
)

create_router = APIRouter(prefix="/api/v1/campaigns", tags=["Campaigns"], responses={**ALWAYS, **WRITES})
router = APIRouter(prefix=PREFIX, tags=["Running a campaign"], responses={**ALWAYS, **WRITES})

#: Whatever JSON holds for a setting.
SettingValues = Annotated[
    dict[str, Any],
    Field(description="by full name (`judge.screens`) or by section; what is not named stays as it is"),
]
Check = one_of(*TEXT_CHECKS)
Format = one_of("auto", *(id for id in TEXT_FORMATS if id not in ("plain", "folder")))
Accepted = Annotated[
    list[Annotated[str, *Check]], Field(max_length=20, description="continue even if these checks found errors")
]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Langs = Annotated[list[str], Field(max_length=1000, description="language pairs of a judge; empty: all")]
Days = Annotated[float | None, Field(gt=0, le=LONGEST_DAYS)]


class TextsIn(Given):
    """Texts of a language pair, or of several: ``content`` is the text of one file that holds everything, in one of
    the formats; ``segments`` are objects as in JSON Lines. Give one of the two.
    """

    langs: Annotated[str | None, Field(description="the language pair, where the texts do not name it")] = None
    format: Annotated[str, *Format] = "auto"
    content: str | None = None
    segments: list[dict[str, Any]] | None = None

    def given(self) -> GivenTexts:
        return GivenTexts(self.langs, self.format, self.content, self.segments)


_SEGMENTS = [
    {"id": "1", "source": "Guten Tag.", "outputs": {"A": "Good day.", "B": "Hello."}},
    {"id": "2", "source": "Bis morgen.", "outputs": {"A": "Until tomorrow.", "B": "See you tomorrow."}},
]


class CampaignIn(Given):
    """A campaign to be made."""

    name: Annotated[str, Field(max_length=63, description="becomes part of addresses: a–z, 0–9 and -")]
    settings: SettingValues = Field(default_factory=dict)
    texts: Annotated[list[TextsIn], Field(max_length=1000)]
    accept: Accepted = Field(default_factory=list)
    model_config = with_example(
        {
            "name": "news",
            "settings": {"screen.outputs": 2, "judge.screens": 50},
            "texts": [{"langs": "de-en", "segments": _SEGMENTS}],
        }
    )


class CampaignOut(BaseModel):
    """The campaign is there. ``token`` manages it and is told this once; ``remarks`` are what checks said of texts."""

    name: str
    token: str
    remarks: list[str]


class StateIn(Given):
    state: Literal["open", "paused", "closed"]


class StateOut(BaseModel):
    state: str


class SettingsIn(Given):
    """``settings`` change some of those in force; ``toml``, a file of settings, replaces all. Give one of the two.

    ``revision`` is the one they were made from: if others were put in force since, nothing is changed (409).
    """

    revision: Annotated[int, Field(ge=1, lt=2**31)]
    settings: SettingValues | None = None
    toml: str | None = None
    model_config = with_example({"revision": 1, "settings": {"judge.screens": 40}})


class RevisionOut(BaseModel):
    revision: int


class PairsIn(Given):
    texts: Annotated[list[TextsIn], Field(min_length=1, max_length=1000)]
    accept: Accepted = Field(default_factory=list)


class PairsOut(BaseModel):
    langs: list[str]
    remarks: list[str]


class SystemsIn(Given):
    """New systems, each with one output for every segment that is there, in order; null where it has none.

    An output is a text, or a list of messages.
    """

    langs: Annotated[str | None, Field(description="the language pair; null: the only one")] = None
    systems: Annotated[dict[str, list[str | list[dict[str, Any]] | None]], Field(min_length=1, max_length=100)]
    accept: Accepted = Field(default_factory=list)
    model_config = with_example({"langs": "de-en", "systems": {"C": ["Good day!", "Till tomorrow."]}})


class SystemsOut(BaseModel):
    """``systems`` says of each how many of its outputs other systems gave as well. They count in judgments after
    answer ``added_after``.
    """

    langs: str
    systems: dict[str, int]
    segments: int
    added_after: int
    remarks: list[str]


class PersonIn(Given):
    name: Name
    role: Literal["judge", "observer", "organiser"] = "judge"
    langs: Langs = Field(default_factory=list)


class PeopleIn(Given):
    """People to be invited, each with a link; nobody if one cannot be. Who is there already gets a further link."""

    people: Annotated[list[PersonIn], Field(min_length=1, max_length=1000)]
    days: Annotated[Days, Field(description="until links end; null: as the settings say")] = None
    model_config = with_example({"people": [{"name": "ann"}, {"name": "bob", "langs": ["de-en"]}]})


class InvitedOut(BaseModel):
    name: str
    pseudonym: str
    role: str
    langs: list[str]
    link: str


class LinksOut(BaseModel):
    """Links are told this once."""

    items: list[InvitedOut]


class ProgramIn(Given):
    """A program that is to use the campaign. One that has a token of this scope gets a further one."""

    name: Name
    scope: Literal["judge", "read", "manage"]
    langs: Langs = Field(default_factory=list)
    days: Annotated[Days, Field(description="until the token ends; null: it does not")] = None
    model_config = with_example({"name": "model-x", "scope": "judge"})


class TokenOut(BaseModel):
    """The token is told this once."""

    id: int
    name: str
    scope: str
    pseudonym: str | None
    expires_at: str | None
    token: str


class RevokedOut(BaseModel):
    revoked: str


@create_router.post("", status_code=201, dependencies=[scoped(Scope.CREATE)])
def create(body: CampaignIn, program: Program, db: Store) -> CampaignOut:
    """Make a campaign from texts. They are checked first; if a check finds errors, nothing is stored."""
    assert program is not None  # no cookie gets here
    texts = [each.given() for each in body.texts]
    token, remarks = create_for(db, program, body.name, body.settings, texts, body.accept)
    return CampaignOut(name=body.name, token=token, remarks=remarks)


@router.put("/state", dependencies=[scoped(Scope.MANAGE)])
def set_state(campaign: CampaignName, body: StateIn, staff: Staff, db: Store, csrf: CsrfHeader = None) -> StateOut:
    """Open, pause (no new work) or close (no answers either) the campaign."""
    change_state(db, campaign, body.state, by=staff.id)
    return StateOut(state=body.state)


@router.put("/settings", dependencies=[scoped(Scope.MANAGE)])
def set_settings(
    campaign: CampaignName, body: SettingsIn, staff: Staff, db: Store, csrf: CsrfHeader = None
) -> RevisionOut:
    """Put other settings in force; the earlier ones stay on record."""
    revision, now = settings_now(db, campaign)
    wanted = change_for(now, revision, body.revision, body.settings, body.toml)
    if wanted == now:
        return RevisionOut(revision=revision)
    return RevisionOut(revision=change_settings(db, campaign, wanted, by=staff.id))


@router.post("/pairs", status_code=201, dependencies=[scoped(Scope.MANAGE)])
def add_pairs(campaign: CampaignName, body: PairsIn, staff: Staff, db: Store, csrf: CsrfHeader = None) -> PairsOut:
    """Add language pairs with all their systems."""
    langs, remarks = add_pairs_for(db, campaign, [each.given() for each in body.texts], body.accept, staff.id)
    return PairsOut(langs=langs, remarks=remarks)


@router.post("/systems", status_code=201, dependencies=[scoped(Scope.MANAGE)])
def add_systems(
    campaign: CampaignName, body: SystemsIn, staff: Staff, db: Store, csrf: CsrfHeader = None
) -> SystemsOut:
    """Add systems to a language pair while people judge."""
    added, remarks = add_systems_for(db, campaign, body.langs, body.systems, body.accept, staff.id)
    return SystemsOut(
        langs=added.langs,
        systems=dict(added.systems),
        segments=added.segments,
        added_after=added.added_after,
        remarks=remarks,
    )


@router.post("/people", status_code=201, dependencies=[scoped(Scope.MANAGE)])
def invite(
    request: Request, campaign: CampaignName, body: PeopleIn, staff: Staff, db: Store, csrf: CsrfHeader = None
) -> LinksOut:
    """Invite people: all of them, or nobody if one of them cannot be."""
    known = {person.name: person for person in people(db, staff.campaign_id)}
    place, items = public_address(request), []
    with db.begin() as tx:
        info = find_campaign(tx, campaign)
        lock(tx, info.id)
        for each in body.people:
            person = known.get(checked_name(each.name))
            if person is None:
                person = add_in(tx, db, info, each.role, each.name, langs=each.langs, by=staff.id)
            elif person.role != each.role or (each.langs and set(each.langs) != set(person.langs)):
                raise HTTPException(409, f"{each.name!r} is in the campaign already, with another role or languages")
            link = place.link(invite_in(tx, db, person, days=body.days, by=staff.id))
            items.append(
                InvitedOut(
                    name=person.name,
                    pseudonym=person.pseudonym,
                    role=person.role,
                    langs=list(person.langs),
                    link=link,
                )
            )
    return LinksOut(items=items)


@router.post("/people/{pseudonym}/revoke", dependencies=[scoped(Scope.MANAGE)])
def shut_out(campaign: CampaignName, pseudonym: str, staff: Staff, db: Store, csrf: CsrfHeader = None) -> RevokedOut:
    """End every link, session and token of someone; answers stay."""
    person = next((each for each in people(db, staff.campaign_id) if each.pseudonym == pseudonym), None)
    if person is None:
        raise HTTPException(404, "there is no one of this pseudonym in the campaign")
    revoke(db, person, by=staff.id)
    return RevokedOut(revoked=pseudonym)


@router.get("/programs", dependencies=[scoped(Scope.MANAGE)])
def list_programs(campaign: CampaignName, staff: Staff, db: Store, after: After = 0, limit: Limit = 100) -> Listed:
    """The tokens of the campaign, oldest first, with when each was last used."""
    found = clients(db, campaign, after=after, limit=limit + 1)
    return listed([(each.id, each.to_dict()) for each in found], limit)


@router.post("/programs", status_code=201, dependencies=[scoped(Scope.MANAGE)])
def add_program(campaign: CampaignName, body: ProgramIn, staff: Staff, db: Store, csrf: CsrfHeader = None) -> TokenOut:
    """Make a token for a program."""
    client, token = add_client(db, campaign, body.name, body.scope, langs=body.langs, days=body.days, by=staff.id)
    expires = None if client.expires_at is None else client.expires_at.isoformat()
    return TokenOut(
        id=client.id,
        name=client.name,
        scope=client.scope,
        pseudonym=client.pseudonym,
        expires_at=expires,
        token=token,
    )


@router.post("/programs/{token_id}/revoke", dependencies=[scoped(Scope.MANAGE)])
def revoke_program(
    campaign: CampaignName, token_id: Number, staff: Staff, db: Store, csrf: CsrfHeader = None
) -> RevokedOut:
    """End a token."""
    for client in clients(db, campaign, after=token_id - 1, limit=1):
        if client.id == token_id:
            revoke_client(db, client, by=staff.id)
            return RevokedOut(revoked=str(token_id))
    raise HTTPException(404, "there is no such token in this campaign")
