#!/usr/bin/env bats
# heddle check: its options, its exit statuses, and what it finds in published traces.
load support

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR"
    # One race, whose run has to choose which of two sections stays open.
    cat >choice.std <<'END'
D|w(x)|d.c:1
A|acq(l)|a.c:1
A|aw(y)|a.c:2
A|rel(l)|a.c:3
B|acq(l)|b.c:1
B|aw(z)|b.c:2
B|rel(l)|b.c:3
C|ar(y)|c.c:1
C|ar(z)|c.c:2
C|w(x)|c.c:3
END
    # A lock scope that another thread can look into.
    printf 'A|acq(l)|\nA|w(x)|\nA|w(x)|\nA|rel(l)|\nB|r(x)|\n' >scope.std
    printf 'A|acq(l)|\nA|w(x)|\nA|rel(l)|\nB|acq(l)|\nB|w(x)|\nB|rel(l)|\n' >quiet.std
}

check() {
    "$HEDDLE" check "$@"
}

# number FILE KEY: how often a finding of a JSON report has it
number() {
    grep -c "\"id\": .*$2" "$1" || true
}

# refused WORDS OPTION…: exit 1, the words on stderr, nothing on stdout
refused() {
    words=$1
    shift
    run --separate-stderr "$HEDDLE" check "$@"
    echo "$stderr"
    [ "$status" -eq 1 ]
    [ -z "$output" ]
    [[ "$stderr" == "heddle: $words"* ]]
}

@test "status 0: nothing found" {
    run --separate-stderr "$HEDDLE" check -p race,deadlock,unordered quiet.std
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    [[ "$output" == *"No problem predicted from this run"* ]]
    [[ "$output" == *"Not covered: other inputs, "*"(docs/limits.md)."* ]]
    [[ "$output" == *"No race predicted from this run."* ]]
    [[ "$output" == *"No unordered accesses in this run"* ]]
    [[ "$output" == *"No deadlock predicted from this run."* ]]
    for word in proved "cannot happen" "no schedule"; do [[ "$output" != *"$word"* ]]; done
}

@test "status 2: findings" {
    run "$HEDDLE" check -p race choice.std
    [ "$status" -eq 2 ]
    [ "${lines[1]}" = "1 problem: 1 race" ]
}

@test "several traces are told with what no earlier one has shown" {
    run "$HEDDLE" check "$TRACES/lost-update.std" "$TRACES/account.std" "$TRACES/account.std"
    [ "$status" -eq 2 ]
    [ "$(grep -c '^R1 ' <<<"$output")" -eq 1 ]
    [ "$(grep -c 'No race predicted from this run' <<<"$output")" -eq 1 ] # of the first trace
    [[ "$output" == *"No other problem predicted from this run; 3 findings of an earlier trace"* ]]
    [ "${lines[-1]}" = "All 3 traces: 3 problems, 1 note, each listed once; 3 more repeat a finding of an earlier trace" ]
    run "$HEDDLE" check "$TRACES/lost-update.std" "$TRACES/lost-update.std"
    [ "$status" -eq 0 ]
    run "$HEDDLE" check --confirm quiet.std choice.std -- true
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: check: --confirm takes one trace" ]
    run "$HEDDLE" check quiet.std missing.std
    [ "$status" -eq 1 ]
}

