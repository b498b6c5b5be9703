"""Everything the client says, in Japanese and in English.

A text is found by a key and filled in by name: `say(Lang.EN, "wait.for", who="Bea")`. Modules with
many words of their own (a painter, the pages of help) add theirs with `add`. Each pair has the same
names to fill in, which a test checks for all of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from kaguraden_protocol.text import for_terminal

from ..languages import Lang
from ..reading import Json, as_str, dicts_in

__all__ = ["Lang", "add", "all_words", "has", "name_problem", "say"]


_words: dict[str, tuple[str, str]] = {}


def add(words: Mapping[str, tuple[str, str]]) -> None:
    """Add texts: by key, the Japanese one and the English one.

    Raises:
        ValueError: A key is there already.
    """
    twice = sorted(_words.keys() & words.keys())
    if twice:
        raise ValueError(f"said twice: {', '.join(twice)}")
    _words.update(words)


def has(key: str) -> bool:
    """Whether there is such a text."""
    return key in _words


def all_words() -> Mapping[str, tuple[str, str]]:
    """Return all texts by key."""
    return dict(_words)


def say(lang: Lang, key: str, **values: object) -> str:
    """Return the text of a key, filled in.

    Where `n` is 1 and there is a text of the key with `.1` behind it, that is the one.

    Raises:
        KeyError: There is no such text.
    """
    if str(values.get("n")) == "1" and f"{key}.1" in _words:
        key = f"{key}.1"
    text = _words[key][0 if lang is Lang.JA else 1]
    return text.format(**values) if values else text


# What may be wrong with a name, as the protocol's check says it.
_NAME_PROBLEMS: Final = {
    "empty": "空です",
    "a control character": "制御文字があります",
    "a format character": "書式用の文字があります",
    "an unassigned character": "割り当てのない文字があります",
    "a private-use character": "外字があります",
    "half of a surrogate pair": "半端な文字があります",
    "a line separator": "改行があります",
    "a paragraph separator": "改行があります",
    "a character that shows nothing": "見えない文字があります",
    "a space at the start": "空白で始まっています",
    "a space at the end": "空白で終わっています",
    "two spaces together": "空白が続いています",
    "a mark without a letter": "結合文字だけがあります",
    "not in composed form (NFC)": "合成された形（NFC）ではありません",
}
_NAME_TOO_WIDE: Final = re.compile(r"wider than (\d+) cells")
_NAME_MARKS: Final = re.compile(r"more than (\d+) marks on a letter")


def name_problem(lang: Lang, details: Mapping[str, Json]) -> str:
    """Return what is wrong with a name, from the details of `bad_name`; "" if they do not say."""
    told = next((as_str(p.get("problem")) for p in dicts_in(details.get("problems"))), "")
    if not told:
        return ""
    text = for_terminal(told)
    if lang is Lang.JA:
        if found := _NAME_TOO_WIDE.fullmatch(told):
            text = f"長すぎます（半角{found[1]}字、全角{int(found[1]) // 2}字まで）"
        elif found := _NAME_MARKS.fullmatch(told):
            text = f"1文字に結合文字が{found[1]}個より多くあります"
        else:
            text = _NAME_PROBLEMS.get(told, text)
    elif found := _NAME_TOO_WIDE.fullmatch(told):
        text = f"it is too long ({found[1]} letters at most)"
    return text


add(
    {
        # --- why one is no longer in a room, and codes that this client says in its own words
        "code.bad_password": ("合言葉が違います", "the password is wrong"),
        "code.away": ("長く離席していました", "you were away for too long"),
        "code.closed": ("サーバーの主催者が閉じました", "who runs the server closed it"),
        "code.empty": ("誰もいなくなりました", "nobody was left"),
        "code.failed": ("サーバーの不具合", "the server failed"),
        "code.gone": ("サーバーに残っていません", "the server no longer has it"),
        "code.idle": ("長く始まりませんでした", "it was not started for a long time"),
        "code.kicked": ("主催により退席", "the host removed you"),
        "code.lost": ("接続が切れました", "the line broke"),
        "code.not_member": ("この卓にいません", "you are not at this table"),
        "code.over": ("対局が終わりました", "the game was over"),
        "code.room_not_found": ("その卓はありません", "there is no such table"),
        # --- small things
        "app.name": ("神楽殿", "Kaguraden"),
        "list.comma": ("、", ", "),
        "seat.numbered": ("席{n}", "seat {n}"),
        "seat.empty": ("空席", "free"),
        "you": ("あなた", "you"),
        "spectator": ("観戦", "watching"),
        "away": ("切断中", "offline"),
        "bot": ("ボット", "bot"),
        "host": ("主催", "host"),
        "ready": ("準備完了", "ready"),
        "not_ready": ("準備中", "not ready"),
        "turn": ("手番", "turn"),
        "asked": ("回答中", "asked"),
        "none": ("なし", "none"),
        "yes": ("はい", "yes"),
        "no": ("いいえ", "no"),
        "in_brackets": ("（{what}）", " ({what})"),
        "more": ("ほか{n}", "{n} more"),
        # --- connection
        "net.connecting": ("接続中…", "connecting…"),
        "net.your_move": ("● 回答待ち", "● your move"),
        "net.open": ("接続", "online"),
        "net.open_plain": ("暗号なし", "no TLS"),
        "net.plain": ("この接続は暗号化されていません。", "This connection is not encrypted."),
        "net.lost": ("切断・再接続中", "offline, reconnecting"),
        "net.catching_up": ("同期中…", "catching up…"),
        "net.stopped": ("接続終了: {why}", "the connection is over: {why}"),
        "net.lost_request": (
            "接続が切れたため、操作が届いたかわかりません: {what}",
            "the line broke before the answer came, so nobody knows whether this was done: {what}",
        ),
        "net.held": ("あなたの入力待ち", "waiting for you"),
        "net.offline": (
            "接続が切れています。戻るまで待ってください。",
            "The connection is lost: wait until it is back.",
        ),
        "net.again": ("接続が戻りました", "the connection is back"),
        # --- what the table waits for
        "wait.for": ("{who}を待っています", "waiting for {who}"),
        "wait.nobody": ("待っています", "waiting"),
        "over": ("終局", "the game is over"),
        "rank.line": ("{rank}位  {name}  {score}", "{rank}.  {name}  {score}"),
        "rank.points": ("{score}点", "{score} points"),
        "paused": ("時計停止中", "clocks stopped"),
        "clock.with_bank": ("{time} ＋持ち時間{bank}", "{time} +{bank} spare"),
        "clock.bank": ("持ち時間{bank}", "spare time {bank}"),
        "rank.you": ("  ← あなた", "  ← you"),
        # --- the menu
        "menu.default": ("時間切れ: {what}", "at 0:00: {what}"),
        "menu.chance": ("{what}（おまかせ）", "{what} (chosen for you)"),
        "menu.sealed": ("伏せて答える（誰にも見えません）", "sealed: nobody sees your answer"),
        "menu.offline": (
            "接続が切れています。選んだ答えは、戻ったら送ります。",
            "The connection is lost. What you choose is sent when it is back.",
        ),
        "menu.queued": (
            "まだ送っていません: {what}（接続が戻ったら送ります）",
            "not sent yet: {what} (goes out when the connection is back)",
        ),
        "menu.sent": ("送信: {what}", "sent: {what}"),
        "menu.closed": (
            "選んでいる間に終わりました。{why}",
            "That is over: it closed while you were choosing. {why}",
        ),
        "menu.swapped": (
            "質問が変わったので、キーを受けませんでした",
            "The question had just changed, so that key was not taken",
        ),
        "menu.enter_or_esc": ("Enter で決定、Esc で戻る", "Enter to confirm, Esc to go back"),
        "menu.confirm": ("{what} — よろしいですか？", "{what} — are you sure?"),
        "menu.range": ("{min} から {max} までの数です", "a number from {min} to {max}, please"),
        "menu.tick_range": (
            "{min}〜{n}枚を選んでください（いま{have}枚）",
            "tick {min} to {n} of them, please ({have} ticked)",
        ),
        "menu.tick_exact": (
            "{n}枚を選んでください（いま{have}枚）",
            "tick {n} of them, please ({have} ticked)",
        ),
        "menu.number": ("{what}: 数（{min}〜{max}）", "{what}: a number ({min}–{max})"),
        "menu.cards": (
            "{what}: {min}〜{n}枚（いま{have}枚）",
            "{what}: {min}–{n} cards ({have} ticked)",
        ),
        "menu.cards_exact": ("{what}: {n}枚（いま{have}枚）", "{what}: {n} cards ({have} ticked)"),
        "menu.cards_exact.1": ("{what}: {n}枚（いま{have}枚）", "{what}: 1 card ({have} ticked)"),
        "menu.order": (
            "{what}: 順に選ぶ（{have}/{max}）",
            "{what}: choose in order ({have} of {max})",
        ),
        "menu.page": ("{page}/{pages}頁 PgDn", "page {page}/{pages}: PgDn"),
        "menu.none": ("いま選ぶことはありません", "nothing to decide now"),
        "menu.refused.stale": (
            "間に合いませんでした。{why}",
            "Too late: that was no longer open. {why}",
        ),
        "menu.refused": ("受け付けられません: {why}", "not accepted: {why}"),
        # --- keys, for the bottom line
        "key.choose": ("選ぶ", "choose"),
        "key.ok": ("決定", "ok"),
        "key.back": ("戻る", "back"),
        "key.tick": ("印", "tick"),
        "key.move": ("移動", "move"),
        "key.change": ("変更", "change"),
        "key.explain": ("説明", "explain"),
        "key.chat": ("発言", "chat"),
        "key.rules": ("遊び方", "rules"),
        "key.language": ("English", "日本語"),
        "key.log": ("記録", "log"),
        "key.seats": ("席", "seats"),
        "key.hide": ("隠す", "hide"),
        "key.show": ("見せる", "show"),
        "key.auto": ("自動", "auto"),
        "key.leave": ("退出", "leave"),
        "key.quit": ("終了", "quit"),
        "key.close": ("閉じる", "close"),
        "key.search": ("検索", "search"),
        "key.next": ("次", "next"),
        "key.section": ("章", "section"),
        "key.book": ("ルールブック", "rulebook"),
        "key.short": ("要点と記号", "in short, signs"),
        "key.scroll": ("送る", "scroll"),
        "key.send": ("送信", "send"),
        "key.stay": ("続ける", "stay"),
        "key.new": ("新しい卓", "new table"),
        "key.quick": ("ボットと遊ぶ", "play bots"),
        "key.code": ("コード", "code"),
        "key.servers": ("サーバー一覧", "servers"),
        "key.watch": ("観戦", "watch"),
        "key.ready": ("準備", "ready"),
        "key.start": ("開始", "start"),
        "key.bot": ("ボットを入れる", "add a bot"),
        "key.kick": ("退席させる", "remove"),
        "key.host": ("主催を譲る", "make host"),
        "key.options": ("設定", "options"),
        "key.rematch": ("もう一度", "rematch"),
        "key.again": ("もう一度", "again"),
        "key.lobby": ("ロビーへ", "to the lobby"),
        "key.pause": ("時計を止める", "stop clocks"),
        "key.unpause": ("時計を動かす", "run clocks"),
        "pause.asked": ("時計の停止を希望", "wants the clocks stopped"),
        "key.to_end": ("末尾へ", "to the end"),
        "key.enter_room": ("入る", "join"),
        # --- the lobby
        "lobby.title": ("ロビー", "lobby"),
        "lobby.rooms": ("開いている卓", "open tables"),
        "lobby.mine": ("あなたの卓", "your tables"),
        "lobby.no_rooms": ("いま開いている卓はありません。", "No table is open at the moment."),
        "lobby.first": (
            "n で卓を作る、b でボット{n}人とすぐ始める、c でコードを入れる、s でほかのサーバーへ。",
            "n makes a table, b starts a game against {n} bots at once, c enters a code, s goes to other servers.",
        ),
        "lobby.room": ("{free}席空き", "{free} free"),
        "lobby.full": ("満席", "full"),
        "lobby.playing": ("対局中", "playing"),
        "lobby.over": ("終局", "over"),
        "lobby.locked": ("鍵", "locked"),
        "lobby.code": ("卓のコード（例 KAGU-7Q2F）", "the table's code (such as KAGU-7Q2F)"),
        "lobby.code_watch": ("観戦する卓のコード", "the code of the table to watch"),
        "lobby.password": ("この卓の合言葉", "the table's password"),
        "lobby.hall_password": ("このサーバーの合言葉", "the server's password"),
        "lobby.your_name": ("あなたの名前", "your name"),
        "lobby.bad_name": ("その名前は使えません: {why}", "that name cannot be used: {why}"),
        # --- a room before the game
        "room.waiting": ("開始前", "before the start"),
        "room.code": ("コード {code}", "code {code}"),
        "room.title": ("卓の名前: {title}", "title: {title}"),
        "room.locked": ("合言葉が必要", "needs a password"),
        "room.invite": ("ほかの人が入るには:", "others join with:"),
        "room.invite_here": ("このコンピューターから入るには:", "to join on this computer:"),
        "room.invite_elsewhere": (
            "ほかのコンピューターからは、このアドレスの代わりに、サーバーの端末に出ているアドレスで。",
            "Others need, in place of this address, one that the server's terminal shows.",
        ),
        "room.free_seat": ("空席あり: F4 b でボットを入れる", "a seat is free: F4 b puts a bot in"),
        "room.away_seat": (
            "切断中の席あり: F4 b でボットを入れる",
            "a seat is offline: F4 b puts a bot in",
        ),
        "room.watch_started": (
            "対局はもう始まっているので、観戦します。",
            "The game has begun already, so you are watching.",
        ),
        "people.left": ("{who}が卓を離れました。", "{who} is no longer at the table."),
        "people.sits": ("{who}が席{n}に着きました。", "{who} takes seat {n}."),
        "people.away": ("{who}の接続が切れました。", "{who} has lost the connection."),
        "people.back": ("{who}が戻りました。", "{who} is back."),
        "room.options": ("標準と違う設定", "options that differ from the standard"),
        "room.options_standard": ("設定はすべて標準です。", "All options are standard."),
        "room.all_ready": (
            "全員準備完了。s で開始します。",
            "Everybody is ready: s starts the game.",
        ),
        "room.wait_ready": ("準備を待っています: {who}", "not ready yet: {who}"),
        "room.wait_seats": (
            "空席があります。b でボットを入れられます。",
            "There are free seats: b puts a bot in.",
        ),
        "room.wait_host": ("主催が開始するのを待っています。", "Waiting for the host to start."),
        "room.wait_people": (
            "ほかの人が席に着くのを待っています。",
            "Waiting for others to sit down.",
        ),
        "room.you_ready": ("r で準備完了にします。", "r says that you are ready."),
        "room.spectators": ("観戦 {n}人", "{n} watching"),
        "room.left": ("卓を離れました（{why}）", "you are no longer at the table ({why})"),
        # --- the form
        "form.new": ("新しい卓", "a new table"),
        "form.options": ("卓の設定", "the table's options"),
        "form.game": ("ゲーム", "game"),
        "form.title": ("卓の名前", "title"),
        "form.seats": ("席の数", "seats"),
        "form.bots": ("ボットの数", "bots"),
        "form.level": ("ボットの強さ", "bots' level"),
        "form.password": ("合言葉", "password"),
        "form.listed": ("一覧に載せる", "listed"),
        "form.create": ("[ 作る ]", "[ create ]"),
        "form.apply": ("[ 決定 ]", "[ apply ]"),
        "form.clamped": (
            "{name}は{low}から{high}までなので、{value}にしました。",
            "{name} goes from {low} to {high}, so it is {value} now.",
        ),
        "time.unit": ("秒", "seconds"),
        "time.seconds": ("{n}秒", "{n} s"),
        "time.minutes": ("{n}分", "{n} min"),
        "form.standard": ("標準 {value}", "standard {value}"),
        "level.greedy": ("欲張り", "greedy"),
        "level.heuristic": ("策士", "heuristic"),
        "level.random": ("気まぐれ", "random"),
        "level.search": ("読み手", "search"),
        "level.deduce": ("推理役", "deduce"),
        # --- the clock options, which every game has: names, and what they change
        "opt.turn_ms": ("手番の時間", "time for a turn"),
        "opt.choice_ms": ("途中の選択の時間", "time for a choice"),
        "opt.window_ms": ("応答の時間", "time for an answer"),
        "opt.auction_ms": ("競りの時間", "time for a bid"),
        "opt.bank_ms": ("各席の持ち時間", "spare time a seat"),
        "opt.window_min_ms": ("応答の最短時間", "least time to answer"),
        "opthelp.game": ("遊ぶゲーム。← → で選びます。", "What to play; ← and → choose."),
        "opthelp.title": (
            "一覧で見える名前。なくてもかまいません。",
            "What the list of tables calls it; may be left out.",
        ),
        "opthelp.seats": (
            "何人で遊ぶか。ボットも数えます。",
            "How many play, bots included.",
        ),
        "opthelp.bots": (
            "すぐに席に着くボットの数。あとから b でも入れられます。",
            "How many bots sit down at once; b adds more later.",
        ),
        "opthelp.level": (
            "気まぐれは適当に、欲張りは点を狙い、策士は先を考えます。読み手は演舞で先を試します。",
            "Random does anything, greedy goes for points, heuristic plans; search tries ahead in enbu.",
        ),
        "opthelp.listed": (
            "ロビーの一覧に出すか。出さなければ、コードを知る人だけが入れます。",
            "Whether the lobby lists it; if not, only who knows its code can join.",
        ),
        "opthelp.password": (
            "決めると、入る人はこの合言葉が要ります。",
            "If there is one, whoever joins must know it.",
        ),
        "opthelp.choice_ms": (
            "支払いや順番など、途中の選択に考える時間。",
            "How long a seat may think about a choice on the way, such as a payment.",
        ),
        "opthelp.window_ms": (
            "K・J・A への応答に考える時間。",
            "How long there is to answer a K, a J or an A.",
        ),
        "opthelp.auction_ms": (
            "競りで、最後の声から締め切りまでの時間。",
            "How long an auction stays open after the last bid.",
        ),
        "opthelp.bank_ms": (
            "手番の時間を使い切った後に減る、対局全体での余分の時間。",
            "Spare time for the whole game; it runs when the time for a turn is used up.",
        ),
        "opthelp.turn_ms": (
            "1手番に考える時間。使い切ると持ち時間から減ります。",
            "How long a seat may think about its turn; after that its spare time runs.",
        ),
        "opthelp.window_min_ms": (
            "答えが早く揃っても、この時間は待ちます。早さで手札が読まれないように。",
            "Windows last at least this long even when all have answered, so that speed tells nothing.",
        ),
        # --- overlays
        "log.title": ("記録", "log"),
        "log.empty": ("まだ何も起きていません。", "Nothing has happened yet."),
        "log.search": ("検索", "search"),
        "log.found": ("{n}件", "{n} found"),
        "seats.kick": (
            "{who}を退席させますか？ Enter はい   Esc いいえ",
            "Remove {who} from the table? Enter yes   Esc no",
        ),
        "seats.host": (
            "{who}に主催を譲りますか？ 自分では取り戻せません。 Enter はい   Esc いいえ",
            "Make {who} the host? You cannot take that back. Enter yes   Esc no",
        ),
        "seats.title": ("席", "seats"),
        "auto.title": ("自動回答", "standing answers"),
        "auto.text": (
            "次の問いに、毎回聞くか、いつも見送るかを決めておけます。",
            "For each of these questions: be asked every time, or always pass.",
        ),
        "auto.none": ("このゲームに自動回答はありません。", "This game has no standing answers."),
        "auto.ask": ("聞く", "ask me"),
        "auto.pass": ("見送る", "pass"),
        "explain.title": ("説明", "explanation"),
        "explain.nothing": (
            "ここに説明するものはありません。",
            "There is nothing to explain here.",
        ),
        "rules.title": ("遊び方", "how to play"),
        "rules.cards": ("カード一覧", "the cards"),
        "rules.unknown": (
            "このゲームの解説はこの版にはありません。選べる手は番号で示されます。",
            "This version has no page about this game; the moves you may make are listed by number.",
        ),
        "chat.prompt": ("発言", "say"),
        "chat.earlier": ("（以前）{line}", "(earlier) {line}"),
        "chat.line": ("{name}「{text}」", "{name}: {text}"),
        "leave.title": ("退出", "leaving"),
        "leave.quit": ("終了しますか？", "Quit?"),
        "leave.quit_kept": (
            "終了しますか？ サーバーが動いている間は、もう一度起動すれば席に戻れます。",
            "Quit? While the server runs, start again to come back to your seat.",
        ),
        "leave.quit_embedded": (
            "終了しますか？ このサーバーも止まり、対局は終わります。",
            "Quit? The server runs inside this program, so the game ends with it.",
        ),
        "leave.keys": (
            "Enter 終了   l 卓を離れてロビーへ（席を手放す）   Esc 続ける",
            "Enter quit   l leave the table for the lobby (gives up the seat)   Esc stay",
        ),
        "leave.keys_lobby": ("Enter 終了   Esc 続ける", "Enter quit   Esc stay"),
        "shade.on": ("手札を隠しています（F9 で戻す）", "your cards are hidden (F9 shows them)"),
        "shade.menu": (
            "選択肢も隠しています。答えるには F9 で見せてください。",
            "What you may do is hidden too: F9 shows it, and then you can answer.",
        ),
        "shade.sent": ("答えました。", "You have answered."),
        "shade.card": ("伏せ", "hidden"),
        "hand": ("手札", "your hand"),
        "notice": ("お知らせ: {text}", "notice: {text}"),
        "notice.host_changed": ("主催は{name}になりました", "{name} is the host now"),
        "notice.pause": (
            "時計を止めたい人: {wants}/{needs}",
            "{wants} of {needs} want the clocks stopped",
        ),
        "notice.paused": ("時計が止まりました", "the clocks are stopped"),
        "notice.unpaused": ("時計が動き出しました", "the clocks run again"),
        "notice.announcement": ("サーバーから: {text}", "From the server: {text}"),
        "notice.draining": (
            "サーバーがまもなく止まります。また動けば自動で戻ります。",
            "The server is about to stop. You are brought back once it runs again.",
        ),
        "code.bad_options": ("卓の設定が合いません", "the table's options do not fit"),
        "code.unsupported": ("このサーバーにはありません", "this server does not have that"),
        "code.not_ready": ("まだ準備ができていません", "not everything is ready yet"),
        "code.seat_taken": ("その席はふさがっています", "that seat is taken"),
        "code.not_host": ("主催だけができます", "only the host can do this"),
        "not_ready.empty": ("空席: {seats}", "empty seats: {seats}"),
        "not_ready.unready": ("準備中の席: {seats}", "seats not ready: {seats}"),
        "there_are.games": ("あるゲーム: {names}", "games: {names}"),
        "there_are.levels": ("あるボットの強さ: {names}", "levels of bots: {names}"),
        "problem.unknown": ("{name} という設定はありません", "there is no option {name}"),
        "problem.range": ("{name}: {low}〜{high}", "{name}: {low} to {high}"),
        "problem.one_of": ("{name}: {values} のどれか", "{name}: one of {values}"),
        "failed": ("できませんでした: {why}", "that did not work: {why}"),
        "garbled": (
            "サーバーの送信が読めませんでした: {why}",
            "the server sent something unreadable: {why}",
        ),
        "rematch.waiting": ("次の卓 {room} へ移りました", "now at the new table {room}"),
        "fair.ok": (
            "公平な配り方の検証: シードは開始前のハッシュ値のまま、あなたの乱数入りです。",
            "A fair deal: the server kept to its seed, and your random number is in it.",
        ),
        "fair.bad": (
            "警告: サーバーのシードのハッシュ値が変わっています。公平な配り方ではありません。",
            "WARNING: the server changed its seed, or left your random number out. This deal is not fair.",
        ),
        "fair.seed_ok": (
            "公開されたシードは開始前のハッシュ値と一致しました（公平な配り方でした）。",
            "Fair deal: the seed shown now is the one that was fixed before the game.",
        ),
        "fair.seed_bad": (
            "警告: 公開されたシードが開始前のハッシュ値と一致しません（公平な配り方ではありません）。",
            "WARNING: the seed shown now is not the one that was fixed before the game.",
        ),
        # --- line mode
        "plain.welcome": (
            "神楽殿です。番号を打って Enter を押すと選べます。? で使い方を表示します。",
            "This is Kaguraden. Type a number and Enter to choose; ? lists what you can type.",
        ),
        "plain.help": (
            "打てるもの: 番号（値が要るときは続けて、例「3 2」「4 9D 10S」）、選択肢の名前、"
            "v 盤面、h 手札、o 選択肢をもう一度、e 番号 説明、a 機会の名前 ask|pass 自動回答（ask 聞く、pass 見送る）、"
            "c 文 発言、r 準備、s 開始、b ボット、w 卓にいる人、k 遊び方、k 番号 ルールブックの章、l 卓を離れる、q 終了",
            "You can type: a number (and its value, as in `3 2` or `4 9D 10S`), an option's own name, "
            "v the table, h your hand, o the options again, e NUMBER explain one, a WINDOW ask|pass a "
            "standing answer, c TEXT chat, r ready, s start, b add a bot, w who is here, k how to play, "
            "k NUMBER a section of the rulebook, l leave the table, q quit",
        ),
        "plain.asked": ("質問: {what}", "Question: {what}"),
        "plain.option": ("{n}. {what}", "{n}. {what}"),
        "plain.value_int": (
            "（数 {min}〜{max} を続けて打つ）",
            " (add a number from {min} to {max})",
        ),
        "plain.value_int_exact": ("（{value} を続けて打つ）", " (add the number {value})"),
        "plain.value_cards_exact": (
            "（{count}枚を続けて打つ: {cards}）",
            " (add {count} of: {cards})",
        ),
        "plain.value_cards": (
            "（{min}〜{max}枚を続けて打つ: {cards}）",
            " (add {min} to {max} of: {cards})",
        ),
        "plain.value_order": (
            "（順に続けて打つ: {cards}）",
            " (add all of these in order: {cards})",
        ),
        "plain.book": (
            "ルールブックの章（k 番号 で読む）: {sections}",
            "The rulebook has these sections (k NUMBER reads one): {sections}",
        ),
        "plain.no_section": (
            "ルールブックに章 {what} はありません",
            "the rulebook has no section {what}",
        ),
        "plain.time": ("残り {time}", "{time} left"),
        "plain.no_such": ("その番号はありません: {what}", "there is no option {what}"),
        "plain.bad_value": ("その値は使えません: {what}", "that value does not fit: {what}"),
        "plain.unknown": (
            "わかりません: {what}（? で使い方）",
            "not understood: {what} (? for help)",
        ),
        "plain.rooms": ("開いている卓: {rooms}", "Open tables: {rooms}"),
        "plain.lobby_help": (
            "n 卓を作る、n bots ボットとすぐ始める、j コード で入る、x コード で観戦、q 終了",
            "n makes a table, n bots starts against bots at once, j CODE joins, x CODE watches, q quits",
        ),
        "plain.entered": ("卓 {room} に入りました（{seat}）", "You are at table {room} ({seat})."),
        "bye.back": (
            "サーバーが動いている間は、次で席に戻れます:",
            "while the server runs, this takes you back to your seat:",
        ),
        "plain.bye": ("さようなら。", "Good-bye."),
        # --- starting and stopping
        "start.server": ("サーバーを起動しています…", "starting the server…"),
        "start.server_failed": (
            "サーバーを起動できませんでした: {why}",
            "the server did not start: {why}",
        ),
        "start.needs_room": ("{option} には --room が必要です", "{option} needs --room"),
        "start.second": (
            "この端末の別のクライアントがあなたの席を使っているので、新しい人として入ります。",
            "Another client of yours is at this server already, so you come as a new player.",
        ),
        "start.password": (
            "--password で合言葉を指定してください",
            "give the password with --password",
        ),
        "start.cannot_connect": ("{url} に接続できません: {why}", "cannot connect to {url}: {why}"),
        "start.first_certificate": (
            "覚えた証明書の指紋: {shown}",
            "certificate kept in mind: {shown}",
        ),
        "start.other_certificate": (
            "サーバーの証明書が変わりました。\n  前の指紋: {old}\n  今の指紋: {new}\n"
            "別のサーバーかもしれません。ホストに指紋を確かめ、新しい方が本物なら "
            "--trust-new-certificate を付けて始めてください。",
            "the server's certificate has changed.\n  it was: {old}\n  it is:  {new}\n"
            "This may be another server. Compare the fingerprint with the host; if the new one is "
            "right, start with --trust-new-certificate.",
        ),
        # --- words of any game
        "word.phase": ("局面", "phase"),
        "word.table": ("場", "table"),
        "word.seat": ("席", "seat"),
        "word.card": ("カード", "card"),
        "word.cards": ("カード", "cards"),
        "word.hand": ("手札", "hand"),
        "word.deck": ("山札", "deck"),
        "word.pile": ("捨て札", "pile"),
        "word.score": ("得点", "score"),
        "word.pass": ("見送る", "pass"),
        "word.draw": ("引く", "draw"),
        "word.place": ("置く", "place"),
        "word.discard": ("捨てる", "discard"),
        "word.play": ("出す", "play"),
        "word.end_turn": ("手番を終える", "end the turn"),
        "word.done": ("終わり", "done"),
        "word.keep": ("残す", "keep"),
        "word.bid": ("入札", "bid"),
    }
)
