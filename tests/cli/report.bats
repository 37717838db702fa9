#!/usr/bin/env bats
# heddle report, and the formats of heddle check: what is converted is what check writes; nothing is believed.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    cp "$TRACES/lost-update.std" lost.std
    printf 'A|acq(k)|src/a.c:1 f\nA|w(x)|src/a.c:2 f\nA|acq(l)|src/a.c:3 f\nA|rel(l)|\nA|rel(k)|\nB|acq(l)|src/b.c:1 g\nB|acq(k)|src/b.c:2 g\nB|rel(k)|\nB|rel(l)|\nB|w(x)|/root/src/my b.c:3 g\n' >two.std
    for name in lost two; do
        "$HEDDLE" check --property=all --format=json -o $name.json $name.std || [ $? -eq 2 ]
    done
}

setup() {
    cd "$BATS_FILE_TMPDIR"
}

@test "converting gives what check gives, in every format" {
    for name in lost two; do
        for format in $("$HEDDLE" report --help | sed -n '/--format/,/--output/p' | grep -o 'text\|json\|html\|sarif\|gitlab' | sort -u); do
            "$HEDDLE" check --property=all --format=$format -o expected $name.std || [ $? -eq 2 ]
            run --separate-stderr "$HEDDLE" report --format=$format $name.json
            [ "$status" -eq 0 ]
            [ -z "$stderr" ]
            # The page says how much of a run is as observed: a report is read back with as much as there is.
            diff <(sed 's/"prefix":[0-9]*//g' expected) <(echo "$output" | sed 's/"prefix":[0-9]*//g')
            "$HEDDLE" report --format=$format -o converted $name.json
            diff <(echo "$output") converted
        done
    done
    diff <("$HEDDLE" report lost.json) <("$HEDDLE" report --format=text lost.json)
}

# shown WIDTH TRACE: the text report as a terminal of that width shows it
shown() {
    script -qec "stty cols $1; NO_COLOR=1 '$HEDDLE' check $2" /dev/null | tr -d '\r' | sed 's/[…◀]/./g'
}

@test "lines fit the terminal; threads stand side by side where there is room" {
    command -v script >/dev/null || skip "no script to make a terminal"
    printf '%s\n' 'producer of the first kind|w(buffer.slots[0].state=1)|src/queue.c:10 put_into_the_queue' \
        'consumer of the second kind|r(buffer.slots[0].state=1)|src/queue.c:20 take_from_the_queue' >wide.std
    for width in 60 80; do
        run shown $width wide.std
        [ "$(awk -v most=$width 'length($0) > most' <<<"$output")" = "" ]
        [[ "$output" == *"R1  Data race: producer of the first kind"*$'\n    '* ]]
        grep -q '^ *1  producer of th.*  writes buffer' <<<"$output"
    done
    run shown 200 wide.std
    grep -q '^ *producer of th.*  consumer of th' <<<"$output"
    [[ "$output" == *"R1  Data race: producer of the first kind writes buffer.slots[0].state while consumer of the second kind reads it"* ]]
}

@test "a long stretch of equal steps is one line" {
    { echo 'A|w(x=1)|a.c:1'
      for i in $(seq 400); do echo 'B|ar.rlx(f=0)|b.c:9'; done
      printf '%s\n' 'A|aw.rlx(f=1)|a.c:2' 'B|ar.rlx(f=1)|b.c:9' 'B|r(x=1)|b.c:12'; } >spin.std
    run "$HEDDLE" check --property=unordered spin.std
    [ "$status" -eq 2 ]
    grep -q '^ *2 .*reads f = 0 (atomic)  b.c:9  400 times$' <<<"$output"
    [ "$(grep -c 'reads f = 0' <<<"$output")" -eq 1 ]
    [[ "$output" != *"as observed"* ]]
}

@test "so it does for the published methods, for all findings, for what is undecided and suppressed" {
    same() {
        "$HEDDLE" check "$@" --format=json -o some.json || [ $? -ge 2 ]
        "$HEDDLE" check "$@" --format=text -o expected || [ $? -ge 2 ]
        "$HEDDLE" report -o converted some.json
        diff <(sed 's/[0-9.]* s$//' expected) <(sed 's/[0-9.]* s$//' converted)
        "$HEDDLE" report --format=json some.json | cmp - some.json
        "$HEDDLE" check "$@" --format=html -o expected.html || [ $? -ge 2 ]
        "$HEDDLE" report --format=html some.json | cmp - expected.html
    }
    printf 'property=race reason: so\nproperty=final reason: never there\n' >accepted
    same --all "$TRACES/mergesort.std"
    same --property=all --atomic=locks "$TRACES/account.std"
    same --budget=0 "$TRACES/ftpserver.std"
    same --suppressions=accepted --baseline=lost.json "$TRACES/account.std"
    same --method=graph --all "$TRACES/lost-update.std"
    same --values=ignore --grounds=ignore "$TRACES/lost-update.std"
}

