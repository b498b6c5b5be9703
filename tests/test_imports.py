"""The arrows between the packages: who may import whom, and nobody else."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ALLOWED = {
    "rules": set[str](),
    "protocol": set[str](),
    "server": {"rules", "protocol"},
    "client": {"protocol"},
}
# The kernel of the house keeps to these: no clock, no I/O, no chance of its own.
IMPURE = {
    "asyncio",
    "datetime",
    "logging",
    "random",
    "secrets",
    "socket",
    "threading",
    "time",
    "trio",
}


def imports(package: str) -> Iterator[tuple[Path, str]]:
    """Yield each file of a package with each module it imports, wherever in the file."""
    for path in (ROOT / package / f"kaguraden_{package}").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                for name in node.names:
                    yield path, name.name
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                yield path, node.module or ""


@pytest.mark.parametrize("package", ALLOWED)
def test_a_package_imports_only_the_packages_it_may(package: str) -> None:
    may = {f"kaguraden_{name}" for name in ALLOWED[package] | {package}}
    edges = [
        f"{path.relative_to(ROOT)} imports {module}"
        for path, module in imports(package)
        if module.startswith("kaguraden_") and module.split(".")[0] not in may
    ]
    assert not edges


@pytest.mark.parametrize("package", ["rules", "protocol"])
def test_pure_packages_import_no_clock_and_no_io(package: str) -> None:
    edges = [
        f"{path.relative_to(ROOT)} imports {module}"
        for path, module in imports(package)
        if module.split(".")[0] in IMPURE
    ]
    assert not edges


def test_only_the_terminal_package_imports_prompt_toolkit() -> None:
    edges = [
        str(path.relative_to(ROOT))
        for package in ALLOWED
        for path, module in imports(package)
        if module.split(".")[0] == "prompt_toolkit" and "terminal" not in path.parts
    ]
    assert not edges


def test_what_is_imported_is_declared() -> None:
    declared = {"attrs": "attr", "attr": "attr"} | {
        name: name
        for name in (
            "cattrs",
            "click",
            "cryptography",
            "ifaddr",
            "platformdirs",
            "prometheus_client",
            "prompt_toolkit",
            "segno",
            "trio",
            "wcwidth",
            "websockets",
            "zeroconf",
        )
    }
    ours = {f"kaguraden_{name}" for name in ALLOWED}
    unknown = (
        {module.split(".")[0] for package in ALLOWED for _, module in imports(package)}
        - set(declared)
        - ours
        - set(sys.stdlib_module_names)
    )
    assert not unknown
