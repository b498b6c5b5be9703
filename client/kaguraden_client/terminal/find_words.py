"""What the client says while it looks for servers in the local network."""

from __future__ import annotations

from .words import add

add(
    {
        "key.look": ("探し直す", "look again"),
        "key.address": ("アドレス", "address"),
        "key.own": ("自分のサーバー", "own server"),
        "find.title": ("サーバー", "servers"),
        "find.looking": (
            "このネットワークのサーバーを探しています…",
            "looking for servers in this network…",
        ),
        "find.looking_room": (
            "卓 {code} をこのネットワークで探しています…",
            "looking for table {code} in this network…",
        ),
        "find.lan": ("このネットワークのサーバー", "servers in this network"),
        "find.before": ("前に行ったサーバー", "servers you have been to"),
        "find.own": (
            "自分のサーバーを起動する（ボットと遊ぶ、一人で演舞する）",
            "start a server of your own (play bots, rehearse alone)",
        ),
        "find.asked": ("問い合わせ中…", "asking…"),
        "find.away": ("応答なし", "no answer"),
        "find.password": ("合言葉が要ります", "wants a password"),
        "find.rooms": ("卓{rooms}・空席{free}", "tables {rooms}, free seats {free}"),
        "find.tls": ("暗号化", "encrypted"),
        "find.pick": (
            "番号で選ぶ。Enter だけなら自分のサーバーを起動します。",
            "Type a number; Enter alone starts a server of your own.",
        ),
        "find.no_such": ("その番号はありません: {what}", "there is no number {what}"),
        "find.address": ("アドレスか参加リンク", "address or join link"),
        "find.address_like": (
            "主催の画面にあります。例 192.168.1.5:8765",
            "It is on the host's screen, such as 192.168.1.5:8765",
        ),
        "find.bad_address": ("アドレスの形が違います: {why}", "that is no address: {why}"),
        # --- why there is nobody
        "find.no_network": (
            "この機械はどのネットワークにもつながっていません。",
            "This machine is in no network.",
        ),
        "find.not_sent": (
            "この機械からマルチキャスト（mDNS）を送れません。接続、ファイアウォール、VPN を確かめてください。",
            "This machine does not let multicast (mDNS) out; look at its connection, firewall or VPN.",
        ),
        "find.silent": (
            "だれからも応答がありません。このネットワークはマルチキャスト（mDNS）を通さないかもしれません"
            "（来客用 Wi-Fi など）。",
            "Nobody answered. This network may block multicast (mDNS), as guest Wi-Fi often does.",
        ),
        "find.heard": (
            "このネットワークで名乗っているサーバーはありません。",
            "No server announces itself in this network.",
        ),
        "find.by_address": (
            "主催の画面にあるアドレスか参加リンク（QR コード）で入れます: {program} play アドレス",
            "Join by the address or join link (QR code) on the host's screen: {program} play ADDRESS",
        ),
        "find.none_has": (
            "見つかったサーバー（{n}）のどこにも卓 {code} はありません。",
            "none of the {n} servers found has table {code}.",
        ),
        "find.none_has.1": (
            "見つかったサーバーに卓 {code} はありません。",
            "the server that was found has no table {code}.",
        ),
        "find.locked": (
            "{servers} は合言葉がないと答えません。--password で指定してください。",
            "{servers} tells nothing without a password; give it with --password.",
        ),
        "find.locked_many": (
            "合言葉の要るサーバーがいくつかあります（{servers}）。アドレスで選んでください: "
            "{program} play アドレス --room {code}",
            "several servers want a password ({servers}); choose one by its address: "
            "{program} play ADDRESS --room {code}",
        ),
        "find.many_have": (
            "卓 {code} があると言うサーバーがいくつかあります（{servers}）。アドレスで選んでください: "
            "{program} play アドレス --room {code}",
            "several servers say that they have table {code} ({servers}); choose one by its address: "
            "{program} play ADDRESS --room {code}",
        ),
        "find.found": ("卓 {code}: {server}", "table {code}: {server}"),
    }
)
