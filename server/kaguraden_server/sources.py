"""Where settings come from: a TOML file, variables of the environment over it, flags over those.

The variable of a setting is `KAGURADEN_<SECTION>_<KEY>`, in capitals; lists are separated by commas,
switches are true or false. `KAGURADEN_CONFIG` names the file, unless a flag does. A variable that
begins like those of a section and names no setting is a fault, and so is one that is all but the
name of one; others, such as `KAGURADEN_HOME`, are none of our business.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

import attrs
from attrs import field, frozen
from kaguraden_rules.kernel import Text

from .config import SECTIONS, Config, ConfigError, Layer, described, read_file, read_layers
from .settings import from_text, meant

__all__ = ["FILE", "Settings", "Sources", "variable"]

PREFIX: Final = "KAGURADEN_"
FILE: Final = "KAGURADEN_CONFIG"
# How near to a setting's name a variable is a slip: `SEVER_PORT` is, `SERVICE_PORT`, which Kubernetes
# sets, is not.
SLIP: Final = 0.9


@frozen
class Settings:
    """Settings as they hold. `origins` has where each comes from that was given."""

    config: Config
    origins: Mapping[tuple[str, str], str]


@frozen
class Sources:
    """The places that settings are read from, now and whenever they are read again.

    `file` is the file that was named, `environ` the environment, `flags` are the flags by section;
    None is one that was not given.
    """

    file: Path | None = None
    environ: Mapping[str, str] = field(factory=dict)
    flags: Mapping[str, Mapping[str, object]] = field(factory=dict)

    @property
    def path(self) -> Path | None:
        """Return the file to read, None if there is none."""
        named = self.environ.get(FILE)
        return self.file or (Path(named) if named else None)

    def read(self) -> Settings:
        """Return the settings.

        Raises:
            ConfigError: With every fault of every place.
        """
        unread = tuple(_slips(self.environ))
        layers = [_environment(self.environ), _flags(self.flags)]
        if self.path is not None:
            try:
                layers.insert(0, Layer(read_file(self.path), str(self.path)))
            except ConfigError as error:
                by = "" if self.file else f"{FILE}: "
                unread += tuple(Text(by + text.ja, by + text.en) for text in error.texts)
        try:
            config, origins = read_layers(layers)
        except ConfigError as error:
            raise ConfigError((*unread, *error.texts)) from None
        if unread:
            raise ConfigError(unread)
        return Settings(config, origins)


def variable(section: str, key: str) -> str:
    """Return the name of a setting's variable."""
    return f"{PREFIX}{section}_{key}".upper()


def _environment(environ: Mapping[str, str]) -> Layer:
    tables: dict[str, dict[str, object]] = {}
    names: dict[tuple[str, str], str] = {}
    for name in sorted(environ):
        if not name.startswith(PREFIX) or name != name.upper():
            continue
        section, parted, key = name.removeprefix(PREFIX).lower().partition("_")
        if parted and section in SECTIONS:
            tables.setdefault(section, {})[key] = _value(section, key, environ[name])
            names[section, key] = name
    return Layer(tables, names=names, spell=variable)


def _slips(environ: Mapping[str, str]) -> Iterator[Text]:
    """Yield what is wrong with variables that miss the name of a setting's by a little."""
    names = [variable(section, key) for section, cls in SECTIONS.items() for key in _keys(cls)]
    known = [name.removeprefix(PREFIX) for name in (FILE, *names)]
    for name in sorted(environ):
        rest = name.removeprefix(PREFIX)
        if rest == name or rest in known or rest.lower().partition("_")[0] in SECTIONS:
            continue  # what begins with a section's name is looked at with its settings
        if near := get_close_matches(rest, known, n=1, cutoff=SLIP):
            ja, en = meant(PREFIX + near[0])
            yield Text(f"{name}: そのような設定はありません{ja}", f"{name}: unknown setting{en}")


def _keys(section: type) -> Iterator[str]:
    return iter(attrs.fields_dict(section))


def _flags(flags: Mapping[str, Mapping[str, object]]) -> Layer:
    tables: dict[str, dict[str, Any]] = {}
    names: dict[tuple[str, str], str] = {}
    for section, table in flags.items():
        for key, value in table.items():
            if value is None:
                continue
            read = _value(section, key, value) if isinstance(value, str) else value
            tables.setdefault(section, {})[key] = read
            names[section, key] = described(section, key).flag or f"--{section}-{key}"
    return Layer(tables, names=names)


def _value(section: str, key: str, text: str) -> object:
    known = attrs.fields_dict(SECTIONS[section])
    return from_text(text, known[key].default) if key in known else text