@test "several traces are one document in every format, which verify, report and others read" {
    cp "$TRACES/lost-update.std" lost.std
    cp "$TRACES/account.std" account.std
    cp "$TRACES/account.std" again.std
    traces=(lost.std account.std again.std)
    run "$HEDDLE" check --format=json -o all.json "${traces[@]}"
    [ "$status" -eq 2 ]
    [ -z "$output" ]
    python3 - <<'END'
import json
whole = json.load(open("all.json"))
assert (whole["format"], whole["version"]) == ("heddle-reports", 1)
assert whole["totals"] == {"problems": 3, "notes": 1, "repeated": 3, "unchecked": 0}, whole["totals"]
first, second, third = whole["reports"]
ids = [f["id"] for r in whole["reports"] for f in r["findings"]]
assert len(ids) == len(set(ids)) == 4, ids
assert third["findings"] == [] and sum(third["repeated"].values()) == 3 and "repeated" not in second
END
    run "$HEDDLE" verify "${traces[@]}" all.json
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "lost.std: 1 finding, all accepted" ]
    [ "${lines[1]}" = "account.std: 3 findings, all accepted" ]
    [ "${lines[2]}" = "again.std: 0 findings, all accepted" ]
    run "$HEDDLE" verify choice.std all.json
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: all.json: none of its reports is of the trace choice.std" ]
    for format in text json html sarif gitlab; do
        "$HEDDLE" check --format=$format -o direct "${traces[@]}" || [ $? -eq 2 ]
        "$HEDDLE" report --format=$format -o converted all.json
        diff <(sed 's/"prefix":[0-9]*//g; /^All 3 traces/d' direct) <(sed 's/"prefix":[0-9]*//g' converted)
        "$HEDDLE" check --format=$format "${traces[@]}" >direct || [ $? -eq 2 ]
        diff <(sed 's/"prefix":[0-9]*//g; /^All 3 traces/d' direct) <(sed 's/"prefix":[0-9]*//g' converted)
    done
    "$HEDDLE" check --format=sarif -o all.sarif "${traces[@]}" || [ $? -eq 2 ]
    [ "$(python3 -c 'import json; r = json.load(open("all.sarif"))["runs"]; print(len(r), len(r[0]["results"]), len(r[0]["invocations"]))')" = "1 4 3" ]
    run "$HEDDLE" check --baseline=all.json "${traces[@]}"
    [ "$status" -eq 0 ]
    "$HEDDLE" export --to=std --finding=all.json:R1 account.std >/dev/null
    run "$HEDDLE" export --to=std --finding=all.json:R9 account.std
    [ "$status" -eq 1 ]
    sed 's/"alternative": [0-9]*/"alternative": 999/' all.json >wrong.json
    run "$HEDDLE" verify lost.std wrong.json
    [ "$status" -eq 1 ]
    head -c 700 all.json >cut.json
    run "$HEDDLE" verify lost.std cut.json
    [ "$status" -eq 1 ]
    run "$HEDDLE" check --format=json -o none.json lost.std missing.std
    [ "$status" -eq 1 ]
    [ ! -e none.json ]
}

@test "status 3: the budget ran out, the candidate is listed" {
    run "$HEDDLE" check -p race --budget=0 choice.std
    [ "$status" -eq 3 ]
    [[ "$output" == *"Incomplete: some candidates of race remain undecided."* ]]
    [[ "$output" == *"this is not an all-clear"* ]]
    run "$HEDDLE" check -p race --budget=0 --format=json choice.std
    [ "$status" -eq 3 ]
    [[ "$output" == *'"complete": false'* ]]
    [[ "$output" == *'"findings": []'* ]]
    [[ "$output" == *'"undecided": ['*'"property": "race", "first": 1, "second": 10'* ]]
}

@test "status 3: a trace that was cut short" {
    "$HEDDLE" convert quiet.std whole.htr
    head -c $(($(stat -c %s whole.htr) - 10)) whole.htr >cut.htr
    run --separate-stderr "$HEDDLE" check -p race --format=json cut.htr
    [ "$status" -eq 3 ]
    [[ "$output" == *'"complete": false'* ]]
    [[ "$stderr" == "heddle: note: cut.htr: the file stops before its end"* ]]
    run "$HEDDLE" check -p race whole.htr
    [ "$status" -eq 0 ]
}

@test "status 1: what cannot be read, or is no trace" {
    refused "missing.std: No such file or directory" missing.std
    printf 'A|acq(l)|\nB|acq(l)|\n' >bad.std
    refused "bad.std:2: B takes lock l while A holds it" bad.std
    refused "check: missing: FILE"
    refused "no/such/folder: No such file or directory" -o no/such/folder quiet.std
}

@test "values that options do not know are refused" {
    refused "check: --property: unknown name races" --property=race,races quiet.std
    refused "check: --property has an empty name" --property= quiet.std
    refused "check: --property has an empty name" --property=race, quiet.std
    refused "check: --format=xml: expected" --format=xml quiet.std
    refused "check: --method=magic: expected" --method=magic quiet.std
    refused "check: --atomic=all: expected blocks or locks" --atomic=all quiet.std
    refused "check: --schedules=some: expected full or none" --schedules=some quiet.std
    refused "check: --jobs=many is not a number" --jobs=many quiet.std
    refused "check: --jobs=-1 is not a number" -j -1 quiet.std
    refused "check: --budget=5m is not a number" --budget=5m quiet.std
    refused "check: --budget= is not a number" --budget= quiet.std
    refused "check: unknown option --fast" --fast quiet.std
}

@test "properties: one, some, all, the default" {
    head_of() {
        check "$@" quiet.std | sed -n '1s/.*checked for //p'
    }
    [ "$(head_of -p race)" = "race" ]
    [ "$(head_of --property=deadlock,nondet)" = "nondeterminism, deadlock" ]
    [[ "$(head_of -p all)" == "nondeterminism, final-state, race, unordered, deadlock, atomicity, stale, stuck"* ]]
    [[ "$(head_of)" == "nondeterminism, race, unordered, deadlock, atomicity, stale, stuck"* ]]
    [[ "$(head_of)" != *"final-state"* ]]
}

