"""All settings of a server, and how they are put together from where they are given.

Each section is a frozen class; each setting says its default, unit, bounds and meaning where it is
defined. Reading finds every fault at once. `kaguraden serve` prints one line for each. Where they
come from, a file, variables and flags, is the matter of `sources`.
"""

from __future__ import annotations

import ipaddress
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import attrs
from attrs import field, frozen
from kaguraden_protocol.limits import Limits
from kaguraden_rules.kernel import Text

from .clocks import ClockOptions
from .logs import LEVELS
from .settings import About, about, faults, meant, setting, suggestion

__all__ = [
    "EVERY",
    "LIMITS",
    "SECTIONS",
    "AdminSettings",
    "Config",
    "ConfigError",
    "DailySettings",
    "DataSettings",
    "LanSettings",
    "Layer",
    "LogSettings",
    "RoomSettings",
    "ServerSettings",
    "TlsSettings",
    "UserSettings",
    "described",
    "read_file",
    "read_layers",
]

_HOST: Final = re.compile(r"[^\s/:@?#]+")  # a name or an address of IPv4
# Browsers call the origin of a page from a disk "null".
_ORIGIN: Final = re.compile(r"https?://[^\s/@?#]+/?|null", re.IGNORECASE)


def _is_host(text: str) -> bool:
    try:
        return _HOST.fullmatch(text) is not None or bool(ipaddress.ip_address(text))
    except ValueError:
        return False


def _is_network(text: str) -> bool:
    try:
        return bool(ipaddress.ip_network(text))
    except ValueError:
        return False


def _is_origin(text: str) -> bool:
    return _ORIGIN.fullmatch(text) is not None


DAY_S: Final = 24 * 60 * 60
EVERY: Final = "*"  # as a host: all addresses of the machine


@frozen
class ServerSettings:
    """Where the server listens and whom it lets in."""

    host: str = setting(
        "127.0.0.1",
        "the address to listen on; * for all of them",
        ja="待ち受けるアドレス。* はすべて",
        low=1,
        high=255,
        flag="--host",
    )
    port: int = setting(
        8765,
        "the port to listen on; 0 picks a free one",
        ja="待ち受けるポート。0 なら空いているものを選ぶ",
        high=65_535,
        flag="--port",
    )
    name: str = setting(
        "Kaguraden",
        "what the server calls itself",
        ja="サーバーの名乗り",
        low=1,
        high=64,
        reload=True,
    )
    password: str = setting(
        "",
        "who says hello must know it; none if empty",
        ja="入るときの合言葉。空ならなし",
        high=128,
        secret=True,
        reload=True,
    )
    allowed_hosts: tuple[str, ...] = setting(
        (),
        "names by which clients may call the server, besides its addresses and its own name",
        ja="クライアントがサーバーを呼んでよい名前。アドレスと機械自身の名前のほかに",
        each=_is_host,
        like="play.example.org",
        reload=True,
    )
    allowed_origins: tuple[str, ...] = setting(
        (),
        "origins of web pages that may connect, such as https://example.org, besides its own",
        ja="接続してよいウェブページのオリジン(https://example.org など)。サーバー自身のページのほかに",
        each=_is_origin,
        like="https://example.org",
        reload=True,
    )
    trusted_proxies: tuple[str, ...] = setting(
        (),
        "addresses and networks of proxies that are believed about whom they speak for",
        ja="誰の代わりかを信じてよいプロキシのアドレスかネットワーク",
        each=_is_network,
        like="10.0.0.0/8, ::1",
        reload=True,
    )
    forwarded_header: str = setting(
        "x-forwarded-for",
        "the header in which they tell it; the other one is never believed",
        ja="プロキシがそれを書くヘッダー。もう一方は信じない",
        choices=("x-forwarded-for", "forwarded"),
        reload=True,
    )
    allowed_networks: tuple[str, ...] = setting(
        (),
        "addresses and networks whose clients may come; everybody if empty",
        ja="来てよいクライアントのアドレスかネットワーク。空なら誰でも",
        each=_is_network,
        like="10.0.0.0/8, ::1",
        reload=True,
    )
    handshakes_per_minute: int = setting(
        600,
        "new connections of one address, at once and each minute; further ones get a 429",
        ja="1つのアドレスの新しい接続。一度に、また1分ごとに。超えれば 429",
        low=1,
        high=1_000_000,
        reload=True,
    )
    compression: bool = setting(
        False,
        "compress messages; for slow links, at up to 60 kB of memory a connection",
        ja="メッセージを圧縮する。遅い回線のため。1接続に60 kBまでのメモリーを使う",
    )
    drain_s: int = setting(
        4,
        "how long clients may take to hang up when the server stops",
        ja="サーバーが止まるとき、クライアントが切るのを待つ時間",
        unit="s",
        low=1,
        high=60,
        reload=True,
    )
    metrics_token: str = setting(
        "",
        "who names it as a bearer token may read /metrics from anywhere; if empty only this machine",
        ja="これを Bearer トークンとして示す人は、どこからでも /metrics を読める。空ならこの機械だけ",
        high=256,
        secret=True,
        reload=True,
    )


