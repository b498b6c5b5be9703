"""The room options of yumeochi (§16) in words."""

from __future__ import annotations

from ..words import add

__all__: list[str] = []

add(
    {
        "opt.set": ("カードの組", "card set"),
        "opt.roles": ("追加のロール", "extra roles"),
        "opt.first_holder": ("最初のマーカー", "first markers"),
        "opt.exchange_proposals": ("交換の提案の数", "offers a turn"),
        "opt.exchange_refused": ("断られた交換", "refused exchange"),
        "opt.time_reference": ("時間指定の基準", "time concerned"),
        "opt.rabbit_price": ("ウサギの代償", "price of the rabbit"),
        "opt.death_shows_skill": ("死亡者のスキルも公開", "death shows skills"),
        "opt.dying_opener": ("死亡した人の開いた札", "card of a dying opener"),
        "opt.all_dead": ("全員が死亡したら", "all dead"),
        "opt.last_survivor": ("最後の一人", "last survivor"),
        "opt.simultaneous_win": ("同時の第一勝利", "simultaneous victories"),
        "opt.card_count": ("同点の枚数に数える札", "cards that break a tie"),
        "opt.replay": ("夢ヲチの後", "after a dream"),
        "opt.replay_limit": ("遊び直しの上限", "replays at most"),
        "opt.end_reveal": ("終局に見せる札", "shown at the end"),
        "opt.clock_turn": ("手番の時間（秒）", "time for a turn (s)"),
        "opt.clock_consent": ("返事の時間（秒）", "time to consent (s)"),
        "opt.clock_followup": ("続きの選択の時間（秒）", "time for a follow-up (s)"),
        "opt.clock_absent": ("切断した人を待つ（秒）", "wait for the absent (s)"),
        "opt.bot_pace": ("ボットの間（秒）", "bots' pace (s)"),
        "opthelp.set": ("遊ぶカードの組。", "Which set of cards is played."),
        "opthelp.roles": (
            "基本の4枚に加えるロール。数字で入り切り。配られるのは4枚（YU-5）。",
            "Roles added to the four base ones; digits switch them. Four are dealt (YU-5).",
        ),
        "opthelp.first_holder": (
            "最近カラスと目が合った人: くじで決めるか、話し合って席1が決める（YU-10）。",
            "Who met a crow most recently: drawn, or named by seat 1 after the stories (YU-10).",
        ),
        "opthelp.exchange_proposals": (
            "一つの手番に、交換を何人まで持ちかけられるか（YU-44）。",
            "How many partners may be asked in one turn (YU-44).",
        ),
        "opthelp.exchange_refused": (
            "断られたら、別の行動を選べるか、手番が終わるか（YU-44）。",
            "Whether a refusal leaves another action or is the turn (YU-44).",
        ),
        "opthelp.time_reference": (
            "時刻より前に開いたカードに、いまの時刻とカードの位置のどちらを使うか（YU-50）。",
            "Whether a card opened ahead takes the current hour or its own (YU-50).",
        ),
        "opthelp.rabbit_price": (
            "ウサギの置物で二枚を得る時に、自分のスキルも手放すか（YU-59）。",
            "Whether the figurine's user also gives up the own skill (YU-59).",
        ),
        "opthelp.death_shows_skill": (
            "死亡した人のスキルを見せるか、伏せたまま除くか（YU-66）。",
            "Whether skills of the dead are shown (YU-66).",
        ),
        "opthelp.dying_opener": (
            "開いたカードで死亡した時、そのカードを捨てるか、残すか（YU-71）。",
            "Whether a card that killed its opener is discarded or kept (YU-71).",
        ),
        "opthelp.all_dead": (
            "全員が死亡した時、☆を比べるか、夢ヲチにするか（YU-74）。",
            "Whether the dead compare stars or it is a dream (YU-74).",
        ),
        "opthelp.last_survivor": (
            "一人だけ生き残った時に、続けるか、勝ちとするか（YU-75）。",
            "Whether a sole survivor plays on or wins (YU-75).",
        ),
        "opthelp.simultaneous_win": (
            "同じ時に二人がかなえたら、共に勝つか、起点から数えて最初の人だけか（YU-80）。",
            "Whether victories at the same moment are shared (YU-80).",
        ),
        "opthelp.card_count": (
            "同点で枚数を比べる時に、すべての札か、☆のある札だけか（YU-86）。",
            "Whether a tie counts all cards or those with ☆ (YU-86).",
        ),
        "opthelp.replay": (
            "夢ヲチの後すぐ遊び直すか、全員に聞くか、しないか（YU-88）。",
            "Whether a dream is replayed at once, if all want to, or never (YU-88).",
        ),
        "opthelp.replay_limit": (
            "夢ヲチで遊び直すのは何回までか（YU-88）。",
            "How many replays there may be (YU-88).",
        ),
        "opthelp.end_reveal": (
            "終局に、余ったスキルと裏の時計も見せるか（YU-19）。",
            "Whether leftover skills and face-down hours are shown as well (YU-19).",
        ),
        "opthelp.clock_turn": ("一つの手番の秒数（10〜600）。", "Seconds for a turn (10 to 600)."),
        "opthelp.clock_consent": (
            "交換の返事の秒数（5〜300）。切れたら断ります。",
            "Seconds to answer an offer (5 to 300); then it is refused.",
        ),
        "opthelp.clock_followup": (
            "効果の続きを選ぶ秒数（5〜300）。",
            "Seconds for a choice that an effect asks for (5 to 300).",
        ),
        "opthelp.clock_absent": (
            "切断した人の番を何秒で見送るか（1〜60、YU-103）。",
            "After how many seconds an absent player passes (1 to 60, YU-103).",
        ),
        "opthelp.bot_pace": (
            "ボットが答えるまでの秒数（0〜30）。考える時間から手を読まれません（YU-102）。",
            "Seconds before a bot answers (0 to 30), always the same (YU-102).",
        ),
        "optval.first_holder.random": ("くじ", "drawn"),
        "optval.first_holder.named": ("話し合い", "named"),
        "optval.exchange_refused.free": ("別の行動を選ぶ", "another action"),
        "optval.exchange_refused.spends": ("手番が終わる", "spends the turn"),
        "optval.time_reference.hour": ("いまの時刻", "the current hour"),
        "optval.time_reference.position": ("カードの位置", "the card's position"),
        "optval.rabbit_price.figurine": ("置物だけ", "the figurine"),
        "optval.rabbit_price.figurine_and_skill": ("置物と自分のスキル", "the own skill too"),
        "optval.dying_opener.discard": ("捨てる", "discarded"),
        "optval.dying_opener.keep": ("残す", "kept"),
        "optval.all_dead.compare": ("☆を比べる", "compare stars"),
        "optval.all_dead.dream": ("夢ヲチ", "a dream"),
        "optval.last_survivor.play_on": ("続ける", "plays on"),
        "optval.last_survivor.wins": ("勝ち", "wins"),
        "optval.simultaneous_win.shared": ("共に勝つ", "shared"),
        "optval.simultaneous_win.origin_first": ("起点から最初の人", "first from the origin"),
        "optval.card_count.all": ("すべて", "all"),
        "optval.card_count.starred": ("☆のある札", "those with ☆"),
        "optval.replay.auto": ("すぐ遊び直す", "at once"),
        "optval.replay.ask": ("全員に聞く", "if all agree"),
        "optval.replay.off": ("しない", "never"),
        "optval.end_reveal.all": ("すべて", "everything"),
        "optval.end_reveal.seats_only": ("各自の前の札だけ", "the players' cards only"),
    }
)
