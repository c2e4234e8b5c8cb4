"""One JSON object per segment: ``{"source", "outputs": {"A": "…"}}``, or a prompt or messages and their answers."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from ..errors import InputError
from .conversations import Pictures, Turns, only_text, turns_of
from .json_objects import objects
from .languages import LanguagePair
from .records import FIELDS, Record, grouped, record_of
from .testset import TestSet

#: What is translated or answered, and by whom: an object has one of each.
_ASKED = ("source", "prompt", "messages")
_ANSWERED = ("outputs", "answers", "responses")
#: Other names for fields, which prompts often have.
_ALSO = {"category": "document", "language": "langs"}
_KEYS = frozenset((*FIELDS, *_ASKED, *_ANSWERED, *_ALSO))
_NO_LANGUAGE = LanguagePair("", "")


def read_json_lines(langs: LanguagePair | None, *, name: str, text: str) -> tuple[TestSet, ...]:
    """One test set per language pair; unknown keys are ignored, and a note says so."""
    records: list[Record] = []
    ignored: set[str] = set()
    pictures = Pictures()
    for number, value in objects(text, name, "source"):
        record = _record(value, name, number, pictures)
        is_prompt = "source" not in value
        records.append(replace(record, langs=langs or _NO_LANGUAGE) if is_prompt and record.langs is None else record)
        ignored |= value.keys() - _KEYS
    listed = ", ".join(json.dumps(key, ensure_ascii=False) for key in sorted(ignored)[:10])
    notes = [f"{name}: unknown keys were ignored: {listed}"] if ignored else []
    return grouped(records, langs, name=name, notes=notes, images=pictures.by_name)


def _record(value: dict[str, Any], name: str, line: int, pictures: Pictures) -> Record:
    place = f"{name}: line {line}"
    asked, answered = _key(value, _ASKED, place), _key(value, _ANSWERED, place)
    outputs, conversations = _outputs(value, answered, place, pictures)
    turns: Turns = ()
    if asked == "messages":
        source, turns = _messages(value[asked], f'{place}: "messages"', pictures)
    elif isinstance(value.get(asked), str):
        source = _lines_by_lf(value[asked])
    else:
        raise InputError(f'{place}: "{asked}" must be a text')
    if asked != "source":
        _refuse_empty(source, outputs, asked, place)
    fields = {key: _text(value.get(key), key, place) for key in FIELDS if key != "source"}
    for other, key in _ALSO.items():
        if fields[key] is None:
            fields[key] = _text(value.get(other), other, place)
    record = record_of(name, line, {**fields, "source": source}, outputs)
    return replace(record, turns=turns, conversations=conversations)


def _key(value: dict[str, Any], keys: tuple[str, ...], place: str) -> str:
    """Which of these an object has; the first if it has none, so that its lack is told."""
    there = [key for key in keys if key in value]
    if len(there) > 1:
        raise InputError(f"{place}: has {' and '.join(map(json.dumps, there))}, which mean the same; give one of them")
    return there[0] if there else keys[0]


def _messages(value: Any, place: str, pictures: Pictures) -> tuple[str, Turns]:
    turns = turns_of(value, place, pictures)
    if turns[-1][0] != "user":
        raise InputError(f"{place}: the last message is the {turns[-1][0]}'s; what is answered ends with the user's")
    return only_text(turns)


def _outputs(
    value: dict[str, Any], key: str, place: str, pictures: Pictures
) -> tuple[dict[str, str], dict[str, Turns]]:
    """The text of every system, and the turns of those that have several."""
    outputs, conversations = value.get(key), {}
    if not isinstance(outputs, dict) or not all(isinstance(text, str | list) for text in outputs.values()):
        raise InputError(f'{place}: "{key}" must be an object from system to text, e.g. {{"A": "…"}}')
    texts: dict[str, str] = {}
    for system, given in outputs.items():
        if isinstance(given, str):
            texts[system] = _lines_by_lf(given)
            continue
        turns = answer_of(turns_of(given, f"{place}: {system}", pictures), f"{place}: {system}")
        texts[system], several = only_text(turns)
        if several:
            conversations[system] = several
    return texts, conversations


def answer_of(turns: Turns, place: str) -> Turns:
    """Turns that are an answer: the assistant has the first and the last word."""
    for turn, word in ((turns[0], "begins"), (turns[-1], "ends")):
        if turn[0] != "assistant":
            raise InputError(f"{place}: the answer {word} with a message of the {turn[0]}; it must be the assistant's")
    return turns


def _refuse_empty(source: str, outputs: dict[str, str], asked: str, place: str) -> None:
    if not source.strip():
        raise InputError(f'{place}: "{asked}" is empty; take the line out, or give the text')
    for system, text in outputs.items():
        if not text.strip():
            raise InputError(f"{place}: the answer of {system} is empty; give it, or leave the system out here")


def _text(value: Any, key: str, place: str) -> str | None:
    """A text; numbers will do as ids and documents."""
    if value is None or isinstance(value, str):
        return None if value is None else _lines_by_lf(value)
    if key in ("id", "document", "category") and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise InputError(f'{place}: "{key}" must be a text; got {json.dumps(value)[:40]}')


def _lines_by_lf(text: str) -> str:
    return text.replace("\r\n", "\n")