@test "the trace is found beside the report, where it is named, where --trace says" {
    mkdir -p there/deeper
    cp lost.json there
    cp lost.std there
    "$HEDDLE" report there/lost.json | head -n 1 | grep -q '^there/lost.std: '
    mv there/lost.std there/deeper
    "$HEDDLE" report there/lost.json | head -n 1 | grep -q '^lost.std: '
    cd there
    run "$HEDDLE" report lost.json
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: report: cannot find the trace lost.std, which --format=text needs; name it with --trace" ]
    "$HEDDLE" report --trace=deeper/lost.std lost.json | head -n 1 | grep -q '^deeper/lost.std: '
    run "$HEDDLE" report --trace=none.std lost.json
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: none.std: No such file or directory" ]
}

@test "without the trace, SARIF and GitLab say what the report says" {
    mkdir -p alone
    cp two.json alone
    cd alone
    run --separate-stderr "$HEDDLE" report --format=gitlab two.json
    [ "$status" -eq 0 ]
    [ "$stderr" = "heddle: note: cannot find the trace two.std: the report has no code flows" ]
    [[ "$output" == *'"description": "Data race on x"'* ]]
    [[ "$output" == *'"path": "src/a.c", "lines": {"begin": 2}'* ]]
    run --separate-stderr "$HEDDLE" report --format=sarif two.json
    [ "$status" -eq 0 ]
    [[ "$output" == *'"uri":"src/a.c","uriBaseId":"SRCROOT"'* ]]
    [[ "$output" != *codeFlows* ]]
}

@test "a report that does not hold in its trace is refused" {
    refused() {
        expected=$1
        shift
        sed "$@" two.json >bad.json
        ! cmp -s two.json bad.json
        run "$HEDDLE" report --format=sarif bad.json
        [ "$status" -eq 1 ]
        [[ "$output" == "heddle: bad.json: $expected"* ]]
    }
    refused "the report belongs to another trace, with 11 events; two.std has 10" 's/"events": 10/"events": 11/'
    refused "L1 does not hold in the trace: " '/"deadlock"/s/"prefix": 2/"prefix": 1/'
    refused "R1 does not hold in the trace: " '/"race"/s/"second": 10/"second": 99/'
    refused "R1 does not hold in the trace: has no schedule" '/"race"/s/, "schedule".*\]}/ /'
    refused "undecided[0] does not fit the trace" 's/"undecided": \[\]/"undecided": [{"property": "nondeterminism", "read": 1, "observed": 0, "alternative": 2}]/'
    refused "undecided[0].read is missing" 's/"undecided": \[\]/"undecided": [{"property": "nondeterminism"}]/'
}

@test "GitLab's report, as a whole" {
    run "$HEDDLE" check --property=race,deadlock --format=gitlab --source-root=/ two.std
    [ "$status" -eq 2 ]
    diff <(echo "$output" | sed 's/"fingerprint": "[0-9a-f]\{16\}"/"fingerprint": "F"/') - <<'END'
[
  {"description": "Deadlock: 2 threads can wait for each other forever", "check_name": "heddle/deadlock", "fingerprint": "F", "severity": "critical", "location": {"path": "src/a.c", "lines": {"begin": 3}}},
  {"description": "Data race: A writes x while B writes it", "check_name": "heddle/race", "fingerprint": "F", "severity": "critical", "location": {"path": "src/a.c", "lines": {"begin": 2}}}
]
END
    # What shares a fingerprint is one issue.
    printf 'A|w(a[1])|f.c:1\nA|w(a[2])|f.c:1\nB|w(a[1])|f.c:2\nB|w(a[2])|f.c:2\n' >many.std
    [ "$("$HEDDLE" check --all --property=race --format=json many.std | grep -c '"id"')" -eq 2 ]
    [ "$("$HEDDLE" check --all --property=race --format=gitlab many.std | grep -c description)" -eq 1 ]
}

@test "wrong use is refused" {
    refused() {
        expected=$1
        shift
        run "$HEDDLE" report "$@"
        [ "$status" -eq 1 ]
        [ "$output" = "heddle: $expected" ]
    }
    refused "report: missing: REPORT; see heddle report --help"
    refused "report: --format=pdf: expected text, json, html, sarif or gitlab" --format=pdf lost.json
    refused "none.json: No such file or directory" none.json
    refused "lost.std: it is not a report: no JSON object" lost.std
    refused "/no/where: No such file or directory" -o /no/where lost.json
}

@test "races that free memory or change a pointer come before other races" {
    cat >severe.std <<'END'
M|fork(T)|
M|w(a=1)|a.c:1
M|w(b=1)|a.c:2
M|w(p=NULL)|a.c:3
M|w(q)|a.c:4
T|w(a=2)|a.c:11
T|r(b=1)|a.c:12
T|r(p=NULL)|a.c:13
T|r(q)|a.c:14
#free 5
END
    "$HEDDLE" check -p race severe.std >told || [ $? -eq 2 ]
    diff - <(grep '^R[0-9]' told) <<'END'
R1  Data race: M writes p while T reads it
R2  Data race: M frees q while T reads it
R3  Data race: M writes a while T writes it
R4  Data race: M writes b while T reads it
END
    "$HEDDLE" convert severe.std severe.htr
    diff <("$HEDDLE" convert severe.htr -) severe.std
    grep -q '"kinds":.*\["w","frees ",""\]' <("$HEDDLE" check --format=html severe.std)
}
