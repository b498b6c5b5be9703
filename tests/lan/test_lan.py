"""A LAN party with real processes, in networks made for it: found, joined by code, played."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from tests.client.terminal.terminal import Terminal
from tests.lan.networks import KAGURADEN, Host, Networks, Spoken, networks

ANSWERS = (
    ("done declaring", "lock_bid"),
    ("Declare", "declare_bid 0"),
    ("Choose your place", "1"),
    ("Your turn", "end_turn"),
    ("Bid in", "done"),
    ("that stays", "1"),
    ("your own cards", "1"),
)  # what is not here is passed

LISTENER = """
import json
import time
from zeroconf import ServiceBrowser, Zeroconf

def heard(zeroconf, service_type, name, state_change):
    print(state_change.name, flush=True)
    if state_change.name == "Added":
        info = zeroconf.get_service_info(service_type, name)
        print("TXT", json.dumps(info.decoded_properties), flush=True)

ServiceBrowser(Zeroconf(), "_kaguraden._tcp.local.", handlers=[heard])
time.sleep(60)
"""

# Announces what nobody should: control characters, much too much, and addresses of others.
STRANGER = """
import socket, time
from zeroconf import DNSAddress, DNSOutgoing, DNSPointer, DNSService, DNSText

SERVICE = "_kaguraden._tcp.local."
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.bind(("10.77.0.3", 5353))

def entry(text):
    data = text.encode()[:255]
    return bytes([len(data)]) + data

