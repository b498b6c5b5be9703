"""Alerts and dashboard speak of metrics, labels and values that a server has."""

from __future__ import annotations

import json
import re
import urllib.request
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.end_to_end.house import open_house

MONITORING = Path(__file__).parents[2] / "deploy" / "monitoring"
OF_PROMETHEUS = {"instance", "job"}  # labels that it adds
NAME = r"\b((?:kaguraden|process)_[a-z_]+)"

Series = dict[str, dict[str, set[str]]]  # of each metric: of each label its values


def read(name: str) -> Any:
    return yaml.safe_load((MONITORING / name).read_text("utf-8"))


def rules() -> list[Any]:
    (group,) = read("alerts.yml")["groups"]
    return list(group["rules"])


def panels() -> list[Any]:
    board = json.loads((MONITORING / "grafana.json").read_text("utf-8"))
    return list(board["panels"])


def expressions() -> Iterator[str]:
    for rule in rules():
        yield rule["expr"]
    for panel in panels():
        for target in panel["targets"]:
            yield target["expr"]


@pytest.fixture(scope="module")
def series(tmp_path_factory: pytest.TempPathFactory) -> Series:
    """What a server that has just started tells."""
    with open_house(tmp_path_factory.mktemp("house")) as house:
        address = house.url.removeprefix("ws://").removesuffix("/ws")
        with urllib.request.urlopen(f"http://{address}/metrics", timeout=20) as answer:
            text = answer.read().decode()
    found: Series = defaultdict(lambda: defaultdict(set))
    for name, labels in re.findall(r"^([a-z_]+)(?:\{(.*)\})? \S+$", text, re.MULTILINE):
        of_name = found[name]
        for label, value in re.findall(r'([a-z_]+)="([^"]*)"', labels):
            of_name[label].add(value)
    return found


def test_every_metric_that_is_asked_for_exists(series: Series) -> None:
    asked = {name for expr in expressions() for name in re.findall(NAME, expr)}
    assert len(asked) > 12
    assert asked <= set(series), asked - set(series)


def test_every_label_that_is_asked_for_has_that_value(series: Series) -> None:
    for expr in expressions():
        for name, selectors in re.findall(NAME + r"\{(.*?)\}", expr):
            for label, match, value in re.findall(r'([a-z_]+)(=~?)"([^"]*)"', selectors):
                if label in OF_PROMETHEUS:
                    continue
                assert match == "=", expr
                assert value in series[name][label], expr
        for labels in re.findall(r"\bby \(([a-z_, ]+)\)", expr):
            had = {label for name in re.findall(NAME, expr) for label in series[name]}
            assert set(labels.split(", ")) <= had | OF_PROMETHEUS, expr


def test_what_the_panels_show_of_a_series_is_a_label_of_it(series: Series) -> None:
    for panel in panels():
        for target in panel["targets"]:
            shown = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
            had = {label for name in re.findall(NAME, target["expr"]) for label in series[name]}
            assert shown <= had | OF_PROMETHEUS, panel["title"]


def test_the_alerts_are_complete() -> None:
    names = [rule["alert"] for rule in rules()]
    assert len(names) == len(set(names)) > 4
    for rule in rules():
        assert set(rule) <= {"alert", "expr", "for", "labels", "annotations"}
        assert rule["labels"]["severity"] in {"critical", "warning"}
        assert set(rule["annotations"]) == {"summary", "description"}
        assert rule["expr"].count("(") == rule["expr"].count(")")
        assert re.fullmatch("[0-9]+[smh]", rule.get("for", "0s"))


def test_the_scrape_has_the_alerts_and_the_token() -> None:
    config = read("prometheus.yml")
    assert config["rule_files"] == ["alerts.yml"]
    (scrape,) = config["scrape_configs"]
    assert scrape["job_name"] == "kaguraden"
    assert scrape["authorization"] == {"credentials_file": "/etc/prometheus/kaguraden.token"}
    jobs = {job for expr in expressions() for job in re.findall('job="(.*?)"', expr)}
    assert jobs == {"kaguraden"}


def test_the_dashboard_lies_within_its_grid() -> None:
    board = json.loads((MONITORING / "grafana.json").read_text("utf-8"))
    assert {v["name"] for v in board["templating"]["list"]} == {"source", "instance"}
    assert len({panel["id"] for panel in panels()}) == len(panels())
    cells: set[tuple[int, int]] = set()
    for panel in panels():
        at = panel["gridPos"]
        assert at["x"] + at["w"] <= 24
        own = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert not own & cells, panel["title"]
        cells |= own
