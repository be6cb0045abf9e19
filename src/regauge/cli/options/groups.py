"""A group whose commands are made when they are called."""

from __future__ import annotations

import difflib

import click

SAME = {"list": "status"}
"""What other groups call a command that is called otherwise where it is not there."""


class MadeGroup(click.Group):
    """A group that lists more commands than were added to it; of one that does not exist it names those spelt most alike."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the words begin with, suggested from all that are listed."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            known = self.list_commands(ctx)
            same = SAME.get(args[0])
            near = [same] if same in known else difflib.get_close_matches(args[0], known)
            hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
            ctx.fail(f"No such command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)
