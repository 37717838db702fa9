#!/usr/bin/env bats
# heddle verify: honest reports pass, tampered ones do not, and it says why.

setup() {
    cd "$BATS_TEST_TMPDIR"
    cat >t.std <<'END'
A|acq(k)|
A|w(x)|
A|acq(l)|
A|rel(l)|
A|rel(k)|
B|acq(l)|
B|acq(k)|
B|r(x)|
B|rel(k)|
B|rel(l)|
A|begin|
A|r(y)|
A|w(y)|
A|end|
B|w(y)|
END
}

# report FINDING…: a report of t.std
report() {
    local IFS=,
    echo "{\"format\": \"heddle-report\", \"version\": 1,
      \"trace\": {\"file\": \"t.std\", \"events\": 15, \"threads\": 2, \"variables\": 2, \"locks\": 2},
      \"method\": \"exact\", \"complete\": true, \"findings\": [$*], \"undecided\": [], \"statistics\": {}}" >r.json
}

# Schedules are lists, as in version 1 of the format; below, some are written as in version 2.
nondet='{"id": "N1", "property": "nondeterminism", "read": 8, "observed": 2, "alternative": 0, "schedule": [6,7,8]}'
final='{"id": "F1", "property": "final-state", "observed": 15, "alternative": 13,
        "schedule": [1,2,3,4,5,6,7,8,9,10,11,12,15,13,14]}'
race='{"id": "R1", "property": "race", "first": 12, "second": 15, "schedule": [1,2,3,4,5,6,7,8,9,10,11]}'
unordered='{"id": "U1", "property": "unordered", "first": 13, "second": 15}'
deadlock='{"id": "L1", "property": "deadlock", "events": [3,7], "schedule": [1,2,6]}'
atomicity='{"id": "A1", "property": "atomicity", "first": 12, "remote": 15, "second": 13,
            "schedule": [1,2,3,4,5,6,7,8,9,10,11,12,15,13]}'

accepts() {
    report "$@"
    run "$HEDDLE" verify t.std r.json
    echo "$output"
    [ "$status" -eq 0 ]
}

# rejects FINDING REASON
rejects() {
    report "$1"
    run "$HEDDLE" verify t.std r.json
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "${lines[0]}" == *": rejected: $2"* ]]
    [ "${lines[1]}" = "1 finding, 0 accepted, 1 rejected" ]
}

# refuses REASON: r.json is no report, or not of t.std
refuses() {
    run --separate-stderr "$HEDDLE" verify t.std r.json
    echo "$stderr"
    [ "$status" -eq 1 ]
    [ -z "$output" ]
    [[ "$stderr" == "heddle: r.json:"*"$1"* ]]
}

bats_require_minimum_version 1.5.0

@test "one of each property" {
    accepts "$nondet" "$final" "$race" "$unordered" "$deadlock" "$atomicity"
    [ "$output" = "6 findings, all accepted" ]
}

@test "schedules as in version 2: a prefix and what follows" {
    accepts "${nondet/\[6,7,8\]/{\"prefix\": 0, \"then\": [6,7,8]\}}" "${deadlock/\[1,2,6\]/{\"prefix\": 2, \"then\": [6]\}}"
    sed -i 's/"version": 1/"version": 2/' r.json
    "$HEDDLE" verify -q t.std r.json
    rejects "${deadlock/\[1,2,6\]/{\"prefix\": 1, \"then\": [6]\}}" ""
    rejects "${deadlock/\[1,2,6\]/{\"prefix\": 99, \"then\": []\}}" "the run begins with 99 events as observed, the trace has 15"
}

@test "no findings" {
    accepts
    [ "$output" = "0 findings, all accepted" ]
}

@test "the report may come from standard input" {
    report "$nondet"
    run "$HEDDLE" verify t.std - <r.json
    [ "$output" = "1 finding, all accepted" ]
}

@test "quiet: the status alone" {
    report "$nondet"
    run "$HEDDLE" verify -q t.std r.json
    [ "$status" -eq 0 ] && [ -z "$output" ]
    report "${nondet/6,7,8/6,8,7}"
    run "$HEDDLE" verify --quiet t.std r.json
    [ "$status" -eq 1 ] && [ -z "$output" ]
}

