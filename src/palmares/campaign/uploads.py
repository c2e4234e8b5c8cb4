"""Uploaded texts are read and checked in a process of their own, with a limit on its memory and time.

Nothing that somebody uploads can take down the server or make judges wait for a long computation, and the web workers
need no numerics. ``python -m palmares.campaign.uploads`` is that process: it reads on standard input what is to be
read, writes the texts, packed, into a file, and prints what it found.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..results import counted
from ..texts.uploads import Upload, in_a_form, read_uploads
from .create import check_testset, holds_prompts, shown_as_another
from .packed_texts import pack
from .refusals import CampaignError
from .settings import Settings

#: Bytes of memory and seconds that reading may take, and findings of a language pair that are shown.
MEMORY, SECONDS, MOST = 3 * 2**30, 180, 20
#: One at a time in each web worker; who comes second waits so many seconds at most.
ONE_AT_A_TIME = threading.Lock()
_WAIT = 5.0
_TEXTS = "texts.packed"
#: The exit status of the process if its memory does not do.
_NO_MEMORY = 3
#: Under these settings texts are only refused if no settings could do anything with them.
_MOST_FORGIVING = Settings().replace(**{"screen.spacing": True, "task.markup": "markdown"})


class Busy(CampaignError):  # noqa: N818
    """Somebody else's upload is being read."""

    kind = "busy"
    status = 503

    def __init__(self) -> None:
        super().__init__("another upload is being checked at this moment; send yours again in a little while")


@dataclass(frozen=True)
class Wanted:
    """How uploaded files are to be read."""

    langs: str | None = None
    format: str = "auto"
    encoding: str = "utf-8"


@dataclass(frozen=True)
class PairFound:
    """What one test set holds, and what the checks say of it: at most `MOST` lines and how many ``more`` there are.

    ``errors`` and ``warnings`` name the checks that found some. ``alike`` outputs differ from another in white space
    alone.
    """

    described: str
    errors: tuple[str, ...]
    warnings: tuple[str, ...]
    lines: tuple[tuple[str, str], ...]
    more: int
    alike: int

    @property
    def langs(self) -> str:
        """The language pair."""
        return self.described.partition(":")[0]

    @property
    def holds(self) -> str:
        """What there is of it."""
        return self.described.partition(": ")[2]

    @property
    def alike_says(self) -> str:
        return f"{counted(self.alike, 'output')} differing from another in white space alone: shown once for both, tied"


@dataclass(frozen=True)
class Found:
    """What an upload holds. ``prompts``: prompts and answers, no language pair."""

    pairs: tuple[PairFound, ...]
    prompts: bool

    @property
    def to_accept(self) -> tuple[str, ...]:
        """Checks whose errors somebody must say are intended."""
        return tuple(dict.fromkeys(check for pair in self.pairs for check in pair.errors))

    @property
    def warns(self) -> bool:
        return any(pair.warnings for pair in self.pairs)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Found:
        pairs = tuple(
            PairFound(
                described=each["described"],
                errors=tuple(each["errors"]),
                warnings=tuple(each["warnings"]),
                lines=tuple((severity, line) for severity, line in each["lines"]),
                more=each["more"],
                alike=each["alike"],
            )
            for each in plain["pairs"]
        )
        return cls(pairs, plain["prompts"])


def read_apart(folder: Path, files: Sequence[Upload], wanted: Wanted, images: Sequence[Upload]) -> tuple[Found, bytes]:
    """Read and check uploaded files that lie in a folder: what they hold, and the texts, packed."""
    job = {
        "files": [[file.name, file.path.name] for file in files],
        "images": [[file.name, file.path.name] for file in images],
        **asdict(wanted),
    }
    if not ONE_AT_A_TIME.acquire(timeout=_WAIT):
        raise Busy
    try:
        answer = _run(folder, json.dumps(job))
    finally:
        ONE_AT_A_TIME.release()
    if "refused" in answer:
        raise InputError(answer["refused"])
    return Found.from_dict(answer), (folder / _TEXTS).read_bytes()


# -- inside ----------------------------------------------------------------------------------------------


def _run(folder: Path, job: str) -> dict[str, Any]:
    # It looks for modules where this process does: in the working folder only if that is on our path.
    safely = [] if {"", os.getcwd()} & set(sys.path) else ["-P"]
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PALMARES_")}
    try:
        done = subprocess.run(
            [sys.executable, *safely, "-m", "palmares.campaign.uploads", str(folder)],
            input=job,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            timeout=SECONDS,
            env={**kept, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8"},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"the texts could not be read and checked in {SECONDS} seconds; {_ELSEWHERE}") from None
    if done.returncode in (_NO_MEMORY, -signal.SIGKILL, -signal.SIGXCPU):
        raise InputError(f"the texts need more memory or time than is allowed for reading them; {_ELSEWHERE}")
    if done.returncode or not done.stdout:
        raise InputError(
            f"the texts could not be read: the process that read them ended with status {done.returncode}, and the "
            "server's log says why; tell whoever runs the server"
        )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


_ELSEWHERE = "give fewer at a time, or use 'palmares campaign new' on the server's machine"


def read(folder: Path, job: dict[str, Any]) -> Found:
    """Read and check files, in this process; the texts are written into the folder, packed."""
    from ..texts import check

    files, images = ([Upload(name, folder / stored) for name, stored in job[key]] for key in ("files", "images"))
    testsets = read_uploads(files, langs=job["langs"], format=job["format"], encoding=job["encoding"], images=images)
    (folder / _TEXTS).write_bytes(pack(testsets))
    pairs = []
    for texts in testsets:
        check_testset(_MOST_FORGIVING, texts)
        report = check(texts)
        lines = [in_a_form(line) for line in report.lines()]
        pairs.append(
            PairFound(
                described=texts.described(),
                errors=tuple(dict.fromkeys(finding.check for finding in report.errors)),
                warnings=tuple(dict.fromkeys(finding.check for finding in report.warnings)),
                lines=tuple((report.findings[n].severity, line) for n, line in enumerate(lines[:MOST])),
                more=max(0, len(lines) - MOST),
                alike=shown_as_another(texts, Settings()),
            )
        )
    return Found(tuple(pairs), holds_prompts(testsets))


def main() -> None:
    """Read what standard input asks for, from the folder that the command line names."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    os.nice(5)  # judges come first
    try:
        answer = read(Path(sys.argv[1]), json.load(sys.stdin)).to_dict()
    except InputError as error:
        answer = {"refused": str(error)}
    except (MemoryError, RecursionError):
        sys.exit(_NO_MEMORY)
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
