#!/usr/bin/env bats
# Recorders that leave something out of what they follow: the tests of random programs notice.

load support

@test "mutants of the gcc plugin, the Java agent and the Valgrind tool are noticed" {
    only_long
    once
    command -v ninja >/dev/null || skip "the build's commands come from ninja"
    build=$(dirname "$HEDDLE")
    [ -e "$build/build.ninja" ] || skip "not a folder of a ninja build"
    PYTHONDONTWRITEBYTECODE=1 python3 "$SOURCE/tests/grounds/mutants.py" "$build" "$BATS_TEST_TMPDIR/mutants"
}
