"""The process that makes the reports which organisers ask to publish.

``python -m palmares.server.reporting`` runs it, on the database that the environment names. It looks for what was asked
for and runs two commands that anybody can run: ``palmares campaign export`` up to the answer that the report names, and
``palmares report`` on the file. So it computes nothing itself, a killed command is begun anew, and the published page
is verified with the same two commands. Whoever starts it keeps its standard input open: when that ends, so does it.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from ..campaign.database import Database, default_url
from ..campaign.live.process import end_with_parent
from ..campaign.live.reading import Settled
from ..campaign.publications import Wanted, could_not_be_made, made, waiting

log = logging.getLogger("palmares.server")

#: Seconds between two looks for what was asked for, after a failure of the database, and for a command at most.
PAUSE, _REST, _LONGEST = 1.0, 5.0, 3600.0
#: A command that was killed is begun anew so often.
ATTEMPTS = 3
#: Characters of a reason that are kept.
_REASON = 500


class ReportError(Exception):
    """A report cannot be made, for a reason in words."""


class KilledError(Exception):
    """A command was ended by a signal."""


@dataclass
class Maker:
    """Makes what was asked for, one report after the other."""

    db: Database
    ending: threading.Event = field(default_factory=threading.Event)
    attempts: Counter[int] = field(default_factory=Counter)

    def look(self) -> int:
        """Make every report that waits; how many were dealt with."""
        asked = waiting(self.db)
        for wanted in asked:
            if self.ending.is_set():
                break
            self._deal_with(wanted)
        return len(asked)

    def _deal_with(self, wanted: Wanted) -> None:
        self.attempts[wanted.id] += 1
        try:
            made(self.db, wanted, self._page(wanted))
        except ReportError as error:
            could_not_be_made(self.db, wanted, str(error))
            log.warning("%s: the report could not be made: %s", wanted.campaign, error)
        except KilledError as error:
            self._give_up_in_the_end(wanted, f"{error}, {ATTEMPTS} times; is there enough memory? Ask for it again")
        except OSError as error:  # no room for its files, no right to write them
            said = error.strerror or type(error).__name__
            self._give_up_in_the_end(wanted, f"its files could not be written or read ({said}); ask for it again")

    def _give_up_in_the_end(self, wanted: Wanted, reason: str) -> None:
        """What may pass is tried again with the next look, some times."""
        if self.ending.is_set():
            return
        log.warning("%s: attempt %d at its report failed: %s", wanted.campaign, self.attempts[wanted.id], reason)
        if self.attempts[wanted.id] >= ATTEMPTS:
            could_not_be_made(self.db, wanted, reason)

    def _page(self, wanted: Wanted) -> bytes:
        """The report, in a folder of its own: it names its file, and no folder of this machine."""
        self._settle(wanted.answer)
        with TemporaryDirectory(prefix="palmares-report-", ignore_cleanup_errors=True) as name:
            folder, file, page = Path(name), f"{wanted.campaign}.csv", f"{wanted.campaign}.html"
            states = ("--up-to", str(wanted.answer), "--left-out-as-of", str(wanted.left_out))
            self._run(folder, "campaign", "export", wanted.campaign, file, *states)
            self._run(folder, "report", file, "-o", page, "--title", wanted.campaign, "--workers", "1")
            return (folder / page).read_bytes()

    def _settle(self, answer: int) -> None:
        """Wait until no answer with a lower number can still come in."""
        settled = Settled()
        while not self.ending.is_set():
            with self.db.read() as tx:
                if settled.advance(tx) >= answer:
                    return
            self.ending.wait(0.1)
        raise KilledError("the server is ending")

    def _run(self, folder: Path, *command: str) -> None:
        """Run a command of palmares; what it says is the reason if it fails."""
        started = subprocess.Popen(
            [sys.executable, "-P", "-m", "palmares", *command],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": _paths(), "PALMARES_DATABASE": self.db.url},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        said = _outcome(started, self.ending)
        if said is None:
            raise ReportError(f"'palmares {command[0]}' took longer than {_LONGEST / 60:g} minutes")
        if started.returncode < 0:
            raise KilledError(f"'palmares {command[0]}' was ended by signal {-started.returncode}")
        if started.returncode:
            raise ReportError(said)


def _paths() -> str:
    """Where this process finds modules, for one that runs in another folder."""
    here = [os.getcwd()] if {"", os.getcwd()} & set(sys.path) else []
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return os.pathsep.join((*here, *(os.path.abspath(path) for path in given if path)))


def _outcome(started: subprocess.Popen[str], ending: threading.Event) -> str | None:
    """Wait for the end of a command, which is ended if the server is; what it said last, or None if it took too long.

    What it says is read meanwhile, so that it never waits for us.
    """
    until = time.monotonic() + _LONGEST
    while True:
        try:
            _, said = started.communicate(timeout=PAUSE)
            break
        except subprocess.TimeoutExpired:
            if ending.is_set() or time.monotonic() > until:
                started.kill()
    if time.monotonic() > until:
        return None
    lines = [line for line in said.splitlines() if line.strip()]
    last = lines[-1].removeprefix("palmares: error: ") if lines else f"it ended with status {started.returncode}"
    return last[:_REASON]


def main() -> None:
    """Run until standard input ends, or SIGTERM."""
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.WARNING)
    ending = threading.Event()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes of a terminal; our parent ends us
    signal.signal(signal.SIGTERM, lambda *_: ending.set())
    threading.Thread(target=end_with_parent, args=(ending,), daemon=True).start()
    os.nice(10)  # judges come first, and then the analysis
    with closing(Database.open(default_url())) as db:
        maker = Maker(db, ending)
        while not ending.is_set():
            try:
                maker.look()
                ending.wait(PAUSE)
            except Exception:  # a database that is away comes back
                log.exception("reports could not be looked for; trying again in %g s", _REST)
                ending.wait(_REST)


if __name__ == "__main__":
    main()