@test "all findings, or one for each set of places with a count" {
    check -p race --all --format=json -o all.json "$TRACES/account.std" || [ $? -eq 2 ]
    check -p race --format=json -o grouped.json "$TRACES/account.std" || [ $? -eq 2 ]
    [ "$(number all.json '"property": "race"')" -eq 3 ]
    [ "$(number grouped.json '"property": "race"')" -eq 1 ]
    grep -q '"grouped": false' all.json
    grep -q '"grouped": true' grouped.json
    grep -q '"count": 3, "count_exact": true' grouped.json
}

@test "lock scopes are atomic when asked for, and the report says so" {
    check -p atomicity scope.std | grep -q 'Atomicity: no atomic blocks to check'
    run "$HEDDLE" check -p atomicity --atomic=locks --format=json -o scope.json scope.std
    [ "$status" -eq 2 ]
    grep -q '"first": 2, "remote": 5, "second": 3' scope.json
    run "$HEDDLE" verify scope.std scope.json
    [ "$output" = "1 finding, all accepted" ]
}

@test "equal values count unless they are ignored" {
    run "$HEDDLE" check --values=ignore --format=json "$TRACES/lost-update.std"
    [ "$status" -eq 0 ]
    [[ "$output" == *'"property": "nondeterminism"'*'"severity": "note"'* ]]
    [[ "$output" == *'"options": {"values": "ignore", "atomic_locks": false}'* ]]
    # B may read the first write of x instead of the second, and go on.
    printf 'A|w(x=1)|\nA|w(z=0)|\nA|w(x=1)|\nB|r(x=1)|\nB|w(z=0)|\n' >same.std
    for option in '' --values=ignore; do
        check -p race --all --format=json $option -o same$option.json same.std || [ $? -eq 2 ]
        run "$HEDDLE" verify same.std same$option.json
        [ "$status" -eq 0 ]
    done
    [ "$(number same.json '"first": 2, "second": 5')" -eq 1 ]
    [ "$(number same--values=ignore.json '"first": 2, "second": 5')" -eq 0 ]
}

# explained STATUS WORDS OPTION…
explained() {
    expected=$1 words=$2
    shift 2
    run "$HEDDLE" check "$@"
    echo "$output"
    [ "$status" -eq "$expected" ]
    [[ "$output" == "$words"* ]]
}

# grounded SHAPE EVENTS THREADS: g.std, with values and grounds
grounded() {
    "$GENERATE" "$1" "$2" "$3" 1 plain.std
    "$(dirname "$GENERATE")/heddle-ground" plain.std >g.std
}

@test "one candidate is given all of its budget, or the time that it may take" {
    grounded bank 8000 8
    explained 2 "feasible" --explain=nondet:7447,1174 g.std # a check of the whole trace spends less on each
    grounded producer-consumer 6000 4
    explained 3 "undecided: stopped before there was an answer" --budget=1s --explain=nondet:5712,1988 g.std
}

