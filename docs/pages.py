"""The pages of the documentation site: the documents where they stand, and a reference of the schemas.

A hook of mkdocs. Nothing is copied by hand: each document keeps its place in the repository, so its
links to others lead to the same page on the site, and links to files lead to the files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
SCHEMAS = "protocol/schema"
# Documents, and the files that they link to.
SHOWN = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "protocol/*.md",
    "protocol/verify/*",
    "protocol/schema/*.json",
    "protocol/schema/games/*.json",
    "protocol/transcripts/*.jsonl",
    "rules/docs/*.md",
    "rules/kaguraden_rules/**/packs/**/*.toml",
    "client/examples/**/*",
    "deploy/**/*",
)

Schema = Mapping[str, Any]


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the documents, and a page for each schema."""
    for path in sorted({path for shown in SHOWN for path in ROOT.glob(shown)}):
        name = path.relative_to(ROOT)
        if not path.is_file() or "node_modules" in name.parts:
            continue
        files.append(File.generated(config, name.as_posix(), abs_src_path=str(path)))
        if name.is_relative_to(SCHEMAS):
            schema = json.loads(path.read_text("utf-8"))
            if "$defs" in schema:
                text = "\n".join(_page(schema, path.name))
                page = name.with_suffix(".md").as_posix()
                files.append(File.generated(config, page, content=text))
    return files


def _page(schema: Schema, file: str) -> Iterator[str]:
    yield f"# {schema['title']}\n"
    yield f"{schema.get('description', '')} The same for programs: [`{file}`]({file}).\n"
    for name, definition in sorted(schema["$defs"].items()):
        yield f"## {name}\n"
        yield definition.get("description", "") + "\n"
        properties: Mapping[str, Schema] = definition.get("properties", {})
        if not properties:
            yield _kind(definition) + "\n"
            continue
        yield "| field | | type | |\n|---|---|---|---|"
        for field, kind in properties.items():
            needed = "" if field in definition.get("required", ()) else "optional"
            text = kind.get("description", "").replace("\n", " ").replace("|", "\\|")
            yield f"| `{field}` | {needed} | {_kind(kind)} | {text} |"
        yield ""


def _kind(schema: Schema) -> str:
    """Say in a few words what a value is."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "const" in schema:
        return f"`{json.dumps(schema['const'], ensure_ascii=False)}`"
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(value, ensure_ascii=False)}`" for value in schema["enum"])
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " or ".join(dict.fromkeys(map(_kind, schema[several])))
    match schema.get("type"):
        case "array":
            return f"list of {_kind(schema['items'])}" if "items" in schema else "list"
        case "object" if isinstance(schema.get("additionalProperties"), dict):
            return f"object of {_kind(schema['additionalProperties'])}"
        case "integer":
            return "integer" + _bounds(schema)
        case str(simple):
            return simple
        case list(kinds):
            return " or ".join(kinds)
    return "anything"


def _bounds(schema: Schema) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is None or abs(low) > 2**50:
        return "" if high is None or high > 2**50 else f" ≤ {high}"
    return f" ≥ {low}" if high is None or high > 2**50 else f", {low} to {high}"
