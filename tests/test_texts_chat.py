"""Prompts and answers, conversations and the battles of arenas as texts: what is read, refused and checked."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from palmares.errors import InputError
from palmares.ingest.source import compress
from palmares.texts import LanguagePair, TestSet, check, read_texts
from palmares.texts.languages import base_language, direction, html_lang, script_of

EXAMPLE = Path(__file__).parents[1] / "examples" / "answers.jsonl"
PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"pixels").decode()
ROW = {"prompt": "Say hello.", "answers": {"A": "Hello!", "B": "Hi."}}


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


def battle(a: str, b: str, *turns: tuple[str, str, str], **more: Any) -> dict[str, Any]:
    """A row of an arena: turns of (what the user says, what a answers, what b answers)."""
    talks = ([message for said in turns for message in (user(said[0]), assistant(said[side]))] for side in (1, 2))
    return {"model_a": a, "model_b": b, **dict(zip(("conversation_a", "conversation_b"), talks, strict=True)), **more}


def written(tmp_path: Path, *rows: dict[str, Any], name: str = "t.jsonl") -> Path:
    path = tmp_path / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def read(tmp_path: Path, *rows: dict[str, Any], **options: Any) -> TestSet:
    (texts,) = read_texts(path=written(tmp_path, *rows), **options)
    return texts


def refusal(tmp_path: Path, *rows: dict[str, Any], **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        read_texts(path=written(tmp_path, *rows), **options)
    return str(caught.value)


# -- languages -------------------------------------------------------------------------------------------


def test_one_language_and_none_have_names_of_their_own() -> None:
    one, none = LanguagePair.of("en"), LanguagePair("", "")
    assert (str(one), one.source, one.target, one.is_pair) == ("en", "en", "en", False)
    assert (str(none), none.is_pair, LanguagePair.of(str(none))) == ("any-language", False, none)
    assert (str(LanguagePair.of("en-en")), LanguagePair.of("en-en").is_pair) == ("en-en", True)


def test_a_page_knows_nothing_of_no_language() -> None:
    assert (html_lang(""), direction(""), base_language(""), script_of("")) == ("", "auto", "", None)


# -- prompts and answers ---------------------------------------------------------------------------------


def test_prompts_need_no_language(tmp_path: Path) -> None:
    texts = read(tmp_path, ROW)
    assert texts.langs == LanguagePair("", "")
    assert (texts.segments[0].source, texts.segments[0].turns) == ("Say hello.", ())
    assert texts.outputs == {"A": ("Hello!",), "B": ("Hi.",)}


def test_one_language_is_said_by_an_option_or_by_the_file(tmp_path: Path) -> None:
    assert read(tmp_path, ROW, langs="en").langs == LanguagePair.of("en")
    found = read_texts(path=written(tmp_path, ROW | {"language": "en"}, ROW | {"language": "de"}))
    assert [str(texts.langs) for texts in found] == ["de", "en"]
    assert (
        read_texts(path=written(tmp_path, ROW | {"language": "en"}, ROW | {"language": "de"}), langs="de") == found[:1]
    )


def test_sources_still_need_a_language(tmp_path: Path) -> None:
    assert "no language pair" in refusal(tmp_path, {"source": "un", "outputs": {"A": "one"}})


@pytest.mark.parametrize("key", ["outputs", "answers", "responses"])
def test_answers_have_several_names(tmp_path: Path, key: str) -> None:
    assert read(tmp_path, {"prompt": "Say hello.", key: ROW["answers"]}).outputs["B"] == ("Hi.",)


def test_what_else_may_be_said_of_a_prompt(tmp_path: Path) -> None:
    texts = read(tmp_path, ROW | {"id": "greeting", "category": "small talk", "reference": "Good day."})
    segment = texts.segments[0]
    assert (segment.id, segment.document, segment.reference) == ("greeting", "small talk", "Good day.")
    assert texts.notes == ()


def test_messages_are_turns_unless_there_is_one(tmp_path: Path) -> None:
    alone = read(tmp_path, {"messages": [user("Hello?")], "answers": {"A": "Hi."}})
    assert (alone.segments[0].source, alone.segments[0].turns) == ("Hello?", ())
    messages = [{"role": "developer", "content": "Be brief."}, user("Hello?"), assistant("Hi."), user("And now?")]
    several = read(tmp_path, {"messages": messages, "answers": {"A": "Goodbye."}}).segments[0]
    assert several.turns == (
        ("system", "Be brief."),
        ("user", "Hello?"),
        ("assistant", "Hi."),
        ("user", "And now?"),
    )
    assert several.source == "Be brief.\n\nHello?\n\nHi.\n\nAnd now?"


def test_an_answer_may_be_a_conversation(tmp_path: Path) -> None:
    turns = [assistant("Which one?"), user("The red one."), assistant("Here it is.")]
    texts = read(tmp_path, {"prompt": "Give it to me.", "answers": {"A": turns, "B": [assistant("Here.")]}})
    assert texts.outputs == {"A": ("Which one?\n\nThe red one.\n\nHere it is.",), "B": ("Here.",)}
    assert dict(texts.conversations) == {
        ("A", 0): (("assistant", "Which one?"), ("user", "The red one."), ("assistant", "Here it is."))
    }


def test_parts_of_a_message(tmp_path: Path) -> None:
    parts = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}},
    ]
    texts = read(tmp_path, {"messages": [{"role": "user", "content": parts}], "answers": {"A": "A dot."}})
    ((name, image),) = texts.images.items()
    assert texts.segments[0].source == f"What is this?\n\n![](<{name}>)"
    assert image is not None
    assert (image.media_type, image.body) == ("image/png", base64.b64decode(PIXEL))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"prompt": "x"}, '"outputs" must be an object from system to text'),
        ({"prompt": 5, "answers": {"A": "x"}}, '"prompt" must be a text'),
        ({"prompt": " ", "answers": {"A": "x"}}, '"prompt" is empty'),
        ({"prompt": "x", "answers": {"A": "x", "B": " \n"}}, "the answer of B is empty"),
        ({"prompt": "x", "source": "y", "answers": {"A": "x"}}, 'has "source" and "prompt", which mean the same'),
        ({"prompt": "x", "answers": {"A": "x"}, "outputs": {"A": "x"}}, 'has "outputs" and "answers"'),
        ({"messages": [], "answers": {"A": "x"}}, '"messages" must be a list of messages'),
        ({"messages": ["x"], "answers": {"A": "x"}}, '"messages": message 1 must be an object with "role"'),
        (
            {"messages": [{"role": "pope", "content": "x"}], "answers": {"A": "x"}},
            "message 1: role: got 'pope'; allowed",
        ),
        ({"messages": [user("x"), assistant("y")], "answers": {"A": "x"}}, "the last message is the assistant's"),
        ({"messages": [user("x"), user("  ")], "answers": {"A": "x"}}, "message 2 (of the user) is empty"),
        ({"messages": [{"role": "user", "content": 7}], "answers": {"A": "x"}}, '"content" must be a text'),
        (
            {"messages": [{"role": "user", "content": [{"type": "audio"}]}], "answers": {"A": "x"}},
            "part 1: cannot be read",
        ),
        ({"prompt": "x", "answers": {"A": [user("y")]}}, "A: the answer begins with a message of the user"),
        (
            {"prompt": "x", "answers": {"A": [assistant("y"), user("z")]}},
            "A: the answer ends with a message of the user",
        ),
        ({"prompt": "x", "answers": {"A": "x"}, "language": "english"}, "language pair: got 'english'"),
    ],
)
def test_what_cannot_be_right_is_refused_by_its_line(tmp_path: Path, row: dict[str, Any], message: str) -> None:
    said = refusal(tmp_path, ROW, row)
    assert message in said
    assert "t.jsonl: line 2" in said


def test_an_array_is_read_with_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(json.dumps([ROW, ROW | {"id": "b"}], indent=1), encoding="utf-8")
    (texts,) = read_texts(path=path)
    lines = path.read_text().splitlines()
    assert texts.lines == tuple(number for number, line in enumerate(lines, 1) if line == " {")
    path.write_text(json.dumps([ROW, {"prompt": "x"}], indent=1), encoding="utf-8")
    with pytest.raises(InputError, match=rf"t\.json: line {texts.lines[1]}: \"outputs\""):
        read_texts(path=path)


@pytest.mark.parametrize("text", ['[{"prompt": "x"}', '[{"prompt": "x"} {}]', '[{"prompt": "x"}] []', "[{]"])
def test_a_broken_array_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.json"
    path.write_text(text.replace('"x"}', '"x", "answers": {"A": "y"}}'), encoding="utf-8")
    with pytest.raises(InputError, match=r"t\.json: line 1: "):
        read_texts(path=path)


def test_compressed_files_are_read_as_well(tmp_path: Path) -> None:
    (plain,) = read_texts(path=EXAMPLE)
    for name in ("a.jsonl.gz", "a.jsonl.zst"):
        path = tmp_path / name
        path.write_bytes(compress(EXAMPLE.read_bytes(), path))
        assert path.read_bytes() != EXAMPLE.read_bytes()
        assert read_texts(path=path) == (plain,)


# -- arenas ----------------------------------------------------------------------------------------------


def test_battles_about_the_same_words_are_one_segment(tmp_path: Path) -> None:
    texts = read(
        tmp_path,
        battle("x", "y", ("Hello?", "Hi.", "Hey."), question_id="q1", winner="model_a"),
        battle("z", "x", ("Bye?", "Bye.", "See you."), question_id="q2"),
        battle("y", "z", ("Hello?", "Hey.", "Good day."), question_id="q3"),
    )
    assert texts.langs == LanguagePair("", "")
    assert [(segment.id, segment.source) for segment in texts.segments] == [("q1", "Hello?"), ("q2", "Bye?")]
    assert texts.outputs == {"x": ("Hi.", "See you."), "y": ("Hey.", ""), "z": ("Good day.", "Bye.")}
    assert (texts.missing, texts.partial, texts.lines) == ({("y", 1)}, True, (1, 2))
    assert texts == read(tmp_path, *map(json.loads, (tmp_path / "t.jsonl").read_text().splitlines()), format="arena")


def test_later_turns_belong_to_the_answers(tmp_path: Path) -> None:
    first = battle("x", "y", ("Hello?", "Hi.", "Hey."), ("Bye?", "Bye.", "Ciao."))
    texts = read(tmp_path, first, battle("x", "y", ("Hello?", "Hi.", "Hey.")))
    assert [segment.source for segment in texts.segments] == [
        "Hello?",
        "Hello?",
    ]  # asked on in one, and not in the other
    assert texts.outputs["y"] == ("Hey.\n\nBye?\n\nCiao.", "Hey.")
    assert texts.conversations["y", 0] == (("assistant", "Hey."), ("user", "Bye?"), ("assistant", "Ciao."))
    assert ("y", 1) not in texts.conversations


def test_another_answer_of_the_same_system_is_not_lost(tmp_path: Path) -> None:
    rows = [battle("x", "y", ("Hello?", "Hi.", "Hey.")), battle("x", "z", ("Hello?", "Oh, hello!", "Good day."))]
    texts = read(tmp_path, *rows)
    assert texts.outputs == {"x": ("Hi.", "Oh, hello!"), "y": ("Hey.", ""), "z": ("", "Good day.")}
    assert "1 times a system answered the same prompt otherwise" in texts.notes[0]


def test_a_language_of_an_arena_can_be_chosen(tmp_path: Path) -> None:
    rows = [
        battle("x", "y", ("Hello?", "Hi.", "Hey."), language="English"),
        battle("x", "y", ("Hallo?", "Hallo.", "Tag."), language="German"),
        battle("x", "y", ("Salut?", "Salut.", "Oui."), language="fr"),
        battle("x", "y", ("?", "!", "."), language="unknown"),
    ]
    assert len(read(tmp_path, *rows)) == 4
    german = read(tmp_path, *rows, langs="de")
    assert ([s.source for s in german.segments], str(german.langs)) == (["Hallo?"], "de")
    assert "3 battles are not in de" in german.notes[0]
    assert "none of its 4 battles is in cs" in refusal(tmp_path, *rows, langs="cs")


GOOD = battle("x", "y", ("Hello?", "Hi.", "Hey."))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model_a": ""}, '"model_a" must be the name of a system'),
        ({"model_b": "x"}, "'x' is both model_a and model_b"),
        ({"conversation_b": [user("Hi?"), assistant("Hey.")]}, "message 1 of the user differs between conversation_a"),
        (
            {"conversation_b": [*GOOD["conversation_b"], user("And?"), assistant("!")]},
            "the user has 1 messages in conversation_a and 2",
        ),
        ({"conversation_b": [user("Hello?")]}, '"conversation_b": has no message of the assistant'),
        (
            {"conversation_b": [user("Hello?"), assistant(" ")]},
            '"conversation_b": message 2 (of the assistant) is empty',
        ),
        ({"conversation_b": [user("Hello?"), {"role": "tool", "content": "x"}]}, "role: got 'tool'; allowed: system,"),
        ({"conversation_b": None}, '"conversation_b" must be a list of messages'),
        ({"conversation_a": [assistant("Hi."), user("Hello?")]}, "begins with a message of the assistant"),
    ],
)
def test_battles_that_cannot_be_right_are_refused_by_their_line(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    said = refusal(tmp_path, GOOD, GOOD | change)
    assert "t.jsonl: line 2: " in said
    assert message in said


def test_faults_of_several_lines_are_told_at_once(tmp_path: Path) -> None:
    said = refusal(tmp_path, GOOD, *[GOOD | {"model_b": "x"} for _ in range(8)], {"model_a": "x", "model_b": "y"})
    assert [f"line {n}:" in said for n in range(1, 9)] == [False, True, True, True, True, True, False, False]
    assert said.endswith("… and 4 more lines")


# -- checks ----------------------------------------------------------------------------------------------


def of_check(texts: TestSet, name: str) -> list[tuple[str, str | None, tuple[int, ...], str]]:
    return [(f.severity, f.system, f.lines, f.message) for f in check(texts, only=[name]).findings]


def test_an_arena_of_many_systems_is_told_in_one_note(tmp_path: Path) -> None:
    names = [f"model-{n}" for n in range(20)]
    rows = [
        battle(
            names[n % 20],
            names[(7 * n + 3) % 19 if n % 20 != (7 * n + 3) % 19 else 19],
            (f"What is {n} plus {n}?", f"It is {2 * n}, I think.", f"{n} and {n} make {2 * n}."),
        )
        for n in range(300)
    ]
    texts = read(tmp_path, *rows)
    report = check(texts)
    assert (len(texts), len(texts.systems), report.errors) == (300, 20, ())
    assert [f.message for f in report.findings if f.check == "missing"] == [
        "2 of 20 systems have an output on each segment, as the format has it"
    ]
    assert len(report.findings) <= 5


def test_equal_answers_of_a_battle_leave_nothing_to_judge(tmp_path: Path) -> None:
    rows = [battle("x", "y", (f"Number {n}?", f"It is {n}.", f"It is {n + (n != 3)}.")) for n in range(20)]
    texts = read(tmp_path, *rows, battle("z", "x", ("Else?", "Nothing.", "No.")))
    assert of_check(texts, "identical") == [
        ("note", None, (4,), "all systems give the same output on 1 line; there is nothing to judge")
    ]


def test_missing_answers_of_other_files_are_errors_still(tmp_path: Path) -> None:
    texts = read(tmp_path, ROW, {"prompt": "And?", "answers": {"A": "Well."}})
    assert of_check(texts, "missing") == [("error", "B", (2,), "no output for 1 of 2 segments")]


def test_copies_of_the_prompt_are_found(tmp_path: Path) -> None:
    prompts = [f"Please tell me something about number {n}." for n in range(4)]
    rows = [{"prompt": p, "answers": {"A": p, "B": "No."}} for p in prompts]
    assert ("error", "A", (1, 2, 3, 4), "copies of the prompt on 4 lines") in of_check(
        read(tmp_path, *rows), "identical"
    )


def test_without_a_language_none_is_checked_and_that_is_said(tmp_path: Path) -> None:
    ((severity, _, _, message),) = of_check(read(tmp_path, ROW), "language")
    assert (severity, message.partition(";")[0]) == ("note", "no language is named, so none was checked")


def test_in_one_language_prompts_and_answers_are_expected_in_it(tmp_path: Path) -> None:
    prompts = [
        "Explain in a few words why the sky is blue.",
        "Why do cats sleep so much during the day?",
        "Name three rivers that flow through Germany.",
        "What is a good present for a grandfather?",
    ]
    english = [
        "Because the air scatters blue light more than red light.",
        "They hunt at dawn, and rest for it all day.",
        "The Rhine, the Elbe and the Danube flow through it.",
        "Time: take him for a walk along the river.",
    ]
    german = [
        "Weil die Luft blaues Licht stärker streut als rotes.",
        "Sie jagen in der Dämmerung und ruhen am Tag.",
        "Der Rhein, die Elbe und die Donau fließen hindurch.",
        "Zeit: Geh mit ihm am Fluss spazieren.",
    ]
    code = "```python\nfor x in range(10):\n    print(x, 'aber nicht auf Deutsch, sondern Code')\n```\n\n"
    rows = [{"prompt": p, "answers": {"A": code + e, "B": d}} for p, e, d in zip(prompts, english, german, strict=True)]
    found = of_check(read(tmp_path, *rows, langs="en"), "language")
    assert found == [("error", "B", (), "the whole text looks like de, not en")]


def test_the_example_has_no_faults() -> None:
    (texts,) = read_texts(path=EXAMPLE, langs="en")
    assert (len(texts), texts.systems) == (8, ("heron-2", "magpie", "wren-mini"))
    assert check(texts).findings == ()
