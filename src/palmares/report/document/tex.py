"""What every LaTeX table of a report is made of: texts that print as they are, floats that fit, notes of what it needs.

Tables need booktabs and graphicx, which every style of a conference can load.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..tables import escape_latex, one_line

#: Letters beyond ASCII that pdfLaTeX sets by itself (encoding T1), and the signs that `escape_latex` writes in math.
_WESTERN = frozenset(map(chr, (*range(0xA0, 0x180),))) - frozenset("ĦħĸĿŀŉŦŧſ")
_SIGNS = frozenset("“”‘’‚„–—…•€™⋆†‡−±×→≤≥Δ◦≈αβκρστ")
#: Neighbours of which TeX would make one sign: a dash of two hyphens, a quotation mark of two apostrophes.
_JOINED = re.compile(r"(?<=-)(?=-)|(?<=')(?=')|(?<=`)(?=`)|(?<=,)(?=,)|(?<=[!?])(?=`)")
#: Fonts of scripts whose fonts are not called Noto Sans and the script's name, the first that a machine has.
_FONTS = {
    "Han": ("Noto Sans CJK SC", "Microsoft YaHei", "PingFang SC"),
    "Hiragana": ("Noto Sans CJK JP", "Yu Gothic", "Hiragino Sans"),
    "Katakana": ("Noto Sans CJK JP", "Yu Gothic", "Hiragino Sans"),
    "Hangul": ("Noto Sans CJK KR", "Malgun Gothic", "Apple SD Gothic Neo"),
    **dict.fromkeys(("Latin", "Greek", "Cyrillic"), ("Noto Sans", "DejaVu Sans", "Arial")),
    "Arabic": ("Noto Sans Arabic", "DejaVu Sans", "Arial"),
    "Hebrew": ("Noto Sans Hebrew", "DejaVu Sans", "Arial"),
    "Armenian": ("Noto Sans Armenian", "DejaVu Sans"),
    "Georgian": ("Noto Sans Georgian", "DejaVu Sans"),
    "Other": ("DejaVu Sans", "Noto Sans Symbols"),
}
#: Scripts that are what the first word of a letter's name says.
_NAMED = frozenset(
    {
        "Hiragana", "Katakana", "Hangul", "Latin", "Greek", "Cyrillic", "Arabic", "Hebrew", "Devanagari", "Bengali",
        "Gujarati", "Gurmukhi", "Kannada", "Malayalam", "Oriya", "Tamil", "Telugu", "Sinhala", "Thai", "Lao", "Khmer",
        "Myanmar", "Tibetan", "Georgian", "Armenian", "Ethiopic",
    }
)  # fmt: skip
#: The command around letters that need a font of their own; `\providecommand` lets a document choose another.
_COMMAND = r"\providecommand{\otherscript}[2]{#2}"
#: Scripts whose letters take other shapes beside each other, and those that are written from the right.
_SHAPED = ("Arabic", "Hebrew", "Devanagari", "Bengali", "Thai")
_FROM_THE_RIGHT = ("Arabic", "Hebrew")
#: The command as a document defines it that has fonts: a script without one is said in the text.
_OTHER_SCRIPT = (
    r"\newcommand{\otherscript}[2]{{\ifcsname font@#1\endcsname\csname font@#1\endcsname",
    r"\ifcsname right@#1\endcsname\from@right{#2}\else #2\fi\else",
    r"\PackageWarning{report}{no font for #1 on this machine}\textit{[no font for #1]}\fi}}",
    r"\newcommand{\from@right}[1]{\leavevmode\ifLuaTeX{\textdir TRT #1}\else\beginR #1\endR\fi}",
)
#: As wide as it is, or as the text if it is wider.
_FIT = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"


def tex(text: str) -> str:
    """Text that LaTeX prints as it is; runs of other scripts stand in ``\\otherscript{Han}{…}``."""
    found = ""
    for script, run in _runs(unicodedata.normalize("NFC", one_line(text))):
        escaped = run if script == "Greek" else "{}".join(escape_latex(part) for part in _JOINED.split(run))
        if script in _FROM_THE_RIGHT:
            # Signs between words: fonts of such scripts need not have them.
            escaped = "".join(rf"{{\rmfamily {part}}}" if part.isascii() and part != " " else part
                              for part in re.split(r"([!-~]+)", escaped))  # fmt: skip
        found += rf"\otherscript{{{script}}}{{{escaped}}}" if script else escaped
    return found


def scripts(text: str) -> list[str]:
    """The scripts in a text that pdfLaTeX does not set by itself."""
    return sorted({script for script, _ in _runs(unicodedata.normalize("NFC", text)) if script})


def _runs(text: str) -> list[tuple[str, str]]:
    """Text in pieces of one script each; that of what needs nothing is empty."""
    runs: list[tuple[str, str]] = []
    for place, sign in enumerate(text):
        script = "Greek" if _in_greek_word(text, place) else _script(sign)
        if runs and (runs[-1][0] == script or (runs[-1][0] and unicodedata.combining(sign))):
            runs[-1] = (runs[-1][0], runs[-1][1] + sign)
        elif len(runs) > 1 and _between(runs[-1], script) and runs[-2][0] == script:
            # Words of a script that is written from the right belong together: so does the order of the words.
            runs[-2:] = [(script, f"{runs[-2][1]}{runs[-1][1]}{sign}")]
        else:
            runs.append((script, sign))
    return runs


def _between(run: tuple[str, str], script: str) -> bool:
    """Whether a piece of text is what stands between two words: a space or, from the right, signs without letters."""
    signs = set(" -_./+:") if script in _FROM_THE_RIGHT else {" "}
    return run[0] == "" and (run[1] == " " or set(run[1]) <= signs)


def _in_greek_word(text: str, place: int) -> bool:
    """Whether a letter is Greek, with another one beside it: alone, κ or ρ is a sign."""
    beside = text[max(place - 1, 0) : place + 2]
    return _is_greek(text[place]) and sum(map(_is_greek, beside)) > 1


def _is_greek(sign: str) -> bool:
    return sign > "\x7f" and unicodedata.name(sign, "").startswith("GREEK ")


def _script(sign: str) -> str:
    if sign.isascii() or sign in _WESTERN or sign in _SIGNS:
        return ""
    word = unicodedata.name(sign, "").replace("-", " ").partition(" ")[0]
    if word == "CJK":
        return "Han"
    return word.title() if word.title() in _NAMED else "Other"


def breakable(text: str, longest: int = 24) -> str:
    """A long name that may be broken after the signs between its parts, and anywhere if it has none."""
    if len(text) <= longest or set(scripts(text)) & set(_FROM_THE_RIGHT):
        return tex(text)  # words from the right have one order, and stay together
    parts: list[str] = []
    for part in re.split(r"(?<=[-_./:+@ ])", text):
        parts += [part[start : start + longest] for start in range(0, len(part), longest)]
    return r"\allowbreak{}".join(tex(part) for part in parts)


def boxed(text: str, width: str) -> str:
    """Prose in a cell: lines of this width, ragged on the right."""
    return rf"\parbox[t]{{{width}}}{{\raggedright {text}\strut}}"


@dataclass(frozen=True)
class Grid:
    """Rows of cells, already as LaTeX; ``rules`` are the rows above which a line is, ``gaps`` those with a space."""

    spec: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    rules: frozenset[int] = frozenset()
    gaps: frozenset[int] = frozenset()
    #: Above these rows the line is heavy: what follows sums up.
    sums: frozenset[int] = frozenset()

    def __str__(self) -> str:
        lines = [rf"\begin{{tabular}}{{{self.spec}}}", r"\toprule", _row(self.head), r"\midrule"]
        for number, row in enumerate(self.rows):
            if number in self.sums:
                lines.append(r"\midrule[\heavyrulewidth]")
            elif number in self.rules:
                lines.append(r"\midrule")
            elif number in self.gaps:
                lines.append(r"\addlinespace")
            lines.append(_row(row))
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])

    def part(self, start: int, stop: int) -> Grid:
        """Some of the rows, under the same head."""

        def moved(numbers: frozenset[int]) -> frozenset[int]:
            return frozenset(number - start for number in numbers if start < number < stop)

        return Grid(self.spec, self.head, self.rows[start:stop], moved(self.rules), moved(self.gaps), moved(self.sums))


def _row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


@dataclass(frozen=True)
class Float:
    """A ``table`` with caption and label; what it says besides stands in comments around it.

    Attributes
    ----------
    caption
        As LaTeX.
    wide
        Whether it spans both columns of a paper that has two.
    below
        Printed under the table, as LaTeX: what a reader has to know.
    comments
        For whoever edits the file.
    """

    body: str
    caption: str
    label: str
    wide: bool = False
    size: str = r"\small"
    gap: str = "4pt"
    fitted: bool = True
    below: Sequence[str] = field(default=())
    comments: Sequence[str] = field(default=())

    def __str__(self) -> str:
        name = "table*" if self.wide else "table"
        under = [rf"\par\smallskip\parbox{{\linewidth}}{{\footnotesize\raggedright {line}}}" for line in self.below]
        lines = [
            rf"\begin{{{name}}}[!htbp]",
            r"\centering",
            rf"{self.size}\setlength{{\tabcolsep}}{{{self.gap}}}",
            *([_FIT, f"{self.body}}}"] if self.fitted else [self.body]),
            *under,
            rf"\caption{{{self.caption}}}",
            rf"\label{{tab:{self.label}}}",
            rf"\end{{{name}}}",
        ]
        return "\n".join([*lines, *(f"% {one_line(line)}" for line in self.comments if line)]) + "\n"


def piece(what: str, floats: Sequence[Float]) -> str:
    """A file with one table, or one that goes on over several."""
    body = "\n".join(map(str, floats))
    lines = [f"% {one_line(what)}", r"% Needs: \usepackage{booktabs,graphicx}"]
    if used := scripts(body):
        lines += [
            f"% Letters of: {', '.join(used)}. pdfLaTeX has none for them: use XeLaTeX or LuaLaTeX with fontspec, and "
            r"redefine \otherscript",
            r"% so that its second argument is set in a font for the script that its first one names (all.tex does).",
            _COMMAND,
        ]
    return "\n".join(lines) + "\n" + body


def label(key: str, name: str, number: int) -> str:
    """A label that every engine takes: the key of a language pair if it is plain, else its number."""
    return f"{key if key.isascii() else f'pair-{number}'}-{name}"


def split(grid: Grid, most: int) -> list[Grid]:
    """A grid in parts that a page has room for, of about the same length."""
    count = -(-len(grid.rows) // most) or 1
    size = -(-len(grid.rows) // count) or 1
    return [grid.part(start, min(start + size, len(grid.rows))) for start in range(0, max(len(grid.rows), 1), size)]


def numbered(caption: str, number: int, count: int) -> str:
    """``… (part 2 of 3)`` where a table goes on over several."""
    return f"{caption} (Part {number} of {count}.)" if count > 1 else caption


def fonts(used: Iterable[str]) -> list[str]:
    """Lines that give a document a font for each script, or say in its text that this machine has none."""
    lines = [r"\makeatletter", r"\ifXeTeX\TeXXeTstate=1 \fi", r"\tracinglostchars=3"]
    for script in used:
        chosen = ""
        for family in reversed(_FONTS.get(script, (f"Noto Sans {script}",))):
            option = f"[Script={script}]" if script in _SHAPED else ""
            found = rf"\expandafter\newfontfamily\csname font@{script}\endcsname{option}{{{family}}}"
            chosen = rf"\IfFontExistsTF{{{family}}}{{{found}}}{{{chosen}}}"
        lines.append(chosen)
        if script in _FROM_THE_RIGHT:
            lines.append(rf"\expandafter\let\csname right@{script}\endcsname\relax")
    return [*lines, *_OTHER_SCRIPT, r"\makeatother"]