@test "what is said of the observed run is checked against it" {
    cat >t.std <<'END'
A|dbegin|
A|fork(C)|
C|w(x)|
B|w(x)|
A|r(x)|
A|begin|
A|w(y)|
B|r(y)|
A|w(y)|
A|end|
A|join(C)|
A|dend|
END
    "$HEDDLE" check --property=determinism,serializability --format=json -o r.json t.std || [ $? -eq 2 ]
    run "$HEDDLE" verify t.std r.json
    [ "$status" -eq 0 ]
    [ "$output" = "3 findings, all accepted" ]
    sed 's/"edges": \[\[3, 4\]/"edges": [[2, 4]/; s/"second": 5/"second": 11/' r.json >bad.json
    run "$HEDDLE" verify t.std bad.json
    [ "$status" -eq 1 ]
    [ "${lines[0]}" = "D1: rejected: events 3 and 11 do not conflict" ]
    [ "${lines[1]}" = "D2: rejected: events 2 and 4 do not conflict" ]
    sed 's/"kind": "interference"/"kind": "magic"/' r.json >bad.json
    run "$HEDDLE" verify t.std bad.json
    [ "$status" -eq 1 ]
    [[ "$output" == *"findings[1].kind is not conflict or interference"* ]]
    sed 's/"edges": \[\[3, 4\], /"edges": [/' r.json >bad.json
    run "$HEDDLE" verify t.std bad.json
    [ "$status" -eq 1 ]
    [[ "$output" == *"findings[1].edges is not a list of one pair for each"* ]]
}

@test "severity, what a read decides, and whether the check is complete are checked, or said not to be" {
    printf 'M|fork(T)|\nT|r(x=0)|t.c:1 t|by -\nT|w(y=1)|t.c:2 t|by 2 from -\nM|w(x=1)|m.c:1 m\nM|w(y=2)|m.c:2 m\n' >d.std
    "$HEDDLE" check -p race,nondet --all --format=json -o d.json d.std || [ $? -eq 2 ]
    grep -q '"decides": {"what": "event", "event": 3' d.json
    "$HEDDLE" verify -q d.std d.json
    changed() { # EXPRESSION MESSAGE
        sed "$1" d.json >bad.json
        ! cmp -s d.json bad.json
        run "$HEDDLE" verify d.std bad.json
        echo "$1: $output"
        [ "$status" -eq 1 ]
        [[ "$output" == *"$2"* ]]
    }
    changed 's/"severity": "problem"/"severity": "note"/' 'rejected: "severity" is "note", but this is a problem'
    changed 's/"what": "event"/"what": "nothing"/' 'rejected: "decides" is not what the trace says'
    changed 's/"what": "event", "event": 3/"what": "event", "event": 4/' 'rejected: "decides" is not what the trace says'
    changed 's/"method": "exact"/"method": "oracle"/' '"method" is none of exact, graph, ucg and csp'
    sed 's/"severity": "note"/"severity": "problem"/' d.json >bad.json
    run "$HEDDLE" verify d.std bad.json
    [ "$status" -eq 0 ]
    [ "${lines[1]}" = "not checked, because the trace cannot show it: severity" ]
    echo '#incomplete the log was cut short' >>d.std
    run "$HEDDLE" verify d.std d.json
    [ "$status" -eq 1 ]
    [ "$output" = 'heddle: d.json: "complete" is true, but the trace is not the whole run' ]
    "$HEDDLE" check -p race,nondet --all --format=json -o d.json d.std || [ $? -eq 2 ]
    "$HEDDLE" verify -q d.std d.json
    changed 's/log was cut short/disk is full/' '"incomplete" is not what the trace says'
}

@test "each rejection has its line" {
    report "$nondet" "${race/12/13}" "${nondet/\"alternative\": 0/\"alternative\": 1}"
    run "$HEDDLE" verify t.std r.json
    [ "$status" -eq 1 ]
    [ "${lines[0]}" = "R1: rejected: event 13 is not the next of its thread: event 12 has not run" ]
    [ "${lines[1]}" = "N1: rejected: event 8 reads from 0, not from 1" ]
    [ "${lines[2]}" = "3 findings, 1 accepted, 2 rejected" ]
}

