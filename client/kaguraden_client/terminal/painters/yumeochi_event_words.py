"""What the painter of yumeochi says of events and of the end."""

from __future__ import annotations

from ..words import add

__all__: list[str] = []

add(
    {
        # --- the course of the game
        "yume.ev.game_started": (
            "夢が始まる。ロールの候補: {pool}。",
            "The dream begins. The roles are among {pool}.",
        ),
        "yume.ev.game_started.again": (
            "もう一度眠りにつく — 第{n}夜。ロールの候補: {pool}。",
            "Asleep again: dream {n}. The roles are among {pool}.",
        ),
        "yume.ev.dealt": (
            "あなたのロールは「{role}」、スキルは「{skill}」。",
            "Your role is {role}, your skill {skill}.",
        ),
        "yume.ev.dealt.wish": (
            "あなたのロールは「{role}」、スキルは「{skill}」。{wish}。",
            "Your role is {role}, your skill {skill}. {wish}.",
        ),
        "yume.ev.game_started.held": ("{told}{holder}", "{told} {holder}"),
        "yume.ev.first_holder": (
            "最近カラスと目が合ったのは{who}。スタートマーカー◆と起点マーカー◎を持つ。",
            "{who} was the last whose eye a crow met, and takes the start marker ◆ and the origin marker ◎.",
        ),
        "yume.ev.phase_began": ("— {n}時 — 順番 {order}", "— {n} o'clock — order {order}"),
        "yume.ev.hour_became": ("時計の針が進み、{n}時になった。", "It becomes {n} o'clock."),
        "yume.ev.turn_lost": ("{who}は休み、手番を失った。", "{who} skips the turn."),
        "yume.ev.triggered": ("{who}の{card}が鳴りだした！", "{who}'s {card} goes off!"),
        # --- actions
        "yume.ev.pass": ("{who}はパス。", "{who} passes."),
        "yume.ev.clock": ("（時間切れ）", " (time ran out)"),
        "yume.ev.use": ("{who}は{card}を使った{picks}。", "{who} uses {card}{picks}."),
        "yume.ev.role_action": (
            "{who}の追加アクション「{card}」{picks}。",
            "{who} carries out {card}{picks}.",
        ),
        "yume.ev.picks": (" → {what}", " → {what}"),
        "yume.ev.role_revealed": (
            "★ {who}のロールは「{card}」だった！",
            "★ {who} is the {card}!",
        ),
        "yume.ev.role_revealed.death": (
            "★ 死亡した{who}のロールは「{card}」だった。",
            "★ The dead {who} was the {card}.",
        ),
        "yume.ev.skill_revealed": (
            "{who}が伏せていたスキルは「{card}」。",
            "{who}'s face-down skill was {card}.",
        ),
        "yume.ev.card_opened": (
            "{who}が{n}時のカードを開いた: 「{card}」{case}",
            "{who} opens {n} o'clock: {card}{case}",
        ),
        "yume.ev.case": ("（{hours}の内容）", " (as for {hours})"),
        "yume.ev.card_kept.stock": (
            "{card}{stars}は{who}のストックになった。",
            "{who} keeps {card}{stars} as event-stock.",
        ),
        "yume.ev.card_kept.item": (
            "{card}{stars}は{who}のアイテムになった。",
            "{who} keeps {card}{stars} as an item.",
        ),
        "yume.ev.card_discarded": ("{card}は捨て札になった。", "{card} is discarded."),
        "yume.ev.item.give": ("{who}は{card}を{to}にわたした。", "{who} gives {card} to {to}."),
        "yume.ev.item.take": (
            "{to}は{who}から{card}をもらった。",
            "{to} takes {card} from {who}.",
        ),
        "yume.ev.item.swap": (
            "{card}が{who}から{to}に移った。",
            "{card} goes from {who} to {to}.",
        ),
        "yume.ev.proposed": (
            "{who}が{to}に交換を持ちかけた（{what}）。",
            "{who} offers {to} an exchange ({what}).",
        ),
        "yume.ev.agreed": ("{who}は応じた。", "{who} agrees."),
        "yume.ev.refused": ("{who}は断った。", "{who} refuses."),
        "yume.ev.exchanged": (
            "スキルを交換: {who}は{gave}を、{to}は{got}を渡した。",
            "Skills exchanged: {who} gave {gave}, {to} gave {got}.",
        ),
        "yume.ev.swapped": (
            "スキルが取り替えられた: {who}は{gave}を、{to}は{got}を渡した。",
            "Skills swapped: {who} gave {gave}, {to} gave {got}.",
        ),
        "yume.ev.peeked.time": (
            "{who}が{n}時のカードを見た{card}。",
            "{who} looks at {n} o'clock{card}.",
        ),
        "yume.ev.peeked.role": (
            "{who}が{to}のロールカードを見た{card}。",
            "{who} looks at {to}'s role{card}.",
        ),
        "yume.ev.peeked.skill": (
            "{who}が{to}の伏せたスキルを見た{card}。",
            "{who} looks at {to}'s face-down skills{card}.",
        ),
        "yume.ev.peeked.leftover": (
            "{who}が余ったスキルを見た{card}。",
            "{who} looks at the leftover skills{card}.",
        ),
        "yume.ev.shown": (": {card}", ": {card}"),
        "yume.ev.leftover_taken": (
            "{who}が余ったスキル{n}枚を受け取った{card}。",
            "{who} receives {n} leftover skills{card}.",
        ),
        "yume.ev.leftover_taken.1": (
            "{who}が余ったスキル1枚を受け取った{card}。",
            "{who} receives 1 leftover skill{card}.",
        ),
        "yume.ev.laid_aside": (
            "{who}がスキル{n}枚を手放した{card}。",
            "{who} lays {n} skills aside{card}.",
        ),
        "yume.ev.laid_aside.1": (
            "{who}がスキル1枚を手放した{card}。",
            "{who} lays 1 skill aside{card}.",
        ),
        "yume.ev.drawn": (
            "{who}が余ったスキルと取り替えた: {gave}を戻し、{got}を取った。",
            "{who} puts {gave} back and takes {got} of the leftover.",
        ),
        "yume.ev.kept": (
            "{who}は余ったスキルと取り替えなかった。",
            "{who} leaves the leftover skills as they are.",
        ),
        "yume.ev.time_cards_swapped": (
            "{who}が{n}時と{other}時のカードを取り替えた（誰も見ていない）。",
            "{who} swaps the cards of {n} and {other} o'clock, unseen.",
        ),
        "yume.ev.unknown_skill": ("伏せたスキル", "a face-down skill"),
        # --- life and markers
        "yume.ev.life.down": (
            "{who}のライフ {old} → {new}（{cause}）",
            "{who}: life {old} → {new} ({cause})",
        ),
        "yume.ev.life.up": (
            "{who}のライフ {old} → {new}（{cause}）",
            "{who}: life {old} → {new} ({cause})",
        ),
        "yume.ev.life.attack": ("{who}の{card}", "{who}'s {card}"),
        "yume.ev.lives_swapped": (
            "{who}と{to}のライフが入れ替わった。",
            "{who} and {to} swap lives.",
        ),
        "yume.ev.marker.take": (
            "{to}が{who}からスタートマーカー◆を取った。",
            "{to} takes the start marker ◆ from {who}.",
        ),
        "yume.ev.marker.start": (
            "スタートマーカー◆が{who}から{to}に移った。",
            "The start marker ◆ goes from {who} to {to}.",
        ),
        "yume.ev.marker.origin": (
            "起点マーカー◎が{who}から{to}に移った。",
            "The origin marker ◎ goes from {who} to {to}.",
        ),
        "yume.ev.marker.nobody": ("誰も", "nobody"),
        "yume.ev.marked.skip": (
            "{who}に「休み」: 次の手番を失う。",
            "{who} is marked skip and will lose a turn.",
        ),
        "yume.ev.marked.protect": (
            "{who}に「守り」: 次の自分の順番まで守られる。",
            "{who} is protected until their next place in the order.",
        ),
        "yume.ev.unmarked.protect": ("{who}の守りが終わった。", "{who} is no longer protected."),
        "yume.ev.died": ("† {who}が死亡した。", "† {who} dies."),
        "yume.ev.died.killer": (
            "† {who}が死亡した（{by}の攻撃）。",
            "† {who} dies by {by}'s attack.",
        ),
        # --- answers
        "yume.ev.may.yes": ("{who}は{card}の続きも行った。", "{who} goes on with {card}."),
        "yume.ev.may.no": ("{who}は{card}の続きは行わなかった。", "{who} leaves {card} at that."),
        "yume.ev.marker_chosen": (
            "{who}はスタートマーカーに{to}を選んだ。",
            "{who} chooses {to} for the start marker.",
        ),
        "yume.ev.marker_chosen.self": (
            "{who}はスタートマーカーに自分を選んだ。",
            "{who} chooses to have the start marker.",
        ),
        "yume.ev.guess.right": (
            "★ {who}が{to}を「{card}」と名指した — 当たり！",
            "★ {who} names {to} as the {card}: right!",
        ),
        "yume.ev.guess.wrong": (
            "★ {who}が{to}を「{card}」と名指した — 外れ。",
            "★ {who} names {to} as the {card}: wrong.",
        ),
        # --- the end
        "yume.ev.first_victory": (
            "★ 第一勝利！ {when}、{who}の願いがかなった。",
            "★ First victory, {when}: {who}.",
        ),
        "yume.ev.final_count": ("☆を数える: {what}。", "The stars are counted: {what}."),
        "yume.ev.final_count.seat": (
            "{who} ☆{stars}（{cards}枚）",
            "{who} ☆{stars} ({cards} cards)",
        ),
        "yume.ev.revealed": (
            "すべてのカードを表に。{what}。",
            "All cards are turned up. {what}.",
        ),
        "yume.ev.revealed.seat": ("{who}は{role}（{skills}）", "{who}: {role} ({skills})"),
        "yume.ev.dream": ("★ {what}{wake}", "★ {what} {wake}"),
        "yume.ev.rematch.yes": (
            "全員がもう一度眠ることにした。",
            "All want to sleep again.",
        ),
        "yume.ev.rematch.no": (
            "もう眠らない: {who}。",
            "{who} will not sleep again.",
        ),
        "yume.ev.match_drawn": (
            "夢ヲチのまま目が覚めた。勝者はいない。",
            "Awake, and it was all a dream: nobody has won.",
        ),
        "yume.end.first": (
            "第一勝利！ {when}、{who}の願いがかなった。",
            "First victory, {when}: {who}.",
        ),
        "yume.end.stars": (
            "第二勝利: {who}、☆{stars}で最多。",
            "Second victory: {who}, with the most stars (☆{stars}).",
        ),
        "yume.end.origin": (
            "第二勝利: {who}。☆{stars}で並び、起点マーカー◎が決めた。",
            "Second victory: {who}. Tied at ☆{stars}; the origin marker ◎ decides.",
        ),
        "yume.end.cards": (
            "第二勝利: {who}。☆{stars}で並び、カード{cards}枚が決めた。",
            "Second victory: {who}. Tied at ☆{stars}; {cards} cards decide.",
        ),
        "yume.end.survivor": (
            "ただ一人生き残った{who}の勝ち。",
            "The only survivor wins: {who}.",
        ),
        "yume.end.dream": (
            "夢ヲチ — すべては夢だった。勝者はいない。",
            "夢ヲチ: it was all a dream. Nobody wins.",
        ),
        "yume.end.dream.level": (
            "☆もカードの枚数も並び、起点マーカーもそれを分けなかった。",
            "The stars are level, so are the cards, and the origin marker decides nothing.",
        ),
        "yume.end.dream.wake": (
            "目を開けると、鴉が一羽、こちらを見ていた。",
            "You open your eyes; a crow is looking at you.",
        ),
        "yume.end.other": ("ゲーム終了。勝者: {who}", "The game is over. Winners: {who}"),
        "yume.end.titled": ("{who}（{role}）", "{who}, the {role}"),
        "yume.end.count": ("☆{stars}・{cards}枚", "☆{stars}, {cards} cards"),
        "yume.end.leftover": ("余ったスキル", "leftover skills"),
        "yume.end.removed": ("死亡者のスキル", "skills of the dead"),
        "yume.end.undealt": ("配られなかったロール", "roles not dealt"),
        "yume.end.clock": ("開かれなかった時刻", "hours never opened"),
    }
)
