"""The session without a network: what it says, what it makes of what it hears."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from kaguraden_client import session as s
from kaguraden_client.session import Session, State
from kaguraden_protocol import messages
from kaguraden_protocol.errors import LocalProtocolError

from tests.client.scripts import ROOM, TOKEN, Script, decision, hello_result, info, update


def only(events: list[s.Event], kind: type[s.Event]) -> list[s.Event]:
    return [event for event in events if isinstance(event, kind)]


# --- opening -------------------------------------------------------------------------------------


def test_it_says_hello_first_and_nothing_else_before_the_answer() -> None:
    script = Script(Session("Aki", locale=messages.Locale.JA, bot=True, token="old" * 10))
    script.session.request(messages.Rooms(id=0))
    assert script.asked() == []  # no connection yet
    script.connect()
    (hello,) = script.asked()
    assert isinstance(hello, messages.Hello)
    assert (hello.name, hello.locale, hello.bot, hello.resume) == ("Aki", "ja", True, "old" * 10)
    assert script.asked() == []


def test_what_was_asked_for_before_hello_goes_out_after_it_in_order() -> None:
    script = Script()
    first = script.session.request(messages.Rooms(id=0))
    second = script.session.request(messages.Catalog(id=0, game="odoriko"))
    script.open()
    assert [request.id for request in script.asked()] == [first, second]


def test_the_token_is_kept_for_the_next_hello_and_replaced_by_each() -> None:
    script = Script()
    script.open()
    assert script.session.token == TOKEN
    script.lose()
    script.connect()
    (hello,) = script.asked()
    assert isinstance(hello, messages.Hello)
    assert hello.resume == TOKEN


def test_a_refused_name_is_told_and_another_one_can_be_said() -> None:
    script = Script(Session(" Aki"))
    script.connect()
    (hello,) = script.asked()
    (refused,) = script.error(hello, "bad_name", position=0)
    assert refused == s.HelloRefused("bad_name", "bad name", {"position": 0})
    script.session.introduce(name="Aki")
    (hello,) = script.asked()
    assert isinstance(hello, messages.Hello)
    assert hello.name == "Aki"


@pytest.mark.parametrize("code", [4005, 4001])
def test_a_patient_session_waits_for_a_better_password_after_the_server_closed(code: int) -> None:
    script = Script(Session("Aki", patient=True))
    script.connect()
    script.error(script.asked()[0], "bad_password")
    assert script.session.waits
    assert script.lose(code) == [s.Lost(code, "")]
    assert script.session.waits
    script.session.introduce(password="sesame")  # noqa: S106
    assert not script.session.waits
    script.connect()
    (hello,) = script.asked()
    assert isinstance(hello, messages.Hello)
    assert hello.password == "sesame"  # noqa: S105


def test_a_password_that_comes_before_the_close_is_said_on_the_next_connection() -> None:
    script = Script(Session("Aki", patient=True))
    script.connect()
    script.error(script.asked()[0], "bad_password")
    script.session.introduce(password="sesame")  # noqa: S106
    script.asked()
    assert only(script.lose(4005), s.Stopped) == []
    assert not script.session.waits
    script.connect()
    assert script.asked()


def test_who_cannot_be_asked_stops_when_hello_is_refused() -> None:
    script = Script()
    script.connect()
    script.error(script.asked()[0], "bad_password")
    assert only(script.lose(4005), s.Stopped)
    patient = Script(Session("Aki", patient=True))
    patient.open()
    assert only(patient.lose(4005), s.Stopped), "removed later on"


def test_hello_is_said_again_while_the_server_cannot_write() -> None:
    """A server whose disk is full for a while must not send everybody away for good."""
    script = Script()
    script.connect()
    assert script.error(script.asked()[0], "unavailable") == []
    assert script.asked() == []
    assert script.session.wake_at == script.now + 1.0
    script.now += 1.0
    (hello,) = script.asked()
    assert isinstance(hello, messages.Hello)
    script.error(hello, "unavailable")
    assert script.lose(4001) == [s.Lost(4001, "")]
    script.open()
    assert script.session.state is State.OPEN


def test_a_hello_that_was_late_is_said_again_on_the_next_connection() -> None:
    script = Script()
    script.connect()
    assert script.asked()
    assert script.lose(4001) == [s.Lost(4001, "")]
    script.open()
    assert script.session.state is State.OPEN


def test_connecting_twice_at_a_time_is_a_bug() -> None:
    script = Script()
    script.connect()
    with pytest.raises(LocalProtocolError):
        script.connect()


# --- requests ------------------------------------------------------------------------------------


def test_each_request_gets_its_own_answer() -> None:
    script = Script()
    script.open()
    ping = script.session.request(messages.Ping(id=0))
    start = script.session.request(messages.Start(id=0, room=ROOM))
    sent = script.asked()
    assert script.ok(sent[0]) == [s.Answered(ping, sent[0], {})]
    (failed,) = script.error(sent[1], "not_host")
    assert isinstance(failed, s.Failed)
    assert (failed.id, failed.code) == (start, "not_host")


def test_at_most_sixteen_requests_are_pending_and_the_rest_waits() -> None:
    script = Script()
    script.open()
    for _ in range(20):
        script.session.request(messages.Ping(id=0))
    sent = script.asked()
    assert len(sent) == 16
    assert script.asked() == []
    script.ok(sent[0])
    script.ok(sent[1])
    assert len(script.asked()) == 2


def test_a_server_that_takes_fewer_pending_requests_gets_fewer() -> None:
    script = Script()
    script.connect()
    (hello,) = script.asked()
    script.ok(hello, **hello_result(limits={"pending_requests": 2}))
    for _ in range(3):
        script.session.request(messages.Ping(id=0))
    assert len(script.asked()) == 2


def test_too_many_requests_holds_everything_back_for_as_long_as_the_server_says() -> None:
    script = Script()
    script.open()
    for _ in range(3):
        script.session.request(messages.Ping(id=0))
    one, two, three = script.asked()
    script.ok(one)
    assert script.error(two, "too_many_requests", retry_after_ms=1500) == []
    assert script.error(three, "too_many_requests", retry_after_ms=1500) == []
    fourth = script.session.request(messages.Ping(id=0))
    assert script.session.wake_at == pytest.approx(script.now + 1.5)
    assert script.asked() == []
    script.now += 1.6
    assert [request.id for request in script.asked()] == [two.id, three.id, fourth]


def test_an_act_whose_outcome_is_unknown_is_sent_again_word_for_word() -> None:
    script = Script()
    script.enter()
    script.session.act(ROOM, "0.1", "draw:resource")
    (act,) = script.asked()
    assert script.error(act, "unavailable") == []
    script.now += 2
    assert script.asked() == [act]


def test_a_chat_line_whose_outcome_is_unknown_is_not_said_twice() -> None:
    script = Script()
    script.enter()
    script.session.request(messages.Chat(id=0, room=ROOM, text="hi"))
    (chat,) = script.asked()
    (failed,) = script.error(chat, "unavailable")
    assert isinstance(failed, s.Failed)
    assert script.asked() == []


@pytest.mark.parametrize("value", ["half a pair \ud800", "long " * 4_000])
def test_what_may_not_be_sent_is_refused_to_who_asks_and_the_session_goes_on(value: str) -> None:
    script = Script()
    script.enter()
    with pytest.raises(LocalProtocolError):
        script.session.request(messages.Create(id=0, game="odoriko", options={"x": value}))
    script.session.request(messages.Ping(id=0))
    assert [type(asked) for asked in script.asked()] == [messages.Ping]


def test_the_same_answer_asked_for_twice_is_one_request_and_another_is_refused() -> None:
    script = Script()
    script.enter()
    first = script.session.act(ROOM, "0.1", "draw:resource")
    assert script.session.act(ROOM, "0.1", "draw:resource") == first
    with pytest.raises(LocalProtocolError):
        script.session.act(ROOM, "0.1", "end_turn")
    (act,) = script.asked()
    script.error(act, "illegal_option")
    assert script.session.act(ROOM, "0.1", "end_turn") != first


# --- folding -------------------------------------------------------------------------------------


def test_an_update_makes_the_table_what_the_server_says() -> None:
    script = Script()
    script.enter()
    table = script.session.rooms[ROOM]
    assert (table.seat, table.seq, table.current) == (0, 1, True)
    script.now = 200.0
    clock = {"seat": 0, "decision": "0.2", "left_ms": 5000, "total_ms": 9000, "bank_ms": 1000}
    events = script.say(update(2, decisions=[decision(2)], clock=[clock]))
    assert events == [s.Updated(ROOM, 2, ({"kind": "happened", "n": 2},), full=False)]
    assert table.view["seen"] == 2
    assert [d.id for d in table.decisions] == ["0.2"]
    assert table.clocks[0].left_ms(202.0) == 3000
    assert table.clocks[0].left_ms(300.0) == 0
    assert [entry.event["n"] for entry in table.log] == [1, 2]


def test_an_update_without_a_view_leaves_the_view_as_it_was() -> None:
    script = Script()
    script.enter()
    message = update(2)
    del message["view"]
    script.say(message)
    assert script.session.rooms[ROOM].view["seen"] == 1
    assert script.session.rooms[ROOM].seq == 2


def test_a_paused_clock_stands_still() -> None:
    script = Script()
    script.enter()
    script.say(update(2, clock=[{"seat": None, "left_ms": 50, "total_ms": 90, "paused": True}]))
    assert script.session.rooms[ROOM].clocks[0].left_ms(script.now + 60) == 50


def test_a_gap_asks_once_for_what_is_missing_and_drops_what_is_early() -> None:
    script = Script()
    script.enter()
    table = script.session.rooms[ROOM]
    assert script.say(update(3)) == []
    assert script.say(update(4)) == []
    assert not table.current
    (sync,) = script.asked()
    assert isinstance(sync, messages.Sync)
    assert sync.seq == 1
    for seq in (2, 3, 4):
        assert len(script.say(update(seq))) == 1
    assert script.ok(sync, seq=4) == []
    assert table.current
    assert [entry.seq for entry in table.log] == [1, 2, 3, 4]
    assert script.asked() == []


def test_when_the_missing_updates_do_not_come_everything_is_asked_for() -> None:
    script = Script()
    script.enter()
    script.say(update(9))
    (sync,) = script.asked()
    script.ok(sync, seq=9)
    (again,) = script.asked()
    assert isinstance(again, messages.Sync)
    assert again.seq is None
    script.say(update(9, full=True))
    script.ok(again, seq=9)
    assert script.session.rooms[ROOM].current
    assert script.session.rooms[ROOM].seq == 9


def test_a_server_that_never_heals_a_gap_is_not_asked_for_ever() -> None:
    script = Script()
    script.enter()
    script.say(update(9))
    for _ in range(2):
        (sync,) = script.asked()
        script.ok(sync, seq=9)
    assert script.asked() == []
    assert not script.session.rooms[ROOM].current


def test_an_old_update_is_dropped() -> None:
    script = Script()
    script.enter()
    script.say(update(2))
    assert script.say(update(1)) == []
    assert script.session.rooms[ROOM].view["seen"] == 2


def test_a_full_update_counts_anew_after_a_restart_of_the_server() -> None:
    script = Script()
    script.enter()
    for seq in (2, 3, 4):
        script.say(update(seq))
    script.say(update(1, full=True))
    assert script.session.rooms[ROOM].seq == 1
    script.say(update(2))
    assert script.session.rooms[ROOM].seq == 2


def test_a_patch_that_was_not_agreed_on_is_a_gap() -> None:
    script = Script()
    script.enter()
    message = update(2, patch=[{"op": "replace", "path": "/phase", "value": "over"}])
    del message["view"]
    assert script.say(message) == []
    (sync,) = script.asked()
    assert isinstance(sync, messages.Sync)


def test_room_chat_lobby_and_notice_pushes_are_told() -> None:
    script = Script()
    script.enter()
    (changed,) = script.say({"type": "room", "room": ROOM, "info": info(phase="playing")})
    assert isinstance(changed, s.RoomChanged)
    assert changed.info.phase == "playing"
    line = {"user": "u1", "name": "Bea", "seat": None}
    chat = {"type": "chat", "room": ROOM, "n": 1, "from": line, "text": "hello"}
    (chatted,) = script.say(chat)
    assert isinstance(chatted, s.Chatted)
    assert (chatted.line.name, chatted.line.text) == ("Bea", "hello")
    assert script.say(chat) == []  # said again after a resume
    (lobby,) = script.say({"type": "lobby", "rooms": [info("KAGU-9999")]})
    assert isinstance(lobby, s.LobbyChanged)
    assert script.session.lobby[0].room == "KAGU-9999"
    assert script.say(
        {"type": "notice", "code": "draining", "message": "stopping", "details": {"in_ms": 9}}
    ) == [s.Noticed("draining", "stopping", {"in_ms": 9})]


def test_closed_and_leave_take_the_table_away() -> None:
    script = Script()
    script.enter()
    assert script.say({"type": "closed", "room": ROOM, "reason": "kicked"}) == [
        s.RoomLeft(ROOM, "kicked")
    ]
    assert script.session.rooms == {}
    script.session.request(messages.Join(id=0, room=ROOM))
    (join,) = script.asked()
    script.ok(join, room=ROOM, seat=1)
    script.session.request(messages.Leave(id=0, room=ROOM))
    (leave,) = script.asked()
    assert len(only(script.ok(leave), s.RoomLeft)) == 1
    assert script.session.rooms == {}


def test_a_spectator_has_a_table_without_a_seat_and_the_log_is_bounded() -> None:
    script = Script()
    script.open()
    script.session.request(messages.Join(id=0, room=ROOM, as_=messages.Role.SPECTATOR))
    (join,) = script.asked()
    script.ok(join, room=ROOM, seat=None)
    table = script.session.rooms[ROOM]
    assert table.seat is None
    for seq in range(1, 60):
        script.say(update(seq, events=[{"kind": "e"}] * 50))
    assert len(table.log) == table.log.maxlen


def test_the_seat_is_the_one_that_the_room_tells() -> None:
    """Seats close up when a game begins; at a rematch the old one may be taken."""
    script = Script()
    script.open()
    script.session.request(messages.Join(id=0, room=ROOM))
    (join,) = script.asked()
    script.ok(join, room=ROOM, seat=2)
    others = [{"seat": 0, "user": "u7"}, {"seat": 1, "user": "u0"}]
    script.say({"type": "room", "room": ROOM, "info": info(seats=others)})
    assert script.session.rooms[ROOM].seat == 1
    script.session.request(messages.Rematch(id=0, room=ROOM))
    (rematch,) = script.asked()
    new = [{"seat": 0, "user": "u0"}, {"seat": 1, "user": "u7"}]
    script.say({"type": "room", "room": "KAGU-NEW2", "info": info("KAGU-NEW2", seats=new)})
    script.ok(rematch, room="KAGU-NEW2")
    assert script.session.rooms["KAGU-NEW2"].seat == 0


def test_standing_answers_and_the_nonce_are_remembered() -> None:
    script = Script()
    script.enter()
    script.session.request(messages.Auto(id=0, room=ROOM, window="j", mode=messages.Mode.PASS))
    script.session.request(messages.Ready(id=0, room=ROOM, ready=True, nonce="ab" * 16))
    for request in script.asked():
        script.ok(request)
    assert script.session.rooms[ROOM].modes == {"j": "pass"}
    assert script.session.rooms[ROOM].nonce == "ab" * 16


def test_the_commitment_first_told_is_kept() -> None:
    script = Script()
    script.enter()
    script.say({"type": "room", "room": ROOM, "info": info()})
    script.say({"type": "room", "room": ROOM, "info": info(commitment="d" * 64)})
    assert script.session.rooms[ROOM].commitment == "c" * 64


# --- losing the line -----------------------------------------------------------------------------


def test_an_unanswered_act_is_sent_again_after_resuming_and_answered_once() -> None:
    script = Script()
    script.enter()
    act_id = script.session.act(ROOM, "0.1", "draw:resource")
    (act,) = script.asked()
    assert script.lose() == [s.Lost(1006, "")]
    assert not script.session.rooms[ROOM].current
    (opened,) = script.come_back(last_seq=2)
    assert isinstance(opened, s.Opened)
    assert (opened.again, opened.resumed) == (True, True)
    sync, again = script.asked()
    assert isinstance(sync, messages.Sync)
    assert sync.seq == 1
    assert again == act
    script.say(update(2))
    script.ok(sync, seq=2)
    assert script.session.rooms[ROOM].current
    assert script.ok(again, seq=2) == [s.Answered(act_id, act, {"seq": 2})]
    script.lose()
    script.come_back(last_seq=2)
    assert not only(list(script.told), s.Failed)
    assert [type(request) for request in script.asked()] == [messages.Sync]


def test_what_is_asked_for_while_the_line_is_down_is_sent_once_it_is_up() -> None:
    script = Script()
    script.enter()
    script.lose()
    script.session.act(ROOM, "0.1", "end_turn")
    assert script.asked() == []
    script.come_back(last_seq=1)
    assert [type(request) for request in script.asked()] == [messages.Sync, messages.Act]


def test_what_may_not_be_done_twice_is_reported_lost_and_not_sent_again() -> None:
    script = Script()
    script.enter()
    create = script.session.request(messages.Create(id=0, game="odoriko"))
    script.session.request(messages.Rooms(id=0))
    script.asked()
    lost, failed = script.lose()
    assert isinstance(lost, s.Lost)
    assert isinstance(failed, s.Failed)
    assert (failed.id, failed.code) == (create, "lost")
    script.come_back(last_seq=1)
    assert [type(request) for request in script.asked()] == [messages.Sync, messages.Rooms]


def test_losing_the_line_again_and_again_keeps_order_and_sends_no_old_syncs() -> None:
    script = Script()
    script.enter()
    first = script.session.act(ROOM, "0.1", "end_turn")
    second = script.session.request(messages.Rooms(id=0))
    for _ in range(3):
        script.lose()
        script.come_back(last_seq=1)
        sync, *rest = script.asked()
        assert isinstance(sync, messages.Sync)
        assert [request.id for request in rest] == [first, second]
    script.lose()
    script.connect()
    script.lose()  # before hello was answered
    script.come_back(last_seq=1)
    assert len(script.asked()) == 3


def test_a_forgotten_user_loses_the_rooms_and_the_answers_to_them() -> None:
    script = Script()
    script.enter()
    act = script.session.act(ROOM, "0.1", "end_turn")
    script.asked()
    script.lose()
    script.connect()
    opened, left, failed = script.greet(resumed=False)
    assert isinstance(opened, s.Opened)
    assert not opened.resumed
    assert left == s.RoomLeft(ROOM, "gone")
    assert isinstance(failed, s.Failed)
    assert failed.id == act
    assert script.asked() == []


def test_a_token_of_an_earlier_run_brings_the_table_back() -> None:
    script = Script(Session("Aki", token=TOKEN))
    script.come_back(last_seq=7)
    (sync,) = script.asked()
    assert isinstance(sync, messages.Sync)
    assert sync.seq is None
    script.say(update(7, full=True))
    script.ok(sync, seq=7)
    assert script.session.rooms[ROOM].seat == 0
    assert script.session.rooms[ROOM].current


@pytest.mark.parametrize("code", [1001, 1006, 1011, 1012, 4003, 4006])
def test_these_ends_are_come_back_from(code: int) -> None:
    script = Script()
    script.enter()
    assert script.lose(code) == [s.Lost(code, "")]
    assert script.session.state is State.CLOSED


@pytest.mark.parametrize("code", [1000, 1009, 4000, 4001, 4004, 4005, 4999])
def test_these_ends_are_for_good(code: int) -> None:
    script = Script()
    script.enter()
    act = script.session.act(ROOM, "0.1", "end_turn")
    failed, stopped = script.lose(code, "why")
    assert isinstance(failed, s.Failed)
    assert failed.id == act
    assert isinstance(stopped, s.Stopped)
    assert (stopped.code, stopped.reason) == (code, "why")
    assert stopped.en
    assert stopped.ja
    assert script.session.state is State.STOPPED
    with pytest.raises(LocalProtocolError):
        script.session.request(messages.Ping(id=0))


def test_a_reason_that_begins_with_resumable_is_come_back_from() -> None:
    script = Script()
    script.enter()
    assert script.lose(1000, "resumable: moving house") == [s.Lost(1000, "resumable: moving house")]


# --- a hostile server ----------------------------------------------------------------------------

NONSENSE = [
    "",
    "[]",
    "{",
    "[" * 5000,
    '{"type": 3}',
    '{"type": "ok"}',
    '{"type": "ok", "re": 99, "result": {}}',
    '{"type": "ok", "re": "x", "result": {}}',
    '{"type": "update", "room": "R", "seq": "1"}',
    '{"type": "update", "room": "R", "seq": NaN}',
    '{"type": "error", "re": null, "code": "bad_json", "message": "?"}',
    "\ud800",
]


@pytest.mark.parametrize("text", NONSENSE)
def test_nonsense_is_told_and_changes_nothing(text: str) -> None:
    script = Script()
    script.enter()
    (garbled,) = script.say(text)
    assert isinstance(garbled, s.Garbled)
    assert script.session.rooms[ROOM].seq == 1
    assert script.session.state is State.OPEN


def test_pushes_event_kinds_and_fields_of_a_later_version_are_taken_in_stride() -> None:
    script = Script()
    script.enter()
    assert script.say({"type": "fireworks", "colour": "red"}) == []
    later = update(2, events=[{"kind": "eclipse", "moon": [1]}], mood="solemn")
    later["decisions"] = [
        decision(2, options=[{"id": "x", "kind": "juggle", "args": {}, "value": {"type": "dice"}}])
    ]
    (updated,) = script.say(later)
    assert isinstance(updated, s.Updated)
    assert updated.events == ({"kind": "eclipse", "moon": [1]},)


def test_twenty_pieces_of_nonsense_in_a_row_end_the_session() -> None:
    script = Script()
    script.enter()
    for _ in range(19):
        script.say("?")
    script.say(update(2))
    for _ in range(19):
        script.say("?")
    (stopped,) = script.say("?")
    assert isinstance(stopped, s.Stopped)
    assert script.say(update(3)) == []


def test_a_hello_answered_with_nonsense_does_not_open() -> None:
    script = Script()
    script.connect()
    (hello,) = script.asked()
    (garbled,) = script.ok(hello, user=3)
    assert isinstance(garbled, s.Garbled)
    assert script.session.state is State.OPENING


def test_a_server_cannot_fill_the_memory_with_rooms() -> None:
    script = Script()
    script.open()
    for number in range(1000):
        script.say(update(1, room=f"R{number}", full=True))
    assert len(script.session.rooms) == 64


json_values: st.SearchStrategy[object] = st.sampled_from(
    [None, True, 0, 1, 2, -1, "", ROOM, [], {}, [1], [{}], ["a"], {"a": 1}, [info()], info()]
)
fields = st.sampled_from(
    [
        "type",
        "re",
        "room",
        "seq",
        "full",
        "events",
        "view",
        "decisions",
        "clock",
        "result",
        "code",
        "message",
        "details",
        "info",
        "rooms",
        "n",
        "from",
        "text",
        "reason",
        "patch",
    ]
)
types = st.sampled_from(
    ["ok", "error", "room", "lobby", "update", "chat", "notice", "closed", "new"]
)


@given(
    st.lists(
        st.tuples(types, st.dictionaries(fields, json_values, max_size=4), st.integers(0, 3)),
        max_size=6,
    )
)
@example([("update", {"room": ""}, 1)])
@example([("update", {"room": "R" * 65}, 1)])
@example([("update", {"seq": -5, "full": True}, 1), ("update", {}, 3)])
def test_whatever_a_server_says_the_session_lives(
    said: list[tuple[str, dict[str, object], int]],
) -> None:
    script = Script()
    script.enter()
    script.session.request(messages.Rooms(id=0))
    for kind, extra, step in said:
        base = update(1 + step) if kind == "update" else {"re": step, "room": ROOM}
        events = script.say(json.dumps({**base, **extra, "type": kind}))
        assert all(isinstance(event, s.Event) for event in events)
        script.asked()
    assert script.session.state in (State.OPEN, State.STOPPED)
