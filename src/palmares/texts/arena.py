"""Battles of an LLM arena: ``model_a``, ``model_b``, and the conversation with each of them.

Rows in which the user said the same form one segment: its prompt is what comes before the first answer, and the answer
of a system is everything after it. Votes are not read; a campaign collects its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import InputError
from .conversations import Pictures, Turns, only_text, turns_of
from .json_lines import answer_of
from .json_objects import objects
from .languages import LanguagePair, base_language, parse_code
from .records import Record, grouped
from .testset import TestSet

_SIDES = ("a", "b")
_IDS = ("id", "question_id", "conversation_id")
_FIRST_FAULTS = 5
#: What arenas say of the language of a prompt, besides codes.
_LANGUAGES = {
    "arabic": "ar", "bulgarian": "bg", "bengali": "bn", "catalan": "ca", "czech": "cs", "danish": "da",
    "german": "de", "greek": "el", "english": "en", "spanish": "es", "estonian": "et", "persian": "fa",
    "finnish": "fi", "french": "fr", "hebrew": "he", "hindi": "hi", "croatian": "hr", "hungarian": "hu",
    "indonesian": "id", "italian": "it", "japanese": "ja", "korean": "ko", "lithuanian": "lt", "latvian": "lv",
    "malay": "ms", "dutch": "nl", "norwegian": "no", "polish": "pl", "portuguese": "pt", "romanian": "ro",
    "russian": "ru", "slovak": "sk", "slovenian": "sl", "serbian": "sr", "swedish": "sv", "tamil": "ta",
    "telugu": "te", "thai": "th", "tagalog": "tl", "turkish": "tr", "ukrainian": "uk", "urdu": "ur",
    "vietnamese": "vi", "chinese": "zh",
}  # fmt: skip


@dataclass(frozen=True)
class _Battle:
    """One row: who answered what."""

    line: int
    id: str | None
    asked: Turns
    answers: Mapping[str, Turns]


@dataclass
class _Prompt:
    """A segment in the making."""

    first: _Battle
    answers: dict[str, Turns] = field(default_factory=dict)

    def takes(self, battle: _Battle) -> bool:
        """Whether no system answers otherwise in this battle than it did before."""
        return all(self.answers.get(system, turns) == turns for system, turns in battle.answers.items())


def read_arena(langs: LanguagePair | None, *, name: str, text: str) -> tuple[TestSet, ...]:
    """One test set of all prompts; ``langs`` selects those in one language, where rows say which they are in."""
    pictures, battles, faults, others = Pictures(), [], [], 0
    for line, value in objects(text, name, "conversation_a"):
        if langs is not None and not _is_in(value.get("language"), langs):
            others += 1
            continue
        try:
            battles.append(_battle(value, f"{name}: line {line}", line, pictures))
        except InputError as error:
            faults.append(str(error))
    if faults:
        more = f"\n… and {len(faults) - _FIRST_FAULTS} more lines" if len(faults) > _FIRST_FAULTS else ""
        raise InputError("\n".join(faults[:_FIRST_FAULTS]) + more)
    if not battles and others:
        raise InputError(
            f"{name}: none of its {others} battles is in {langs}, by what 'language' says; ask for another"
        )
    prompts, again = _prompts(battles)
    notes = _notes(name, again, others, langs)
    made = grouped(
        _records(prompts, name), langs or LanguagePair("", ""), name=name, notes=notes, images=pictures.by_name
    )
    return tuple(replace(texts, partial=True) for texts in made)


def _battle(value: dict[str, Any], place: str, line: int, pictures: Pictures) -> _Battle:
    models, talks = [], []
    for side in _SIDES:
        model = value.get(f"model_{side}")
        if not isinstance(model, str) or not model.strip():
            raise InputError(f'{place}: "model_{side}" must be the name of a system')
        models.append(model.strip())
        key = f"conversation_{side}"
        if key not in value:
            raise InputError(f'{place}: no "{key}"; every line of an arena file needs both conversations')
        talks.append(turns_of(value[key], f'{place}: "{key}"', pictures))
    if models[0] == models[1]:
        raise InputError(f"{place}: {models[0]!r} is both model_a and model_b; a battle needs two systems")
    _refuse_other_words(talks, place)
    cuts = [_first_answer(talk, f'{place}: "conversation_{side}"') for side, talk in zip(_SIDES, talks, strict=True)]
    answers = {
        model: answer_of(talk[cut:], f"{place}: {model}") for model, talk, cut in zip(models, talks, cuts, strict=True)
    }
    id = next((str(value[key]).strip() for key in _IDS if isinstance(value.get(key), str | int)), None)
    return _Battle(line, id or None, talks[0][: cuts[0]], answers)


def _refuse_other_words(talks: list[Turns], place: str) -> None:
    """The users' words must be the same with both systems, one by one."""
    asked = [[turn for turn in talk if turn[0] != "assistant"] for talk in talks]
    if asked[0] == asked[1]:
        return
    if len(asked[0]) != len(asked[1]):
        raise InputError(
            f"{place}: the user has {len(asked[0])} messages in conversation_a and {len(asked[1])} in conversation_b; "
            "both systems must be asked the same"
        )
    n = next(n for n, (a, b) in enumerate(zip(*asked, strict=True), 1) if a != b)
    raise InputError(f"{place}: message {n} of the user differs between conversation_a and conversation_b")


