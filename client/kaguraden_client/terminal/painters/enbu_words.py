"""What the painter of enbu says."""

from __future__ import annotations

from ..words import add

__all__: list[str] = []

add(
    {
        # --- books
        "enbu.family.kyu": ("級位認定", "grade tests"),
        "enbu.family.kamiari": ("神在演目帖", "Kamiari books"),
        "enbu.family.dan": ("段位認定", "dan tests"),
        "enbu.family.yorozu": ("よろず演目帖", "books made by players"),
        "enbu.named.kyu": ("級位認定 {n}級", "grade test, kyu {n}"),
        "enbu.named.kamiari": ("神在演目帖 {n}", "Kamiari book {n}"),
        "enbu.named.dan": ("段位認定 {n}段", "dan test, dan {n}"),
        "enbu.daily": ("今日の演目帖", "book of the day"),
        # --- the table
        "enbu.turn": ("{n}手目", "turn {n}"),
        "enbu.points_of": ("{n}/{total}点", "{n}/{total} points"),
        "enbu.goal.all": ("全演目で成功", "all programs wanted"),
        "enbu.goal.pass": ("及第点{n}", "pass mark {n}"),
        "enbu.goal.reached": ("達成", "reached"),
        "enbu.goal.lost": ("もう届かない", "out of reach"),
        "enbu.deck": ("山札{n}", "deck {n}"),
        "enbu.undo_left": ("待った{n}", "undo {n}"),
        "enbu.pages": ("開いた頁（右ほど古い）", "open pages (the oldest is right)"),
        "enbu.pages_drop": (
            "開いた頁（右ほど古い、捨てられるのは右端）",
            "open pages (the oldest is right; only that can be dropped)",
        ),
        "enbu.no_pages": ("頁なし", "no page open"),
        "enbu.pts": ("{n}点", "{n}"),
        "enbu.empty": ("空き", "empty"),
        "enbu.over": ("下に", "on"),
        "enbu.flipped": ("めくった札", "flipped"),
        "enbu.hand": ("手札", "hand"),
        "enbu.hand.none": ("なし", "empty"),
        "enbu.hand.no": ("手札はない", "this book has no hand"),
        "enbu.next": ("次の演目", "next"),
        "enbu.next.none": ("演目帖は空", "no more"),
        "enbu.unseen": ("山札の中", "in the deck"),
        "enbu.unseen.none": ("なし", "nothing"),
        "enbu.rest": ("残りの山札（上から）", "rest of the deck (from the top)"),
        "enbu.discard": ("捨て札", "discard"),
        "enbu.gained": ("披露した演目", "gained"),
        "enbu.dropped": ("捨てた演目", "dropped"),
        "enbu.wilds": ("使った化け札", "spent wilds"),
        "enbu.left": ("残った演目", "left"),
        "enbu.stack_all": ("演目帖（次から順に）", "programs to come, in order"),
        "enbu.stage": ("演舞場（上の札から）", "stage (top card first)"),
        "enbu.legend": (
            "◆披露できる ●使える ◇めくった札 ▼下敷き ○山札 △捨て札 ×もうない",
            "◆ can be performed · ● usable ◇ flipped ▼ buried ○ deck △ discard × gone",
        ),
        "enbu.hidden": ("伏せています（F9）", "hidden (F9)"),
        "enbu.board_of": ("{who}の舞台", "{who}'s table"),
        "enbu.look": ("←→ でほかの人の舞台", "← → shows the others' tables"),
        # --- races
        "enbu.figures": (
            "{n}手目 {points}点 演目{programs}",
            "turn {n}, {points} points, {programs} programs",
        ),
        "enbu.figures.short": ("{points}点/{programs} {n}手", "{points}/{programs} t{n}"),
        "enbu.figures.short_ended": (
            "{points}点/{programs} {n}手終",
            "{points}/{programs} t{n} end",
        ),
        "enbu.figures.how": ("（点/演目 手数）", " (points/programs, turn)"),
        "enbu.ended": ("終了", "ended"),
        "enbu.race.behind": (
            "ほかの人は、あなたと同じ手数のときの成績",
            "the others as they were at your turn",
        ),
        "enbu.race.live": ("ほかの人のいまの成績", "the others as they are now"),
        "enbu.race.watch": (
            "競演中は、いちばん遅い人の手数にそろえた成績だけが見えます。",
            "During a race watchers see figures only, as of the slowest player's turn.",
        ),
        "enbu.sit.race": ("競演中", "a race is on"),
        "enbu.sit.ended": (
            "演舞を終えました。待っています: {who}",
            "you have finished; waiting for {who}",
        ),
        "enbu.sit.rehearsing": ("{who}の演舞", "{who} rehearses"),
        "enbu.phase.race": ("競演", "race"),
        "enbu.phase.ended": ("演舞終了", "finished"),
        "enbu.phase.over": ("終了", "over"),
        # --- choices
        "enbu.do.stage": ("舞台{slot}へ（空き）", "slot {slot} (empty)"),
        "enbu.do.stage_on": ("舞台{slot}へ（{on}の上）", "slot {slot}, on {on}"),
        "enbu.do.stage.long": ("{card}を舞台{slot}に置く", "put {card} on slot {slot}"),
        "enbu.do.stage.long_on": (
            "{card}を舞台{slot}の{on}の上に置く",
            "put {card} on slot {slot}, on top of {on}",
        ),
        "enbu.do.take": ("手札に加える", "keep it in the hand"),
        "enbu.do.swap": ("手札と替える", "swap with the hand"),
        "enbu.do.swap_out": ("{card}を出す", "put {card} out"),
        "enbu.do.swap.long": (
            "手札の{out}を舞台{slot}に出し、{card}を手札に",
            "put {out} from the hand on slot {slot}, keep {card}",
        ),
        "enbu.do.perform": ("披露: {what}（{n}点）", "perform {what} ({n})"),
        "enbu.do.perform.with": (
            "披露: {what}（{n}点）— {cards}",
            "perform {what} ({n}) with {cards}",
        ),
        "enbu.do.from.s": ("{card}（舞台{n}）", "{card} (slot {n})"),
        "enbu.do.from.h": ("{card}（手札）", "{card} (hand)"),
        "enbu.do.from.as": ("{card}→{to}", "{card} as {to}"),
        "enbu.do.drop": ("演目を捨てる", "drop a program"),
        "enbu.do.drop.long": (
            "「{what}」と舞台{slot}の{card}を捨てる",
            "drop {what}, and discard {card} from slot {slot}",
        ),
        "enbu.do.drop_slot": ("舞台{slot}の{card}と", "with {card} from slot {slot}"),
        "enbu.do.next": ("次の札をめくる", "flip the next card"),
        "enbu.do.next.reshuffle": (
            "捨て札を混ぜて次へ",
            "shuffle the discard into a new deck and go on",
        ),
        "enbu.do.finish": ("演舞を終える", "end the rehearsal"),
        "enbu.do.undo": ("待った（一手戻す）", "take the last step back"),
        "enbu.warn.finish": (
            "ここで演舞を終えます。いまの{n}点が結果になり、取り消せません。",
            "This ends the rehearsal for good, with the {n} points that you have.",
        ),
        "enbu.warn.finish_lost": (
            "ここで終えると失敗です（{n}点）。取り消せません。",
            "This ends the rehearsal for good: a failure, with {n} points.",
        ),
        "enbu.warn.stuck": (
            "これを選ぶと、できることがなくなり、手詰まりで演舞が終わります。取り消せません。",
            "This leaves nothing that can be done: the rehearsal ends stuck, for good.",
        ),
        "enbu.help.place": (
            "数字の場所に置きます。上に重ねた札の下は、上が使われるまで使えません。",
            "The digit is the slot. What lies under a card cannot be used until that card leaves.",
        ),
        "enbu.help.act": (
            "披露すると札は捨て札へ、左に次の演目が開きます。? で演目と札の説明。",
            "A performance discards its cards and opens the next program at the left; ? explains.",
        ),
        # --- explanations
        "enbu.why.stage": (
            "舞台に置きます。札のある場所なら、その上に重なります。使えるのは、いちばん上の札だけ（EN-12）。",
            "It goes on the stage, on top of what lies there. Only top cards can be used (EN-12).",
        ),
        "enbu.why.take": (
            "手札に加えます（EN-14）。手札の札はいつでも使えます。",
            "It goes into the hand (EN-14), where it can always be used.",
        ),
        "enbu.why.swap": (
            "手札がいっぱいのとき、手札の一枚を舞台に出して、めくった札を手札にします（EN-15）。",
            "With a full hand, one card of the hand goes on the stage and the flipped one into the hand (EN-15).",
        ),
        "enbu.why.perform": (
            "必要な札がすべて、舞台のいちばん上か手札にあれば披露できます（EN-20）。使った札は捨て札になり、頁が右に詰まって、左に次の演目が開きます（EN-28）。披露は義務ではありません。",
            "A program can be performed when each card that it needs is on top of a pile or in the hand (EN-20). The cards go to the discard, the pages close up to the right, and the next program opens at the left (EN-28). It is never a duty.",
        ),
        "enbu.why.drop": (
            "右端の演目をあきらめ、舞台の上の札を一枚捨て札にします（EN-52）。捨てた演目は二度と披露できません。",
            "Gives the rightmost program up for good, and puts one top card on the discard (EN-52).",
        ),
        "enbu.why.next": (
            "この手番を終えて、次の札をめくります（EN-31）。めくった後は、前の手番に戻せません。",
            "Ends this turn and flips the next card (EN-31). After a flip nothing before it can be taken back.",
        ),
        "enbu.why.next.reshuffle": (
            "山札が空なので、捨て札を混ぜて新しい山札にします（EN-56）。",
            "The deck is empty, so the discard is shuffled into a new one (EN-56).",
        ),
        "enbu.why.finish": (
            "いつでも演舞を終えられます（EN-44）。点はそのまま結果になります。",
            "The rehearsal may be ended at any time (EN-44); the points stand.",
        ),
        "enbu.why.undo": (
            "この手番の最後の一手を戻します（EN-78）。一手番に10回まで、めくる前には戻せません。",
            "Takes back the last step of this turn (EN-78): ten times a turn, never across a flip.",
        ),
        "enbu.needs": ("必要な札: {cards}（{n}点）", "needs {cards}; {n} points"),
        "enbu.wild": (
            "化け札: 一度だけ、どの札の代わりにもなります（EN-58）。使うと戻りません。",
            "A wild: once, it may stand for any card (EN-58). It never comes back.",
        ),
        # --- the end
        "enbu.end.success.all": ("演舞成功！", "The rehearsal is a success!"),
        "enbu.end.failure.all": ("演舞失敗", "The rehearsal failed"),
        "enbu.end.success.pass": ("合格！", "Passed!"),
        "enbu.end.failure.pass": ("落第", "Not passed"),
        "enbu.end.points": ("{n}点（満点{total}）", "{n} of {total} points"),
        "enbu.end.points.pass": (
            "{n}点（及第点{mark}、満点{total}）",
            "{n} of {total} points (pass mark {mark})",
        ),
        "enbu.end.programs": (
            "披露{gained}、捨てた{dropped}、残り{left}",
            "{gained} gained, {dropped} dropped, {left} left",
        ),
        "enbu.end.turns": ("{n}手", "{n} turns"),
        "enbu.end.turns.1": ("{n}手", "1 turn"),
        "enbu.end.reshuffles": ("混ぜ直し{n}回", "{n} reshuffles"),
        "enbu.end.reshuffles.1": ("混ぜ直し{n}回", "1 reshuffle"),
        "enbu.end.by.done": ("演目帖を終えた", "the book is used up"),
        "enbu.end.by.stuck": ("手詰まり", "stuck"),
        "enbu.end.by.finish": ("途中で終えた", "ended by choice"),
        "enbu.end.by.clock": ("時間切れ", "time ran out"),
        "enbu.rank.head.name": ("名前", "name"),
        "enbu.rank.head.score": ("点", "points"),
        "enbu.rank.head.dropped": ("捨てた", "dropped"),
        "enbu.rank.head.turns": ("手数", "turns"),
        "enbu.rank.success": ("成功", "success"),
        "enbu.rank.failure": ("失敗", "failure"),
        "enbu.rank.passed": ("合格", "passed"),
        "enbu.rank.failed": ("落第", "not passed"),
        "enbu.end.daily": (
            "今日の一回目だけが順位に入ります。順位は d。",
            "Only the first attempt of the day counts; d shows the standings.",
        ),
        "enbu.end.again": ("r でもう一度、l でロビーへ", "r plays it again, l goes to the lobby"),
        # --- events
        "enbu.ev.setup": (
            "演目帖「{book}」、山札{n}枚。",
            "The book {book}; the deck has {n} cards.",
        ),
        "enbu.ev.flip": ("{turn}手目: {card}", "Turn {turn}: {card}."),
        "enbu.ev.stage": ("{card}を舞台{slot}に置いた。", "{card} goes to slot {slot}."),
        "enbu.ev.take": ("{card}を手札に加えた。", "{card} goes into the hand."),
        "enbu.ev.swap": (
            "{out}を舞台{slot}に出し、{card}を手札に入れた。",
            "{out} goes to slot {slot}, {card} into the hand.",
        ),
        "enbu.ev.perform": (
            "「{what}」を披露、{n}点（計{total}点）。",
            "Performed: {what}, {n} points ({total} now).",
        ),
        "enbu.ev.perform.wild": ("{card}は{to}の代わり。", "{card} stood for {to}."),
        "enbu.ev.drop": (
            "「{what}」を捨て、{card}を捨て札にした。",
            "Dropped: {what}; {card} goes to the discard.",
        ),
        "enbu.ev.slide": ("新しい頁「{what}」。", "A new page: {what}."),
        "enbu.ev.goal.reached": ("目標達成！", "The goal is reached."),
        "enbu.ev.goal.lost": ("目標にはもう届かない。", "The goal is out of reach now."),
        "enbu.ev.reshuffle": (
            "捨て札を混ぜて山札{n}枚にした。",
            "The discard is shuffled: a deck of {n}.",
        ),
        "enbu.ev.undo": ("一手戻した。", "The last step is taken back."),
        "enbu.ev.default": (
            "時間切れ（おまかせ）。",
            "Time ran out; what follows was chosen for the player.",
        ),
        "enbu.ev.who": ("{who}: {text}", "{who}: {text}"),
        "enbu.ev.end": (
            "演舞終了（{why}）: {result}、{n}点。",
            "The rehearsal is over ({why}): {result}, {n} points.",
        ),
        "enbu.ev.setup.shared": ("山札{n}枚。", "The deck has {n} cards."),
        "enbu.ev.reveal": ("残っていた山札: {cards}", "The rest of the deck: {cards}"),
        "enbu.ev.reveal.none": ("山札は残っていなかった。", "No card was left in the deck."),
        "enbu.ev.figures": (
            "{who}: {n}手目で{points}点、演目{programs}",
            "{who} at turn {n}: points {points}, programs {programs}",
        ),
        "enbu.ev.figures.ended": (
            "{who}は{n}手で終了、{points}点、演目{programs}",
            "{who} has ended at turn {n}: points {points}, programs {programs}",
        ),
        # --- the short account
        "enbu.page.turn": (
            "毎手番、札を一枚めくり、舞台に置くか手札に加えます。演目に必要な札が、舞台のいちばん上か手札にそろったら披露して点を得ます。演目の順番は最初からわかっています（? で全部）。",
            "Every turn a card is flipped; put it on the stage or keep it in the hand. When all cards of an open program are on top of a pile or in the hand, perform it and score. The order of the programs is known from the start (? shows all of it).",
        ),
        "enbu.page.pile": (
            "同じ場所に重ねると下の札は使えなくなります。後で要る札を下に、先に要る札を上に。",
            "A card put on another one hides it: put what is needed later under what is needed sooner.",
        ),
        "enbu.page.signs": (
            "札は {legend}",
            "Signs: {legend}",
        ),
        "enbu.page.keys": (
            "キー: 1〜6 は置く場所か披露する演目、7 は手札（または演目を捨てる）、8 は待った、9 は終了、0 は次の札。",
            "Keys: 1 to 6 choose the slot or the program to perform, 7 the hand (or a drop), 8 takes back, 9 ends, 0 flips the next card.",
        ),
        # --- options
        "opt.book": ("演目帖", "book"),
        "opt.race_turn_s": ("競演の手番（秒）", "turn in a race (s)"),
        "opt.solo_turn_s": ("一人の手番（秒）", "turn when alone (s)"),
        "opt.race_min": ("競演の時間（分）", "a race lasts (min)"),
        "opt.watch": ("一人の演舞を観戦可", "others may watch"),
        "opt.chat": ("競演中の会話", "chat in a race"),
        "opthelp.book": (
            "← → で選ぶか、共有コード（ENBU1-…）を貼り付けます。",
            "← and → choose; a share code (ENBU1-…) can be typed or pasted.",
        ),
        "opthelp.race_turn_s": (
            "競演で一手番にかけられる秒数。0 で無制限、または30〜300。",
            "Seconds for a turn of a race: 0 for no limit, or 30 to 300.",
        ),
        "opthelp.solo_turn_s": (
            "一人のとき一手番にかけられる秒数。0 で無制限、または30〜300。",
            "Seconds for a turn when alone: 0 for no limit, or 30 to 300.",
        ),
        "opthelp.race_min": ("競演全体の制限時間。", "How long a race may last."),
        "opthelp.watch": (
            "観戦する人に、一人の演舞の舞台を見せるか。",
            "Whether watchers see the table of somebody who plays alone.",
        ),
        "opthelp.chat": (
            "競演中に、競う人同士が発言できるか。",
            "Whether the players of a race may chat while it lasts.",
        ),
    }
)
