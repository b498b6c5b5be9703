"""`/metrics`: what a server counts, in the text format of Prometheus.

What there is at the moment is counted when it is asked for. Labels take few values: games, phases,
error codes, close codes, statuses; never a room, a person or an address.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from kaguraden_protocol.errors import CloseCode, ErrorCode
from kaguraden_protocol.messages import Phase
from kaguraden_protocol.versions import PROTOCOL
from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector

from .census import take_census
from .counts import BY_THE_OTHER_END

if TYPE_CHECKING:
    from .counts import Durations
    from .lobby import Lobby

__all__ = ["CONTENT_TYPE", "Metrics"]

CONTENT_TYPE: Final = CONTENT_TYPE_PLAIN_0_0_4


class Metrics:
    """The metrics of a house."""

    def __init__(self, lobby: Lobby) -> None:
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(_House(lobby))
        ProcessCollector(registry=self._registry)

    def text(self) -> str:
        """Return all of them as they are now."""
        return generate_latest(self._registry).decode()


class _House(Collector):
    def __init__(self, lobby: Lobby) -> None:
        self._lobby = lobby

    def collect(self) -> Iterator[Metric]:
        """Yield every metric, with its meaning."""
        lobby = self._lobby
        yield from self._now()
        counts = lobby.counts
        yield _counted(
            "kaguraden_steps", "Steps of games that were taken.", "game", lobby.games, counts.steps
        )
        yield _counted(
            "kaguraden_refusals",
            "Requests that were refused, by error code.",
            "code",
            ErrorCode,
            counts.refusals,
        )
        codes = [BY_THE_OTHER_END, *(str(int(code)) for code in CloseCode)]
        yield _counted(
            "kaguraden_connections_ended",
            "Connections that ended, by the close code they were sent away with.",
            "code",
            [*codes, *(code for code in sorted(counts.ended) if code not in codes)],
            counts.ended,
        )
        statuses = {str(status): n for status, n in sorted(counts.answers.items())}
        yield _counted(
            "kaguraden_http_responses",
            "Answers to plain HTTP and to handshakes that were refused.",
            "status",
            statuses,
            statuses,
        )
        yield _spread(
            "kaguraden_commit_seconds",
            "How long whoever has something to keep waits until it is durable.",
            counts.commits,
        )
        yield _spread(
            "kaguraden_loop_stall_seconds",
            "How long the event loop attended to nobody else, each turn.",
            counts.stalls,
        )

    def _now(self) -> Iterator[Metric]:
        lobby = self._lobby
        now = take_census(lobby)
        program = {
            "version": lobby.server_info.version,
            "protocol": PROTOCOL,
            "python": platform.python_version(),
        }
        yield InfoMetricFamily("kaguraden_build", "What runs here.", value=program)
        yield _gauge("kaguraden_connections", "Open connections.", now.connections)
        yield _gauge("kaguraden_bots", "Bots that the server runs.", now.bots)
        yield _gauge("kaguraden_users", "Users that are remembered.", now.users)
        yield _gauge("kaguraden_users_here", "Users with an open connection.", now.here)
        rooms = GaugeMetricFamily("kaguraden_rooms", "Open rooms.", labels=("game", "phase"))
        for game in lobby.games:
            for phase in Phase:
                rooms.add_metric((game, phase.value), now.rooms.get((game, phase.value), 0))
        yield rooms
        yield _gauge(
            "kaguraden_outbox_messages", "Messages that wait for their readers.", now.waiting
        )
        yield _gauge("kaguraden_outbox_bytes", "How large those are.", now.waiting_bytes)
        yield _gauge(
            "kaguraden_outbox_messages_max", "Those of the slowest reader.", now.most_waiting
        )
        yield _gauge(
            "kaguraden_outbox_bytes_max", "Bytes for the slowest reader.", now.most_waiting_bytes
        )
        journal = GaugeMetricFamily(
            "kaguraden_journal", "1 for how the journal is: none, up or down.", labels=("state",)
        )
        for state in ("none", "up", "down"):
            journal.add_metric((state,), float(state == now.journal))
        yield journal
        yield _gauge("kaguraden_draining", "1 while the server stops.", now.is_draining)


def _gauge(name: str, meaning: str, value: float) -> Metric:
    return GaugeMetricFamily(name, meaning, value=value)


def _counted(
    name: str, meaning: str, label: str, known: Iterable[str], counted: Mapping[str, int]
) -> Metric:
    """Return a counter for each value of a label that there may be: rates need their zeros."""
    family = CounterMetricFamily(name, meaning, labels=(label,))
    for value in known:
        family.add_metric((value,), counted.get(value, 0))
    return family


def _spread(name: str, meaning: str, durations: Durations) -> Metric:
    buckets: list[tuple[str, float]] = []
    so_far = 0
    for bound, count in zip((*durations.bounds, float("inf")), durations.counts, strict=True):
        so_far += count
        buckets.append(("+Inf" if bound == float("inf") else str(bound), so_far))
    return HistogramMetricFamily(name, meaning, buckets=buckets, sum_value=durations.total_s)
