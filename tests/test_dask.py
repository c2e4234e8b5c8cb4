"""Many machines: a real Dask cluster of four worker processes gives the numbers of one process."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import random_rows

import palmares as pm
from palmares import compute
from palmares.cli import main
from palmares.compute import dask as palmares_dask
from palmares.compute.dask import PACKAGES, DaskError, DaskExecutor, Work, connect
from palmares.errors import InputError, MissingExtraError
from palmares.judgments import FloatArray, Judgments, PairCounts
from palmares.models.by_name import create
from palmares.models.ratios import ExpectedWins

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")

JUDGMENTS = Judgments.from_rows(random_rows(np.random.default_rng(3), systems=6, rankings=120))


@pytest.fixture(autouse=True)
def _limited() -> Iterator[None]:
    """A test that waits for a Dask cluster in vain fails, instead of waiting for ever."""

    def give_up(*_: object) -> None:
        raise TimeoutError("the Dask cluster did not answer")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(180)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def local() -> Iterator[Any]:
    """A scheduler in this process, and four workers with one thread in processes of their own."""
    with distributed.LocalCluster(
        n_workers=4, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0", memory_limit=0
    ) as running:
        yield running


@pytest.fixture
def executor(local: Any) -> Iterator[DaskExecutor]:
    with connect(local.scheduler_address) as connected:
        yield connected
    assert_idle(local)


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    path = tmp_path / "campaign.csv"
    pm.write(JUDGMENTS, path)
    return path


def assert_idle(local: Any) -> None:
    """The scheduler has forgotten every task, and no worker is at work."""
    with distributed.Client(local, set_as_default=False) as client:
        until(lambda: not local.scheduler.tasks)
        until(lambda: not any(client.run(executing).values()))


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def executing(dask_worker: Any) -> int:
    return len(dask_worker.state.executing)


@dataclass(frozen=True)
class SlowWins(ExpectedWins):
    """A model that leaves time to kill a worker."""

    def score(self, counts: PairCounts, rngs: Sequence[np.random.Generator]) -> FloatArray:
        time.sleep(0.1)
        return super().score(counts, rngs)


MODELS = {
    "counts": create("bradley-terry"),
    "refit": create("trueskill", {"mode": "sequence"}),
    "slow": SlowWins(),
    "slow refit": create("hopkins-may", {"iterations": "100", "burn_in": "20"}),
}


def ranked(model: str, executor: Any, progress: compute.Progress | None = None) -> pm.Ranking:
    execution = compute.Execution(executor, progress=progress)
    return pm.rank(JUDGMENTS, model=MODELS[model], resample="ranking", resamples=120, rng=7, execution=execution)


def assert_same(one: pm.Ranking, other: pm.Ranking) -> None:
    assert one.to_dict() == other.to_dict()
    assert one.replicates.scores.tobytes() == other.replicates.scores.tobytes()
    assert one.replicates.places.tobytes() == other.replicates.places.tobytes()


def killing(executor: DaskExecutor, most: int, killed: list[int]) -> compute.Progress:
    """A progress callback that kills workers, once, which are at work and hold what is shared."""

    def progress(done: int, total: int) -> None:
        if killed:
            return
        pids = executor.client.run(os.getpid)
        holders = {worker for key, found in executor.client.who_has().items() if "loads" in key for worker in found}
        busy = [worker for worker, keys in executor.client.processing().items() if keys and worker in holders]
        killed.extend(pids[worker] for worker in busy[:most])
        assert done < total or not killed
        for pid in killed:
            os.kill(pid, signal.SIGKILL)

    return progress


def nap(shared: bytes, number: int) -> tuple[int, int, int]:
    time.sleep(0.1)
    return len(shared), number, os.getpid()


def refuse(number: int) -> None:
    raise InputError(f"number: got {number}")


# -- the same numbers ------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["counts", "refit"])
def test_four_workers_give_the_numbers_of_one_process(executor: DaskExecutor, model: str) -> None:
    calls: list[tuple[int, int]] = []
    found = ranked(model, executor=executor, progress=lambda *call: calls.append(call))
    assert_same(found, ranked(model, executor="serial"))
    assert [done for done, _ in calls] == list(range(1, calls[-1][1] + 1))
    assert calls[-1][1] >= 4 * 4  # pieces, of which every worker gets some


def test_the_work_is_spread_and_in_order(executor: DaskExecutor) -> None:
    found = compute.Execution(executor).run(nap, [(n,) for n in range(16)], shared=(b"abc",))
    assert [(size, number) for size, number, _ in found] == [(3, n) for n in range(16)]
    assert len({pid for *_, pid in found} - {os.getpid()}) == 4


def test_a_client_is_an_executor_too(local: Any) -> None:
    with distributed.Client(local, set_as_default=False) as client:
        assert_same(ranked("counts", executor=client), ranked("counts", executor="serial"))
        assert client.status == "running"


def test_a_dask_cluster_is_an_executor_of_the_standard_library(executor: DaskExecutor) -> None:
    assert executor.submit(divmod, 7, 2).result() == (3, 1)
    assert list(executor.map(abs, [-1, 2])) == [1, 2]
    assert executor.slots() >= 4


def test_the_command_line_prints_the_same(
    local: Any, campaign: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "scheduler.json"
    file.write_text(json.dumps({"address": local.scheduler_address}), encoding="utf-8")
    for command in ("rank", "head-to-head"):
        printed = []
        for where in ((), ("--dask", local.scheduler_address), ("--dask", str(file))):
            assert run_main(command, str(campaign), "--resamples", "60", "--format", "json", *where) == 0
            out, err = capsys.readouterr()
            assert err == ""
            printed.append(out)
        assert printed[0] == printed[1] == printed[2]
    assert_idle(local)


def run_main(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return int(ended.value.code or 0)


# -- workers that die ------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["slow", "slow refit"])
def test_a_bootstrap_survives_a_worker_that_dies(executor: DaskExecutor, model: str) -> None:
    executor.client.wait_for_workers(4)
    killed: list[int] = []
    found = ranked(model, executor=executor, progress=killing(executor, 1, killed))
    assert len(killed) == 1
    assert_same(found, ranked(model, executor="serial"))


@pytest.mark.slow
def test_work_survives_the_death_of_all_that_hold_what_it_shares(executor: DaskExecutor) -> None:
    executor.client.wait_for_workers(4)
    killed: list[int] = []
    data = bytes(12_000_000)  # more than Dask sends without a warning
    found = compute.Execution(executor, progress=killing(executor, 4, killed)).run(
        nap, [(n,) for n in range(60)], shared=(data,)
    )
    assert [(size, number) for size, number, _ in found] == [(len(data), n) for n in range(60)]
    assert killed
    assert {pid for *_, pid in found} - set(killed)  # others did the rest


def test_work_that_kills_its_workers_is_given_up() -> None:
    # Dask gives a task up after three workers by default; here after the first, which does not take as long.
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0", memory_limit=0
        ) as fragile,
        connect(fragile.scheduler_address) as executor,
        pytest.raises(DaskError, match=r"Dask cluster tcp://.*: a piece of work was lost with its worker too many"),
    ):
        compute.Execution(executor).run(os._exit, [(1,)])


# -- errors and interrupts -------------------------------------------------------------------------


def test_an_error_on_a_worker_is_the_same_error_here(executor: DaskExecutor) -> None:
    with pytest.raises(InputError, match=r"^number: got 3$"):
        compute.Execution(executor).run(refuse, [(3,)])
    with pytest.raises(ZeroDivisionError):
        compute.Execution(executor).run(divmod, [(1, 0), (1, 1)])


def test_an_error_made_of_several_parts_survives_the_way_back() -> None:
    error = pickle.loads(pickle.dumps(MissingExtraError("drawing", "report", "altair")))
    assert "drawing needs the package 'altair'" in str(error)


def test_an_interrupt_cancels_the_work_on_the_dask_cluster(local: Any, executor: DaskExecutor) -> None:
    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compute.Execution(executor, progress=interrupt).run(nap, [(n,) for n in range(1000)], shared=(b"",))
    assert_idle(local)
    assert executor.submit(abs, -1).result() == 1  # and the Dask cluster can be used again


def test_ctrl_c_leaves_nothing_running_on_the_dask_cluster(local: Any, campaign: Path) -> None:
    slow = ("--model", "hopkins-may", "--resample", "ranking", "--resamples", "2000")
    command = [sys.executable, "-m", "palmares", "rank", campaign, *slow, "--dask", local.scheduler_address]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True)
    until(lambda: any("call" in key for key in list(local.scheduler.tasks)))
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate(timeout=60) == ("", "\nAborted!\n")
    assert process.returncode == 1
    assert_idle(local)


# -- connecting ------------------------------------------------------------------------------------


def test_a_scheduler_that_does_not_answer(monkeypatch: pytest.MonkeyPatch, capsys: Any, campaign: Path) -> None:
    monkeypatch.setattr(palmares_dask, "CONNECT_SECONDS", 0.5)
    assert run_main("rank", str(campaign), "--dask", "tcp://127.0.0.1:9") == 2
    assert capsys.readouterr().err == (
        "palmares: error: dask: cannot connect to tcp://127.0.0.1:9 (no answer in 0.5 s); "
        "is a scheduler running there, and is its port open?\n"
    )


@pytest.mark.parametrize("address", ["foo://host:1", "tcp://"])
def test_an_address_of_no_kind(address: str) -> None:
    with pytest.raises(DaskError, match=f"cannot connect to {address}"), connect(address, timeout=0.5):
        pass


@pytest.mark.parametrize(
    ("content", "wording"),
    [
        (None, r"got '.*scheduler.json', which cannot be read \(No such file"),
        ("system_a,system_b\n", "which is not a scheduler file"),
        ("[1]", "which is not a scheduler file"),
        ('{"id": 1}', r"not a scheduler file \(no 'address'\); allowed: the address of a Dask scheduler \(tcp://HOST"),
        (b"\xff\xfe\xfd", r"cannot be read \(not text\)"),
    ],
)
def test_a_file_that_is_no_scheduler_file(file: Any, tmp_path: Path, content: Any, wording: str) -> None:
    path = tmp_path / "scheduler.json" if content is None else file(content, "scheduler.json")
    with pytest.raises(InputError, match=wording), connect(path):
        pass


@pytest.mark.parametrize("other", [("--executor", "threads"), ("--workers", "2")])
def test_one_place_to_run_at_a_time(campaign: Path, capsys: Any, other: tuple[str, str]) -> None:
    assert run_main("rank", str(campaign), "--dask", "tcp://127.0.0.1:9", *other) == 2
    assert f"--dask says where work runs, and so does {other[0]}; leave out" in capsys.readouterr().err


def test_the_extra_is_named_if_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'palmares\[dask\]'"), connect("tcp://127.0.0.1:9"):
        pass


def test_dask_is_imported_only_for_a_dask_cluster(campaign: Path) -> None:
    code = (
        "import sys; from palmares.cli import cli\n"
        f"cli(['rank', {str(campaign)!r}, '--resamples', '60'], standalone_mode=False)\n"
        "assert not {'dask', 'distributed', 'cloudpickle', 'palmares.compute.dask'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


# -- a scheduler without workers, or with others' --------------------------------------------------


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The file of a scheduler in a process of its own."""
    path = tmp_path_factory.mktemp("scheduler") / "scheduler.json"
    options = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(path))
    with started("distributed.cli.dask_scheduler", *options):
        until(lambda: path.exists() and path.read_text(encoding="utf-8").endswith("}"))
        yield path