def _first_answer(talk: Turns, place: str) -> int:
    cut = next((n for n, (role, _) in enumerate(talk) if role == "assistant"), None)
    if cut is None:
        raise InputError(f"{place}: has no message of the assistant, so there is no answer to judge")
    if not any(role == "user" for role, _ in talk[:cut]):
        raise InputError(f"{place}: begins with a message of the assistant; the user's must come first")
    return cut


def _is_in(said: Any, langs: LanguagePair) -> bool:
    """Whether a row is in the language that was asked for; one that does not say may be."""
    if not isinstance(said, str) or not langs.one:
        return True
    try:
        code = _LANGUAGES.get(said.strip().lower()) or parse_code(said)
    except InputError:
        return False
    return base_language(code) == base_language(langs.source)


def _prompts(battles: list[_Battle]) -> tuple[list[_Prompt], int]:
    """Battles by what the user said in all of its turns.

    A system that answers otherwise the second time stands in a segment of its own then, so that nothing is lost; how
    many there are of those is the second value.
    """
    by_words: dict[tuple[Turns, Turns], list[_Prompt]] = {}
    prompts, again = [], 0
    for battle in battles:
        turns = next(iter(battle.answers.values()))
        words = (battle.asked, tuple(turn for turn in turns if turn[0] != "assistant"))
        same = by_words.setdefault(words, [])
        prompt = next((known for known in same if known.takes(battle)), None)
        if prompt is None:
            again += bool(same)
            prompt = _Prompt(battle)
            same.append(prompt)
            prompts.append(prompt)
        prompt.answers.update(battle.answers)
    return prompts, again


def _records(prompts: list[_Prompt], name: str) -> list[Record]:
    ids = [prompt.first.id for prompt in prompts]
    tell_apart = len(set(ids)) == len(ids)
    records = []
    for number, prompt in enumerate(prompts, 1):
        source, turns = only_text(prompt.first.asked)
        texts = {system: only_text(answer) for system, answer in prompt.answers.items()}
        records.append(
            Record(
                f"{name}: line {prompt.first.line}",
                source,
                id=prompt.first.id if tell_apart else str(number),
                outputs={system: text for system, (text, _) in texts.items()},
                line=prompt.first.line,
                turns=turns,
                conversations={system: several for system, (_, several) in texts.items() if several},
            )
        )
    return records


def _notes(name: str, again: int, others: int, langs: LanguagePair | None) -> list[str]:
    notes = []
    if again:
        notes.append(
            f"{name}: {again} times a system answered the same prompt otherwise than before; such a battle is a "
            "segment of its own"
        )
    if others:
        notes.append(f"{name}: {others} battles are not in {langs}, by what {json.dumps('language')} says; left out")
    return notes
