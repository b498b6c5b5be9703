"""What the client says about books of enbu: faults, files, codes, the screens of books."""

from __future__ import annotations

from .words import add

__all__: list[str] = []

add(
    {
        # --- what may be wrong with a book, by the rules' codes (EN-97)
        "fault.E-NAME": (
            '名前は1〜16文字。制御文字、" と \\ は使えません',
            'the name: 1 to 16 characters, no control characters, no " and no \\',
        ),
        "fault.E-SIZE": (
            "頁は1〜6で演目の数まで、舞台は1〜6、手札は0〜4",
            "1 to 6 pages and no more than programs, a stage of 1 to 6, a hand of 0 to 4",
        ),
        "fault.E-CARD": ("知らない札: {what}", "unknown cards: {what}"),
        "fault.E-WILD": ("化け札は札の一覧に入れません", "wilds are not listed among the cards"),
        "fault.E-COPIES": ("枚数が多すぎる: {what}", "too many copies: {what}"),
        "fault.E-DECK": (
            "札は2〜80枚、40種まで（いま{n}枚）",
            "a deck has 2 to 80 cards of 40 kinds at most ({n} now)",
        ),
        "fault.E-PROG": ("知らない演目: {what}", "unknown programs: {what}"),
        "fault.E-DUP": ("二度ある演目: {what}", "listed twice: {what}"),
        "fault.E-COUNT": ("演目は1〜24（いま{n}）", "a book has 1 to 24 programs ({n} now)"),
        "fault.E-NEED": (
            "札が足りない: {what}",
            "these cards are needed but not in the book: {what}",
        ),
        "fault.E-REACH": (
            "舞台と手札では札がそろわない: {what}",
            "need more cards than stage and hand can show: {what}",
        ),
        "fault.E-SUPPLY": (
            "混ぜ直しなしでは、全部の演目に札が足りません（f で札をそろえる）",
            "without reshuffles there are too few cards for all programs (f adds them)",
        ),
        "fault.E-GOAL": ("及第点は1〜{total}", "the pass mark is 1 to {total}"),
        "fault.W-UNUSED": ("どの演目にも要らない札: {what}", "needed by no program: {what}"),
        "fault.W-SUPPLY": (
            "全部の演目には札が足りません（及第点には届くかも）",
            "too few cards for all programs (the pass mark may be reached)",
        ),
        "fault.book": (
            "演目帖に誤りがあります（{code}）: {what}",
            "the book has faults ({code}): {what}",
        ),
        "fault.no_book": (
            "その名前の演目帖はこのサーバーにありません",
            "this server has no book of that name",
        ),
        # --- share codes (EN-102)
        "fault.SC-LONG": ("共有コードには長すぎます", "too long for a share code"),
        "fault.SC-PREFIX": (
            "ENBU1- で始まる共有コードではありません",
            "not a share code: it begins with ENBU1-",
        ),
        "fault.SC-VERSION": (
            "この版では読めない、新しい共有コードです",
            "a share code of a newer version",
        ),
        "fault.SC-CHAR": (
            "共有コードに使えない文字があります",
            "a character that no share code has",
        ),
        "fault.SC-PAD": (
            "共有コードが途中で切れているか、最後の文字が違います",
            "the share code is cut short, or its last symbol is wrong",
        ),
        "fault.SC-SUM": (
            "共有コードのどこかが違います。写し直してください",
            "a symbol of the share code is wrong or missing; copy it again",
        ),
        "fault.SC-SHORT": ("壊れた共有コードです", "a broken share code"),
        "fault.SC-TRAIL": ("壊れた共有コードです", "a broken share code"),
        "fault.SC-UNKNOWN": (
            "知らない札か演目のある、新しい共有コードです",
            "a share code with cards or programs that are not known here",
        ),
        "fault.SC-CANON": ("壊れた共有コードです", "a broken share code"),
        # --- files
        "book.file.missing": ("演目帖がありません: {what}", "there is no book {what}"),
        "book.file.unreadable": ("{path} を読めません: {why}", "{path} cannot be read: {why}"),
        "book.file.big": ("{path} は大きすぎます", "{path} is too big for a book"),
        "book.file.toml": ("{path} は演目帖ではありません: {why}", "{path} is no book: {why}"),
        "book.file.field": (
            "{path}: {field} がないか、正しくありません",
            "{path}: {field} is missing or wrong",
        ),
        "book.file.unwritable": ("{path} に書けません: {why}", "{path} cannot be written: {why}"),
        "book.file.name": ("ファイルの名前になりません: {what}", "no file can be called {what}"),
        # --- the screen of books
        "books.title": ("演目帖", "books"),
        "books.house": (
            "この会場の演目帖（頁/舞台/手札）",
            "the books of this server (pages/stage/hand)",
        ),
        "books.lobby": (
            "e で演舞（一人で遊ぶカードゲーム）の演目帖を選ぶ。",
            "e chooses a book of enbu, to be played alone.",
        ),
        "books.no_game": ("このサーバーに演舞はありません。", "This server does not offer enbu."),
        "books.own": ("自分の演目帖（{folder}）", "books of your own ({folder})"),
        "books.none": (
            "まだありません。n で作る、i で共有コードから。",
            "None yet: n makes one, i takes a share code.",
        ),
        "books.waiting": ("演目帖を待っています…", "waiting for the books…"),
        "books.today": ("今日の演目帖で競う", "the book of the day"),
        "books.figures": (
            "頁{pages} 舞台{stage} 手札{hand} 札{cards} 演目{programs}",
            "pages {pages}, stage {stage}, hand {hand}, {cards} cards, {programs} programs",
        ),
        "books.brief": (
            "{pages}/{stage}/{hand}  札{cards} 演目{programs}",
            "{pages}/{stage}/{hand}  {cards} cards {programs} programs",
        ),
        "books.extra.drop": ("演目を捨てる", "drop"),
        "books.extra.reshuffle": ("混ぜ直し", "reshuffle"),
        "books.extra.wild": ("化け札", "wilds"),
        "books.extras": ("追加の決まり: {what}", "extra rules: {what}"),
        "books.goal.all": ("目標: 全部の演目（{total}点）", "goal: all programs ({total} points)"),
        "books.goal.pass": ("目標: {n}点（満点{total}）", "goal: {n} of {total} points"),
        "books.cards": ("札", "cards"),
        "books.first": ("先に並ぶ演目", "programs that come first"),
        "books.rest": ("あとの演目（順は毎回変わる）", "the other programs (shuffled)"),
        "books.code": ("共有コード", "share code"),
        "books.no_code": ("直すまで共有コードはありません", "no share code until it is mended"),
        "books.level": ("難しさ", "difficulty"),
        "books.level.unknown": ("難しさは未測定", "difficulty not measured"),
        "books.ask.code": ("共有コード（ENBU1-…）", "a share code (ENBU1-…)"),
        "books.ask.name": ("演目帖の名前", "the book's name"),
        "books.ask.delete": (
            "「{name}」を消しますか？ Enter で消す、Esc でやめる",
            "Delete {name}? Enter deletes it, Esc does not.",
        ),
        "books.deleted": ("「{name}」を消しました", "{name} is deleted"),
        "books.saved": ("保存しました: {path}", "saved: {path}"),
        "books.not_saved": (
            "直す所があります。まだ遊べません: {why}",
            "saved, but not playable yet: {why}",
        ),
        "books.copy": ("{name} 改", "{name} 2"),
        "books.new_name": ("わたしの演目帖", "My book"),
        "books.asking_today": ("今日の演目帖を聞いています…", "asking for the book of the day…"),
        # --- the editor
        "bookedit.title": ("演目帖を作る", "making a book"),
        "bookedit.name": ("名前", "name"),
        "bookedit.pages": ("開く頁", "open pages"),
        "bookedit.stage": ("舞台の場所", "slots of the stage"),
        "bookedit.hand": ("手札", "hand"),
        "bookedit.drop": ("演目を捨てられる", "programs can be dropped"),
        "bookedit.reshuffle": ("捨て札を混ぜ直す", "the discard is reshuffled"),
        "bookedit.wild": ("化け狸と九尾狐", "the two wilds"),
        "bookedit.goal": ("目標", "goal"),
        "bookedit.goal.all": ("全部の演目", "all programs"),
        "bookedit.goal.pass": ("及第点 {n}", "pass mark {n}"),
        "bookedit.cards": ("札（枚数）", "cards (copies)"),
        "bookedit.programs": ("演目", "programs"),
        "bookedit.use.no": ("–", "–"),
        "bookedit.use.rest": ("入れる", "in it"),
        "bookedit.use.first": ("先頭{n}", "first {n}"),
        "bookedit.good": ("このまま遊べます", "this can be played"),
        "bookedit.leave": (
            "保存していません。Enter で捨てる、Esc で続ける",
            "Not saved. Enter throws the changes away, Esc goes on.",
        ),
        # --- the daily
        "daily.title": ("今日の演目帖", "the book of the day"),
        "daily.waiting": ("今日の演目帖を待っています…", "waiting for the book of the day…"),
        "daily.head": ("{date}（日本時間）  {book}", "{date} (date in Japan)  {book}"),
        "daily.first": (
            "今日はみな同じ並びの札で競います。順位に入るのは、その日に始めた一回目だけ。二回目からは練習です。",
            "Today everybody gets the same cards in the same order. Only the first attempt that you start counts; later ones are practice.",
        ),
        "daily.fair": (
            "今日の札の並びは全員同じで、開始前のハッシュ値のとおりです。",
            "Today's deal is everybody's, as the server promised it before the start.",
        ),
        "daily.none": ("まだ誰も終えていません。", "Nobody has finished yet."),
        "daily.closed": ("締め切りました", "closed"),
        "daily.refused": ("今日の順位はありません: {why}", "no standings: {why}"),
        "daily.line": (
            "{rank:>2}. {name} {total:>3}点  捨てた{dropped}  {n}手",
            "{rank:>2}. {name} {total:>3} points  {dropped} dropped  {n} turns",
        ),
        "daily.line.1": (
            "{rank:>2}. {name} {total:>3}点  捨てた{dropped}  {n}手",
            "{rank:>2}. {name} {total:>3} points  {dropped} dropped  {n} turn",
        ),
        # --- keys
        "key.rehearse": ("一人で演舞", "rehearse alone"),
        "key.play": ("遊ぶ", "play"),
        "key.view": ("見る", "view"),
        "key.make": ("作る", "new"),
        "key.edit": ("直す", "edit"),
        "key.import": ("コードから", "from a code"),
        "key.table": ("卓を作る", "race on it"),
        "key.fill": ("札をそろえる", "add the cards"),
        "key.daily": ("順位", "standings"),
        # --- line mode
        "book.plain.help": (
            "演目帖: book で一覧、book play 名前, book show 名前, book code 名前, "
            "book save コード, book delete 名前, daily, daily play（名前の代わりにコードでも）",
            "Books of enbu: book lists them; book play NAME, book show NAME, book code NAME, "
            "book save CODE, book delete NAME, daily, daily play (a code does for a name)",
        ),
        "book.plain.line": ("{id}: {name}  {figures} {stars}", "{id}: {name}, {figures} {stars}"),
        "book.plain.again": (
            "{warning} 同じ言葉をもう一度入れると、そうします。",
            "{warning} Type the same again to do it.",
        ),
        "book.plain.no_cards": (
            "サーバーから札の一覧が届きません。",
            "The server has not told which cards there are.",
        ),
    }
)