class started:  # noqa: N801
    """A program of Dask's, as long as a block lasts."""

    def __init__(self, module: str, *options: str, **environment: str) -> None:
        command = [sys.executable, "-m", module, *options]
        self.process = subprocess.Popen(
            command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def __enter__(self) -> subprocess.Popen[bytes]:
        return self.process

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()


def test_a_dask_cluster_without_workers_is_waited_for(
    scheduler: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any, campaign: Path
) -> None:
    monkeypatch.setattr(palmares_dask, "WORKER_SECONDS", 0.5)
    assert run_main("rank", str(campaign), "--dask", str(scheduler)) == 2
    waiting, error = capsys.readouterr().err.splitlines()
    assert waiting.startswith("waiting for a worker of tcp://127.0.0.1:")
    assert "no worker joined in 0.5 s; start some with: dask worker tcp://127.0.0.1:" in error


def test_workers_with_another_version_are_refused(scheduler: Path, tmp_path: Path) -> None:
    (tmp_path / "palmares").mkdir()
    (tmp_path / "palmares" / "__init__.py").touch()
    (tmp_path / "palmares-0.0.1.dist-info").mkdir()
    metadata = "Metadata-Version: 2.1\nName: palmares\nVersion: 0.0.1\n"
    (tmp_path / "palmares-0.0.1.dist-info" / "METADATA").write_text(metadata, encoding="utf-8")
    options = ("--scheduler-file", str(scheduler), "--no-nanny", "--no-dashboard")
    wording = rf"worker tcp://.* has palmares 0\.0\.1 \(here {pm.__version__}\); numbers could differ: install the same"
    with (
        started("distributed.cli.dask_worker", *options, PYTHONPATH=str(tmp_path)),
        pytest.raises(DaskError, match=wording),
        connect(scheduler),
    ):
        pass


def test_a_worker_that_joins_later_is_checked_too() -> None:
    from distributed.versions import get_versions

    here = {"python": "3.9", **{name: get_versions([name])["packages"][name] for name in PACKAGES}}
    with pytest.raises(DaskError, match=r"a worker has python 3\.\d+ \(here 3\.9\); numbers could differ"):
        Work(abs, (), here)(pickle.dumps((1,)))


@pytest.mark.slow
def test_a_scheduler_that_dies_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "scheduler.json"
    options = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(path))
    with (
        started("distributed.cli.dask_scheduler", *options) as process,
        started("distributed.cli.dask_worker", "--scheduler-file", str(path), "--no-nanny", "--no-dashboard"),
    ):
        until(lambda: path.exists() and path.read_text(encoding="utf-8").endswith("}"))
        tasks = [(n,) for n in range(100)]
        with connect(path) as executor, pytest.raises(DaskError, match="lost the connection to the scheduler"):
            compute.Execution(executor, progress=lambda done, total: process.kill()).run(abs, tasks)
