"""The words of deck building, in Japanese and in English."""

from __future__ import annotations

from .words import add

__all__: list[str] = []

add(
    {
        "key.deck": ("デッキ", "deck"),
        "key.more": ("増減", "fewer, more"),
        "key.one_more": ("選ぶ", "choose"),
        "key.send_deck": ("これで遊ぶ", "play this"),
        "key.save": ("保存", "save"),
        "key.load": ("読込", "load"),
        "key.starter": ("標準デッキ", "the starter"),
        "key.delete": ("削除", "delete"),
        "key.clear": ("空にする", "clear"),
        "deck.title": ("デッキ作り", "your deck"),
        "deck.none": ("このゲームにデッキはありません。", "This game has no decks to build."),
        "deck.waiting": ("カードを読み込んでいます…", "waiting for the cards…"),
        "deck.count_of": ("{n}/{size}枚", "{n} of {size} cards"),
        "deck.count": ("{n}枚", "{n} cards"),
        "deck.count.1": ("1枚", "1 card"),
        "deck.legal": ("使えるデッキです。Enter で決定。", "This deck can be played: Enter takes it."),
        "deck.kind.character": ("キャラクター", "characters"),
        "deck.kind.event": ("イベント", "events"),
        "deck.one.character": ("キャラクター", "character"),
        "deck.one.event": ("イベント", "event"),
        "deck.fault.few": ("あと{n}枚必要です", "{n} more cards are needed"),
        "deck.fault.few.1": ("あと1枚必要です", "1 more card is needed"),
        "deck.fault.many": ("{n}枚多すぎます", "there are {n} cards too many"),
        "deck.fault.many.1": ("1枚多すぎます", "there is 1 card too many"),
        "deck.fault.copies": (
            "{card}が{n}枚あります（この卓では{most}枚まで）",
            "{n} copies of {card}; this table allows {most}",
        ),
        "deck.fault.needs": ("{kind}が1枚以上必要です", "at least one {kind} is needed"),
        "deck.fault.kind": (
            "{card}はこの卓では使えません（{kind}なし）",
            "{card} cannot be played at this table: no {kind}",
        ),
        "deck.fault.unknown": (
            "{card}はこのサーバーのカードにありません",
            "{card} is no card of this server",
        ),
        "deck.full": ("もう{size}枚あります", "there are {size} cards already"),
        "deck.most": ("{card}は{n}枚までです", "no more than {n} of {card}"),
        "deck.most.1": ("{card}は1枚までです", "no more than one {card}"),
        "deck.not_yet": ("まだ使えません: {why}", "not yet: {why}"),
        "deck.sent": ("送っています…", "sending…"),
        "deck.taken": ("デッキを決めました（{what}）", "your deck is chosen ({what})"),
        "deck.taken_starter": ("標準デッキで遊びます", "you play the starter deck"),
        "deck.refused": ("サーバーが受け付けません:", "The server does not take it:"),
        "deck.refused_line": ("サーバー: {what}", "server: {what}"),
        "notice.deck_dropped": (
            "設定が変わり、あなたのデッキは使えなくなりました。標準デッキに戻ります。",
            "Under the new options your deck cannot be played: it is the starter again.",
        ),
        "deck.yours": ("あなたのデッキ: {what}（d で変更）", "your deck: {what} (d changes it)"),
        "deck.yours.spoken": ("あなたのデッキ: {what}", "your deck: {what}"),
        "deck.starter": ("標準", "the starter"),
        "deck.own": ("自作", "your own"),
        "deck.name": ("デッキの名前", "the deck's name"),
        "deck.saved": ("保存しました: {path}", "saved as {path}"),
        "deck.replace": (
            "「{name}」はもうあります。もう一度 Enter で上書きします。",
            "There is a deck “{name}” already: Enter again replaces it.",
        ),
        "deck.loaded": ("「{name}」を読み込みました", "“{name}” is loaded"),
        "deck.delete": (
            "「{name}」を削除しますか？ 元に戻せません。 Enter はい   Esc いいえ",
            "Delete “{name}”? This cannot be undone. Enter yes   Esc no",
        ),
        "deck.deleted": ("「{name}」を削除しました", "“{name}” is deleted"),
        "deck.empty": ("保存する札がまだありません", "there are no cards to save yet"),
        "deck.files": ("保存したデッキ", "your saved decks"),
        "deck.no_files": (
            "保存したデッキはまだありません（{folder}）。",
            "No deck is saved yet (in {folder}).",
        ),
        # --- files
        "deck.file.missing": ("デッキ「{what}」がありません", "there is no deck “{what}”"),
        "deck.file.missing_have": (
            "デッキ「{what}」がありません。あるのは: {names}",
            "there is no deck “{what}”; there are: {names}",
        ),
        "deck.file.unreadable": ("{path} を読めません: {why}", "{path} cannot be read: {why}"),
        "deck.file.unwritable": ("{path} に書けません: {why}", "{path} cannot be written: {why}"),
        "deck.file.undeletable": (
            "{path} を削除できません: {why}",
            "{path} cannot be deleted: {why}",
        ),
        "deck.file.big": ("{path} は大きすぎます", "{path} is too big for a deck"),
        "deck.file.text": (
            "{path} はUTF-8のテキストではありません",
            "{path} is not text in UTF-8",
        ),
        "deck.file.toml": ("{path} はTOMLとして読めません: {why}", "{path} is no TOML: {why}"),
        "deck.file.no_cards": (
            "{path} に cards = [\"…\", …] がありません",
            "{path} has no cards = [\"…\", …]",
        ),
        "deck.file.card": (
            "{path}: cards の{n}番目はカードの名前（例 \"cc001\"）でありません",
            "{path}: entry {n} of cards is not a card's id such as \"cc001\"",
        ),
        "deck.file.cards": (
            "{path}: カードは1〜{most}枚です（いま{n}枚）",
            "{path}: a deck has 1 to {most} cards, this one {n}",
        ),
        "deck.file.field": (
            "{path}: {field} はテキスト（\"…\"）で書いてください",
            "{path}: {field} must be text in quotes",
        ),
        "deck.file.game": (
            "{path} は「{game}」のデッキで、「{wanted}」のものではありません",
            "{path} is a deck for {game}, not for {wanted}",
        ),
        "deck.file.name": (
            "「{what}」はデッキの名前になりません",
            "“{what}” cannot be the name of a deck",
        ),
        # --- line mode
        "deck.plain.help": (
            "deck カード一覧と今のデッキ、deck ID ID … この札で遊ぶ、deck starter 標準、deck load 名前、"
            "deck save 名前（今のデッキを保存）、deck files 保存したもの、deck delete 名前（保存したものを削除）",
            "deck lists the cards and your deck, deck ID ID … plays these, deck starter the starter, "
            "deck load NAME a saved one, deck save NAME saves the one you chose, deck files names them, "
            "deck delete NAME deletes a saved one",
        ),
        "deck.plain.card": ("{id}: {text}", "{id}: {text}"),
        "deck.plain.none_chosen": (
            "保存するデッキがありません。まず deck ID ID … で選んでください。",
            "There is no deck to save: choose one first with deck ID ID …",
        ),
        "deck.plain.late": ("もう始まっています。", "The game has begun already."),
    }
)  # fmt: skip
