"""Make a campaign in the browser: texts, what was found in them, settings, what judges will see, and it is there."""

from __future__ import annotations

import logging
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from ..campaign import LONGEST_DAYS
from ..campaign.create import checked_campaign_name
from ..campaign.database import Database
from ..campaign.drafts import Draft, accept, draft_of, drop_draft, keep_draft, make_campaign, set_settings, texts_of
from ..campaign.limits import check_joins, count_failed_join
from ..campaign.samples import sample_of_texts
from ..campaign.setting_refusals import SettingsError
from ..campaign.settings import Settings
from ..campaign.setup import SetupSession, SpentLink, begin_setup, end_setup, link_works
from ..errors import InputError
from . import manage_fields, samples, uploads
from .access import PUBLIC, Store, set_session_cookie
from .addresses import public_address
from .doors import address_of
from .forms import Form, field
from .pages import render, url
from .setup_access import DOOR, SETUP, Maker, delete_setup_cookie, set_setup_cookie
from .words import words

log = logging.getLogger("palmares.server")
router = APIRouter(prefix="/setup")

#: Path below ``/setup``, and what the step is called.
STEPS = (("", "Texts"), ("/check", "Check"), ("/settings", "Settings"), ("/preview", "Preview and create"))
Number = Annotated[int, Query(ge=0, lt=2**31)]


@router.get("/link/{token}", dependencies=[PUBLIC])
def look(request: Request, token: str, db: Store) -> Response:
    """Say what the link is for; programs that follow links do not use it up."""
    _check_link(request, db, token)
    secret = DOOR.look(request)
    return DOOR.keep(request, _page(request, "link", token=token), secret)


@router.post("/link/{token}", dependencies=[PUBLIC])
async def enter(request: Request, token: str, db: Store) -> Response:
    """Use the link up, and begin a session."""
    await DOOR.check(request)
    return await run_in_threadpool(_enter, request, db, token)


@router.get("", dependencies=[SETUP])
def ask(request: Request, maker: Maker, db: Store) -> Response:
    """The first step: a name, and texts."""
    return _texts_page(request, db, maker)


@router.post("/texts", dependencies=[SETUP])
def upload(request: Request, maker: Maker, db: Store, form: Form) -> Response:
    """Read and check the texts; what cannot be read is refused, and nothing is kept."""
    given = uploads.entered(form)
    try:
        found, texts = uploads.received(form, before=partial(checked_campaign_name, given["name"]))
        keep_draft(db, maker, given["name"], found, texts)
    except InputError as error:
        return _texts_page(request, db, maker, status=422, refused=str(error), entered=given)
    return _to(request, "/settings" if not any(pair.lines for pair in found.pairs) else "/check")


@router.get("/check", dependencies=[SETUP])
def check(request: Request, maker: Maker, db: Store) -> Response:
    """The second step: what was found in the texts."""
    draft = draft_of(db, maker)
    return _to(request, "") if draft is None else _page(request, "check", here="Check", draft=draft)


@router.post("/check", dependencies=[SETUP])
def go_on(request: Request, maker: Maker, db: Store, form: Form) -> Response:
    """Note that what was found was read."""
    draft = draft_of(db, maker)
    if draft is None:
        return _to(request, "")
    try:
        accept(db, maker, _ticked(form), warnings=field(form, "warnings") == "yes")
    except InputError as error:
        return _page(request, "check", here="Check", status=422, draft=draft, refused=str(error), ticked=_ticked(form))
    return _to(request, "/settings")


@router.get("/settings", dependencies=[SETUP])
def settings(request: Request, maker: Maker, db: Store) -> Response:
    """The third step: settings, as they suit the texts."""
    draft = draft_of(db, maker)
    return _lead(request, draft) or _settings_page(request, draft)


@router.post("/settings", dependencies=[SETUP])
def choose(request: Request, maker: Maker, db: Store, form: Form) -> Response:
    """Keep other settings; what cannot be used comes back as it was entered."""
    draft = draft_of(db, maker)
    if draft is None or not draft.accepted:
        return _lead(request, draft) or _to(request, "")
    fields = manage_fields.entered(form, draft.settings)
    try:
        set_settings(db, maker, Settings.from_tables(manage_fields.tables_of(fields, draft.settings)))
    except SettingsError as error:
        return _settings_page(request, draft, fields=fields, problems=error.problems)
    except InputError as error:
        return _settings_page(request, draft, fields=fields, problems=[manage_fields.named(str(error))])
    return _to(request, "/preview")


@router.get("/preview", dependencies=[SETUP])
def preview(request: Request, maker: Maker, db: Store) -> Response:
    """The last step: what judges will see, and the button."""
    draft = draft_of(db, maker)
    return _lead(request, draft) or _last_page(request, draft)


@router.get("/preview/welcome", dependencies=[SETUP])
def sample_welcome(request: Request, maker: Maker, db: Store) -> Response:
    """What every judge will see first."""
    draft = draft_of(db, maker)
    if (elsewhere := _lead(request, draft)) is not None or draft is None:
        return elsewhere or _to(request, "")
    onward = url(request, "/setup/preview/screen")
    return samples.welcome(request, draft.name, draft.settings, onward=onward, back=url(request, "/setup/preview"))


