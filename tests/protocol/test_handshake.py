"""Who may say what, and when."""

from __future__ import annotations

import json

import pytest
from kaguraden_protocol.errors import CloseCode, ErrorCode, RemoteProtocolError
from kaguraden_protocol.handshake import ALLOWED, Listener, State
from kaguraden_protocol.messages import REQUESTS, Hello, Ping

UNFIT = '{"type":"act","id":2,"room":"R","decision":"0.1","option":"bid","value":true}'
HELLO = '{"type":"hello","id":0,"name":"Aki","client":{"name":"c","version":"1"}}'


def ping() -> str:
    return json.dumps({"type": "ping", "id": 1})


def opened() -> Listener:
    listener = Listener()
    listener.answered(listener.receive(HELLO), granted=True)
    return listener


def refused(listener: Listener, text: str) -> RemoteProtocolError:
    with pytest.raises(RemoteProtocolError) as caught:
        listener.receive(text)
    return caught.value


def test_hello_alone_opens_and_everything_else_follows() -> None:
    assert ALLOWED[State.NEW] == {Hello}
    assert ALLOWED[State.OPEN] | {Hello} == set(REQUESTS.values())
    assert Hello not in ALLOWED[State.OPEN]


def test_another_request_first_needs_hello() -> None:
    listener = Listener()
    error = refused(listener, ping())
    assert (error.code, error.re) == (ErrorCode.HELLO_REQUIRED, 1)
    assert isinstance(listener.receive(HELLO), Hello)


def test_a_refused_hello_leaves_the_connection_new() -> None:
    listener = Listener()
    listener.answered(listener.receive(HELLO), granted=False)
    assert refused(listener, ping()).code == ErrorCode.HELLO_REQUIRED
    listener.answered(listener.receive(HELLO), granted=True)
    assert listener.receive(ping()) == Ping(1)


def test_a_second_hello_is_refused() -> None:
    listener = opened()
    error = refused(listener, HELLO)
    assert (error.code, error.re) == (ErrorCode.ALREADY_OPEN, 0)
    assert listener.receive(ping()) == Ping(1)


def test_the_20th_bad_message_in_a_row_closes() -> None:
    listener = opened()
    for _ in range(19):
        refused(listener, "{")
    assert listener.close_code is None
    refused(listener, '{"type":"pong","id":1}')
    assert listener.close_code is CloseCode.ABUSE


def test_bad_messages_count_before_hello_too() -> None:
    listener = Listener()
    for _ in range(20):
        refused(listener, "{")
    assert listener.close_code is CloseCode.ABUSE


def test_a_message_that_is_understood_breaks_the_row() -> None:
    listener = opened()
    for _ in range(3):
        for _ in range(19):
            refused(listener, "[]")
        refused(listener, HELLO)  # understood, though refused
        assert listener.bad_in_a_row == 0
    assert listener.close_code is None


def test_an_answer_whose_value_fits_no_option_is_understood() -> None:
    listener = opened()
    for _ in range(30):
        error = refused(listener, UNFIT)
        assert (error.code, error.re) == (ErrorCode.BAD_VALUE, 2)
    assert listener.close_code is None
    for _ in range(19):
        refused(listener, "{")
    refused(listener, UNFIT)
    assert listener.bad_in_a_row == 0
    assert refused(Listener(), UNFIT).code == ErrorCode.HELLO_REQUIRED