@test "swapped events" {
    rejects "${nondet/6,7,8/7,6,8}" "event 7 runs before event 6 of its own thread"
    rejects "${deadlock/1,2,6/6,1,2,3}" "event 3 takes lock l while B holds it"
}

@test "a dropped event" {
    rejects "${nondet/6,7,8/6,8}" "event 8 runs before event 7 of its own thread"
    rejects "${final/,14]/]}" "the run has 14 events, the trace 15"
    rejects "${race/,11]/]}" "event 12 is not the next of its thread: event 11 has not run"
    rejects "${deadlock/1,2,6/1,2}" "event 7 is not the next of its thread: event 6 has not run"
    rejects "${atomicity/15,13]/13]}" "event 15 is not in the run"
}

@test "an event too many" {
    rejects "${nondet/6,7,8/6,7,8,9}" "event 9 depends on event 8 of its own thread"
    rejects "${nondet/6,7,8/6,7,8,7}" "event 7 is in the run twice"
    rejects "${race/,11]/,11,12]}" "event 12 is in the run"
}

@test "numbers out of range" {
    rejects "${nondet/6,7,8/6,7,16}" "event 16 does not exist: the trace has events 1 to 15"
    rejects "${nondet/6,7,8/0,6,7,8}" "event 0 does not exist"
    rejects "${nondet/\"read\": 8/\"read\": 99}" "event 99 does not exist"
    rejects "${deadlock/3,7/3,4294967295}" "event 4294967295 does not exist"
}

@test "a wrong alternative, a wrong observation" {
    rejects "${nondet/\"alternative\": 0/\"alternative\": 2}" "event 8 read from 2 in the trace: that is no alternative"
    rejects "${nondet/\"observed\": 2/\"observed\": 0}" "event 8 read from 2 in the trace, not from 0"
    rejects "${final/\"observed\": 15/\"observed\": 13}" "the last write to the variable of event 13 is 15 in the trace"
    rejects "${final/\"alternative\": 13/\"alternative\": 2}" "the last write to the variable is 13, not 2"
}

@test "wrong events" {
    rejects "${race/12/2}" "events 2 and 15 touch different variables"
    rejects "${unordered/13/2}" "events 2 and 15 touch different variables"
    rejects '{"id": "U1", "property": "unordered", "first": 2, "second": 8}' "event 2 happens before event 8"
    rejects "${deadlock/3,7/1,7}" "event 1 is in the run"
    rejects "${deadlock/3,7/7,3}" "events 7 and 3 are not in ascending order"
    rejects "${atomicity/\"first\": 12/\"first\": 2}" "events 2 and 15 touch different variables"
}

@test "a schedule that was not printed" {
    rejects '{"id": "R1", "property": "race", "first": 12, "second": 15}' "has no schedule"
}

@test "equal values and lock scopes, as the report says or as asked" {
    printf 'A|w(x=1)|\nB|r(x=1)|\nB|w(z=0)|\nA|w(x=1)|\nC|w(z=0)|\n' >v.std
    sed 's/^ *//' >v.json <<'END'
        {"format": "heddle-report", "version": 1,
         "trace": {"file": "v.std", "events": 5, "threads": 3, "variables": 2, "locks": 0},
         "method": "exact", "complete": true,
         "findings": [{"id": "R1", "property": "race", "first": 3, "second": 5, "schedule": [1,4,2]}]}
END
    run "$HEDDLE" verify v.std v.json
    [ "$output" = "1 finding, all accepted" ]
    run "$HEDDLE" verify --values=ignore v.std v.json
    [ "$status" -eq 1 ]
    [[ "${lines[0]}" == "R1: rejected: event 3 depends on event 2 of its own thread, which reads from 4 and read from 1"* ]]
    [[ "${lines[1]}" == *"(values ignored)" ]]
    sed -i 's/"complete"/"options": {"values": "ignore"}, &/' v.json
    run "$HEDDLE" verify v.std v.json
    [ "$status" -eq 1 ]

    printf 'A|acq(l)|\nA|w(x)|\nA|w(x)|\nA|rel(l)|\nB|r(x)|\n' >l.std
    sed 's/^ *//' >l.json <<'END'
        {"format": "heddle-report", "version": 1,
         "trace": {"file": "l.std", "events": 5, "threads": 2, "variables": 1, "locks": 1},
         "method": "exact", "complete": true, "findings":
         [{"id": "A1", "property": "atomicity", "first": 2, "remote": 5, "second": 3, "schedule": [1,2,5,3]}]}
END
    run "$HEDDLE" verify l.std l.json
    [ "${lines[0]}" = "A1: rejected: events 2 and 3 are not in one atomic block" ]
    run "$HEDDLE" verify --atomic=locks l.std l.json
    [ "$output" = "1 finding, all accepted" ]
    sed -i 's/"complete"/"options": {"atomic_locks": true}, &/' l.json
    run "$HEDDLE" verify l.std l.json
    [ "$output" = "1 finding, all accepted" ]
    run "$HEDDLE" verify --atomic=blocks l.std l.json
    [ "${lines[0]}" = "A1: rejected: events 2 and 3 are not in one atomic block" ]
    run "$HEDDLE" verify --atomic=all l.std l.json
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: verify: --atomic=all: expected blocks or locks" ]
}

