#!/usr/bin/env python3
"""Prints the findings of JSON reports of any version, sorted, one a line: property, events and the whole schedule.

usage: findings.py REPORT.json"""
import json
import sys

EVENTS = ("read", "observed", "alternative", "first", "remote", "second")


def schedule(finding):
    given = finding.get("schedule", [])
    if isinstance(given, dict):
        given = list(range(1, given["prefix"] + 1)) + given["then"]
    return given


with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
lines = []
for finding in report["findings"]:
    events = [finding[name] for name in EVENTS if name in finding] + finding.get("events", [])
    lines.append(" ".join(map(str, [finding["property"], *events, ":", *schedule(finding)])))
print("\n".join(sorted(lines)))
