#!/usr/bin/env bats
# The property observed: how the recorded run itself ended, first in every report; why a trace is not the whole run.

setup() {
    cd "$BATS_TEST_TMPDIR"
    cat >deadlock.std <<'END'
main|fork(T1)|x.c:20
main|fork(T2)|x.c:21
T1|acq(a)|x.c:5
T2|acq(b)|x.c:12
#end deadlock
#wait T1|lock b|x.c:7|T2
#wait T2|lock a|x.c:14|T1
END
}

@test "a deadlock is the first finding, with who waits for what; never an all-clear" {
    run "$HEDDLE" check deadlock.std
    [ "$status" -eq 2 ]
    [[ "$output" == *"O1  The recorded run stopped in a deadlock; 2 threads wait
    T1 waits for lock b, which T2 holds, at x.c:7
    T2 waits for lock a, which T1 holds, at x.c:14"* ]]
    [[ "$output" != *"No deadlock predicted"* ]]
    [[ "$output" == *"the recorded run stopped in a deadlock"* ]]
}

@test "JSON: outcome, waiting, incomplete; the report is read back and verified" {
    run "$HEDDLE" check --format=json -o d.json deadlock.std
    [ "$status" -eq 2 ]
    jq -e '.findings[0] | .id == "O1" and .property == "observed" and .outcome == "deadlock"' d.json
    jq -e '.findings[0].waiting == [{"thread":"T1","for":"lock b","at":"x.c:7","holder":"T2"},
                                    {"thread":"T2","for":"lock a","at":"x.c:14","holder":"T1"}]' d.json
    jq -e '.complete == false and .incomplete == ["the recorded run stopped in a deadlock"]' d.json
    "$HEDDLE" verify deadlock.std d.json | grep -qx '1 finding, all accepted'
    "$HEDDLE" report --format=text d.json | grep -q '^O1  The recorded run stopped in a deadlock'
    "$HEDDLE" report --format=json d.json | jq -e '.findings[0].waiting | length == 2'
}

@test "a report needs no more fields than semantics §8 names" {
    "$HEDDLE" check --format=json deadlock.std | jq 'del(.findings[0] | .events, .threads, .locations)' >d.json
    "$HEDDLE" verify deadlock.std d.json | grep -qx '1 finding, all accepted'
    "$HEDDLE" report --format=text d.json | grep -q '^O1  The recorded run stopped in a deadlock'
    "$HEDDLE" report --format=html d.json | grep -q '"title":"The recorded run stopped in a deadlock'
}

@test "verify rejects an end that the trace does not have" {
    "$HEDDLE" check --format=json -o d.json deadlock.std || [ "$?" -eq 2 ]
    grep -v '^#' deadlock.std >quiet.std
    run "$HEDDLE" verify quiet.std d.json
    [ "$status" -eq 1 ]
    [[ "$output" == *"O1"*"the trace does not say that the run failed"* ]]
    sed -i 's/"events": \[3, 4\]/"events": [1]/' d.json
    run "$HEDDLE" verify deadlock.std d.json
    [ "$status" -eq 1 ]
    [[ "$output" == *"event 1 is not the last of its thread"* ]]
}

@test "SARIF, GitLab and the page have it" {
    "$HEDDLE" check --format=sarif -o d.sarif deadlock.std || [ "$?" -eq 2 ]
    jq -e '.runs[0].results[0] | .ruleId == "heddle/observed" and .level == "error" and
           .locations[0].physicalLocation.region.startLine == 7' d.sarif
    "$HEDDLE" check --format=gitlab -o d.gitlab deadlock.std || [ "$?" -eq 2 ]
    jq -e '.[0].description | startswith("The recorded run stopped in a deadlock")' d.gitlab
    "$HEDDLE" check --format=html -o d.html deadlock.std || [ "$?" -eq 2 ]
    grep -q '"title":"The recorded run stopped in a deadlock; 2 threads wait"' d.html
    grep -q '"incomplete":\["the recorded run stopped in a deadlock"\]' d.html
}

# Every outcome, with and without events.
@test "all outcomes in words" {
    while IFS='|' read -r end title; do
        for events in '' 'T|w(x)|a.c:1\n'; do
            printf "$events#end $end\n" >o.std
            run "$HEDDLE" check o.std
            [ "$status" -eq 2 ]
            [[ "$output" == *"O1  The recorded run $title"* ]]
            for format in json sarif html gitlab; do
                run "$HEDDLE" check --format=$format -o "o.$format" o.std
                [ "$status" -eq 2 ]
            done
            jq -e '.findings[0].property == "observed"' o.json
            "$HEDDLE" verify o.std o.json | grep -qx '1 finding, all accepted'
        done
    done <<'END'
exit 3|ended with exit status 3
signal 11|died of signal 11 (Segmentation fault)
deadlock|stopped in a deadlock
hang|stopped making progress
assertion x.c:3: n > 0|ended in a failed assertion: x.c:3: n > 0
exception std::bad_alloc|ended in an uncaught exception: std::bad_alloc
END
}

@test "a run that ended well is no finding; --property chooses" {
    printf 'T|w(x)|\n#end exit 0\n' >ok.std
    run "$HEDDLE" check ok.std
    [ "$status" -eq 0 ]
    [[ "$output" == *"The recorded run itself ended well."* ]]
    run "$HEDDLE" check --property=race deadlock.std
    [ "$status" -eq 3 ]
    run "$HEDDLE" check --property=observed deadlock.std
    [ "$status" -eq 2 ]
    printf 'T|w(x)|\n' >unknown.std
    run "$HEDDLE" check unknown.std
    [[ "$output" != *"observed"* && "$output" != *"recorded run"* ]]
}

@test "reasons why the trace is not the whole run: in the headline, in JSON, status 3" {
    printf 'T|w(x)|\n#end exit 0\n#incomplete the log was cut short\n#incomplete thread U never ran\n' >part.std
    run "$HEDDLE" check part.std
    [ "$status" -eq 3 ]
    [[ "$output" == *"No problem found, but the check is incomplete"* ]]
    [[ "$output" == *"Incomplete: the trace is not the whole run: the log was cut short; thread U never ran."* ]]
    "$HEDDLE" check --format=json part.std |
        jq -e '.complete == false and .incomplete == ["the log was cut short", "thread U never ran"]'
    "$HEDDLE" check --format=html part.std | grep -q '"incomplete":\["the log was cut short","thread U never ran"\]'
}

fingerprint() {
    "$HEDDLE" check --format=json --property=observed,deadlock "$1" | jq -r '.findings[0].fingerprint'
}

@test "a deadlock that happened has the fingerprint of the predicted one, whoever else waits; other ends go by their outcome" {
    printf '%s\n' 'T1|acq(a)|x.c:5' 'T1|acq(b)|x.c:7' 'T1|rel(b)|' 'T1|rel(a)|' 'T2|acq(b)|x.c:12' 'T2|acq(a)|x.c:14' >predicted.std
    sed '/^#wait/i\#wait main|lock a|x.c:30|T1' deadlock.std | sed '/^main/!s/T1/T3/; s/|T1$/|T3/' >named.std
    sed 's/x.c:7/x.c:9/' deadlock.std >moved.std
    [ "$(fingerprint deadlock.std)" = "$(fingerprint predicted.std)" ]
    [ "$(fingerprint named.std)" = "$(fingerprint predicted.std)" ]
    [ "$(fingerprint moved.std)" != "$(fingerprint predicted.std)" ]
    for line in 7 9; do
        printf 'T|w(x)|x.c:%s\n#end signal 11\n' $line >signal.std
        fingerprint signal.std
    done | uniq | wc -l | grep -qx 1
}