@frozen
class TlsSettings:
    """Whether connections are encrypted, and by which certificate."""

    mode: str = setting(
        "off",
        "auto makes a certificate and keeps it, which clients know by its fingerprint; files takes "
        "one that you have",
        ja="auto は証明書を作って保ち、クライアントは指紋で見分けます。files は手持ちの証明書を使います",
        choices=("off", "auto", "files"),
        flag="--tls",
    )
    cert: str = setting(
        "",
        "the file of the certificate, in PEM form, with those that it depends on",
        ja="証明書のファイル(PEM 形式、中間証明書も)",
        high=4096,
        flag="--cert",
    )
    key: str = setting(
        "",
        "the file of its key; if empty, it is in that of cert",
        ja="その鍵のファイル。空なら cert のファイルの中",
        high=4096,
        flag="--key",
    )


@frozen
class LanSettings:
    """Hosting for the local network."""

    announce: bool = setting(
        False,
        "announce the server in the local network (mDNS), and show names in the log",
        ja="ローカルネットワークで名乗り(mDNS)、ログに名前を出します",
    )


@frozen
class RoomSettings:
    """How long rooms and seats are kept."""

    empty_lobby_s: int = setting(
        120,
        "a room that has not begun, with nobody there",
        ja="始まる前で、誰もいない卓",
        unit="s",
        low=1,
        high=DAY_S,
        reload=True,
    )
    empty_playing_s: int = setting(
        1_800,
        "a game in play, with nobody there",
        ja="対局中で、誰もいない卓",
        unit="s",
        low=1,
        high=7 * DAY_S,
        reload=True,
    )
    empty_over_s: int = setting(
        120,
        "a game that is over, with nobody there",
        ja="終わって、誰もいない卓",
        unit="s",
        low=1,
        high=DAY_S,
        reload=True,
    )
    idle_lobby_s: int = setting(
        7_200,
        "a room that has not begun, with nobody doing anything",
        ja="始まる前で、誰も何もしない卓",
        unit="s",
        low=10,
        high=DAY_S,
        reload=True,
    )
    over_s: int = setting(
        3_600,
        "a game that is over, though somebody is there",
        ja="終わって、まだ誰かいる卓",
        unit="s",
        low=10,
        high=DAY_S,
        reload=True,
    )
    away_lobby_s: int = setting(
        90,
        "the seat of somebody away, before the game",
        ja="始まる前に離れた人の席",
        unit="s",
        low=1,
        high=DAY_S,
        reload=True,
    )
    grace_s: int = setting(
        15,
        "after a restart, before the clocks of a game run on",
        ja="再起動のあと、対局の時計が動き出すまで",
        unit="s",
        high=3_600,
    )
    host_away_s: int = setting(
        60,
        "the host's powers while it is away; then another gets them",
        ja="離れた主催の権限。過ぎるとほかの人に移る",
        unit="s",
        high=DAY_S,
        reload=True,
    )
    bots: int = setting(
        64,
        "bots that the server runs at the same time",
        ja="サーバーが同時に動かすボット",
        high=10_000,
        reload=True,
    )
    bots_per_user: int = setting(
        16,
        "those of them that one user has put in",
        ja="そのうち1人が入れられるもの",
        high=10_000,
        reload=True,
    )


@frozen
class UserSettings:
    """How long users are remembered."""

    keep_s: int = setting(
        3_600,
        "a user who is away and in no room",
        ja="離れていて、どの卓にもいない人",
        unit="s",
        low=1,
        high=30 * DAY_S,
        reload=True,
    )
    most: int = setting(
        20_000,
        "users that are remembered",
        ja="覚えておく人数",
        low=10,
        high=1_000_000,
        reload=True,
    )


