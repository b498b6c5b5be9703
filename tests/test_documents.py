"""The documents say what the code does."""

import re
import tomllib
from pathlib import Path

import pytest
from kaguraden_rules.yumeochi.sets import BASE

ROOT = Path(__file__).parent.parent
DOCUMENTS = [
    path
    for path in (*ROOT.glob("*.md"), *ROOT.glob("*/*.md"), *ROOT.glob("*/*/*.md"))
    if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
]


@pytest.mark.parametrize("sample", ["minimal_bot.py", "sdk_bot.py"])
def test_the_readme_shows_the_sample_bots_as_they_are(sample: str) -> None:
    bot = (ROOT / "client/examples" / sample).read_text("utf-8")
    assert bot in (ROOT / "README.md").read_text("utf-8")


def test_the_readme_shows_cards_of_yumeochi_as_they_are() -> None:
    """Without their texts, and without stars where a card has none."""
    after = (ROOT / "README.md").read_text("utf-8").partition("## Card sets of yumeochi")[2]
    shown = tomllib.loads(re.findall(r"```toml\n(.*?)```", after, re.DOTALL)[0])
    assert shown.keys() == {"role", "skill", "time"}
    cards = {card.id: card.plain for card in (*BASE.roles, *BASE.skills, *BASE.times)}
    for (card,) in shown.values():
        whole = cards[card["id"]]
        left_out = {key: value for key, value in whole.items() if key not in card}
        assert card == {key: whole[key] for key in card}
        assert left_out.keys() <= {"text_ja", "text_en", "stars"}
        assert not left_out.get("stars")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", document.read_text("utf-8"))
    missing = [link for link in links if not (document.parent / link).exists()]
    assert not missing
