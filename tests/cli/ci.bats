#!/usr/bin/env bats
# The recipes of docs/ci.md, run as they stand: they fail on programs that are broken and pass on those that are not.
# Baselines hold across seeds.

load support

setup() {
    root=$BATS_TEST_DIRNAME/../..
    cd "$BATS_TEST_TMPDIR"
    mkdir bin .github
    ln -s "$HEDDLE" bin/heddle
    PATH=$BATS_TEST_TMPDIR/bin:$PATH
    : >.github/heddle.suppressions
}

# The commands of the recipe for a site: the steps of GitHub's, the script of GitLab's.
github() {
    sed -n '/^## GitHub/,/^## GitLab/s/^ *run: //p' "$root/docs/ci.md"
}
gitlab() {
    sed -n '/^  script:/,/^  artifacts:/s/^    - //p' "$root/docs/ci.md"
}

# recipe SITE PROGRAM STATUS
recipe() {
    rm -rf test_queue* heddle-out
    cp "$PROGRAMS/$2" test_queue.c
    $1 >script
    [ -s script ]
    run bash -e script
    echo "$1, $2: $status; $output"
    [ "$status" -eq "$3" ]
    [ -s heddle-out/report.sarif ]
}

@test "recipes fail on broken programs and pass on correct ones" {
    once
    for site in github gitlab; do
        for program in account.c abba.c hidden_race.c publish_relaxed.c; do
            recipe $site $program 2
        done
        for program in account_locked.c fences.c static_init.c; do
            recipe $site $program 0
        done
    done
    [ -s gl-code-quality-report.json ]
}

@test "a baseline holds across seeds: no new problem that is not new" {
    once
    for program in account.c abba.c airline.c containers_broken.cpp handover_broken.c double_checked.c det_sor_broken.c; do
        case $program in
        *.cpp) "$HEDDLE" c++ -g -O1 -w -I"$INCLUDE" "$PROGRAMS/$program" -o program ;;
        *) "$HEDDLE" cc -g -O1 -w -I"$INCLUDE" "$PROGRAMS/$program" -o program ;;
        esac
        "$HEDDLE" run -q --timeout=60 --seed=1 -o out ./program >/dev/null || [ $? -eq 2 ]
        cp out/report.json baseline.json
        for seed in 2 3 4 5 6; do
            status=0
            "$HEDDLE" run -q --timeout=60 --seed=$seed --baseline=baseline.json -o out ./program >/dev/null || status=$?
            python3 - "$program" "$seed" <<'END'
import json, sys
known = {f["fingerprint"] for f in json.load(open("baseline.json"))["findings"]}
places = {(f["property"], tuple(sorted(l or "" for l in f["locations"]))) for f in json.load(open("baseline.json"))["findings"]}
for f in json.load(open("out/report.json"))["findings"]:
    if f["severity"] != "problem" or f["property"] == "observed" or f["fingerprint"] in known:
        continue
    place = (f["property"], tuple(sorted(l or "" for l in f["locations"])))
    if place in places:
        sys.exit(f"{sys.argv[1:]}: new by its fingerprint, but not by its places: {place}")
END
        done
    done
}
