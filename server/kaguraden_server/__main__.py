"""The command line: `kaguraden` and `python -m kaguraden_server`.

Commands come from the entry points of group `kaguraden.commands` and are loaded only when they are
run or described, so that each starts fast and other distributions can add their own.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points, version

import click

__all__ = ["main"]

GROUP = "kaguraden.commands"
ORDER = ("play", "join", "serve", "bot", "cards")  # as newcomers need them; others follow by name


class _Commands(click.Group):
    """A group whose commands are entry points."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, the most wanted first."""
        del ctx
        known = {name: i for i, name in enumerate(ORDER)}
        return sorted(_points(), key=lambda name: (known.get(name, len(known)), name))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, or None if there is none of this name."""
        point = _points().get(cmd_name)
        if point is None:
            return None
        try:
            command = point.load()
        except (ImportError, AttributeError) as error:
            return _broken(cmd_name, error, ctx)
        return command if isinstance(command, click.Command) else None


def _points() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def _broken(name: str, error: Exception, ctx: click.Context) -> click.Command:
    """Return a command that says that it is not installed as it should be."""
    text = f"the command {name} cannot be loaded: {error}"

    @click.command(name, help=text, context_settings={"ignore_unknown_options": True})
    @click.argument("args", nargs=-1)
    def command(args: tuple[str, ...]) -> None:
        raise click.ClickException(text)

    del ctx
    return command


@click.command(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    help=(
        "神楽殿 Kaguraden: card games of song and dance, at one table or over the network.\n\n"
        "To play against bots in this terminal: kaguraden play\n\n"
        "To host for friends in the same network: kaguraden serve --lan"
    ),
)
@click.version_option(version("kaguraden"), prog_name="kaguraden")
def main() -> None:
    """Run a command."""


if __name__ == "__main__":
    main(prog_name="kaguraden")
