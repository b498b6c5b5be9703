"""Join links and fingerprints, as they are passed on."""

from kaguraden_protocol.links import grouped, join_link


def test_a_link_is_the_page_beside_the_socket_with_room_and_pin() -> None:
    url = "wss://192.168.1.5:8765/ws"
    assert join_link(url) == "https://192.168.1.5:8765/play"
    assert join_link(url, "KAGU-7Q2F", "ab") == (
        "https://192.168.1.5:8765/play?room=KAGU-7Q2F#tls=ab"
    )
    assert join_link("ws://hall:1/ws", "KAGU-7Q2F") == "http://hall:1/play?room=KAGU-7Q2F"


def test_fingerprints_are_shown_in_pairs() -> None:
    assert grouped("ab12") == "AB:12"
