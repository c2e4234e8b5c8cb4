"""What ``--help`` says: a sentence, examples, a command's own options, then those that it shares with others.

An option knows its section from the group of options that it came with: see `section`. Nothing heavy is imported here,
since ``palmares --help`` needs it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from inspect import cleandoc
from typing import Any, NamedTuple, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

RANKING, OUTPUT, WORK = "Ranking", "Output", "Work"
SELECTING, READING, DATABASE = "Choosing judgments", "Reading input", "Database"
#: The headings of options that several commands share, in the order that help shows them: after a command's own.
SHARED = (RANKING, OUTPUT, WORK, SELECTING, READING, DATABASE)

#: How click writes the range of a number, and how we do.
_RANGES = (
    (re.compile(r"(\S+)<=x<=(\S+)"), r"\1 to \2"),
    (re.compile(r"(\S+)<x<=(\S+)"), r"above \1, at most \2"),
    (re.compile(r"(\S+)<=x<(\S+)"), r"at least \1, below \2"),
    (re.compile(r"(\S+)<x<(\S+)"), r"between \1 and \2"),
    (re.compile(r"x>=(\S+)"), r"at least \1"),
    (re.compile(r"x>(\S+)"), r"above \1"),
    (re.compile(r"x<=(\S+)"), r"at most \1"),
    (re.compile(r"x<(\S+)"), r"below \1"),
)
#: What stands for a hyphen while lines are broken.
_HYPHEN = "\N{NON-BREAKING HYPHEN}"
#: A line of an example that goes on in the next.
_MORE = " \\"
_BRACKETS = re.compile(r"  \[([^\[\]]*)\]$")


def section(title: str, *options: Callable[[F], F]) -> Callable[[F], F]:
    """Several click decorators as one, in the order given; help shows them under this heading.

    Those that have a section already keep it.
    """

    def decorate(function: F) -> F:
        before = len(getattr(function, "__click_params__", ()))
        for option in reversed(options):
            function = option(function)
        for parameter in function.__click_params__[before:]:  # type: ignore[attr-defined]
            vars(parameter).setdefault("section", title)
        return function

    return decorate


def section_of(option: click.Parameter) -> str | None:
    """The heading of an option that came with others; None for a command's own."""
    title: str | None = vars(option).get("section")
    return title


class Explained(click.Command):
    """A command whose help begins with one sentence and examples."""

    def __init__(self, *arguments: Any, examples: Sequence[str] = (), **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.examples = examples

    def get_help(self, ctx: click.Context) -> str:
        return super().get_help(ctx).replace(_HYPHEN, "-")

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sentence, _, details = _whole_words(cleandoc(self.help or "")).partition("\n\n")
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(sentence)
        if self.examples:
            with formatter.section("Examples"):
                room = formatter.width - formatter.current_indent
                for line in (line for example in self.examples for line in _broken(example, room)):
                    formatter.write(f"{'':>{formatter.current_indent}}{line}\n")
        if details:
            with formatter.section("Details"):
                formatter.write_text(details)


class Sectioned(Explained):
    """A command whose own options come first.

    ``leading`` has those that matter most, by heading; all other options of its own follow as further ones.
    """

    def __init__(self, *arguments: Any, leading: Mapping[str, Sequence[str]] | None = None, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.leading = leading or {}

    def headings(self, ctx: click.Context) -> dict[str, list[click.Option]]:
        """The options by the headings that help has them under, in its order."""
        options = {p.name: p for p in self.get_params(ctx) if isinstance(p, click.Option) and not p.hidden}
        help_option = next((options.pop(p.name) for p in [self.get_help_option(ctx)] if p and p.name in options), None)
        titles = {title: [options.pop(name) for name in names] for title, names in self.leading.items()}
        own = "Further options" if titles else "Options"
        titles[own] = [option for option in options.values() if section_of(option) is None]
        for option in options.values():
            if (title := section_of(option)) is not None and title not in SHARED:
                titles.setdefault(title, []).append(option)
        for title in SHARED:
            titles.setdefault(title, []).extend(o for o in options.values() if section_of(o) == title)
        titles = {title: rows for title, rows in titles.items() if rows} or {own: []}
        if help_option is not None:
            titles[list(titles)[-1]].append(help_option)
        return titles

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, options in self.headings(ctx).items():
            with formatter.section(title):
                formatter.write_dl([row for option in options if (row := _row(option, ctx, formatter)) is not None])


class SectionedGroup(Explained, click.Group):
    """A group whose help has its commands in sections, and its options last."""

    def __init__(self, *arguments: Any, sections: Mapping[str, Sequence[str]] | None = None, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.sections = sections

    def summary_of(self, ctx: click.Context, name: str) -> str:
        """What a list of commands says of one of them."""
        command = self.get_command(ctx, name)
        return "" if command is None else command.get_short_help_str(limit=100)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        commands = self.list_commands(ctx)
        sections = {"Commands": commands} if self.sections is None else self.sections
        width = max(map(len, commands), default=0)
        for title, names in sections.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:<{width}}", self.summary_of(ctx, name)) for name in names])
        options = [p for p in self.get_params(ctx) if isinstance(p, click.Option)]
        with formatter.section("Options"):
            formatter.write_dl([row for p in options if (row := _row(p, ctx, formatter)) is not None])


def _broken(example: str, room: int) -> list[str]:
    """The lines of an example, as a shell takes them; a long one is broken before options."""
    if len(example) <= room:
        return [example]
    lines = [""]
    for part in re.split(r" (?=--|>)", example):
        if lines[-1] and len(f"{lines[-1]} {part}{_MORE}") > room:
            lines.append(f"    {part}")
        else:
            lines[-1] += f" {part}" if lines[-1] else part
    return [*(line + _MORE for line in lines[:-1]), lines[-1]]


class Described(NamedTuple):
    """What there is to say of an option: how it is given, what it does, and its default, limits and the like."""

    term: str
    text: str
    facts: tuple[str, ...]


def described(option: click.Option, ctx: click.Context) -> Described | None:
    """What help and the documentation say of an option; nothing of a hidden one."""
    record = option.get_help_record(ctx)
    if record is None:
        return None
    term, text = record
    if option.metavar is None:
        term = term.replace(" RANGE", "").replace("FLOAT", "NUMBER")
    return Described(term, *_without_brackets(text))


def _row(option: click.Option, ctx: click.Context, formatter: click.HelpFormatter) -> tuple[str, str] | None:
    """What help says of an option: how it is given, and what it does."""
    said = described(option, ctx)
    if said is None:
        return None
    term, text, facts = said
    if len(term) > formatter.width - 2 and isinstance(option.type, click.Choice):
        term = f"{', '.join(option.opts)} NAME"
        text = f"{text} Allowed: {', '.join(map(str, option.type.choices))}."
    return term, _whole_words(f"{text}  [{'; '.join(facts)}]" if facts else text)


def _whole_words(text: str) -> str:
    """With hyphens at which no line is broken: names are copied from help."""
    return text.replace("-", _HYPHEN)


def _without_brackets(text: str) -> tuple[str, tuple[str, ...]]:
    """``Workers.  [default: all]  [x>=1]`` as ``Workers.`` and ``default: all``, ``at least 1``."""
    facts: list[str] = []
    while match := _BRACKETS.search(text):
        text, facts = text[: match.start()], [*match[1].split("; "), *facts]
    for pattern, words in _RANGES:
        facts = [pattern.sub(words, each) if pattern.fullmatch(each) else each for each in facts]
    return text, tuple(facts)
