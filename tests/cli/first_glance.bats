#!/usr/bin/env bats
# What a reader sees at first glance: of twelve programs, six correct and six broken, the problems, the place of the
# planted bug and the exit status.

load support

@test "no problem in a correct program; the planted bug first or second in a broken one" {
    once
    cd "$BATS_TEST_TMPDIR"
    run "$PROGRAMS/first-glance/check-table" 1 3
    echo "$output"
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 25 ]
}