@frozen
class DailySettings:
    """The challenge of the day, of enbu."""

    by_address: bool = setting(
        False,
        "rank one attempt an address, besides one a user; for a server open to the world, where "
        "somebody may come back under another name, as there are no accounts",
        ja="1人1回に加え、1アドレス1回だけを順位に入れる。登録がなく別の名前でまた来られるので、"
        "世界に開いたサーバーのため",
        reload=True,
    )
    days: int = setting(
        60,
        "days whose standings are kept",
        ja="成績を残す日数",
        low=2,
        high=3_660,
        reload=True,
    )
    entries: int = setting(
        1_000,
        "ranked attempts a day; further ones are practice",
        ja="1日に順位に入る回数。それより後は練習",
        low=1,
        high=10_000,
        reload=True,
    )


@frozen
class DataSettings:
    """What is written to disk, and read from there."""

    dir: str = setting(
        "",
        "the folder for the journal, records of finished games and the daily challenge; none if "
        "empty (replays/*.json, daily/*.json, and daily.key: the secret of the days, which is to "
        "stay one)",
        ja="日誌、棋譜、今日の演目帖のフォルダー。空ならなし"
        "(replays/*.json、daily/*.json、日々の秘密 daily.key。これは秘密のままに)",
        high=4096,
        flag="--data",
    )
    replays: int = setting(
        1_000,
        "how many records are kept, the newest",
        ja="残す棋譜の数。新しいものから",
        low=1,
        high=1_000_000,
        reload=True,
    )
    journal: bool = setting(
        True,
        "keep rooms and moves in a journal there, so that a restart loses nothing "
        "(journal.sqlite3, which holds secrets of running games; only one server at a time may "
        "use it)",
        ja="卓と手を日誌に残し、再起動で何も失わない"
        "(journal.sqlite3。進行中の対局の秘密を含み、一度に1つのサーバーだけが使える)",
    )
    chat: bool = setting(
        False,
        "keep what is said in rooms in the journal too",
        ja="卓での発言も日誌に残す",
        reload=True,
    )
    closed_days: int = setting(
        30,
        "closed rooms in the journal, with their games",
        ja="閉じた卓とその対局を日誌に残す日数",
        unit="days",
        low=1,
        high=3_660,
        reload=True,
    )
    closed_rooms: int = setting(
        10_000,
        "how many closed rooms the journal keeps at most",
        ja="閉じた卓を日誌に残す数の上限",
        low=0,
        high=10_000_000,
        reload=True,
    )
    packs: str = setting(
        "",
        "the folder of card packs and books, *.toml, added to the games' own; none if empty "
        "(at most 64 files of 256 KiB; all cards of a game must fit in one message: "
        "limits.frame_out_bytes, 4096 values, some 50 to 150 cards; read once, at the start)",
        ja="ゲームに足すカードパックと演目帖 *.toml のフォルダー。空ならなし"
        "(256 KiBまでのファイル64個まで。1つのゲームのカードは1つのメッセージに収まること: "
        "limits.frame_out_bytes、値4096個、50から150枚ほど。始めに一度だけ読む)",
        high=4096,
        flag="--packs",
    )


@frozen
class AdminSettings:
    """How who runs the server speaks to it: kaguraden admin."""

    socket: str = setting(
        "",
        "the Unix socket to listen on; if empty, admin.sock in the data folder, "
        "else in $RUNTIME_DIRECTORY, else none",
        ja="待ち受ける Unix ソケット。空ならデータのフォルダーの admin.sock、"
        "なければ $RUNTIME_DIRECTORY の中、それもなければなし",
        high=107,
    )


@frozen
class LogSettings:
    """What is told on stderr."""

    format: str = setting(
        "console",
        "for people or for programs",
        ja="人のため(console)か、プログラムのため(json)か",
        choices=("console", "json"),
        flag="--log-format",
    )
    level: str = setting(
        "info",
        "how much is told",
        ja="どこまで書くか",
        choices=LEVELS,
        flag="--log-level",
        reload=True,
    )


def _limit(meaning: str, unit: str, low: int, high: int, ja: str, *, reload: bool = True) -> About:
    return About(meaning, unit, low, high, ja=ja, reload=reload)


