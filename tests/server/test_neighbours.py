"""Who asks: the client behind proxies, what counts as one address, and how often it may come."""

import pytest
from attrs import evolve
from kaguraden_server.config import ConfigError, Layer, ServerSettings, read_layers
from kaguraden_server.neighbours import Client, Neighbours, Rates, counted
from websockets.datastructures import Headers

PROXY = "10.0.0.1"
NEIGHBOURS = Neighbours.of(ServerSettings(trusted_proxies=("10.0.0.0/8", "::1")))


def client(value: str | None, peer: str = PROXY, **more: str) -> Client:
    headers = Headers([(name.replace("_", "-"), text) for name, text in more.items()])
    if value is not None:
        headers["X-Forwarded-For"] = value
    return NEIGHBOURS.client(peer, headers)


def forwarded(value: str) -> Client:
    neighbours = evolve(NEIGHBOURS, header="forwarded")
    return neighbours.client(PROXY, Headers({"Forwarded": value, "X-Forwarded-For": "192.0.2.66"}))


@pytest.mark.parametrize("peer", ["192.0.2.1", "2001:db8::1", "fe80::1%eth0", ""])
def test_who_is_no_trusted_proxy_is_not_believed(peer: str) -> None:
    assert client("203.0.113.9", peer, X_Forwarded_Proto="https") == Client(peer)


@pytest.mark.parametrize(
    ("value", "address"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("198.51.100.1, 203.0.113.9", "203.0.113.9"),  # what is left of it, anybody may make up
        ("nonsense, 203.0.113.9", "203.0.113.9"),
        ("203.0.113.9, 10.1.2.3 ,10.9.9.9", "203.0.113.9"),
        ("10.1.2.3, 10.9.9.9", "10.1.2.3"),  # a client in the proxies' own network
        ("203.0.113.9:4711", "203.0.113.9"),
        ("2001:db8::9", "2001:db8::9"),
        ("[2001:db8::9]:4711", "2001:db8::9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
    ],
)
def test_the_client_is_the_rightmost_that_is_no_proxy(value: str, address: str) -> None:
    assert client(value).address == address


@pytest.mark.parametrize(
    "value",
    [None, "", " ", "nonsense", "203.0.113.9, nonsense", "203.0.113.9,", "unknown", "1.2.3",
     "203.0.113.9:x", "203.0.113.9:123456", "[2001:db8::9", "[2001:db8::9]x", "fe80::1%eth0",
     "nonsense, 10.9.9.9"],
)  # fmt: skip
def test_a_header_that_is_missing_or_malformed_leaves_it_at_the_proxy(value: str | None) -> None:
    assert client(value, X_Forwarded_Proto="https") == Client(PROXY)


def test_headers_that_come_twice_are_one_list() -> None:
    headers = Headers([("X-Forwarded-For", "203.0.113.9"), ("X-Forwarded-For", "10.3.3.3")])
    assert NEIGHBOURS.client("::1", headers) == Client("203.0.113.9")
    assert NEIGHBOURS.client("::ffff:10.0.0.1", headers) == Client("203.0.113.9")


def test_tls_at_the_proxy_is_told_in_one_word() -> None:
    assert client("203.0.113.9", X_Forwarded_Proto="https").is_secure
    for other in ("http", "https, http", "HTTPS!"):
        assert not client("203.0.113.9", X_Forwarded_Proto=other).is_secure


def test_the_header_that_the_proxies_do_not_write_is_never_believed() -> None:
    assert client(None, Forwarded="for=203.0.113.9") == Client(PROXY)
    assert forwarded("").address == PROXY


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("for=203.0.113.9", Client("203.0.113.9")),
        ("For=203.0.113.9;Proto=https;by=10.0.0.2", Client("203.0.113.9", is_secure=True)),
        ('for=198.51.100.1;proto=https, for="203.0.113.9:80"', Client("203.0.113.9")),
        ('for="[2001:db8::9]:4711"', Client("2001:db8::9")),
        ("for=203.0.113.9;proto=https, for=10.2.2.2;proto=http", Client("203.0.113.9", True)),
        ('for="a, b", for=203.0.113.9', Client("203.0.113.9")),
        ("for=unknown", Client(PROXY)),
        ("for=_hidden", Client(PROXY)),
        ("by=10.0.0.2", Client(PROXY)),
        ("for=203.0.113.9;for=203.0.113.8", Client(PROXY)),
        ("203.0.113.9", Client(PROXY)),
        ('for="203.0.113.9', Client(PROXY)),
        ("for=203.0.113.9," + " " * 1_024 + "for=203.0.113.9", Client(PROXY)),
    ],
)
def test_the_standard_header_says_the_same(value: str, expected: Client) -> None:
    assert forwarded(value) == expected


@pytest.mark.parametrize(
    ("address", "as_one"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.9", "::ffff:203.0.113.9"),
        ("fe80::1%eth0", "fe80::1%eth0"),
        ("fd00::1", "fd00::1"),
        ("::1", "::1"),
        ("", ""),
        ("2001:db8:1:2::/64", "2001:db8:1:2::/64"),
    ],
)
def test_addresses_of_one_home_count_as_one(address: str, as_one: str) -> None:
    assert counted(address) == as_one


def test_who_may_come_at_all() -> None:
    everybody = Neighbours()
    family = Neighbours.of(ServerSettings(allowed_networks=("192.0.2.0/24", "2001:db8::/32")))
    for address in ("192.0.2.7", "::ffff:192.0.2.7", "2001:db8::1"):
        assert family.admits(address)
        assert everybody.admits(address)
    for address in ("192.0.3.7", "2001:db9::1", ""):
        assert not family.admits(address)
        assert everybody.admits(address)


def test_so_often_at_once_and_so_often_a_minute() -> None:
    rates = Rates()
    assert [rates.take("a", 6, 0.0) for _ in range(8)] == [0] * 6 + [10, 10]
    assert rates.take("b", 6, 0.0) == 0
    assert rates.take("a", 6, 9.5) == 1
    assert [rates.take("a", 6, 10.0) for _ in range(2)] == [0, 10]
    assert [rates.take("a", 6, 80.0) for _ in range(7)] == [0] * 6 + [10]


def test_only_the_newest_addresses_are_remembered() -> None:
    rates = Rates(most=100)
    assert [rates.take("a", 1, 0.0) for _ in range(2)] == [0, 60]
    for n in range(99):
        rates.take(str(n), 1, 0.0)
    assert rates.take("a", 1, 0.0) == 60
    for n in range(100):
        rates.take(str(n), 1, 0.0)
    assert len(rates) == 100
    assert rates.take("a", 1, 0.0) == 0


@pytest.mark.parametrize("value", ["10.0.0.1/8", "example.org", "10.0.0.0/33", "10.0.0.256"])
@pytest.mark.parametrize("name", ["trusted_proxies", "allowed_networks"])
def test_what_is_no_network_is_a_wrong_setting(name: str, value: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_layers([Layer({"server": {name: ["192.0.2.0/24", value]}})])
    (fault,) = caught.value.faults
    assert fault.startswith(f"server.{name}: expected entries such as 10.0.0.0/8, ::1, got ")
