"""Lines out of step, files of another text, and outputs of wild lengths."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from random import Random

import numpy as np
import pytest
from parallel import ENGLISH, ENGLISH_TOO, GERMAN, clean, found, texts_of, with_line

from palmares.texts import Finding, TestSet
from palmares.texts.checks.evidence import Evidence
from palmares.texts.checks.misaligned import STEP_PRICE, best_course, fits


def moved(texts: Sequence[str], first: int, by: int) -> tuple[str, ...]:
    """From line ``first`` on, ``by`` lines are lost (or, where it is negative, said twice); as many lines as before."""
    at = first - 1
    if by > 0:
        return (*texts[:at], *texts[at + by :], *texts[-by:])
    return (*texts[:at], *texts[at + by : at], *texts[at : len(texts) + by])


def misaligned(texts: TestSet) -> list[Finding]:
    return found(texts, "misaligned")


def starts_near(finding: Finding, first: int, last: int, within: int = 2) -> bool:
    """A line that fits nowhere may be counted either way, so that the ends are only nearly right."""
    return abs(finding.lines[0] - first) <= within and abs(finding.lines[-1] - last) <= within


# -- out of step -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("first", "by"), [*product([5, 12, 20], [1, 2, -1, -3])])
def test_a_system_out_of_step(first: int, by: int) -> None:
    (finding,) = misaligned(clean(B=moved(ENGLISH_TOO, first, by)))
    assert (finding.severity, finding.system) == ("error", "B")
    assert starts_near(finding, first, 30, within=abs(by) + 1)
    count = f"{abs(by)} line{'s' if abs(by) > 1 else ''}"
    fits, cause = ("down", "missing") if by > 0 else ("up", "too many")
    assert f"they fit better {count} further {fits}" in finding.message
    assert f"{count} {cause} before them?" in finding.message


def test_the_sentence_that_tells_it() -> None:
    (finding,) = misaligned(clean(B=moved(ENGLISH_TOO, 10, 1)))
    assert finding.message == (
        f"{len(finding.lines)} lines out of step with the other texts: they fit better 1 line further down; "
        "is 1 line missing before them?"
    )


def test_references_out_of_step() -> None:
    (finding,) = misaligned(texts_of({"A": ENGLISH, "B": ENGLISH_TOO}, reference=moved(ENGLISH, 12, 1)))
    assert (finding.severity, finding.system) == ("error", None)
    assert finding.message.startswith("references: ")
    assert starts_near(finding, 12, 30)


def test_sources_out_of_step() -> None:
    source, one, other = longer()
    (finding,) = misaligned(texts_of({"A": one, "B": other}, source=moved(source, 12, 1)))
    assert (finding.severity, finding.system) == ("error", None)
    assert finding.message.startswith("sources: ")
    assert starts_near(finding, 12, 60)


def test_one_system_beside_the_source_alone() -> None:
    (finding,) = misaligned(texts_of({"A": moved(ENGLISH, 10, 1)}))
    assert (finding.severity, finding.system) == ("error", "A")
    assert starts_near(finding, 10, 30)


def test_a_few_lines_in_the_wrong_order() -> None:
    """Line 21 went to the place of line 15: the six after it are one line late."""
    order = [*range(14), *range(15, 21), 14, *range(21, 30)]
    (finding,) = misaligned(clean(A=[ENGLISH[n] for n in order]))
    assert finding.system == "A"
    assert starts_near(finding, 15, 20)


def test_two_systems_out_of_step_are_told_apart_from_a_good_one() -> None:
    texts = texts_of({"A": moved(ENGLISH, 8, 1), "B": moved(ENGLISH_TOO, 20, -1), "C": ENGLISH}, reference=ENGLISH_TOO)
    assert {(f.system, f.severity) for f in misaligned(texts)} == {("A", "error"), ("B", "error")}


# -- another text ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_a_system_in_another_order(seed: int) -> None:
    shuffled = list(ENGLISH)
    Random(seed).shuffle(shuffled)
    (finding,) = misaligned(clean(A=shuffled))
    assert (finding.severity, finding.system, finding.lines) == ("error", "A", ())
    assert finding.message == "fits the other texts no better than chance; does the file belong to another test set?"


def test_a_system_that_always_says_the_same() -> None:
    (finding,) = misaligned(texts_of({"A": ["Yes."] * 30, "B": ENGLISH_TOO, "C": ENGLISH}))
    assert (finding.severity, finding.system, finding.lines) == ("error", "A", ())


def longer() -> tuple[list[str], list[str], list[str]]:
    """Sixty lines: the report, and once more with other numbers and names in it."""
    names = [f"Nr. {1000 + 7 * number} {chr(65 + number % 26)}{chr(97 + number * 5 % 26)}rolt" for number in range(60)]
    return tuple([f"{text} ({name})" for text, name in zip(texts * 2, names, strict=True)]
                 for texts in (GERMAN, ENGLISH, ENGLISH_TOO))  # type: ignore[return-value]  # fmt: skip


def test_sources_of_another_text() -> None:
    source, one, other = longer()
    assert misaligned(texts_of({"A": one, "B": other}, source=source)) == []
    Random(1).shuffle(source)
    (finding,) = misaligned(texts_of({"A": one, "B": other}, source=source))
    assert (finding.severity, finding.system, finding.lines) == ("warning", None, ())
    assert finding.message.startswith("sources: fit the other texts no better than chance")


def test_one_system_of_another_text_is_a_warning() -> None:
    source, output, _ = longer()
    assert misaligned(texts_of({"A": output}, source=source)) == []
    Random(1).shuffle(output)
    (finding,) = misaligned(texts_of({"A": output}, source=source))
    assert (finding.severity, finding.system, finding.lines) == ("warning", "A", ())


# -- good texts --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("first", "count"), [(0, 6), (0, 10), (10, 8), (5, 20), (0, 30)])
def test_good_texts_of_any_length_are_quiet(first: int, count: int) -> None:
    part = slice(first, first + count)
    texts = texts_of({"A": ENGLISH[part], "B": ENGLISH_TOO[part]}, source=GERMAN[part])
    assert misaligned(texts) == []


def test_too_few_lines_for_any_claim() -> None:
    assert misaligned(texts_of({"A": ENGLISH[4::-1], "B": ENGLISH_TOO[:5]}, source=GERMAN[:5])) == []


def test_repeated_lines_are_no_fault() -> None:
    def repeated(texts: Sequence[str]) -> list[str]:
        return [texts[number // 3] for number in range(30)]

    assert misaligned(texts_of({"A": repeated(ENGLISH), "B": repeated(ENGLISH_TOO)}, source=repeated(GERMAN))) == []


def test_empty_and_short_outputs_are_no_fault_of_alignment() -> None:
    outputs = ["" if number % 4 == 0 else text for number, text in enumerate(ENGLISH)]
    assert misaligned(clean(A=outputs)) == []
    assert misaligned(texts_of({"A": [""] * 30, "B": ENGLISH}, source=GERMAN)) != []
    assert misaligned(texts_of({"A": [str(n % 7) for n in range(30)]}, source=["x"] * 30)) == []


def test_a_lax_system_is_not_out_of_step() -> None:
    """Half of its words are lost, and line by line it still fits."""
    outputs = [" ".join(text.split()[::2]) for text in ENGLISH]
    assert misaligned(clean(A=outputs)) == []


def test_lines_beyond_the_ends_gain_nothing() -> None:
    """What a shift would compare with lines that are not there speaks neither for it nor against staying."""
    rows = fits(Evidence.of(clean(A=with_line(ENGLISH, 30, "far too long " * 99))), 1, set())
    shifts = sorted(range(-5, 6), key=abs)
    for row, shift in enumerate(shifts):
        beyond = range(30 - shift, 30) if shift > 0 else range(-shift)
        assert all(rows[row, line] <= rows[0, line] for line in beyond)
    assert rows[0, 29] < np.median(rows[1:])


@pytest.mark.parametrize("seed", range(20))
def test_the_best_course_is_the_best_of_all(seed: int) -> None:
    """Against every course there is, for four lines and three shifts."""
    rows = np.random.default_rng(seed).normal(size=(3, 4))

    def value(course: Sequence[int]) -> float:
        changes = sum(a != b for a, b in zip([0, *course], course, strict=False))
        return float(sum(rows[state, line] for line, state in enumerate(course)) - STEP_PRICE * changes)

    every = max(product(range(3), repeat=4), key=value)
    assert value(best_course(rows).tolist()) == pytest.approx(value(every))


# -- lengths -----------------------------------------------------------------------------------------


def test_an_output_cut_short_and_one_that_goes_on() -> None:
    outputs = with_line(with_line(ENGLISH, 4, "A."), 25, ENGLISH[24] + " and" * 80)
    assert [(f.severity, f.system, f.lines) for f in found(clean(A=outputs), "length")] == [
        ("warning", "A", (4,)), ("warning", "A", (25,)),
    ]  # fmt: skip
    shorter, longer = found(clean(A=outputs), "length")
    # With ten added, 12 characters where 76 and 77 stand in the other texts, and 417 where 89 and 87 do.
    assert shorter.message.startswith("far shorter than the other texts of the segment, by a factor of up to 6.")
    assert longer.message.startswith("far longer than the other texts of the segment, by a factor of up to 4.")


def test_lengths_beside_the_source_alone() -> None:
    texts = texts_of({"A": with_line(ENGLISH, 4, "A.")})
    assert [finding.lines for finding in found(texts, "length")] == [(4,)]


@pytest.mark.parametrize("factor", [2, 3])
def test_a_system_of_many_words_is_no_fault(factor: int) -> None:
    assert found(clean(A=[" ".join([text] * factor) for text in ENGLISH]), "length") == []


def test_empty_and_very_short_texts_have_no_length_to_speak_of() -> None:
    assert found(clean(A=with_line(ENGLISH, 4, "")), "length") == []
    texts = texts_of({"A": ["Yes.", "No", "Oh"] * 10, "B": ["Y", "Nope.", "!"] * 10}, source=["Ja", "Nein", "Ach"] * 10)
    assert found(texts, "length") == []


def test_lengths_where_nothing_is_written() -> None:
    assert found(clean(A=[""] * 30, B=[""] * 30), "length") == []
