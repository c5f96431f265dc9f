#!/usr/bin/env python3
"""Checks a page of nlp-plan --html against the plan.json of the same run.

Called as check_page.py PAGE PLAN; prints what the page says.
"""

import html.parser
import json
import sys

VOID = {"meta", "link", "br", "img", "input", "hr"}
LIMIT_BYTES = 2_000_000


class Page(html.parser.HTMLParser):
    """Elements balance, nothing is loaded; keeps the text of scripts by id."""

    def __init__(self, text):
        super().__init__()
        self.open, self.scripts = [], {}
        self.feed(text)
        self.close()
        assert not self.open, f"expected all elements closed, but got {self.open}"

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        for name in ("src", "href"):
            assert attrs.get(name, "data:").startswith("data:"), attrs
        if tag not in VOID:
            self.open.append((tag, attrs.get("id")))
        if tag == "script":
            self.scripts[attrs.get("id")] = ""

    def handle_endtag(self, tag):
        opened = self.open.pop()[0]
        assert opened == tag, f"expected </{opened}>, but got </{tag}>"

    def handle_data(self, data):
        if self.open and self.open[-1][0] == "script":
            self.scripts[self.open[-1][1]] += data


def check_columns(timeline, plan, page):
    """The peak column is plan.json's peak; no other column is above it."""
    columns, peak = timeline["columns"], timeline["peak_column"]
    count = len(columns["launch"])
    size = timeline["launches_of_column"]
    assert count == -(-timeline["launches"] // size) <= 2000
    for name in ("op", "layer", "is_recomputed", "recomputed"):
        assert len(columns[name]) == count, name
    assert all(launch // size == i for i, launch in enumerate(columns["launch"]))
    breakdown = plan["ranks"][0]["breakdown"]
    totals = [sum(of[i] for of in columns["bytes"].values()) for i in range(count)]
    assert totals[peak] + breakdown["fragmentation"] == plan["peak_bytes"]
    assert max(totals) == totals[peak]
    for category, at_peak in breakdown.items():
        if category != "fragmentation":
            got = columns["bytes"].get(category, [0] * count)[peak]
            assert got == at_peak, (category, got, at_peak)
    assert columns["names"][columns["layer"][peak]] == plan["ranks"][0]["at"]
    assert sum(columns["recomputed"]) == timeline["recomputed_launches"]
    assert page["breakdown"] == breakdown


def check_rest(timeline, plan, page):
    """Phases cover the step, values are live at the peak, plans rise."""
    at = 0
    for phase in timeline["phases"]:
        assert phase["begin"] == at < phase["end"], phase
        at = phase["end"]
    assert at == timeline["launches"]
    peak = timeline["columns"]["launch"][timeline["peak_column"]]
    sizes = [value["bytes"] for value in timeline["largest"]]
    assert sizes == sorted(sizes, reverse=True) and 0 < len(sizes) <= 10
    for value in timeline["largest"]:
        assert any(a <= peak < b for a, b in value["live"]), value
    rows = page["frontier"]
    for a, b in zip(rows, rows[1:]):
        assert a["bytes"] < b["bytes"] and a["seconds"] > b["seconds"]
    for name in ("feasible", "budget_bytes", "peak_bytes", "min_feasible_bytes",
                 "step_seconds", "lower_bound_seconds"):
        assert page[name] == plan[name], (name, page[name], plan[name])


def main(page_path, plan_path):
    with open(page_path, encoding="utf-8") as file:
        text = file.read()
    assert len(text.encode()) < LIMIT_BYTES
    data = Page(text).scripts["plan"]
    assert data.isascii() and not set("<>&") & set(data)
    page = json.loads(data)
    with open(plan_path, encoding="utf-8") as file:
        plan = json.load(file)
    timeline = page["timeline"]
    check_columns(timeline, plan, page)
    check_rest(timeline, plan, page)
    assert page["model"] == plan["model"], (page["model"], plan["model"])
    print(f"model       {page['model']}")
    print(f"verdict     {'fits' if page['feasible'] else 'does not fit'}")
    print("phases      " + ", ".join(p["name"] for p in timeline["phases"]))
    print(f"recomputed  {timeline['recomputed_launches']} launches")
    print(f"frontier    {len(page['frontier'])} plans")


if __name__ == "__main__":
    main(*sys.argv[1:])
