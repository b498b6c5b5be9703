"""The documents say what the code does."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = [
    path
    for path in (*ROOT.glob("*.md"), *ROOT.glob("*/*.md"), *ROOT.glob("*/docs/*.md"))
    if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
]


def test_the_readme_shows_the_sample_bot_as_it_is() -> None:
    bot = (ROOT / "client/examples/minimal_bot.py").read_text("utf-8")
    assert bot in (ROOT / "README.md").read_text("utf-8")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", document.read_text("utf-8"))
    missing = [link for link in links if not (document.parent / link).exists()]
    assert not missing
