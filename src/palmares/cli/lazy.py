"""Groups of commands that are imported when they are called."""

from __future__ import annotations

from typing import Any

import click

from ..registry import Registry


class LazyGroup(click.Group):
    """A group that knows its commands by name and loads only the one that is called."""

    def __init__(self, *args: Any, registry: Registry, **options: Any) -> None:
        super().__init__(*args, **options)
        self.registry = registry

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.registry)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.registry:
            return None
        command: click.Command = self.registry.load(cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in self.registry.items()])