LIMITS: Final[Mapping[str, About]] = MappingProxyType(
    {
        "frame_in_bytes": _limit("a request", "bytes", 1_024, 1_048_576, "1つの要求"),
        "frame_out_bytes": _limit(
            "a reply or push", "bytes", 65_536, 4_194_304, "1つの返事や通知", reload=False
        ),
        "pending_requests": _limit(
            "requests without a reply, a connection", "", 1, 256, "1接続で返事を待つ要求"
        ),
        "burst_requests": _limit(
            "requests at once, a connection", "", 5, 100_000, "1接続で一度に出せる要求"
        ),
        "requests_per_second": _limit(
            "requests sustained, a connection", "", 1, 100_000, "1接続で1秒あたり続けて出せる要求"
        ),
        "abuse_buckets": _limit(
            "refused bursts within abuse_ms that end it",
            "",
            1,
            1_000,
            "abuse_ms のうちにこれだけ断られたら切る(まとまりの数)",
        ),
        "abuse_ms": _limit("in what time they count", "ms", 1_000, 600_000, "それを数える時間"),
        "chat_messages": _limit(
            "lines of chat within chat_ms, a user", "", 1, 1_000, "1人が chat_ms のうちに言える行"
        ),
        "chat_ms": _limit("in what time they count", "ms", 1_000, 600_000, "それを数える時間"),
        "connections_per_address": _limit(
            "connections of one address", "", 1, 1_000_000, "1アドレスの接続"
        ),
        "connections_per_user": _limit(
            "connections of one user, closing ones too", "", 2, 100, "1人の接続。閉じかけも数える"
        ),
        "connections": _limit("connections in all", "", 1, 1_000_000, "全体の接続"),
        "rooms_per_user": _limit(
            "rooms not yet over that a user is in", "", 1, 1_000, "1人がいる、終わっていない卓"
        ),
        "rooms_per_address": _limit(
            "rooms opened from one address", "", 1, 1_000_000, "1アドレスから開いた卓"
        ),
        "rooms": _limit("rooms in all", "", 1, 1_000_000, "全体の卓"),
        "spectators_per_room": _limit("spectators of a room", "", 0, 100_000, "1卓の観戦者"),
        "queue_messages": _limit(
            "messages that wait for a reader", "", 24, 100_000, "読み手を待つメッセージ"
        ),
        "queue_bytes": _limit(
            "bytes that wait for a reader", "bytes", 65_536, 1_073_741_824, "読み手を待つ量"
        ),
        "write_ms": _limit(
            "one write; a reader that takes longer is cut",
            "ms",
            100,
            60_000,
            "1回の書き込み。もっとかかる読み手は切る",
        ),
        "hello_ms": _limit(
            "from the handshake to hello", "ms", 50, 600_000, "接続してから hello まで"
        ),
        "token_grace_ms": _limit(
            "a token after the next was given",
            "ms",
            0,
            600_000,
            "次のものを渡した後、前のトークンが使える時間",
        ),
        "resume_updates": _limit(
            "updates kept for who comes back, a viewer",
            "",
            1,
            10_000,
            "戻る人のために見る人ごとに残す更新",
        ),
        "chat_history": _limit("lines of chat kept, a room", "", 0, 1_000, "1卓に残す発言の行"),
    }
)
"""What the limits of the protocol mean to an operator, and their bounds."""


@frozen
class Config:
    """A server's settings."""

    server: ServerSettings = field(factory=ServerSettings)
    lan: LanSettings = field(factory=LanSettings)
    tls: TlsSettings = field(factory=TlsSettings)
    rooms: RoomSettings = field(factory=RoomSettings)
    clocks: ClockOptions = field(factory=ClockOptions)
    users: UserSettings = field(factory=UserSettings)
    limits: Limits = field(factory=Limits)
    daily: DailySettings = field(factory=DailySettings)
    data: DataSettings = field(factory=DataSettings)
    admin: AdminSettings = field(factory=AdminSettings)
    log: LogSettings = field(factory=LogSettings)


MAX_FILE: Final = 1_048_576  # bytes, far more than all settings are
SECTIONS: Final[Mapping[str, type]] = MappingProxyType(
    {section: type(value) for section, value in attrs.asdict(Config(), recurse=False).items()}
)


