"""The words that the cards of yumeochi are told in."""

from __future__ import annotations

from ..words import add

__all__: list[str] = []

add(
    {
        "yume.rule.win": ("第一勝利: {when}、{what}", "First victory: {when}: {what}"),
        "yume.rule.action": (
            "追加アクション「{name}」: {what}",
            "Additional action {name}: {what}",
        ),
        "yume.rule.use": ("使う: {what}", "Use: {what}"),
        "yume.rule.no_use": ("使うことはできない", "It cannot be used"),
        "yume.rule.opened": ("オープンすると: {what}", "When opened: {what}"),
        "yume.rule.case": ("{hours} — {what}", "{hours} — {what}"),
        "yume.rule.trigger.discarded": (
            "{hours}になった時、持ち主（自分）: {what}。そして捨て札になる",
            "When it becomes {hours}, its holder (you): {what}; then it is discarded",
        ),
        "yume.rule.trigger.kept": (
            "{hours}になった時、持ち主（自分）: {what}",
            "When it becomes {hours}, its holder (you): {what}",
        ),
        "yume.rule.when": ("条件 {what}", "if {what}"),
        "yume.rule.pick": ("{what}を選ぶ", "choose {what}"),
        "yume.rule.then": (" → ", " → "),
        "yume.rule.and": ("、", ", "),
        "yume.rule.also": ("；", "; "),
        "yume.rule.hour": ("{hours}時", "hour {hours}"),
        "yume.rule.hours": ("{hours}時", "hours {hours}"),
        # --- windows
        "yume.window.after_action": ("どの手番でも、その後に", "after any turn"),
        "yume.window.on_death": ("誰かが死亡した時に", "when a player has died"),
        "yume.window.phase_end": ("アクションフェイズの終わりに", "at the end of an action phase"),
        "yume.window.hour_becomes": ("時刻が変わった時に", "at the stroke of the hour"),
        # --- conditions
        "yume.op.>=": ("{n}以上", "{n} or more"),
        "yume.op.<=": ("{n}以下", "{n} or less"),
        "yume.op.<": ("{n}未満", "less than {n}"),
        "yume.op.>": ("{n}より多い", "more than {n}"),
        "yume.op.==": ("ちょうど{n}", "exactly {n}"),
        "yume.cond.who.target": ("その人は", "that player: "),
        "yume.cond.who.others": ("ほかの人は", "the others: "),
        "yume.cond.hour.>=": ("{n}時以降", "it is {n} o'clock or later"),
        "yume.cond.hour.<=": ("{n}時まで", "it is {n} o'clock or earlier"),
        "yume.cond.hour": ("時刻が{n}", "hour {n}"),
        "yume.cond.life": ("ライフ{n}", "life {n}"),
        "yume.cond.items": ("アイテム{n}", "items {n}"),
        "yume.cond.event_stock": ("ストック{n}", "event-stock {n}"),
        "yume.cond.stars": ("公開の☆{n}", "public ☆ {n}"),
        "yume.cond.opened": ("開いたカード{n}", "cards opened {n}"),
        "yume.cond.kills": ("倒した人{n}", "kills {n}"),
        "yume.cond.skills": ("スキル{n}", "skills {n}"),
        "yume.cond.uses": ("これを使った回数{n}", "uses of this {n}"),
        "yume.cond.uses_most": ("1ゲームに{n}回まで", "up to {n} times a game"),
        "yume.cond.uses_most.1": ("1ゲームに1回", "once a game"),
        "yume.cond.life_lead": (
            "ライフが、生きているほかの誰より多い（差{n}）",
            "life {n} above that of every other living player",
        ),
        "yume.cond.life_total": (
            "生きている人のライフの合計{n}",
            "lives of all living players {n}",
        ),
        "yume.cond.roles_open": ("ほかの人の表のロールカード{n}", "face-up roles of others {n}"),
        "yume.cond.alive": ("生きている人{n}", "living players {n}"),
        "yume.cond.marker.start.yes": ("スタートマーカーを持つ", "the start marker held"),
        "yume.cond.marker.start.no": ("スタートマーカーを持たない", "the start marker not held"),
        "yume.cond.marker.origin.yes": ("起点マーカーを持つ", "the origin marker held"),
        "yume.cond.marker.origin.no": ("起点マーカーを持たない", "the origin marker not held"),
        "yume.cond.role_open.yes": ("ロールカードが表", "role card face up"),
        "yume.cond.role_open.no": ("ロールカードが伏せられたまま", "role card still face down"),
        "yume.cond.card_down.current.yes": (
            "いまの時刻のカードが裏",
            "the current card is face down",
        ),
        "yume.cond.card_down.current.no": (
            "いまの時刻のカードがもう開いている",
            "the current card is no longer face down",
        ),
        "yume.cond.card_down.next.yes": (
            "次の時刻のカードが裏",
            "the next hour's card is face down",
        ),
        "yume.cond.card_down.next.no": (
            "次の時刻のカードがもう開いている",
            "the next hour's card is no longer face down",
        ),
        "yume.cond.card_down.past.yes": (
            "過ぎた時刻に裏のカードがある",
            "a card of a past hour is face down",
        ),
        "yume.cond.card_down.past.no": (
            "過ぎた時刻に裏のカードがない",
            "no card of a past hour is face down",
        ),
        # --- choices
        "yume.pick.seat.other": ("ほかの1人", "another player"),
        "yume.pick.seat.any": ("1人（自分も可）", "a player, you too"),
        "yume.pick.item.target": ("その人のアイテム1枚", "an item of that player"),
        "yume.pick.item.self": ("自分のアイテム1枚", "an item of yours"),
        "yume.pick.role.unseen": (
            "どこにも表になっていないロール1つ",
            "a role of the pool that is face up nowhere",
        ),
        "yume.pick.hour.later": (
            "いまから後の、裏の時刻1つ",
            "a face-down position from now on",
        ),
        "yume.pick.hour.past": ("過ぎた、裏の時刻1つ", "a face-down position that has passed"),
        "yume.pick.hour.any": ("裏の時刻1つ", "any face-down position"),
        "yume.pick.skill.self": ("自分のスキル1枚", "a skill of yours"),
        "yume.pick.skill.target": ("その人のスキル1枚", "a skill of that player"),
        # --- effects
        "yume.to.self": ("自分", "you"),
        "yume.to.target": ("その人", "that player"),
        "yume.to.all": ("生きている全員", "every living player"),
        "yume.to.others": ("ほかの全員", "every other living player"),
        "yume.to.left": ("左隣", "the left neighbour"),
        "yume.to.right": ("右隣", "the right neighbour"),
        "yume.eff.nothing": ("何も起きない", "nothing"),
        "yume.eff.damage": ("{to}に{n}ダメージ", "{n} damage to {to}"),
        "yume.eff.heal": ("{to}のライフを{n}回復", "heal {n} for {to}"),
        "yume.eff.skip": ("{to}に「休み」（次の手番を失う）", "{to}: skip (loses the next turn)"),
        "yume.eff.protect": (
            "{to}に「守り」（次の自分の順番まで、ほかの人からのダメージを受けない）",
            "{to}: protected (no damage from others until their next place in the order)",
        ),
        "yume.eff.reveal.role": (
            "ロールカードを表にする（{to}）",
            "the role card is turned up ({to})",
        ),
        "yume.eff.reveal.skill": ("スキルを表にする（{to}）", "the skills are turned up ({to})"),
        "yume.eff.marker.self": ("スタートマーカーを取る", "take the start marker"),
        "yume.eff.marker.choose": (
            "スタートマーカーを、生きている好きな人へ",
            "give the start marker to any living player",
        ),
        "yume.eff.marker.to": ("スタートマーカーを移す（{to}へ）", "the start marker goes to {to}"),
        "yume.eff.peek.current": (
            "いまの時刻のカードを一人で見る",
            "look at the current card, alone",
        ),
        "yume.eff.peek.next": (
            "次の時刻のカードを一人で見る",
            "look at the next hour's card, alone",
        ),
        "yume.eff.peek.picked": ("選んだカードを一人で見る", "look at the chosen card, alone"),
        "yume.eff.peek.role": (
            "その人のロールカードを一人で見る",
            "look at that player's role, alone",
        ),
        "yume.eff.peek.skill": (
            "その人の伏せたスキルを一人で見る",
            "look at that player's face-down skills, alone",
        ),
        "yume.eff.peek.leftover": (
            "余ったスキルを一人で見る",
            "look at the leftover skills, alone",
        ),
        "yume.eff.open.current": ("いまの時刻のカードを開く", "open the current card"),
        "yume.eff.open.next": ("次の時刻のカードをいま開く", "open the next hour's card now"),
        "yume.eff.open.picked": ("選んだカードを開く", "open the chosen card"),
        "yume.eff.may": ("そうしたければ{what}", "then, if you like: {what}"),
        "yume.eff.if": (
            "{cond}なら{then}、そうでなければ{other}",
            "if {cond}: {then}, else: {other}",
        ),
        "yume.eff.guess": (
            "{cond}当たれば {then} ／ 外れれば {other}",
            "{cond}right: {then} / wrong: {other}",
        ),
        "yume.eff.take": ("そのアイテムをもらう", "take that item"),
        "yume.eff.swap.items": ("2枚のアイテムを取り替える", "swap the two items"),
        "yume.eff.swap.skills": (
            "スキルを1枚ずつ取り替える（同意はいらない）",
            "swap one skill each, without consent",
        ),
        "yume.eff.swap.life": ("ライフを取り替える", "swap lives"),
        "yume.eff.swap.time_cards": (
            "2つの時刻のカードを見ずに取り替える",
            "swap the cards of the two positions, unseen",
        ),
        "yume.eff.gain": (
            "余ったスキルをすべて、伏せて受け取る（使えるのは次のフェイズから）",
            "receive all leftover skills face down, usable from the next phase on",
        ),
        "yume.eff.draw": (
            "余ったスキルを見て、自分のスキル1枚と取り替えてもよい",
            "look at the leftover skills and, if you like, exchange one of yours for one of them",
        ),
        "yume.eff.discard.item": ("そのアイテムを捨て札にする", "that item is discarded"),
    }
)