@router.get("/preview/screen", dependencies=[SETUP])
def sample_screen(request: Request, maker: Maker, db: Store, pair: Number = 0, n: Number = 0) -> Response:
    """A screen of the campaign to be, which does not count."""
    return _sample(request, db, maker, pair, n)


@router.post("/preview/screen", dependencies=[SETUP])
def answer_sample(request: Request, maker: Maker, db: Store, form: Form, pair: Number = 0, n: Number = 0) -> Response:
    """The same after an answer: nothing is stored."""
    return _sample(request, db, maker, pair, n, sent="action" in form or "pair" in form)


@router.post("/create", dependencies=[SETUP])
def create(request: Request, maker: Maker, db: Store, form: Form) -> Response:
    """Make the campaign, sign its organiser in, and show their link this once."""
    draft = draft_of(db, maker)
    if draft is None or not draft.accepted:
        return _lead(request, draft) or _to(request, "")
    name = field(form, "organiser").strip()
    try:
        begun = make_campaign(db, maker, name)
    except InputError as error:
        return _last_page(request, draft, status=422, refused=str(error), organiser=name)
    log.info("campaign %s was made in the browser", draft.name)
    here = public_address(request)
    page = _page(
        request,
        "made",
        made=draft.name,
        organiser=begun.organiser,
        link=here.link(begun.link),
        place=here,
        days=LONGEST_DAYS,
    )
    set_session_cookie(request, page, begun.organiser, begun.session, int((begun.expires - db.clock()).total_seconds()))
    return page


@router.post("/discard", dependencies=[SETUP])
def discard(request: Request, maker: Maker, db: Store) -> Response:
    """Forget what was uploaded, and begin anew."""
    drop_draft(db, maker)
    return _to(request, "")


@router.post("/end", dependencies=[SETUP])
def end(request: Request, maker: Maker, db: Store) -> Response:
    """End the session."""
    end_setup(db, maker)
    response = RedirectResponse(url(request, "/"), status_code=303)
    delete_setup_cookie(request, response)
    return response


# -- inside ----------------------------------------------------------------------------------------------


def _page(request: Request, name: str, *, status: int = 200, here: str = "", **context: Any) -> Response:
    shared = {"refused": None, "ticked": [], "english": words("en"), "steps": STEPS, "here": here, **context}
    page = render(
        request,
        f"setup/{name}.html",
        status=status,
        **shared,
    )
    page.headers["Content-Language"] = "en"
    return page


def _to(request: Request, path: str) -> Response:
    return RedirectResponse(url(request, f"/setup{path}"), status_code=303)


def _check_link(request: Request, db: Database, token: str) -> None:
    """Wrong links are counted by address; a right one opens the door all the same."""
    if not link_works(db, token):
        check_joins(db, address_of(request))
        count_failed_join(db, address_of(request))
        raise SpentLink


def _enter(request: Request, db: Database, token: str) -> Response:
    _check_link(request, db, token)
    session, expires = begin_setup(db, token)
    log.info("a set-up link was used: this browser may make campaigns until %s", f"{expires:%Y-%m-%d %H:%M} UTC")
    response = _to(request, "")
    set_setup_cookie(request, response, session, expires)
    return DOOR.forget(request, response)


def _lead(request: Request, draft: Draft | None) -> Response | None:
    """Where to go first, if there are no texts yet, or nobody has read what was found in them."""
    if draft is None:
        return _to(request, "")
    return None if draft.accepted else _to(request, "/check")


def _texts_page(request: Request, db: Database, maker: SetupSession, *, status: int = 200, **messages: Any) -> Response:
    shown = {"entered": uploads.entered(), "formats": uploads.FORMATS, "limits": uploads.limits(), **messages}
    return _page(request, "texts", status=status, here="Texts", draft=draft_of(db, maker), maker=maker, **shown)


def _settings_page(request: Request, draft: Draft | None, *, fields: Any = None, problems: Any = ()) -> Response:
    assert draft is not None
    shown, others = manage_fields.with_problems(fields or manage_fields.sections(draft.settings), problems)
    return _page(
        request,
        "settings",
        status=422 if problems else 200,
        here="Settings",
        draft=draft,
        fields=shown,
        others=others,
        problems=problems,
        as_file=False,
    )


def _last_page(request: Request, draft: Draft | None, *, status: int = 200, **messages: Any) -> Response:
    assert draft is not None
    shown = {"organiser": "", **messages}
    pairs = [pair.langs for pair in draft.found.pairs]
    return _page(request, "preview", status=status, here="Preview and create", draft=draft, pairs=pairs, **shown)


def _sample(request: Request, db: Database, maker: SetupSession, pair: int, n: int, *, sent: bool = False) -> Response:
    draft = draft_of(db, maker)
    if (elsewhere := _lead(request, draft)) is not None or draft is None:
        return elsewhere or _to(request, "")
    testsets = texts_of(db, maker)
    chosen = pair % len(testsets)
    try:
        view = sample_of_texts(testsets[chosen], draft.settings, n)
    except InputError as error:
        return _last_page(request, draft, status=422, refused=str(error))
    here = url(request, f"/setup/preview/screen?pair={chosen}&n=")
    back = url(request, "/setup/preview")
    request.state.images = testsets[chosen].images
    return samples.screen(request, draft.name, view, here=f"{here}{n}", another=f"{here}{n + 1}", back=back, sent=sent)


def _ticked(form: Any) -> list[str]:
    return [value for value in form.getlist("accept") if isinstance(value, str)]