def announce(i):
    name = f"\\x1b[2Jstranger {i}.{SERVICE}" if i % 2 else f"stranger {i}.{SERVICE}"
    host = f"stranger{i}.local."
    txt = entry("protocol=kaguraden.v1") + entry("name=\\x1b]0;owned\\x07\\u202eevil" + "x" * 150)
    txt += entry("path=/ws") + entry("games=" + "\\x1b[31m," * 20) + entry("tls=1") + entry("fp=no")
    if i % 5 == 0:
        txt += entry("k=" + "y" * 250) * 25
    bad = ["127.0.0.1", "192.0.2.1", "224.0.0.1", "10.77.0.3"][i // 2 % 4]
    out = DNSOutgoing(0x8400)
    out.add_answer_at_time(DNSPointer(SERVICE, 12, 1, 4500, name), 0)
    out.add_answer_at_time(DNSService(name, 33, 1, 120, 0, 0, 1 + i, host), 0)
    out.add_answer_at_time(DNSText(name, 16, 1, 4500, txt), 0)
    out.add_answer_at_time(DNSAddress(host, 1, 1, 120, socket.inet_aton(bad)), 0)
    for packet in out.packets():
        udp.sendto(packet, ("224.0.0.251", 5353))

while True:
    for i in range(2000):
        announce(i)
        time.sleep(0.001)
    print("announced", flush=True)
"""


@pytest.fixture
def lan(tmp_path: Path) -> Iterator[Networks]:
    with networks(tmp_path) as made:
        yield made


def two_hosts(lan: Networks, *, v4: bool = True, v6: bool = True) -> tuple[Host, Host, list[str]]:
    """Return two machines in a network, and their ports of the bridge."""
    a, b = lan.host("a"), lan.host("b")
    ports = []
    for number, host in enumerate((a, b), 1):
        addresses = [f"10.77.0.{number}/24"] if v4 else []
        addresses += [f"fd77::{number}/64"] if v6 else []
        ports.append(lan.join(host, "br0", *addresses))
    return a, b, ports


def open_table(
    host: Host, name: str = "Aki", url: str = "ws://127.0.0.1:8765/ws"
) -> tuple[Spoken, str]:
    """Have somebody at the server's machine make a table; return it and the table's code."""
    player = host.start(
        *("play", url, "--plain", "--lang", "en", "--name", name),
        home=name,
    )
    player.until("No table is open")
    player.say("n")
    return player, player.until(r"You are at table (\S+) ")[1]


def play_together(aki: Spoken, bo: Spoken) -> None:
    """Start the table of the first, with both there, and play until both had a turn."""
    bo.say("r")
    aki.until(r"2 Bo \(ready\)")
    aki.say("r")
    aki.say("s")
    signs = {"Aki": "rock", "Bo": "paper"}
    had: set[str] = set()
    end = time.monotonic() + 60
    while had != signs.keys():
        assert time.monotonic() < end, (aki.heard[-9:], bo.heard[-9:])
        for name, player in (("Aki", aki), ("Bo", bo)):
            if (line := player.soon()) is not None and line.startswith("Question: "):
                told = signs[name] if "Janken" in line else "pass"
                player.say(next((answer for words, answer in ANSWERS if words in line), told))
                if "Your turn" in line:
                    had.add(name)


def join(host: Host, what: str, *options: str, name: str = "Bo") -> Spoken:
    return host.start("join", what, "--plain", "--lang", "en", "--name", name, *options, home=name)


def seated(player: Spoken) -> str:
    """Return the code of the table once the player sits there."""
    return player.until(r"You are at table (\S+) \(seat")[1]


def found(host: Host) -> Any:
    """Return what `servers --json` tells."""
    return json.loads(host.kaguraden("servers", "--json").stdout)


def test_a_client_finds_the_server_joins_by_code_and_plays(lan: Networks) -> None:
    a, b, _ = two_hosts(lan)
    server = a.serve()
    aki, code = open_table(a)
    assert server.until(r"http://10\.77\.0\.1:8765/play\?room=(\S+)")[1] == code
    bo = join(b, code)
    assert seated(bo) == code
    assert server.until(r" joined .*seat=1 name=(\w+)")[1] == "Bo", "the host sees who comes"
    play_together(aki, bo)


def test_the_code_may_be_typed_as_one_likes(lan: Networks) -> None:
    a, b, _ = two_hosts(lan)
    a.serve()
    _, code = open_table(a)
    assert seated(join(b, code.lower().replace("-", " "))) == code


def test_with_multicast_dropped_it_says_so_and_joins_by_address_or_link(lan: Networks) -> None:
    a, b, ports = two_hosts(lan, v6=False)
    lan.drop_multicast(*ports)
    server = a.serve()
    _, code = open_table(a)
    link = server.until(r"http://10\.77\.0\.1:8765/play\?room=\S+")[0]
    told = b.kaguraden("join", code, "--plain", "--lang", "en")
    assert told.returncode == 1
    assert "may block multicast" in told.stdout
    assert "play ADDRESS" in told.stdout
    told = b.kaguraden("servers", "--lang", "ja")
    assert told.returncode == 1
    assert "マルチキャスト（mDNS）を通さない" in told.stdout
    assert "アドレスか参加リンク" in told.stdout
    assert seated(join(b, link)) == code
    assert seated(join(b, "10.77.0.1:8765", "--room", code, name="Cho")) == code
    dan = join(b, code, "--new", name="Bo")  # asks the servers that Bo has been to
    assert seated(dan) == code


@pytest.mark.parametrize("addresses", ["fd77::", "fe80::"])
def test_it_works_without_ipv4(lan: Networks, addresses: str) -> None:
    a, b, _ = two_hosts(lan, v4=False, v6=addresses == "fd77::")
    a.serve()
    (server,) = found(b)["servers"]
    assert server["url"].startswith(f"ws://[{addresses}")
    aki, code = open_table(a)
    bo = join(b, code)
    assert seated(bo) == code
    play_together(aki, bo)


def test_a_server_in_two_networks_is_found_in_both_by_its_address_there(lan: Networks) -> None:
    a, b, _ = two_hosts(lan, v6=False)
    other = lan.bridge()
    c = lan.host("c")
    lan.join(a, other, "10.78.0.1/24")
    lan.join(c, other, "10.78.0.2/24")
    a.serve()
    assert [s["url"] for s in found(b)["servers"]] == ["ws://10.77.0.1:8765/ws"]
    assert [s["url"] for s in found(c)["servers"]] == ["ws://10.78.0.1:8765/ws"]
    _, code = open_table(a)
    assert seated(join(c, code)) == code


def test_a_server_follows_its_addresses_and_says_goodbye(lan: Networks) -> None:
    a, b, _ = two_hosts(lan, v6=False)
    other = lan.bridge()
    c = lan.host("c")
    lan.join(c, other, "10.78.0.2/24")
    server = a.serve()
    assert found(c)["servers"] == []
    lan.join(a, other, "10.78.0.1/24")
    server.until(" announced ")
    assert [s["url"] for s in found(c)["servers"]] == ["ws://10.78.0.1:8765/ws"]
    listening = b.python(LISTENER)
    listening.until("Added")
    told = json.loads(listening.until("TXT (.*)")[1])
    assert told == {
        "name": "Kaguraden",
        "version": version("kaguraden"),
        "protocol": "kaguraden.v1",
        "games": "odoriko,enbu,yumeochi",
        "tls": "0",
        "path": "/ws",
    }
    assert server.end() == 0
    listening.until("Removed", 5)


def test_a_code_is_found_on_the_one_of_two_servers_that_has_it(lan: Networks) -> None:
    a, b, _ = two_hosts(lan, v6=False)
    c = lan.host("c")
    lan.join(c, "br0", "10.77.0.3/24")
    c.serve()
    second = a.start("serve", "--lan")
    assert second.until(r" announced name=\"(.*)\"")[1].endswith("-2"), "the name was taken"
    _, code = open_table(a)
    _, wrong = open_table(c)
    assert len(found(b)["servers"]) == 2
    assert seated(join(b, code)) == code
    rooms = {s["url"]: s["rooms"] for s in found(b)["servers"]}
    assert [room["free"] for room in rooms["ws://10.77.0.3:8765/ws"]] == [5], "nobody went there"
    told = b.kaguraden("join", "KAGU-2222", "--plain", "--lang", "en")
    assert told.returncode == 1
    assert "none of the 2 servers found has table KAGU-2222" in told.stdout
    assert wrong != code


def test_play_lists_the_servers_and_goes_where_one_says(lan: Networks) -> None:
    a, b, _ = two_hosts(lan)
    a.serve()
    _, code = open_table(a)
    player = b.start("play", "--plain", "--lang", "en", "--name", "Bo")
    player.until(r"^1\. Kaguraden 10\.77\.0\.1:8765 · tables 1, free seats 5")
    player.until(rf"^2\. +{code} odoriko 5 free Aki")
    player.say("7")
    player.until("there is no number 7")
    player.say("2")
    assert seated(player) == code


def test_the_screen_lists_the_servers_and_comes_back_from_the_lobby(lan: Networks) -> None:
    a, b, _ = two_hosts(lan)
    a.serve()
    _, code = open_table(a)
    command = ["ip", "netns", "exec", b.name, *KAGURADEN, "play", "--lang", "en", "--name", "Bo"]
    terminal = Terminal(command, b.home)
    try:
        terminal.wait_for("servers in this network", "10.77.0.1:8765", code, "Aki")
        terminal.press("a10.77.0.1:1\r")
        terminal.wait_for("cannot connect to ws://10.77.0.1:1/ws", "10.77.0.1:8765", code)
        terminal.wait(lambda text: "looking for servers" not in text)
        terminal.press("1")
        terminal.wait_for("lobby", "ws://10.77.0.1:8765/ws", code)
        terminal.press("s")
        terminal.wait_for("servers in this network", code)
        terminal.wait(lambda text: "looking for servers" not in text)
        terminal.press("2")
        terminal.wait_for(code, "Bo", "Aki")
        terminal.press("\x03\x03")
        assert terminal.wait_end() == 0
    finally:
        terminal.close()


def test_the_announcement_and_the_links_hold_the_fingerprint_of_the_certificate(
    lan: Networks,
) -> None:
    a, b, _ = two_hosts(lan)
    server = a.serve("--tls", "auto")
    said = "\n".join(server.heard)
    links = set(re.findall(r"https://10\.77\.0\.1:8765/play#tls=[0-9a-f]{64}", said))
    (link,) = links
    (told,) = found(b)["servers"]
    assert told["url"] == "wss://10.77.0.1:8765/ws"
    assert link.endswith(f"#tls={told['fingerprint']}")
    _, code = open_table(a, url=link.replace("10.77.0.1", "127.0.0.1"))
    room_link = server.until(r"https://10\.77\.0\.1:8765/play\?room=\S+#tls=[0-9a-f]{64}")[0]
    assert seated(join(b, code)) == code
    assert seated(join(b, room_link, name="Cho")) == code
    wrong = b.kaguraden("join", room_link[:-64] + "0" * 64, "--plain", "--lang", "en")
    assert wrong.returncode == 1
    assert "certificate" in wrong.stdout


def test_the_host_at_a_terminal_sees_who_comes_and_the_code_of_each_room(lan: Networks) -> None:
    a, _, _ = two_hosts(lan, v6=False)
    command = ["ip", "netns", "exec", a.name, *KAGURADEN, "serve", "--lan"]
    terminal = Terminal(command, a.home, columns=120, lines=60)
    try:
        terminal.wait_for("http://10.77.0.1:8765/play", "announced", "▀", "▄", "█")
        player, code = open_table(a)
        shown = terminal.wait_for(f"http://10.77.0.1:8765/play?room={code}", "name=Aki")
        assert f"kaguraden join {code}" in shown
        assert "[30;107m" not in shown
        player.close()
        terminal.child.sendintr()
        assert terminal.wait_end() == 0
    finally:
        terminal.close()


def test_a_machine_in_no_network_is_told_so(lan: Networks) -> None:
    told = lan.host("a").kaguraden("servers", "--lang", "en")
    assert told.returncode == 1
    assert "This machine is in no network." in told.stdout


def test_what_strangers_announce_is_bounded_and_cleaned(lan: Networks) -> None:
    a, b, _ = two_hosts(lan, v6=False)
    a.serve()
    c = lan.host("c")
    lan.join(c, "br0", "10.77.0.3/24")
    stranger = c.python(STRANGER)
    stranger.until("announced", 60)
    began = time.monotonic()
    told = b.kaguraden("servers", "--lang", "en")
    assert time.monotonic() - began < 10
    assert "Kaguraden 10.77.0.1:8765" in told.stdout
    lines = told.stdout.splitlines()
    assert len(lines) <= 40
    assert all(len(line) < 200 and line.isprintable() for line in lines)
    assert not any("127.0.0.1" in line or "192.0.2.1" in line for line in lines)
    listed = found(b)["servers"]
    assert [s["url"] for s in listed] == ["ws://10.77.0.1:8765/ws"]


def test_everybody_is_in_within_ten_seconds(lan: Networks) -> None:
    a, b, _ = two_hosts(lan)
    began = time.monotonic()
    server = a.start("serve", "--lan")
    server.until(r"^ws://")
    up = time.monotonic() - began
    _, code = open_table(a)
    players = [join(b, code, name=name) for name in ("Bo", "Cho", "Dan", "Eri")]
    for player in players:
        assert seated(player) == code
    all_in = time.monotonic() - began
    print(f"listening after {up:.1f} s, four clients seated after {all_in:.1f} s")
    assert all_in < 10
