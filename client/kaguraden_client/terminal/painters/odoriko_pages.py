"""odoriko explained: how it is played, what each move does, and what the room options change.

All in our own words. Each move names the rule it follows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..words import Lang, add

__all__ = ["HOW_TO_PLAY", "MOVES"]

HOW_TO_PLAY: Final[Mapping[Lang, tuple[str, ...]]] = {
    Lang.JA: (
        "踊り子 — 凍てついた国に歌と踊りを捧げ、勝利ポイント（VP）を競います。2〜6人。",
        "",
        "■ 場と札",
        "トランプ1組を全員に均等に配り、各自の資源デッキとします。2〜10が資源カードで、赤（♥♦）は歌の場、黒（♠♣）は踊りの場に置けます。A・J・Q・K は特殊カードで、場には置けません。",
        "ほかに各自12枚のキャラデッキ（キャラクターとイベント）があります。手札は4枚まで。5枚目からは捨て札になります。",
        "手札の裏面は公開です: ▮ は資源デッキの札、▯ はキャラデッキの札。",
        "",
        "■ 順番決め",
        "前半と後半の初めに、VPをいくつ差し出すかを宣言します。何度でも上げられます。全員が確定すると宣言分が引かれ、少なかった人から順番を選びます。同じ数ならじゃんけんです。",
        "",
        "■ 手番",
        "手番には行動が2回あります（同じ行動を2回でもよい）:",
        "・資源デッキまたはキャラデッキから1枚引く",
        "・キャラクターを自分の歌か踊りの場に置く（各場に1人）",
        "・資源カードを自分の場に置く",
        "・イベントカードを使う、または場のキャラクターの「手番行動」の特技を使う",
        "・Kを使い、場の札1枚を捨てさせる",
        "・手札を競りに出す",
        "・手札か自分の場の札を1枚捨てる",
        "最初に置いたキャラクターがファーストキャラクター（★FC）で、Kでは狙われません。",
        "",
        "■ 特殊カード",
        "K 手番行動。場の札1枚を捨てさせる。Q Kを打ち消す。または自分の手番に、行動を使わずに自分のキャラクターの場を入れ替える。J 資源カードが捨て札になった時、その1枚を手札に取る。A 自分の競りが売れ残った時、出品を手札に戻す。",
        "特技には、イベントやKに応じるもの、札が捨てられた時のもの、いつでも使えるもの（行動は使いません）があります。いつ、何を支払うかは札に書いてあります。",
        "使える機会が来ると、持っていそうな人全員に聞かれます。答えは伏せられ、持っていなくても聞かれるので、聞かれたことからは何もわかりません。",
        "",
        "■ 競り",
        "売り手は資源・特殊カードを何枚か見せ、最低何枚を、どの種類で欲しいかを言います。ほかの人は枚数を競り上げ、最高の人が手札から選んで支払います。取り消しはできません。",
        "",
        "■ 中間",
        "全員がファーストキャラクターを置き、そこから全員の手番が一巡したら中間集計です。場のキャラクターの得点がVPに加わり、各自1人だけキャラクターを残して、ほかの札はすべてデッキに戻します。",
        "",
        "■ 終わり",
        "後半、全員の場の資源カードが合わせて20枚になったら最終集計。VPの多い人の勝ちです。誰も札を動かさない手番が一巡した時も、その半分が終わります。",
        "",
        "■ 得点",
        "集計では、自分の場のキャラクターそれぞれの条件（＋と−）を数えます。条件は ? かこの下の一覧で読めます。葉は場の資源カードの数字、樹は1つの場の葉の合計です。",
        "",
        "■ 画面の印",
        "▶ 手番  数字 順番  ★FC ファーストキャラクター  ◆残 中間で残した札  △帳 Kに狙われない  霜 札が入れない場  ×済 特技は使用済み  山 資源+キャラ  捨 捨て札の枚数と一番上",
        "数字キーで選び、Esc で戻ります。0 は時間切れの時と同じ答えです。",
    ),
    Lang.EN: (
        "odoriko: dancers bring song and dance to a frozen land and compete for victory points (VP). 2 to 6 players.",
        "",
        "■ Cards and fields",
        "One pack of 52 is dealt out evenly; your share is your resource deck. 2 to 10 are resource cards: red ones (♥♦) may lie on your song field, black ones (♠♣) on your dance field. A, J, Q and K are special cards and never lie on a field.",
        "You also have a character deck of twelve characters and events. A hand holds 4 cards; what comes on top of that goes to your discard pile.",
        "The backs of cards in hand are public: ▮ came from a resource deck, ▯ from a character deck.",
        "",
        "■ Turn order",
        "Each half begins with declarations: how many VP will you give? You may raise yours as often as you like. When all are done the declarations are subtracted, and places are chosen from the lowest declaration up. Ties play janken (rock, paper, scissors).",
        "",
        "■ Your turn",
        "You have two actions; the same one twice is fine:",
        "· draw a card from either of your decks",
        "· place a character on your song or dance field (one on each)",
        "· place a resource card on its field",
        "· play an event, or use a skill that is an action of a character on your fields",
        "· use a K to discard any one card on any field",
        "· offer cards from your hand in an auction",
        "· discard a card from your hand or your fields",
        "The first character you place is your first character (★FC); a K cannot touch it.",
        "",
        "■ Special cards",
        "K: an action; discards a card on a field. Q: cancels a K; or, in your turn and without an action, moves or exchanges your characters between your fields. J: when resource cards have just been discarded, takes one into your hand. A: when your own auction found no buyer, takes the lot back.",
        "Some skills answer an event or a K, some react to discarded cards, some may be used at any time without an action; each card says when, and what it costs.",
        "When there is a chance to use one, everybody who might hold it is asked, in secret, whether they do or not. So being asked tells nothing.",
        "",
        "■ Auctions",
        "The seller shows some resource and special cards and says how many cards, and of which kind, they must bring. The others outbid each other; the highest bidder chooses what to pay from its hand. Bids cannot be taken back.",
        "",
        "■ Midway",
        "When everybody has placed a first character and each has had one more full turn, the characters on the fields are scored. Then each seat keeps one character, and everything else goes back to the decks.",
        "",
        "■ The end",
        "In the second half the game ends when 20 resource cards lie on all fields together. The characters are scored again, and the most VP win. A half also ends when a whole round of turns moves no card.",
        "",
        "■ Scoring",
        "Each character on your fields scores by its own conditions, plus and minus. Read them with ? or in the list below. A leaf is the number on a resource card on a field; a tree is the sum of the leaves on one field.",
        "",
        "■ Signs on the screen",
        "▶ has the turn   a number: place in the order   ★FC first character   ◆kept at midway   △veiled: no K may name it   frozen: no card may enter the field   ×used: the skill is spent   decks: resource + character   pile: how many, and the top card",
        "Digits choose, Esc goes back. 0 is what happens anyway when the time is up.",
    ),
}

# By the kind of an option: what it does and under which rule.
MOVES: Final[Mapping[str, tuple[str, str]]] = {
    "draw": (
        "デッキから1枚引きます。手札が4枚あると、引いた札は捨て札になります。（OD-40, OD-41, OD-51）",
        "Draw the top card of a deck. With four cards in hand it goes to your pile. (OD-40, OD-41, OD-51)",
    ),
    "place_character": (
        "キャラクターを自分の場に置きます。最初の1人がファーストキャラクターです。（OD-42, OD-57）",
        "Put a character on one of your fields. Your first one is the first character. (OD-42, OD-57)",
    ),
    "place_resource": (
        "資源カードを自分の場に置きます。（OD-43）",
        "Put a resource card on its field. (OD-43)",
    ),
    "discard": (
        "手札か自分の場の札を捨て札にします。ファーストキャラクターも捨てられます。（OD-48）",
        "Send a card from your hand or your fields to your pile, the first character included. (OD-48)",
    ),
    "use_k": (
        "場の札を1枚捨てさせます。ファーストキャラクターは選べません。Qで打ち消されることがあります。（OD-46, OD-74）",
        "Discard any one card on any field, except a first character. A Q may cancel it. (OD-46, OD-74)",
    ),
    "use_q": ("Kの効果を打ち消します。（OD-73）", "Cancel the K. (OD-73)"),
    "use_j": (
        "いま捨てられた資源カードを1枚、手札に取ります。（OD-71, OD-72）",
        "Take one of the resource cards just discarded into your hand. (OD-71, OD-72)",
    ),
    "use_a": (
        "売れ残った出品を手札に戻します。（OD-70）",
        "Take your unsold lot back into your hand. (OD-70)",
    ),
    "q_swap": (
        "自分のキャラクターをもう一方の場に移すか、2人を入れ替えます。行動は使いません。（OD-75, OD-76）",
        "Move your character to your other field, or exchange your two. Takes no action. (OD-75, OD-76)",
    ),
    "sell": (
        "手札の資源・特殊カードを競りに出します。値段は最低の枚数です。取り消せません。（OD-80, OD-82, OD-86）",
        "Offer resource and special cards from your hand; the price is the least number of cards you take. It cannot be withdrawn. (OD-80, OD-82, OD-86)",
    ),
    "end_turn": (
        "手番を終えます。残った行動は失われます。（OD-38）",
        "End your turn; actions that are left are lost. (OD-38)",
    ),
    "pass": (
        "何もしません。持っている札は誰にもわかりません。（OD-101, OD-105）",
        "Do nothing. Nobody learns what you hold. (OD-101, OD-105)",
    ),
    "bid": (
        "その枚数を支払うと言います。取り消せません。（OD-85, OD-86）",
        "Offer to pay so many cards. It cannot be taken back. (OD-85, OD-86)",
    ),
    "done": (
        "もう競り上げません。誰かが上げれば、また聞かれます。（OD-88）",
        "Bid no more. You are asked again if somebody bids higher. (OD-88)",
    ),
    "pay": (
        "落札した枚数の札を手札から選びます。（OD-89）",
        "Choose the cards that you pay with. (OD-89)",
    ),
    "keep": (
        "手札に残す札を選びます。入らない札は捨て札になります。（OD-52）",
        "Choose the cards that stay in your hand; the others go to your pile. (OD-52)",
    ),
    "keep_character": (
        "後半に残すキャラクターを選びます。（OD-115, OD-116）",
        "Choose the character that stays for the second half. (OD-115, OD-116)",
    ),
    "declare_bid": (
        "順番のために差し出すVP。上げることはできますが、下げられません。（OD-29, OD-30）",
        "The VP you give for your place. It can be raised, never lowered. (OD-29, OD-30)",
    ),
    "lock_bid": (
        "宣言を終えます。誰かが宣言すると確定は外れます。（OD-31）",
        "You are done declaring; a new declaration by anybody undoes this. (OD-31)",
    ),
    "place": ("手番の順番を選びます。（OD-36）", "Choose your place in the turn order. (OD-36)"),
    "rock": ("じゃんけん。（OD-35）", "Janken. (OD-35)"),
    "paper": ("じゃんけん。（OD-35）", "Janken. (OD-35)"),
    "scissors": ("じゃんけん。（OD-35）", "Janken. (OD-35)"),
    "random": ("くじで決めます。（OD-35）", "Lets chance choose. (OD-35)"),
}

add(
    {
        "odoriko.x.resource": (
            "資源カード。赤（♥♦）は歌の場、黒（♠♣）は踊りの場に置けます。数字が葉です。（OD-3, OD-14）",
            "A resource card: red (♥♦) may lie on song, black (♠♣) on dance. Its number is its leaf. (OD-3, OD-14)",
        ),
        # --- room options: names, values where they are words, and what they change
        "opt.events": ("イベント", "events"),
        "opt.max_copies_character": ("同じキャラの上限", "copies of a character"),
        "opt.max_copies_event": ("同じイベントの上限", "copies of an event"),
        "opt.order_pick": ("順番を選ぶのは", "who chooses first"),
        "opt.bid_max": ("宣言の上限", "highest declaration"),
        "opt.actions_per_turn": ("手番の行動数", "actions a turn"),
        "opt.overflow": ("手札あふれ", "full hand"),
        "opt.fc_succession": ("FCの引き継ぎ", "a new first character"),
        "opt.special_timing": ("「特殊」の機会", "timing “special”"),
        "opt.j_scope": ("Jで取れる札", "what J may take"),
        "opt.q_swap": ("Qの入れ替え", "swapping with Q"),
        "opt.auction_mode": ("競りの方式", "auctions"),
        "opt.payment_view": ("支払いの公開", "payments"),
        "opt.midway_circuit": ("中間までの一巡", "the round to midway"),
        "opt.final_count": ("20枚の数え方", "counting to 20"),
        "opt.circuit_limit": ("前後半それぞれの最大周数", "rounds a half at most"),
        "opt.others_threshold": ("「他者の場」の数え方", "others' fields"),
        "opt.unscoped": ("範囲のない条件", "terms without a scope"),
        "opt.field_cards": ("「場のカード」", "cards on fields"),
        "opt.aisha_other": ("アイーシャの「他」", "Aisha: others"),
        "opt.aisha_from": ("アイーシャの反応", "Aisha: from"),
        "optval.events.house": ("あり", "house set"),
        "optval.events.none": ("なし", "none"),
        "optval.order_pick.lowest": ("少ない人", "lowest bid"),
        "optval.order_pick.highest": ("多い人", "highest bid"),
        "optval.overflow.excess": ("あふれた分だけ", "the excess goes"),
        "optval.overflow.batch": ("まとめて全部", "all of them go"),
        "optval.fc_succession.none": ("なし", "never"),
        "optval.fc_succession.kept": ("残した札がFC", "the kept one"),
        "optval.fc_succession.next": ("次に置いた札もFC", "the next placed too"),
        "optval.special_timing.any": ("いつでも", "any time"),
        "optval.special_timing.own_turn": ("自分の手番だけ", "own turn only"),
        "optval.j_scope.batch": ("いま捨てた札", "just discarded"),
        "optval.j_scope.pile": ("捨て札のどれでも", "any in the pile"),
        "optval.q_swap.free": ("行動を使わない", "no action"),
        "optval.q_swap.action": ("行動を使う", "takes an action"),
        "optval.auction_mode.outcry": ("自由に競り上げ", "open outcry"),
        "optval.auction_mode.polled": ("順に聞く", "polled in turn"),
        "optval.payment_view.private": ("当事者だけ", "both sides only"),
        "optval.payment_view.public": ("公開", "public"),
        "optval.midway_circuit.full": ("全員もう1手番", "a full round"),
        "optval.midway_circuit.round_end": ("その周の終わり", "end of the round"),
        "optval.final_count.lying": ("場にある札", "cards lying"),
        "optval.final_count.placed": ("置いた札の累計", "cards placed"),
        "optval.others_threshold.total": ("合計", "all together"),
        "optval.others_threshold.single": ("1人だけで", "one alone"),
        "optval.unscoped.whole": ("全体", "whole table"),
        "optval.unscoped.own": ("自分", "own"),
        "optval.field_cards.all": ("すべて", "all cards"),
        "optval.field_cards.resource": ("資源だけ", "resource only"),
        "optval.aisha_other.card": ("この札以外", "other cards"),
        "optval.aisha_other.seat": ("ほかの人の札", "other seats"),
        "optval.aisha_from.field": ("場からだけ", "from fields"),
        "optval.aisha_from.anywhere": ("どこからでも", "from anywhere"),
        "opthelp.events": (
            "OD-24: デッキにハウスルールのイベントを入れるか。",
            "OD-24: whether decks hold the house set of events.",
        ),
        "opthelp.max_copies_character": (
            "OD-22: 1つのデッキに同じキャラクターを何枚まで入れられるか。",
            "OD-22: how many copies of a character a deck may hold.",
        ),
        "opthelp.max_copies_event": (
            "OD-22: 1つのデッキに同じイベントを何枚まで入れられるか。",
            "OD-22: how many copies of an event a deck may hold.",
        ),
        "opthelp.bid_max": (
            "OD-32: 順番決めで宣言できるVPの上限。",
            "OD-32: the most VP that may be declared for the turn order.",
        ),
        "opthelp.actions_per_turn": (
            "OD-37: 1手番にできる行動の数。",
            "OD-37: how many actions a turn has.",
        ),
        "opthelp.special_timing": (
            "OD-69: 「特殊」のカードを、ほかの人の手番にも使えるか。",
            "OD-69: whether what says “special” may be used in others' turns too.",
        ),
        "opthelp.circuit_limit": (
            "OD-129: この周数で、前半・後半はそこで終了。",
            "OD-129: a half ends after so many rounds.",
        ),
        "opthelp.others_threshold": (
            "OD-136: ほかの人の場の枚数を、合わせて数えるか、1人ごとに数えるか。",
            "OD-136: whether others' fields are counted together or one by one.",
        ),
        "opthelp.unscoped": (
            "OD-137: 誰の場か書いていない条件は、全員の場か、自分の場か。",
            "OD-137: whether a condition that names no field means everybody's or one's own.",
        ),
        "opthelp.field_cards": (
            "OD-139: 「場のカード」にキャラクターも数えるか。",
            "OD-139: whether “cards on fields” counts characters too.",
        ),
        "opthelp.aisha_other": (
            "OD-152: アイーシャが、自分の場のほかのキャラクターにも反応するか、ほかの人のキャラクターだけか。",
            "OD-152: whether Aisha answers to any other character, or to other seats' characters only.",
        ),
        "opthelp.aisha_from": (
            "OD-153: アイーシャが反応するのは、場から捨てた札だけか。",
            "OD-153: whether Aisha answers only to cards discarded from fields.",
        ),
        "opthelp.order_pick": (
            "OD-29: 宣言の少ない人から選ぶ（原文）か、多い人からか。",
            "OD-29: whether the lowest declaration chooses first (as written) or the highest.",
        ),
        "opthelp.overflow": (
            "OD-52: 5枚目からだけ捨てるか、一度に得た札を全部捨てるか。",
            "OD-52: whether only the cards beyond four go, or all received together.",
        ),
        "opthelp.fc_succession": (
            "OD-60: ファーストキャラクターを失った後、新しいFCができるか。",
            "OD-60: whether a seat that lost its first character gets another.",
        ),
        "opthelp.j_scope": (
            "OD-72: Jで取れるのは今捨てられた札だけか、その捨て札の山全部か。",
            "OD-72: whether J takes a card just discarded, or any of that pile.",
        ),
        "opthelp.q_swap": (
            "OD-76: Qで場を替えるのに行動を使うか。",
            "OD-76: whether swapping fields with Q takes an action.",
        ),
        "opthelp.auction_mode": (
            "OD-85: 声を上げた順か、左隣から順に聞くか。",
            "OD-85: bids are called out, or seats are asked in turn.",
        ),
        "opthelp.payment_view": (
            "OD-90: 支払った札を全員に見せるか。",
            "OD-90: whether everybody sees what was paid.",
        ),
        "opthelp.midway_circuit": (
            "OD-113: 最後のFCから全員が1手番ずつか、その周の終わりまでか。",
            "OD-113: a full turn for everybody after the last first character, or the end of the round.",
        ),
        "opthelp.final_count": (
            "OD-124: 20枚は場にある札か、後半に置いた札の累計か。",
            "OD-124: 20 cards lying, or 20 placed since midway.",
        ),
    }
)