@test "one candidate explained" {
    explained 2 "feasible" --explain=race:1,10 choice.std
    explained 3 "undecided: the budget of 0 choices ran out" --budget=0 --explain=race:1,10 choice.std
    explained 0 "infeasible: locks:" --explain=race:2,5 quiet.std
    explained 0 "infeasible: a causality cycle: event 7," --explain=nondet:17,7 "$TRACES/lost-update.std"
    explained 0 "infeasible: an order that every run keeps: event 10," --explain=race:10,14 "$TRACES/account.std"
    [[ "$output" == *"because of event 11,"*"(which must be as observed: event 12 depends on it)
  only because event 11, T21|r(V16e92358.199), must be as observed: event 12, T21|w(V16e92358.199), depends on it" ]]
    refused "check: --explain=race:1,99: there is no event 99" --explain=race:1,99 choice.std
    refused "check: --explain=race:1: the wrong number of events" --explain=race:1 choice.std
    refused "check: --explain=race:1,3: these are not two accesses of one variable" --explain=race:1,3 choice.std
    refused "check: --explain=atomicity:1,10,1: the last event does not come after the first" --explain=atomicity:1,10,1 choice.std
    refused "check: --explain=why is not of the form" --explain=why choice.std
    refused "check: --explain=unordered:1,10: only" --explain=unordered:1,10 choice.std
}

@test "a section without an end yet hides no other one of its thread: what that forces needs no choices" {
    printf '%s|\n' 'A|acq(l)' 'A|cas(x)' 'A|w(x)' 'B|w(x)' 'A|rel(l)' 'B|acq(l)' 'B|rel(l)' 'B|w(x)' 'B|acq(l)' 'B|w(y)' 'B|rel(l)' \
        'C|r(y)' 'C|cas(x)' >open.std
    "$HEDDLE" check --all --stats --format=json -p nondet -o open.json open.std || [ $? -eq 2 ]
    grep -F '"feasible": 4, "refuted": {"must_order": 3, "causality_cycle": 2, "exhausted_choices": 0}' open.json
}

@test "the JSON report has its fields" {
    printf '%s\n' 'A|acq(k)|' 'A|w(x)|' 'A|acq(l)|' 'A|rel(l)|' 'A|rel(k)|' 'B|acq(l)|' 'B|acq(k)|' 'B|r(x)|' 'B|rel(k)|' \
        'B|rel(l)|' 'A|begin|' 'A|r(y)|' 'A|w(y)|' 'A|end|' 'B|w(y)|' 'B|w(u)|' 'B|aw.rlx(f)|' 'C|ar.rlx(f)|' 'C|w(u)|' >t.std
    run --separate-stderr "$HEDDLE" check --all -p nondet,final,race,unordered,deadlock,atomicity --format=json \
        -o t.json t.std
    [ "$status" -eq 2 ]
    [ -z "$output$stderr" ]
    python3 - <<'END'
import json

report = json.load(open("t.json"))
assert report["format"] == "heddle-report" and report["version"] == 2
assert report["trace"] == {"file": "t.std", "events": 19, "threads": 3, "variables": 4, "locks": 2}
assert report["method"] == "exact" and report["complete"] is True and report["undecided"] == []
assert isinstance(report["statistics"], dict)
fields = {"nondeterminism": ("N", "read observed alternative"), "final-state": ("F", "observed alternative"),
          "race": ("R", "first second"), "unordered": ("U", "first second"), "deadlock": ("L", "events"),
          "atomicity": ("A", "first remote second")}
assert {f["property"] for f in report["findings"]} == set(fields)
for f in report["findings"]:
    letter, names = fields[f["property"]]
    assert f["id"][0] == letter and f["id"][1:].isdigit(), f
    assert all(name in f for name in names.split()), f
    assert ("schedule" in f) == (f["property"] != "unordered"), f
    if "second" in f and "remote" not in f:
        assert f["first"] < f["second"], f
    if "events" in f:
        assert f["events"] == sorted(f["events"]), f
assert len({f["id"] for f in report["findings"]}) == len(report["findings"])
END
}

@test "reports are the same for any number of workers" {
    "$GENERATE" bank 20000 4 1 bank.std
    for trace in bank.std "$TRACES/ftpserver.std" "$TRACES/mergesort.std" "$TRACES/hard/queue-lock.std"; do
        for jobs in 1 2 5; do
            check -p all --format=json -j $jobs -o $jobs.json "$trace" || [ $? -eq 2 ]
            check -p all -j $jobs -o $jobs.txt "$trace" || [ $? -eq 2 ]
        done
        cmp 1.json 2.json
        cmp 1.json 5.json
        cmp 1.txt 2.txt
        cmp 1.txt 5.txt
    done
    for jobs in 1 2 5; do
        check -p all --all --format=json -j $jobs -o $jobs.json "$TRACES/clean.std" || [ $? -eq 2 ]
    done
    cmp 1.json 2.json
    cmp 1.json 5.json
}

# hot ROUNDS PADDING: in each round one of three threads reads, writes or changes a variable, mostly with a lock; then a thread reads
# PADDING times what main wrote once
hot() {
    awk -v rounds="$1" -v padding="$2" '
    function event(thread, text) { print "T" thread "|" text; n++ }
    BEGIN {
        srand(5)
        event(0, "w(c)|a.c:1")
        for (t = 1; t <= 4; t++) event(0, "fork(T" t ")|a.c:2")
        for (i = 0; i < rounds; i++) {
            t = int(rand() * 3) + 1; locked = rand() < 0.9; line = int(rand() * 3); read = 0
            if (locked) event(t, "acq(l)|a.c:" 10 + line)
            event(t, "begin|a.c:" 20 + line)
            if (rand() < 0.7) { event(t, "r(x)|a.c:" 30 + line); read = n }
            if (rand() < 0.7) event(t, "w(x)|a.c:" 40 + line "|by - from " (read ? read : "-"))
            if (rand() < 0.3) event(t, "r(x)|a.c:" 45 + line)
            event(t, "end|a.c:" 50 + line)
            if (locked) event(t, "rel(l)|a.c:" 60 + line)
        }
        for (i = 0; i < padding; i++) event(4, "r(c)|a.c:70")
    }'
}

@test "a variable with most of the accesses is split; that changes no verdict and depends on no number of workers" {
    hot 450 0 >split.std
    hot 450 9000 >whole.std # the same events, then others: the variable is one of many now
    for options in "-p all" "--all -p race,nondet,atomicity,stale --atomic=locks"; do
        for jobs in 1 2 3 8; do
            # shellcheck disable=SC2086
            check $options --format=json -j $jobs -o $jobs.json split.std || [ $? -eq 2 ]
            cmp 1.json $jobs.json
        done
    done
    check -j2 --stats --format=json --all -p race,nondet,atomicity,stale --atomic=locks -o 1.json split.std || [ $? -eq 2 ]
    check -j2 --stats --format=json --all -p race,nondet,atomicity,stale --atomic=locks -o whole.json whole.std || [ $? -eq 2 ]
    python3 - 1.json whole.json <<'END'
import json, sys
split, whole = (json.load(open(path)) for path in sys.argv[1:])
said = lambda report: sorted(json.dumps([f["property"], {k: f[k] for k in f if isinstance(f[k], int) and k != "id"}], sort_keys=True)
                             for f in report["findings"])
assert said(split) == said(whole), (len(split["findings"]), len(whole["findings"]))
assert len(split["findings"]) > 100 and not split["undecided"] and not whole["undecided"]
assert {f["property"] for f in split["findings"]} >= {"race", "nondeterminism", "atomicity", "stale"}
for name, of_split in split["statistics"].items():
    if isinstance(of_split, dict):
        more = 9000 if name in ("race", "nondeterminism") else 0 # of the other variable
        of_whole = whole["statistics"][name]
        assert of_split["feasible"] == of_whole["feasible"], name
        assert of_split["candidates"] + more == of_whole["candidates"], name
END
}

@test "schedules are left out when asked, the findings stay" {
    check -p all --all --format=json -o full.json "$TRACES/mergesort.std" || [ $? -eq 2 ]
    check -p all --all --format=json --schedules=none -o none.json "$TRACES/mergesort.std" || [ $? -eq 2 ]
    [ "$(number none.json '"schedule"')" -eq 0 ]
    sed 's/, "schedule": {"prefix": [0-9]*, "then": \[[0-9,]*\]}//' full.json | cmp - none.json
}

@test "statistics add the counts and times" {
    check -p race choice.std | grep -q certified && false
    check -p race --stats choice.std | grep -q '^1 schedule certified; loading took'
    check -p race --stats choice.std | grep -q '^race  *6  *1  *1 '
    check -p race --stats --format=json choice.std | grep -q '"seconds"'
    check -p race --format=json choice.std | grep -q '"seconds"' && false
    true
}

@test "the report goes to a file" {
    run "$HEDDLE" check -p race -o report.txt choice.std
    [ "$status" -eq 2 ]
    [ -z "$output" ]
    check -p race choice.std | diff - report.txt
}

@test "standard input is a trace, compressed or not" {
    check -p race - <choice.std >plain.txt || [ $? -eq 2 ]
    gzip -c choice.std | check -p race - >packed.txt || [ $? -eq 2 ]
    cmp plain.txt packed.txt
    check -p race choice.std | sed 1d | grep -v '^  heddle' | diff - <(sed 1d plain.txt | grep -v '^  heddle')
}

@test "colours only on a terminal, and never with NO_COLOR" {
    esc=$(printf '\033')
    check choice.std | grep -q "$esc" && false
    script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip "no terminal can be had here"
    script -qec "env -u NO_COLOR TERM=xterm '$HEDDLE' check choice.std" /dev/null </dev/null | grep -q "$esc"
    script -qec "NO_COLOR=1 TERM=xterm '$HEDDLE' check choice.std" /dev/null </dev/null >plain.txt || true
    grep -q 'Data race' plain.txt
    ! grep -q "${esc}\[[0-9;]*m" plain.txt
}

@test "an interrupted check reports what is decided" {
    # Long enough to be caught at work: every pair of every read and write of a few hot variables.
    "$GENERATE" hot 200000 8 1 hot.htr
    "$HEDDLE" check --all -p nondet --fail-on=nondet -j 2 --schedules=none --format=json -o hot.json hot.htr 3>&- &
    child=$!
    sleep 1
    while kill -INT $child 2>/dev/null; do sleep 0.2; done # before it listens it ignores the signal, as a job does
    status=0
    wait $child || status=$?
    [ "$status" -eq 2 ] || [ "$status" -eq 3 ]
    grep -q '"complete": false' hot.json
    grep -q '"interrupted": true' hot.json
    if grep -q '"id": "N1"' hot.json; then [ "$status" -eq 2 ]; else [ "$status" -eq 3 ]; fi
    tail -n 1 hot.json | grep -qx '}'
}

@test "seconds as a budget: what is decided by then" {
    "$GENERATE" hot 200000 8 1 hot.htr
    status=0
    check --all -p nondet --budget=1s --schedules=none --format=json -o hot.json hot.htr || status=$?
    [ "$status" -eq 2 ] || [ "$status" -eq 3 ]
    grep -q '"complete": false' hot.json
}

@test "every report passes verify" {
    for trace in "$TRACES"/*.std choice.std scope.std; do
        case $trace in */bufwriter.std | */ftpserver.std | */java-boundedbuffer.std) all= ;; *) all=--all ;; esac
        check -p all $all --format=json -o report.json "$trace" || [ $? -eq 2 ]
        run "$HEDDLE" verify "$trace" report.json
        echo "$trace: $output"
        [ "$status" -eq 0 ]
    done
}

