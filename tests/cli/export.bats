#!/usr/bin/env bats
# heddle export: each format on a small trace and on the run of a finding.

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    printf 'main|fork(T 1)|m.c:1 main\nT 1|acq(l)|w.c:1 work\nT 1|w(x=1)|w.c:2 work\nT 1|rel(l)|w.c:3 work\nmain|acq(l)|m.c:2 main\nmain|r(x=1)|m.c:3 main\nmain|rel(l)|m.c:4 main\nmain|w(y=2)|m.c:5 main\nT 1|w(y=7)|w.c:4 "work\\"\n' >small.std
    "$HEDDLE" check --format=json -o report.json small.std || [ $? -eq 2 ]
}

setup() {
    cd "$BATS_FILE_TMPDIR"
}

# id PROPERTY: that of its first finding
id() {
    sed -n 's/.*"id": "\([A-Z0-9]*\)", "property": "'"$1"'".*/\1/p' report.json | head -n 1
}

@test "std: the observed run as it is, a witness without values that are not known" {
    "$HEDDLE" export --to=std small.std | cmp - small.std
    diff <("$HEDDLE" export --to=std --finding="report.json:$(id nondeterminism)" small.std) - <<'END'
main|fork(T 1)|m.c:1 main
main|acq(l)|m.c:2 main
main|r(x)|m.c:3 main
END
}

@test "std: a race's accesses come last, and the run loads" {
    "$HEDDLE" export --to=std --finding="report.json:$(id race)" -o race.std.gz small.std
    [ "$("$HEDDLE" convert race.std.gz - | tail -n 2 | sort)" = "$(printf 'T 1|w(y=7)|w.c:4 "work\\"\nmain|w(y=2)|m.c:5 main')" ]
    "$HEDDLE" info race.std.gz
}

@test "shiviz: a clock and a line an event, which its usual expression reads" {
    "$HEDDLE" export --to=shiviz -o log small.std
    diff log - <<'END'
main {"main":1}
starts T 1 at m.c:1 main (event 1)
T_1 {"main":1, "T_1":1}
takes l at w.c:1 work (event 2)
T_1 {"main":1, "T_1":2}
writes x = 1 at w.c:2 work (event 3)
T_1 {"main":1, "T_1":3}
releases l at w.c:3 work (event 4)
main {"main":2, "T_1":3}
takes l at m.c:2 main (event 5)
main {"main":3, "T_1":3}
reads x = 1 at m.c:3 main (event 6)
main {"main":4, "T_1":3}
releases l at m.c:4 main (event 7)
main {"main":5, "T_1":3}
writes y = 2 at m.c:5 main (event 8)
T_1 {"main":1, "T_1":4}
writes y = 7 at w.c:4 "work\" (event 9)
END
    python3 - <<'END'
import json, re
events = re.findall(r"(\S*) ({.*})\n(.*)", open("log").read())
assert len(events) == 9 and all(json.loads(clock)[host] > 0 for host, clock, _ in events)
END
    # Threads whose names become the same stay two.
    printf 'T 1|w(x)|\nT_1|w(x)|\n' >alike.std
    [ "$("$HEDDLE" export --to=shiviz alike.std | grep -c '^T_1 {')" -eq 1 ]
    [ "$("$HEDDLE" export --to=shiviz alike.std | grep -c '^T_1_1 {')" -eq 1 ]
}

@test "dot: threads as clusters, only edges that others do not imply, what is read from marked" {
    diff <("$HEDDLE" export --to=dot small.std) - <<'END'
digraph run {
  node [shape=box, fontname="monospace"];
  subgraph cluster_0 {
    label="main";
    e1 [label="1: starts T 1\nm.c:1 main"];
    e5 [label="5: takes l\nm.c:2 main"];
    e6 [label="6: reads x = 1\nm.c:3 main"];
    e7 [label="7: releases l\nm.c:4 main"];
    e8 [label="8: writes y = 2\nm.c:5 main"];
  }
  subgraph cluster_1 {
    label="T 1";
    e2 [label="2: takes l\nw.c:1 work"];
    e3 [label="3: writes x = 1\nw.c:2 work"];
    e4 [label="4: releases l\nw.c:3 work"];
    e9 [label="9: writes y = 7\nw.c:4 \"work\\\""];
  }
  e1 -> e2 [style=dashed];
  e2 -> e3;
  e3 -> e4;
  e4 -> e5 [style=dashed];
  e5 -> e6;
  e3 -> e6 [label="read from", color=royalblue, penwidth=2];
  e6 -> e7;
  e7 -> e8;
  e4 -> e9;
}
END
    "$HEDDLE" export --to=dot --finding="report.json:$(id race)" small.std >race.dot
    [ "$(grep -c 'color=firebrick' race.dot)" -eq 2 ]
}

@test "perfetto: every event a slice, sections begin and end, arrows from writes to reads" {
    "$HEDDLE" export --to=perfetto -o small.json small.std
    python3 - <<'END'
import json
events = json.load(open("small.json"))["traceEvents"]
by = lambda phase: [e for e in events if e["ph"] == phase]
assert [e["args"]["name"] for e in by("M")] == ["main", "T 1"]
assert [e["args"]["event"] for e in by("X")] == list(range(1, 10))
assert [e["ts"] for e in by("X")] == list(range(1, 10)) and all(e["dur"] == 1 for e in by("X"))
assert by("X")[8]["name"] == "writes y = 7" and by("X")[8]["args"]["place"] == 'w.c:4 "work\\"'
assert [(e["ts"], e["id"]) for e in by("b")] == [(2, 0), (5, 1)]
assert [(e["ts"], e["id"]) for e in by("e")] == [(5, 0), (8, 1)]
assert [(e["ts"], e["tid"]) for e in by("s")] == [(3, 2)] and [(e["ts"], e["tid"]) for e in by("f")] == [(6, 1)]
END
    "$HEDDLE" export --to=perfetto "$TRACES/ftpserver.std" | python3 -m json.tool >/dev/null
}

@test "too much for a viewer is refused with advice" {
    run "$HEDDLE" export --to=dot "$TRACES/ftpserver.std"
    [ "$status" -eq 1 ]
    [[ "$output" == "heddle: "*" events are too many for a graph (2000 at most): export one finding, with --finding" ]]
}

@test "wrong use is refused" {
    refused() {
        expected=$1
        shift
        run "$HEDDLE" export "$@"
        [ "$status" -eq 1 ]
        [ "$output" = "heddle: $expected" ]
    }
    refused "export: --to=FORMAT is missing; formats: perfetto shiviz dot std cspm" small.std
    refused "export: --to=svg: expected perfetto, shiviz, dot, std or cspm" --to=svg small.std
    refused "export: --finding=R1 is not of the form report.json:R1" --to=std --finding=R1 small.std
    refused "report.json: has no finding R9" --to=std --finding=report.json:R9 small.std
    refused "none.json: No such file or directory" --to=std --finding=none.json:R1 small.std
    refused "none.std: No such file or directory" --to=std none.std
    refused "/no/where: No such file or directory" --to=std -o /no/where small.std
    run "$HEDDLE" export --to=std --finding=report.json:R1 "$TRACES/account.std"
    [ "$status" -eq 1 ]
    [[ "$output" == "heddle: report.json: the report belongs to another trace, with 9 events;"* ]]
}
