"""The `deck` command of line mode: the cards, a deck by its cards, and deck files."""

from __future__ import annotations

from attrs import evolve

from .deck_files import (
    BadDeckFile,
    decks_dir,
    delete_deck,
    find_deck,
    read_deck,
    saved_decks,
    write_deck,
)
from .decks import Draft, faults, pool, verdict
from .painters import Catalog
from .screens.deck import can_build, deck_line, deck_rules, send_deck
from .text import clean
from .ui import Ui

__all__ = ["deck_help", "deck_problems", "typed_deck"]


def deck_help(ui: Ui) -> list[str]:
    """Return how a deck is chosen, where one can be."""
    return [ui.say("deck.plain.help")] if can_build(ui) else []


def deck_problems(ui: Ui) -> list[str]:
    """Return what the server had against the last deck, a line each, once."""
    problems, ui.decks.problems = ui.decks.problems, ()
    return [ui.say("deck.refused_line", what=problem) for problem in problems]


def typed_deck(ui: Ui, rest: str) -> list[str]:
    """Do what was typed after `deck`, and return the lines that answer it."""
    table = ui.table
    if table is None or table.info is None:
        return [ui.say("deck.none")]
    if table.view:
        return [ui.say("deck.plain.late")]
    if not can_build(ui):
        ui.fetch_catalog(table.info.game)
        known = table.info.game in ui.catalogs
        return [ui.say("deck.none" if known else "deck.waiting")]
    word, _, name = rest.partition(" ")
    name = name.strip()
    match word:
        case "":
            return _cards(ui)
        case "?" | "help":
            return [ui.say("deck.plain.help")]
        case "files":
            names = ui.say("list.comma").join(map(clean, saved_decks()))
            return [names or ui.say("deck.no_files", folder=clean(decks_dir()))]
        case "starter":
            send_deck(ui, table.room, Draft())
        case "load" if name:
            return _load(ui, table.room, table.info.game, name)
        case "save" if name:
            return _save(ui, table.room, table.info.game, name)
        case "delete" if name:
            return _delete(ui, name)
        case "load" | "save" | "delete":
            return [ui.say("deck.plain.help")]
        case _:
            return _send(ui, table.room, Draft(tuple(rest.replace(",", " ").split())))
    return []


def _cards(ui: Ui) -> list[str]:
    table = ui.table
    if table is None or table.info is None:
        return []
    ctx, catalog = ui.context(table), ui.catalogs[table.info.game]
    lines = [
        ui.say("deck.plain.card", id=clean(card), text=" ".join(ui.painter.card_page(card, ctx)))
        for card in pool(catalog)
    ]
    draft = ui.decks.taken.get(table.room, Draft())
    own = " ".join(clean(card) for card in draft.cards)
    return [*lines, deck_line(ui, table.room, "deck.yours.spoken") + (f" {own}" if own else ""), ui.say("deck.plain.help")]  # fmt: skip


def _send(ui: Ui, room: str, draft: Draft) -> list[str]:
    """Send a deck, unless it can be seen here that it is not legal."""
    table = ui.table
    if table is None or table.info is None:
        return []
    catalog = ui.catalogs.get(table.info.game, Catalog())
    ids = {card.casefold(): card for card in pool(catalog)}
    cards = tuple(ids.get(card.casefold(), card) for card in draft.cards)
    ui.decks.latest = evolve(draft, cards=cards)
    found = faults(cards, catalog, deck_rules(ui))
    if found:
        return [verdict(found, ui.context(table))]
    send_deck(ui, room, ui.decks.latest)
    return []


def _load(ui: Ui, room: str, game: str, name: str) -> list[str]:
    try:
        deck = read_deck(find_deck(name), game)
    except BadDeckFile as error:
        return [error.text(ui.lang)]
    return [ui.say("deck.loaded", name=deck.name), *_send(ui, room, Draft(deck.cards, deck.name))]


def _save(ui: Ui, room: str, game: str, name: str) -> list[str]:
    draft = ui.decks.draft(room)
    if not draft.cards:
        return [ui.say("deck.plain.none_chosen")]
    try:
        path = write_deck(name, draft.cards, game)
    except BadDeckFile as error:
        return [error.text(ui.lang)]
    return [ui.say("deck.saved", path=clean(path))]


def _delete(ui: Ui, name: str) -> list[str]:
    try:
        return [ui.say("deck.deleted", name=clean(delete_deck(name)))]
    except BadDeckFile as error:
        return [error.text(ui.lang)]