@test "the report of another trace" {
    report "$nondet"
    sed -i 's/"events": 15/"events": 14/' r.json
    refuses "the report belongs to another trace, with 14 events; t.std has 15"
    report "$nondet"
    sed -i 's/"locks": 2/"locks": 3/' r.json
    refuses "with 3 locks; t.std has 2"
}

@test "broken JSON" {
    report "$nondet"
    truncate -s 100 r.json
    refuses "2:59: unexpected token near end of file"
    report "$nondet"
    sed -i 's/"findings": \[/&,/' r.json
    refuses "3:58: unexpected token near ','"
    report "$nondet"
    sed -i 's/"method":/"method"/' r.json
    refuses "':' expected"
    report "$nondet"
    echo '{}' >>r.json
    refuses "it has text after the JSON object"
    report "$nondet"
    sed -i 's/"complete": true,/& "complete": true,/' r.json
    refuses "complete appears twice"
    echo '[1, 2]' >r.json
    refuses "no JSON object"
    : >r.json
    refuses "no JSON object"
}

@test "not a report, or of a later version" {
    report "$nondet"
    sed -i 's/heddle-report/sarif/' r.json
    refuses "format is not heddle-report"
    report "$nondet"
    sed -i 's/"version": 1/"version": 3/' r.json
    refuses "unsupported version 3 of the report format; this heddle reads 1 and 2"
}