@frozen
class Layer:
    """Settings given in one place, by section.

    `place` names it, such as a file; `names` are those of the settings that are given under a name
    of their own, as by variables and flags; `spell` writes the name of one as it would be there.
    """

    tables: Mapping[str, Any]
    place: str = ""
    names: Mapping[tuple[str, str], str] = field(factory=dict)
    spell: Callable[[str, str], str] = lambda section, key: key

    def origin(self, section: str, key: str) -> str:
        """Return where a setting comes from."""
        return self.names.get((section, key), self.place)

    def told(self, section: str, key: str = "") -> str:
        """Return how a fault names a setting, or a section."""
        where = f"{self.place}: " if self.place else ""
        plain = where + (f"{section}.{key}" if key else section)
        return self.names.get((section, key), plain)


class ConfigError(Exception):
    """The settings have faults. `faults` has one line for each, `texts` the same in both languages."""

    def __init__(self, texts: Iterable[Text]) -> None:
        self.texts = tuple(texts)
        self.faults = [text.en for text in self.texts]
        super().__init__("; ".join(self.faults))


def read_file(path: Path) -> dict[str, Any]:
    """Return a TOML file as it is, unchecked.

    Raises:
        ConfigError: It cannot be read, or is no TOML.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE + 1)
        if len(data) > MAX_FILE:
            raise _no_toml(path, f"more than {MAX_FILE} bytes")
        return tomllib.loads(data.decode())
    except OSError as error:
        why = error.strerror or str(error)
        raise ConfigError([Text(f"{path}: 読めません: {why}", f"{path}: {why}")]) from None
    except RecursionError:
        raise _no_toml(path, "too deep") from None
    except ValueError as error:  # no TOML, no UTF-8, or a number of some thousand digits
        raise _no_toml(path, str(error)) from None


def _no_toml(path: Path, why: str) -> ConfigError:
    return ConfigError([Text(f"{path}: TOMLではありません: {why}", f"{path}: not TOML: {why}")])


def read_layers(layers: Iterable[Layer]) -> tuple[Config, dict[tuple[str, str], str]]:
    """Return the settings of several places, and where each that was given comes from.

    Args:
        layers: The places; each goes over those before it. All are checked, what is covered too.

    Raises:
        ConfigError: With every fault found.
    """
    wrong: list[Text] = []
    values: dict[str, dict[str, Any]] = {section: {} for section in SECTIONS}
    origins: dict[tuple[str, str], str] = {}
    for layer in layers:
        wrong += _layer_faults(layer)
        if wrong:
            continue
        for section, table in layer.tables.items():
            for key, value in table.items():
                values[section][key] = tuple(value) if isinstance(value, list) else value
                origins[section, key] = layer.origin(section, key)
    if wrong:
        raise ConfigError(wrong)
    made: dict[str, Any] = {section: cls(**values[section]) for section, cls in SECTIONS.items()}
    return Config(**made), origins


def _layer_faults(layer: Layer) -> list[Text]:
    wrong: list[Text] = []
    for section in layer.tables:
        if section not in SECTIONS:
            (ja, en), name = _hint(section), layer.told(section)
            wrong.append(
                Text(f"{name}: そのような節はありません{ja}", f"{name}: unknown section{en}")
            )
    for section, cls in SECTIONS.items():
        table = layer.tables.get(section, {})
        if not isinstance(table, Mapping):
            name = layer.told(section)
            ja, en = f"節 [{section}] にしてください", f"expected a section [{section}]"
            wrong.append(Text(f"{name}: {ja}", f"{name}: {en}"))
            continue
        spelled = partial(layer.spell, section)
        notes = LIMITS if cls is Limits else None
        for key, why in faults(table, cls, notes, spelled):
            name = layer.told(section, key)
            wrong.append(Text(f"{name}: {why.ja}", f"{name}: {why.en}"))
    return wrong


def _hint(name: str) -> tuple[str, str]:
    for section, cls in SECTIONS.items():
        if name in attrs.fields_dict(cls):
            ja, en = meant(f"{name} in [{section}]")
            return ja.replace(" in ", " "), en
    return suggestion(name, SECTIONS)


def described(section: str, key: str) -> About:
    """Return what a setting means."""
    cls = SECTIONS[section]
    return LIMITS[key] if cls is Limits else about(attrs.fields_dict(cls)[key])


def describe() -> list[tuple[str, str, Any, About]]:
    """Return every setting as `(section, name, default, what it means)`."""
    return [
        (section, a.name, a.default, described(section, a.name))
        for section, cls in SECTIONS.items()
        for a in attrs.fields(cls)
    ]
