"""A language model judges a campaign: a stand-in for one, on this machine, with a preference for what stands first."""

from __future__ import annotations

import importlib.util
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import Any

import pytest
from fastapi import FastAPI
from stores import SYSTEMS, answer, new_campaign, new_judge, next_view, sample_texts
from studies import SYSTEM_OF, truthful
from test_server_programs import token_for
from webs import serving

import palmares as pm
from palmares.campaign.database import Database
from palmares.campaign.export import export
from palmares.campaign.notes import notes
from palmares.campaign.people import find_person
from palmares.client import Client

pytestmark = pytest.mark.any_database


def _example() -> Any:
    path = Path(__file__).parent.parent / "examples" / "judge_with_a_model.py"
    spec = importlib.util.spec_from_file_location("judge_with_a_model", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


example = _example()
OUTPUT = re.compile(r"### Output (\d+)\n(.*)")


@contextmanager
def model_server(*, bias: float, nonsense: float = 0.0, seed: int = 1) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A server of the chat-completion interface: it ranks by what systems are worth, with noise; with the chance
    ``bias`` it puts first what stands first, with the chance ``nonsense`` it chats.
    """
    rng, asked = Random(seed), []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/chat/completions"
            assert self.headers["Authorization"] == "Bearer secret"
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(body)
            texts = [text for _, text in OUTPUT.findall(body["messages"][-1]["content"])]
            ranks = truthful(texts, rng)
            if rng.random() < bias:
                ranks = [1, *(rank + (rank < ranks[0]) for rank in ranks[1:])]
            content = "The first one, I think." if rng.random() < nonsense else json.dumps({"ranks": ranks})
            answered = json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(answered)))
            self.end_headers()
            self.wfile.write(answered)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_a_model_judges_beside_people_and_its_habits_are_seen(app: FastAPI, db: Database, tmp_path: Path) -> None:
    settings = {"screen.outputs": 2, "judge.screens": 80, "overlap.redundancy": 5, "limits.writes_per_minute": 10_000}
    new_campaign(db, sample_texts(80), **settings)
    rng = Random(5)
    for name in ("ann", "ben", "eva", "ida"):
        person = new_judge(db, name)
        for _ in range(80):
            view = next_view(db, person)
            assert view is not None
            answer(db, person, view, truthful([option.text for option in view.options], rng))
    with serving(app) as address, model_server(bias=0.6, nonsense=0.05) as (model_url, asked):
        client = Client(address, token_for(db, "judge", name="model-x"))
        model = example.Model(model_url, "x", "secret")
        ranked, skipped = example.judge(client, "news", model, most=80)
    assert (ranked + skipped, len(asked)) == (80, 80)
    assert skipped > 0
    # What it is shown names no system, and stands in the order of the screen.
    for body in asked:
        shown = OUTPUT.findall(body["messages"][-1]["content"])
        assert [number for number, _ in shown] == ["1", "2"]
        assert not re.search(rf"\b({'|'.join(SYSTEMS)})\b", body["messages"][-1]["content"])
    told = notes(db, 1)
    assert {note.note for note in told} == {"not ranks: The first one, I think."}
    assert len(told) == skipped

    export(db, "news", tmp_path / "all.csv")
    found = pm.judges(pm.read(tmp_path / "all.csv"), rng=0)
    lines = {line.judge: line for line in found.lines}
    mine = lines.pop(find_person(db, "news", "model-x").pseudonym)
    assert mine.program
    assert not any(line.program for line in lines.values())
    assert mine.answers == ranked
    assert mine.first_interval is not None
    assert mine.first_interval[0] > 0.55  # of a coin's worth, it prefers what stands first
    assert mine.kappa is not None
    assert mine.kappa.kappa is not None
    # People are as good as each other, and agree more with each other than the model does with them.
    kappas = [line.kappa.kappa for line in lines.values() if line.kappa is not None and line.kappa.kappa is not None]
    assert len(kappas) == 4
    assert mine.kappa.kappa < min(kappas)
    by_people = pm.rank(pm.read(tmp_path / "all.csv").filter(~_by(tmp_path / "all.csv", mine.judge)), rng=0)
    assert [SYSTEMS.index(line.system) for line in by_people.lines] == sorted(SYSTEM_OF.values(), reverse=True)


def _by(path: Path, judge: str) -> Any:
    return pm.read(path).where("judge", judge)


@pytest.mark.parametrize(
    ("said", "ranks"),
    [
        ('{"ranks": [2, 1]}', [2, 1]),
        (' {"ranks": [1, 1]}\n', [1, 1]),
        ('```json\n{"ranks": [1, 2]}\n```', [1, 2]),
        ('```\n{"ranks": [1, 2]}\n```', [1, 2]),
        ('Sure! {"ranks": [1, 2]}', None),
        ('{"ranks": [1, 2]} as the first is better', None),
        ('{"ranks": [1]}', None),
        ('{"ranks": [1, 2, 3]}', None),
        ('{"ranks": [0, 1]}', None),
        ('{"ranks": [1, 3]}', None),
        ('{"ranks": [1.0, 2]}', None),
        ('{"ranks": [true, 2]}', None),
        ('{"ranks": ["1", "2"]}', None),
        ('{"ranks": [1, 2], "why": "…"}', None),
        ("[1, 2]", None),
        ("A", None),
        ("", None),
    ],
)
def test_only_ranks_are_ranks(said: str, ranks: list[int] | None) -> None:
    assert example.ranks_of(said, 2) == ranks


def test_the_command_says_what_it_lacks(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PALMARES_TOKEN", raising=False)
    with pytest.raises(SystemExit) as end:
        example.main(["http://127.0.0.1:1", "news", "--model-url", "http://127.0.0.1:1/v1", "--model", "x"])
    assert end.value.code == 2
    assert "token: got none" in capsys.readouterr().err