@test "missing fields and wrong types" {
    while IFS='|' read -r change reason; do
        report "$nondet" "$deadlock"
        sed -i "$change" r.json
        refuses "$reason"
    done <<'END'
s/"version": 1,//|version is missing
s/"trace":/"other":/|trace is missing
s/"threads": 2,//|trace.threads is missing
s/"threads": 2/"threads": -2/|trace.threads is not a number in range
s/"method": "exact"/"method": 7/|method is not a string
s/"complete": true/"complete": 1/|complete is not true or false
s/"findings"/"other"/|findings is missing
s/"findings": \[/"findings": [5,/|findings[0] is not an object
s/"id": "N1",//|findings[0].id is missing
s/"id": "N1"/"id": "\\u001b[31m"/|findings[0].id has control characters in it
s/"nondeterminism"/"magic"/|findings[0].property is not one that this version knows
s/"property": "deadlock",//|findings[1].property is not a string
s/"read": 8,//|findings[0].read is missing
s/"read": 8/"read": "8"/|findings[0].read is not a number in range
s/"read": 8/"read": 4294967296/|findings[0].read is not a number in range
s/"read": 8/"read": 8, "read": 8/|duplicate object key
s/"events": \[3,7\]/"events": 3/|findings[1].events is not a list of events
s/\[6,7,8\]/[6,7.0,8]/|findings[0].schedule has an item that is not an event number
s/\[6,7,8\]/[6,-7,8]/|findings[0].schedule has an item that is not an event number
s/\[6,7,8\]/{}/|findings[0].schedule.prefix is missing
s/\[6,7,8\]/{"prefix": 1}/|findings[0].schedule.then is missing
s/\[6,7,8\]/{"prefix": -1, "then": []}/|findings[0].schedule.prefix is not a number in range
s/\[6,7,8\]/"1"/|findings[0].schedule is not a list of events
END
}

@test "files that cannot be read" {
    report "$nondet"
    run "$HEDDLE" verify t.std missing.json
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: missing.json: No such file or directory" ]
    run "$HEDDLE" verify missing.std r.json
    [ "$status" -eq 1 ]
}

@test "names, places and values are those of the trace" {
    printf 'T1|w(x=1)|a.c:1\nT1|w(x=2)|a.c:2\nT2|r(x=2)|b.c:7\nT2|w(x=3)|b.c:8\n' >w.std
    "$HEDDLE" check --all --property=all --format=json -o w.json w.std || true
    run "$HEDDLE" verify w.std w.json
    [ "$status" -eq 0 ]
    for change in 's/"variable": "x"/"variable": "y"/' 's/"a.c:1"/"a.c:9"/' 's/"threads": \["T1"/"threads": ["T3"/' \
        's/"observed_value": 2/"observed_value": 4/' 's/"alternative_value": 1/"alternative_value": 7/'; do
        sed "$change" w.json >tampered.json
        ! cmp -s w.json tampered.json
        run "$HEDDLE" verify w.std tampered.json
        [ "$status" -eq 1 ]
        [[ "$output" == *'is not what the trace says'* ]]
    done
}

@test "claims that no trace can tell are named" {
    printf 'T1|w(x=1)|a.c:1\nT2|r(x=1)|b.c:7\n' >c.std
    "$HEDDLE" check --all --property=race --format=json -o c.json c.std || true
    sed 's/"property": "race"/"property": "race", "confirmed": true, "outcome": "fails"/' c.json >replayed.json
    run "$HEDDLE" verify c.std replayed.json
    [ "$status" -eq 0 ]
    [ "${lines[1]}" = "not checked, because the trace cannot show it: confirmed, outcome" ]
}

# Changes one number, word or flag of a finding that the reports of random traces have.
@test "tampered reports of random traces" {
    command -v python3 >/dev/null || skip "python3 is needed"
    mkdir traces
    "$RANDOM_TRACE" "${HEDDLE_SEED:-1}" 40 traces 1
    for trace in traces/*.std; do
        "$HEDDLE" check --all --property=all --format=json -o "${trace%.std}.json" "$trace" || true
    done
    python3 - "$HEDDLE" "${HEDDLE_SEED:-1}" traces/*.json <<'PYTHON'
import json, random, subprocess, sys
heddle, seed, files = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
rng, tried = random.Random(seed), 0
checked = ["read", "observed", "alternative", "first", "second", "remote", "write", "variable", "threads", "locations",
           "observed_value", "alternative_value", "property"]
titles = ["race", "deadlock", "stuck", "stale", "atomicity", "nondeterminism", "final-state"]
def verify(trace, report):
    return subprocess.run([heddle, "verify", trace, "-"], input=report, capture_output=True, text=True)
for name in files:
    trace, text = name[:-4] + "std", open(name).read()
    report = json.loads(text)
    assert verify(trace, text).returncode == 0, (name, verify(trace, text).stdout)
    for finding in rng.sample(report["findings"], min(3, len(report["findings"]))):
        field = rng.choice([f for f in checked if f in finding])
        said = finding[field]
        if field == "property":
            finding[field] = rng.choice([t for t in titles if t != said])
        elif isinstance(said, list):
            at = rng.randrange(len(said))
            finding[field] = said[:at] + [str(said[at]) + "?"] + said[at + 1:]
        elif isinstance(said, int):
            finding[field] = said + rng.choice([1, 2, 5])
        else:
            finding[field] = said + "?"
        changed = finding[field]
        result = verify(trace, json.dumps(report))
        # Another event may be as right as the one that stood there; then it is another finding of the report.
        twin = any(all(other.get(k) == v for k, v in finding.items() if k in checked[:7] + ["property"]) and other is not finding
                   for other in report["findings"])
        assert result.returncode == 1 or twin, (name, finding["id"], field, said, changed, result.stdout)
        finding[field] = said
        tried += 1
assert tried > 50, tried
PYTHON
}
