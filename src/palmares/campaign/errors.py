"""What can go wrong between a judge and the store; each kind has the HTTP status it becomes."""

from __future__ import annotations

from ..errors import PalmaresError


class CampaignError(PalmaresError):
    """Base of what the store refuses."""

    kind = "refused"
    status = 400


class DatabaseError(CampaignError):
    """The database cannot be opened, or is not one of ours, or of another version."""

    kind = "unavailable"
    status = 503


class ConsentNeeded(CampaignError):  # noqa: N818
    """A judge must have agreed before there is any work for them."""

    kind = "consent-needed"
    status = 403

    def __init__(self) -> None:
        super().__init__("you have not agreed to take part yet; read the instructions and agree first")


class UnknownScreen(CampaignError):  # noqa: N818 - named for what the judge meets
    """There is no such screen for this judge."""

    kind = "unknown-screen"
    status = 404

    def __init__(self) -> None:
        super().__init__("there is no such screen for you; go back to your work and open it from there")


class BadAnswer(CampaignError):  # noqa: N818
    """The answer does not fit the screen."""

    kind = "bad-answer"
    status = 422


class Incomplete(BadAnswer):
    """Some outputs have no rank yet; ``missing`` are their places."""

    kind = "incomplete"

    def __init__(self, missing: tuple[int, ...]) -> None:
        self.missing = missing
        places = ", ".join(map(str, missing))
        super().__init__(f"not every output has a rank: {places} {'is' if len(missing) == 1 else 'are'} missing")


class Conflict(CampaignError):  # noqa: N818
    """The screen has been answered differently since the form was made."""

    kind = "conflict"
    status = 409

    def __init__(self, revision: int, ranks: tuple[int, ...] | None, skipped: str | None) -> None:
        self.revision, self.ranks, self.skipped = revision, ranks, skipped
        super().__init__(
            "this screen was answered differently in another window or on another device; "
            "look at what is stored and change it if you like"
        )


class DraftConflict(CampaignError):  # noqa: N818
    """A newer draft was saved elsewhere."""

    kind = "draft-conflict"
    status = 409

    def __init__(self, version: int, ranks: tuple[int | None, ...]) -> None:
        self.version, self.ranks = version, ranks
        super().__init__("a newer draft of this screen was saved in another window or on another device")


class Closed(CampaignError):  # noqa: N818
    """The campaign does not take answers now."""

    kind = "closed"
    status = 409


class TooMany(CampaignError):  # noqa: N818
    """A limit was reached; ``retry_after`` is in seconds."""

    kind = "too-many"
    status = 429

    def __init__(self, message: str, retry_after: int) -> None:
        self.retry_after = retry_after
        super().__init__(message)


class JudgesOnly(CampaignError):  # noqa: N818
    """Work is given to judges alone."""

    kind = "forbidden"
    status = 403

    def __init__(self) -> None:
        super().__init__("only judges are given work; to judge as well, have the organiser invite you as a judge")


class Uninvited(CampaignError):  # noqa: N818
    """An invitation that does not work, or no more."""

    kind = "not-found"
    status = 404

    def __init__(self) -> None:
        super().__init__(
            "this invitation link does not work: it is mistyped, too old or withdrawn; ask the organiser for one"
        )
