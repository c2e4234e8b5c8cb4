"""Commands: what a page says of one, and of the options that several share."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from functools import cache
from inspect import cleandoc
from typing import NamedTuple, TypeAlias

import click

from palmares.cli import SECTIONS, cli
from palmares.cli.help import SHARED, Described, Explained, Sectioned, SectionedGroup, described

from .text import Remarks, check_known, code, codes, prose

#: Names of pages, without an ending, from the folder of all.
Pages: TypeAlias = Container[str]
#: A command by what people type after ``palmares``.
Path: TypeAlias = tuple[str, ...]

SHARED_PAGE = "/commands/shared-options.md"
#: A longer list of allowed values stands below an option, not beside it.
_LONGEST_TERM = 44
#: Options that so few commands have say which.
_FEW = 4


def context_of(path: Path) -> click.Context:
    """A command as click sees it when it is called."""
    context = click.Context(cli, info_name="palmares")
    for name in path:
        assert isinstance(context.command, click.Group), f"{' '.join(path)}: no group has it"
        command = context.command.get_command(context, name)
        if command is None:
            raise ValueError(f"there is no command palmares {' '.join(path)}")
        context = click.Context(command, parent=context, info_name=name, **command.context_settings)
    return context


def all_commands(path: Path = ()) -> Iterator[Path]:
    """Every command below one, groups too, in the order of help."""
    context = context_of(path)
    if isinstance(context.command, click.Group):
        for name in context.command.list_commands(context):
            yield (*path, name)
            yield from all_commands((*path, name))


def typed(path: Path) -> str:
    return " ".join(("palmares", *path))


def place_of(path: Path, pages: Pages) -> str:
    """Where a command is documented: its own page, or its section on that of its group."""
    for length in range(len(path), 0, -1):
        page = "/".join(("commands", *path[:length]))
        if page in pages:
            anchor = "" if length == len(path) else f"#{'-'.join(('palmares', *path))}"
            return f"/{page}.md{anchor}"
    raise ValueError(f"no page documents {typed(path)}")


# -- one command --------------------------------------------------------------------------------------


def command(argument: str, given: Remarks, pages: Pages) -> str:
    """A command: what it is for, how it is called, examples, its options, and where those are that others share."""
    context = context_of(tuple(argument.split()))
    check_known(given, _names(context), context.command_path)
    summary, _, details = cleandoc(context.command.help or "").partition("\n\n")
    usage = " ".join([context.command_path, *context.command.collect_usage_pieces(context)])
    examples = context.command.examples if isinstance(context.command, Explained) else ()
    parts = [prose(" ".join(summary.split()))]
    parts += [prose(" ".join(part.split())) for part in details.split("\n\n") if part]
    parts += [_console([usage])]
    if examples:
        parts += [_rubric("Examples"), _console(examples)]
    if isinstance(context.command, SectionedGroup):
        parts += [_inner(tuple(argument.split()), context.command, context, pages)]
    if isinstance(context.command, Sectioned):
        parts += _options(context, context.command, given)
    return "\n\n".join(parts)


def _names(context: click.Context) -> list[str]:
    return [name for option in context.command.params if isinstance(option, click.Option) for name in option.opts]


def _options(context: click.Context, command: Sectioned, given: Remarks) -> list[str]:
    parts, shared = [_program(context.command_path)], []
    for title, options in command.headings(context).items():
        shown = [option for option in options if "--help" not in option.opts]
        if title in SHARED:
            shared += [_shared_line(title, shown, context, given)] if shown else []
        elif shown:
            parts += [_rubric(title), *(_option(each, context, given) for each in shown)]
    if shared:
        parts += [_rubric("Options that commands share"), "\n".join(shared)]
    return parts


class Said(NamedTuple):
    """An option as pages show it: how it is given, what it does, and its allowed values, default and the like."""

    term: str
    text: str
    facts: str

    def with_remark(self, remark: str = "") -> str:
        """In one paragraph, unless the page adds several."""
        if "\n\n" in remark:
            return f"{self.text} {self.facts}\n\n{remark}"
        return " ".join(part for part in (self.text, remark, self.facts) if part)


def said_of(option: click.Option, context: click.Context) -> Said:
    said = described(option, context)
    assert said is not None  # hidden ones have no heading
    return Said(_term(option, said), _with_values(option, said.text), _facts(option, said))


def _remark(option: click.Option, given: Remarks) -> str:
    return next((given[name] for name in option.opts if name in given), "")


def _option(option: click.Option, context: click.Context, given: Remarks) -> str:
    """An option, with an anchor of its own."""
    said = said_of(option, context)
    return _entry(said.term, [said.with_remark(_remark(option, given))])


def _entry(term: str, text: Sequence[str]) -> str:
    body = "\n\n".join(part for part in text if part)
    return f"::::{{option}} {term}\n{body}\n::::"


def _program(name: str) -> str:
    """Whose options follow: anchors begin with it."""
    return f"::::{{program}} {name}\n::::"


def _term(option: click.Option, said: Described) -> str:
    """How it is given: ``-o FILE, --output FILE``."""
    if _long(said) and isinstance(option.type, click.Choice):
        return ", ".join(f"{name} NAME" for name in option.opts)
    names, _, value = re.sub(r"\[(.*)\]", r"\1", said.term).replace(" / ", ", ").rpartition(" ")
    if not names or value.startswith("-"):  # a flag
        return said.term.replace(" / ", ", ")
    return ", ".join(f"{name} {value}" for name in names.split(", "))


def _long(said: Described) -> bool:
    return len(said.term) > _LONGEST_TERM


def _facts(option: click.Option, said: Described) -> str:
    """Its allowed values, its default, and the like."""
    allowed = []
    if isinstance(option.type, click.Choice) and _long(said):
        allowed = [f"*Allowed:* {codes([str(value) for value in option.type.choices])}."]
    off = {f"default: {name.lstrip('-')}": f"default: {name}" for name in [*option.opts, *option.secondary_opts]}
    facts = [_fact(off.get(fact, fact) if option.secondary_opts else fact) for fact in said.facts]
    if not any(fact.startswith("default: ") for fact in said.facts) and (default := _silent_default(option)):
        facts.append(_fact(f"default: {default}"))
    return " ".join([*allowed, *facts])


def _silent_default(option: click.Option) -> str:
    """A default that help does not tell; nothing where there is none to speak of."""
    if option.is_flag or option.multiple or not isinstance(option.default, str | int | float):
        return ""
    return str(option.default)


def _with_values(option: click.Option, text: str) -> str:
    """Help, with the values that it explains as code: ``auto: by the file extension``."""
    if isinstance(option.type, click.Choice):
        for value in sorted(map(str, option.type.choices), key=len, reverse=True):
            text = re.sub(rf"(?<![\w`-]){re.escape(value)}(?=:)", code(value), text)
    return prose(text)


def _fact(fact: str) -> str:
    kind, colon, value = fact.partition(": ")
    if fact == "required":
        return "*Must be given.*"
    if kind == "default" and colon:
        return f"*Default:* {prose(value) if ' ' in value else code(value)}."
    if kind == "env var":
        return f"*Environment variable:* {code(value)}."
    return f"*Allowed:* {prose(fact)}."


def _inner(path: Path, group: SectionedGroup, context: click.Context, pages: Pages) -> str:
    """The commands of a group by heading, one line each."""
    sections = group.sections or {"Commands": group.list_commands(context)}
    parts = []
    for title, names in sections.items():
        lines = [_line((*path, name), group.summary_of(context, name), pages) for name in names]
        parts += [_rubric(title), "\n".join(lines)]
    return "\n\n".join(parts)


def _line(path: Path, summary: str, pages: Pages) -> str:
    return f"- [`{typed(path)}`]({place_of(path, pages)}): {prose(summary)}"


def listed(argument: str, given: Remarks, pages: Pages) -> str:
    """All commands by the sections of ``palmares --help``."""
    parts = []
    for title, entries in SECTIONS.items():
        parts += [_rubric(title), "\n".join(_line((name,), entry.summary, pages) for name, entry in entries.items())]
    return "\n\n".join(parts)


def _rubric(title: str) -> str:
    return f"::::{{rubric}} {title}\n::::"


def _console(lines: Sequence[str]) -> str:
    return "\n".join(["```console", *(f"$ {line}" for line in lines), "```"])


# -- options that commands share ----------------------------------------------------------------------


#: The commands that have an option, by how it is given and described there.
Variants: TypeAlias = dict[Said, list[str]]


@cache
def _uses(title: str) -> dict[str, Variants]:
    """Options of a shared heading: by name and by how they are given and described, the commands that have them."""
    found: dict[str, Variants] = {}
    for path in all_commands():
        context = context_of(path)
        if isinstance(context.command, Sectioned):
            for option in context.command.headings(context).get(title, ()):
                if "--help" not in option.opts:
                    variants = found.setdefault(_name(option), {})
                    variants.setdefault(said_of(option, context), []).append(typed(path))
    return found


def _name(option: click.Option) -> str:
    return max(option.opts, key=len)


def _usual(variants: Variants) -> Said:
    """As the first command of ``palmares --help`` has it, which is ``rank`` for most."""
    return next(iter(variants))


def _users(users: Sequence[str], others: Sequence[str]) -> str:
    """Who has an option; those of one group in few words, if none of ``others`` is of it."""
    found: dict[str, list[str]] = {}
    for user in users:
        found.setdefault(" ".join(user.split()[:2]), []).append(user)
    outside = {" ".join(user.split()[:2]) for user in others}
    return ", ".join(
        f"all commands of {code(group)} that have it" if len(names) > 2 and group not in outside else codes(names)
        for group, names in found.items()
    )


def shared_options(argument: str, given: Remarks, pages: Pages) -> str:
    """All options of a heading that commands share, each as most of them have it, and who has it otherwise."""
    uses = _uses(argument)
    if not uses:
        raise ValueError(f"no command has options under {argument!r}; headings: {', '.join(SHARED)}")
    check_known(given, list(uses), argument)
    parts = [_program("palmares")]
    for name, variants in uses.items():
        usual = _usual(variants)
        users = [user for each in variants.values() for user in each]
        text = [usual.with_remark(given.get(name, ""))]
        if len(users) < _FEW:
            text.append(f"Only of {codes(users)}.")
        text += [_otherwise(usual, shown, variants) for shown in variants if shown != usual]
        parts.append(_entry(usual.term, text))
    return "\n\n".join(parts)


def _otherwise(usual: Said, shown: Said, variants: Variants) -> str:
    """How some commands have an option that others have in another way."""
    term = "" if shown.term == usual.term else f"{code(shown.term)}. "
    others = [user for each, users in variants.items() if each != shown for user in users]
    return f"Of {_users(variants[shown], others)}: {term}{shown.with_remark()}"


def _shared_line(title: str, options: Sequence[click.Option], context: click.Context, given: Remarks) -> str:
    """Which options of a shared heading a command has, and below, those that are otherwise here."""
    anchor = title.lower().replace(" ", "-")
    lines = [f"- [{title}]({SHARED_PAGE}#{anchor}): {codes([_name(option) for option in options])}"]
    for option in options:
        shown, usual = said_of(option, context), _usual(_uses(title)[_name(option)])
        remark = _remark(option, given)
        if shown != usual or remark:
            text = shown.with_remark(remark) if shown != usual else remark
            term = shown.term if shown.term != usual.term else _name(option)
            lines.append(f"  - {code(term)}: {' '.join(text.split())}")
    return "\n".join(lines)