# TRACE RACES EVENTS PLACES: all pairs; and of their second events how many there are, and at how many places
@test "published traces: complete, and no fewer races than others find" {
    while read -r name pairs events places; do
        check -p race --all --format=json -o report.json "$TRACES/$name.std" || [ $? -eq 2 ]
        grep -q '"complete": true' report.json
        grep -q '"undecided": \[\]' report.json
        sed -n 's/.*"second": \([0-9]*\),.*/\1/p' report.json | sort -un >seconds
        grep -v -e '^#' -e '^$' "$TRACES/$name.std" | awk -F'|' 'NR == FNR {wanted[$1]; next} FNR in wanted {print $3}' \
            seconds - | sort -u >places
        found="$(number report.json '"property": "race"') $(wc -l <seconds) $(wc -l <places)"
        echo "$name: found $found, expected $pairs $events $places"
        [ "$found" = "$pairs $events $places" ]
    done <<'END'
account 3 3 1
twostage 20 8 2
mergesort 53 5 2
clean 243 110 4
lang 1600 400 1
bufwriter 525 8 4
ftpserver 99 85 21
java-airline 209 7 4
java-boundedbuffer 832 338 3
java-critical 0 0 0
java-allocvector 0 0 0
java-philo-nested 172 46 1
END
}

