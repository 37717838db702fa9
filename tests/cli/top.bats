#!/usr/bin/env bats
# heddle top: who waited for which lock.
load support

setup() {
    cd "$BATS_TEST_TMPDIR"
    cat >run.std <<END
T1|fork(T2)|a.c:1
T1|acq(l)|a.c:2
T2|w(y)|b.c:1
T1|w(x)|a.c:3
T1|w(x)|a.c:4
T1|rel(l)|a.c:5
T2|acq(l)|b.c:2
T2|waitpre(c)|b.c:3
T2|rel(l)|b.c:3
T1|acq(l)|a.c:6
T1|w(x)|a.c:7
T1|notify(c)|a.c:8
T1|rel(l)|a.c:9
T2|acq(l)|b.c:3
T2|waitpost(c)|b.c:3
T2|rel(l)|b.c:4
END
}

@test "waits by lock, condition and place" {
    run "$HEDDLE" top run.std
    [ "$status" -eq 0 ]
    [ "${lines[1]}" = "         6         1         1           0  c (condition)" ]
    [ "${lines[2]}" = "         6         1  at b.c:3; longest 6, by T2" ]
    [ "${lines[3]}" = "         5         2         4          11  l" ]
    [ "${lines[4]}" = "         3         1  at b.c:2; longest 3, by T2, for the holder that took it at a.c:2" ]
    [ "${lines[5]}" = "         2         1  at a.c:6; longest 2, by T1, for the holder that took it at b.c:2" ]
}

@test "names from outside cannot move the reader's eye" {
    sed 's/(l)/(l\xe2\x80\xae)/' run.std >odd.std
    run "$HEDDLE" top odd.std
    [ "$status" -eq 0 ]
    ! [[ "$output" == *$'\xe2\x80\xae'* ]]
    [[ "$output" == *"  l?"* ]]
}

@test "as JSON, cut short, and without waits" {
    run "$HEDDLE" top --json run.std
    [ "$(echo "$output" | python3 -c 'import json,sys; o=json.load(sys.stdin)["objects"]; print([(x["name"], x["waited"], len(x["places"])) for x in o])')" = \
        "[('c', 6, 1), ('l', 5, 2)]" ]
    run "$HEDDLE" top -n 1 run.std
    [[ "$output" == *"and 1 more; --lines=0 prints all"* ]]
    printf 'T1|w(x)|1\n' >quiet.std
    run "$HEDDLE" top quiet.std
    [[ "$output" == *"No thread waited for a lock or a condition."* ]]
    run "$HEDDLE" top nothing.std
    [ "$status" -eq 1 ]
}
