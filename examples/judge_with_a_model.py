"""Let a language model judge a campaign: any server of the usual chat-completion interface will do.

    export PALMARES_TOKEN=palmares_…   # of scope judge: palmares campaign token news model-x --scope judge
    export MODEL_KEY=…                 # if the model's server wants one
    python examples/judge_with_a_model.py https://eval.example.org news --model-url http://127.0.0.1:8080/v1 --model x

The model sees what people see: the source, the reference where the campaign shows it, and the outputs in the order of
the screen, without names. It must answer with ranks and nothing else. An answer that cannot be read is not guessed at:
the screen is skipped, and a note to the organiser says what came instead.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from palmares.client import Client, Screen
from palmares.errors import InputError, PalmaresError

INSTRUCTIONS = """You compare {what}. You are shown {asked}, and {number} numbered outputs of different systems in no \
particular order. Judge by {criterion} alone; neither length nor the order in which outputs stand says anything.

Give every output a rank: 1 is best, outputs that are equally good share a rank. Answer with one JSON object and \
nothing else, the ranks in the order of the outputs: {example}"""
#: Seconds before a model's server is asked again, once for each.
WAITS = (1.0, 5.0, 20.0)
NOTE = 300


class ModelError(PalmaresError):
    """The model's server gave no answer."""


@dataclass(frozen=True)
class Model:
    """A model behind ``POST …/chat/completions``."""

    url: str
    name: str
    key: str = ""
    temperature: float = 0.0
    timeout: float = 300.0

    def says(self, messages: Sequence[Mapping[str, str]]) -> str:
        """What the model answers to messages."""
        body = {"model": self.name, "messages": list(messages), "temperature": self.temperature}
        headers = {"Content-Type": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        request = Request(f"{self.url.rstrip('/')}/chat/completions", json.dumps(body).encode(), headers)
        for wait in (*WAITS, None):
            try:
                with urlopen(request, timeout=self.timeout) as answer:
                    return str(json.load(answer)["choices"][0]["message"]["content"])
            except HTTPError as error:
                if wait is None or (error.code != 429 and error.code < 500):
                    raise ModelError(f"{self.url}: {error.code} {error.reason}") from None
            except (URLError, TimeoutError, ConnectionError) as error:
                if wait is None:
                    raise ModelError(f"{self.url}: {error}") from None
            except (ValueError, KeyError, IndexError, TypeError) as error:
                raise ModelError(f"{self.url}: the answer is none of a chat completion ({error!r})") from None
            time.sleep(wait or 0)
        raise AssertionError


def prompt(screen: Screen) -> list[dict[str, str]]:
    """What the model is asked about a screen."""
    is_translation = screen.source_language != screen.target_language
    number = len(screen.options)
    instructions = INSTRUCTIONS.format(
        what=f"translations from {screen.source_language} to {screen.target_language}" if is_translation else "answers",
        asked="a source text" if is_translation else "a prompt",
        criterion="how well each says what the source says" if is_translation else "how well each answers the prompt",
        number=number,
        example=json.dumps({"ranks": list(range(1, number + 1))}),
    )
    parts = [("Source" if is_translation else "Prompt", spoken(screen.source, screen.turns))]
    if screen.reference:
        parts.append(("Reference", screen.reference))
    parts += [(f"Output {option.place}", spoken(option.text, option.turns)) for option in screen.options]
    shown = "\n\n".join(f"### {title}\n{text}" for title, text in parts)
    return [{"role": "system", "content": instructions}, {"role": "user", "content": shown}]


def spoken(text: str, turns: Sequence[Mapping[str, str]]) -> str:
    """A text, or who says what in a conversation."""
    return "\n\n".join(f"{turn['role']}: {turn['content']}" for turn in turns) or text


def ranks_of(answer: str, outputs: int) -> list[int] | None:
    """The ranks that an answer gives; None unless it is exactly what was asked for, perhaps in a fence of code."""
    text = answer.strip()
    if text.startswith("```") and text.endswith("```"):
        text = text.removeprefix("```").removeprefix("json").removesuffix("```").strip()
    try:
        told: Any = json.loads(text)
    except ValueError:
        return None
    ranks = told.get("ranks") if isinstance(told, dict) and set(told) == {"ranks"} else None
    if not isinstance(ranks, list) or len(ranks) != outputs:
        return None
    if not all(type(rank) is int and 1 <= rank <= outputs for rank in ranks):
        return None
    return ranks


def judge(
    client: Client, campaign: str, model: Model, *, most: int | None = None, wait: float = 0.0
) -> tuple[int, int]:
    """Judge until there is no more work: how many screens were ranked, and how many skipped."""
    ranked = skipped = 0
    for screen in client.screens(campaign, most=most, wait=wait):
        answer = model.says(prompt(screen))
        ranks = ranks_of(answer, len(screen.options))
        if ranks is None:
            said = "".join(character if character.isprintable() else " " for character in answer)
            client.answer(screen, skip="technical", note=f"not ranks: {said[:NOTE]}" if said else "an empty answer")
            skipped += 1
        else:
            client.answer(screen, ranks=ranks)
            ranked += 1
        print(f"\r{ranked} ranked, {skipped} skipped", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return ranked, skipped


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog="PALMARES_TOKEN and MODEL_KEY: keys")
    parser.add_argument("server", help="the address of palmares serve")
    parser.add_argument("campaign")
    parser.add_argument("--model-url", required=True, help="what comes before /chat/completions")
    parser.add_argument("--model", required=True, help="the model's name")
    parser.add_argument("--screens", type=int, help="judge so many at most")
    parser.add_argument("--wait", type=float, default=0.0, help="seconds to wait for work when there is none")
    given = parser.parse_args(arguments)
    try:
        client = Client(given.server, os.environ.get("PALMARES_TOKEN", ""))
        model = Model(given.model_url, given.model, os.environ.get("MODEL_KEY", ""))
        judge(client, given.campaign, model, most=given.screens, wait=given.wait)
    except InputError as error:
        parser.error(str(error))
    except PalmaresError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