@test "short traces of correct programs are decided, hard as they are" {
    for trace in "$TRACES"/hard/*.std; do
        check --format=json -o report.json "$trace"
        grep -q '"undecided": \[\]' report.json
        [ "$("$HEDDLE" verify "$trace" report.json)" = "$(grep -c '"id": "N' report.json) findings, all accepted" ]
        run ! grep '"id": "[^N]' report.json
    done
}

@test "published traces: nothing is undecided, whatever is asked" {
    for trace in "$TRACES"/*.std; do
        check -p all --format=json -o report.json "$trace" || [ $? -eq 2 ]
        grep -q '"complete": true' report.json
        grep -q '"undecided": \[\]' report.json
    done
}

@test "an HTML report is one page that names nothing outside it" {
    printf 'int x; /* </script> */\nint y;\n' >d.c
    status=0
    check -p race --format=html -o report.html choice.std || status=$?
    [ "$status" -eq 2 ]
    [ "$(head -n 1 report.html)" = "<!doctype html>" ]
    [ "$(tail -n 1 report.html)" = "</html>" ]
    grep -q '"title":"Data race: D writes x while C writes it"' report.html
    grep -q 'int x; /\* \\u003c/script\\u003e \*/' report.html
    [ "$(grep -c '@HEDDLE_REPORT@' report.html)" -eq 0 ]
    [ "$(grep -cE '(src|href)="?https?:' report.html)" -eq 0 ]
    [ "$(grep -o '</script>' report.html | wc -l)" -eq 2 ]
}

@test "who called the functions of a finding is told where the trace has it" {
    run "$HEDDLE" check --deterministic "$TRACES/callers.htr"
    [ "$status" -eq 2 ]
    [[ "$output" == *"
      saw        1, written by T1 left at callers.c:16 touch (event 3)
                 called from callers.c:21 once
                        from callers.c:103 left
      could see"*"
    T1 left writes counter at callers.c:16 touch (event 3)
      called from callers.c:21 once
             from callers.c:103 left
    T2 right reads counter at callers.c:16 touch (event 9)
      called from callers.c:29 again
             from callers.c:27 again
             from callers.c:110 right
      both can run"* ]]
    check --deterministic --format=json -o report.json "$TRACES/callers.htr" || true
    python3 - <<'END'
import json
found = {f["id"]: f["callers"] for f in json.load(open("report.json"))["findings"]}
left, right = ["callers.c:21 once", "callers.c:103 left"], ["callers.c:29 again", "callers.c:27 again", "callers.c:110 right"]
assert found == {"R1": [left, right], "N1": [right, left, []]}, found
END
    "$HEDDLE" verify "$TRACES/callers.htr" report.json
    check --format=sarif -o report.sarif "$TRACES/callers.htr" || true
    python3 - <<'END'
import json
for result in json.load(open("report.sarif"))["runs"][0]["results"]:
    stacks = {stack["message"]["text"]: [(frame["location"]["physicalLocation"]["region"]["startLine"],
        frame["location"]["logicalLocations"][0]["name"]) for frame in stack["frames"]] for stack in result["stacks"]}
    assert stacks == {"T1 left writes counter": [(16, "touch"), (21, "once"), (103, "left")],
        "T2 right reads counter": [(16, "touch"), (29, "again"), (27, "again"), (110, "right")]}, stacks
END
    # Suppressed and known by the same names as ever.
    check --format=json -o text.json <("$HEDDLE" convert "$TRACES/callers.htr" -) || true
    [ "$(grep -c '"callers"' text.json)" -eq 0 ]
}

@test "of a long way to an event the innermost calls are told" {
    cat >deep.py <<'END'
import ctypes, sys
zstd, xxhash = ctypes.CDLL("libzstd.so.1"), ctypes.CDLL("libxxhash.so.0")
zstd.ZSTD_compress.restype = ctypes.c_size_t
xxhash.XXH3_64bits_withSeed.restype = ctypes.c_uint64
def xxh3(data, seed):
    return xxhash.XXH3_64bits_withSeed(data, ctypes.c_size_t(len(data)), ctypes.c_uint64(seed))
def block(kind, events, payload):
    room = ctypes.create_string_buffer(2 * len(payload) + 100)
    length = zstd.ZSTD_compress(room, ctypes.c_size_t(len(room)), payload, ctypes.c_size_t(len(payload)), 3)
    stored = room.raw[:length]
    head = b"".join(n.to_bytes(4, "little") for n in (kind, len(payload), len(stored), 0, events, 0))
    return head + xxh3(stored, xxh3(head, 0)).to_bytes(8, "little") + stored
names = b"\2\1A\1B" + b"\1\1x" + bytes(5) + b"\0" + b"\0"
events = b"\2" + names + b"\2\0\0\1\0" + b"\0" + b"\1\1\0" + b"\1\2\0"
places = b"\x0c" + b"".join(b"\4f%03d" % i for i in range(12))
sites = b"\x0c" + b"".join(bytes([i, i]) for i in range(12))
stacks = b"\2" + places + sites + b"\2\0\x0c\0\1"
data = b"\x89HTR\r\n\x1a\n" + b"\1\0\0\0" + b"\3\0\0\0" + block(1, 0, events) + block(6, 2, stacks) + block(3, 2, b"\2")
sys.stdout.buffer.write(data)
END
    python3 deep.py >deep.htr
    run "$HEDDLE" check -p race deep.htr
    [ "$status" -eq 2 ]
    [[ "$output" == *"
      called from f011
             from f010
             from f009
             from f008
             from f007
             from f006
             from f005
             from f004
             and 4 more calls
"*"
      called from f000
      both can run"* ]]
    check --format=json deep.htr | grep -q '"f005", "f004", "f003", "f002", "f001", "f000"\]'
}

@test "the page is the same for any number of workers" {
    check --format=html -j 1 -o one.html "$TRACES/ftpserver.std" || true
    check --format=html -j 3 -o three.html "$TRACES/ftpserver.std" || true
    cmp one.html three.html
}

@test "an HTML report goes to standard output, and a full disk is an error" {
    [ "$(check -p race --format=html choice.std | head -c 15)" = "<!doctype html>" ]
    run --separate-stderr "$HEDDLE" check --format=html -o /dev/full choice.std
    [ "$status" -eq 1 ]
    [[ "$stderr" == "heddle: /dev/full: the report could not be written: No space left on device" ]]
}

@test "a thread that is forked under another name than its events have is said, or taken for the same" {
    printf 'T0|w(x)|\nT0|fork(1)|\nT1|r(x)|\n' >named.std
    run "$HEDDLE" check --property=race named.std
    [ "$status" -eq 2 ]
    [[ "$output" == *"warning: named.std: thread 1 is forked or joined but has no events, and T1 has events"* ]]
    run "$HEDDLE" check --property=race --threads=match named.std
    [ "$status" -eq 0 ]
    [[ "$output" != *"warning"* ]]
    printf 'T1|r(x)|\nT0|fork(1)|\n' >late.std
    run "$HEDDLE" check --threads=match late.std
    [ "$status" -eq 1 ]
    [[ "$output" == "heddle: late.std: with --threads=match, event 2: "* ]]
}

# tests/golden/plain.sha256 was made with Heddle 0.1.
@test "with values and grounds ignored, findings and schedules are those of before there were any" {
    while read -r sum trace; do
        case $trace in ftpserver.std | bufwriter.std) ! sanitized || continue ;; esac # take long there
        "$HEDDLE" check --all --values=ignore --grounds=ignore -p nondet,final,race,unordered,deadlock,atomicity \
            --atomic=locks --format=json -o plain.json "$TRACES/$trace" || [ $? -eq 2 ]
        python3 "$BATS_TEST_DIRNAME/findings.py" plain.json >plain.txt
        [ "$(sha256sum <plain.txt)" = "$sum  -" ] || { echo "$trace differs"; false; }
    done <"$BATS_TEST_DIRNAME/../golden/plain.sha256"
}

# Every race has a schedule of its own, of some kilobytes.
@test "the memory budget ends a check with what is decided" {
    awk 'BEGIN { print "main|fork(A)|\nmain|fork(B)|"
                 for (i = 0; i < 5000; i++) print "A|w(v" i ")|"
                 for (i = 0; i < 5000; i++) print "B|w(v" i ")|" }' >"$BATS_TEST_TMPDIR/many.std"
    cd "$BATS_TEST_TMPDIR"
    run "$HEDDLE" check --memory=1M many.std
    [ "$status" -eq 3 ]
    [[ "$output" == *"--memory allows"*"nothing is decided"* ]]
    for size in 20M 10G; do
        run "$HEDDLE" check -j1 --memory=$size --all -p race --format=json -o report.json many.std
        [ "$status" -eq 2 ] || [ "$size" = 20M -a "$status" -eq 3 ]
        case $size in
        20M)
            ! sanitized || continue # takes more to begin with
            [[ "$output" == *"the check was ended because it used more than the 20 MB of memory that --memory allows"* ]]
            grep -q '"complete": false' report.json
            "$HEDDLE" verify many.std report.json ;;
        *) grep -q '"complete": true' report.json ;;
        esac
    done
    run "$HEDDLE" check --memory=much many.std
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: check: --memory=much is no size: a number that may end in K, M, G or T" ]
}

@test "a trace that is too long is refused before it is read; its first events can be checked" {
    cd "$BATS_TEST_TMPDIR"
    "$GENERATE" bank 300000 8 1 long.htr
    if ! sanitized; then # takes more to begin with
        run "$HEDDLE" check --memory=8M long.htr
        [ "$status" -eq 3 ]
        [[ "${lines[0]}" == "heddle: long.htr has 300"*" events; checking 300"*" of them needs at least 9 MB of memory with any --property, and up to 28 MB where there are many locks; --memory allows 8 MB; nothing is decided" ]]
        [ "${lines[1]}" = "heddle: note: --window=65536 checks the first 65536 events in that memory" ]
        # with grounds, as recorders write them, an event takes more
        "$HEDDLE" convert long.htr long.std
        sed -i '1s/$/|by -/' long.std
        "$HEDDLE" convert long.std grounds.htr
        run "$HEDDLE" check --memory=20M grounds.htr
        [ "$status" -eq 3 ]
        [[ "${lines[0]}" == *"needs at least 22 MB of memory with any --property, and up to 85 MB where there are many locks; --memory allows 20 MB; nothing is decided" ]]
        [ "${lines[1]}" = "heddle: note: --window=65536 checks the first 65536 events in that memory" ]
        run "$HEDDLE" check --memory=20M --window=65536 grounds.htr
        [[ "$output" == *"only the first 65536 events were read (--window)"* ]]
        [[ "$output" != *"--memory"* ]]
    fi
    run "$HEDDLE" check --window=65536 -p race,unordered --format=json -o first.json long.htr
    [ "$status" -eq 3 ]
    [[ "$output" == *"only the first 65536 events were read (--window)"* ]]
    grep -q '"events": 65536,' first.json
    grep -q '"complete": false' first.json
    run "$HEDDLE" check --window=70000 --format=json -o more.json long.htr
    [[ "$output" == *"only the first 131072 events were read (--window)"* ]]
    "$HEDDLE" verify --limits=window=70000 long.htr more.json
    "$HEDDLE" check -p nondet --format=json --window=1000000 -o whole.json long.htr
    "$HEDDLE" check -p nondet --format=json -o plain.json long.htr
    diff <(grep -v seconds whole.json) <(grep -v seconds plain.json)
    run "$HEDDLE" check --window=0 long.htr
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: check: --window=0: at least one event is needed" ]
    echo 'T1|w(x)|' >short.std
    run "$HEDDLE" check --window=5 short.std
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: short.std: --window needs a native trace that is not compressed; heddle convert makes one" ]
}
