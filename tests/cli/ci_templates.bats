#!/usr/bin/env bats
# The GitHub action and the GitLab template, step by step as their runners would.
load support

setup() {
    once
    python3 -c 'import yaml' 2>/dev/null || skip "no python3-yaml"
    cd "$BATS_TEST_TMPDIR"
    mkdir bin work
    printf '#!/bin/sh\necho "gh $*" >>"%s/gh.log"\n[ "$4" != --edit-last ]\n' "$PWD" >bin/gh
    # The action builds Heddle where it lies: the one that is tested stands in for it.
    printf '#!/bin/sh\ntrue\n' >bin/make
    chmod +x bin/*
    mkdir action
    cp "$SOURCE/action.yml" action
    ln -s "$SOURCE/tools" action/tools
    ln -s "$(dirname "$HEDDLE")" action/build
    export PATH="$PWD/bin:$PATH"
    cp "$SOURCE/examples/cmake/"*.c work
}

action() {
    run python3 "$SOURCE/tests/support/run_action.py" action/action.yml work "$@"
}

@test "a broken test fails the action, with uploads and a comment" {
    action 'inputs.build=$CC -g -pthread shop.c -o shop' inputs.test=./shop inputs.seconds=3 github.event_name=pull_request \
        github.event.pull_request.number=17
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"upload-sarif@v3 {'sarif_file': './heddle-out/report.sarif'"* ]]
    [[ "$output" == *"upload-artifact@v4"* ]]
    [ "$(tail -n 1 gh.log)" = "gh pr comment 17 --body-file heddle-summary.md" ]
    head -n 1 work/heddle-summary.md | grep -qx '### Heddle: There are problems.'
    grep -q 'sold == 1' work/heddle-summary.md
    [ -s work/heddle-hunt/hunt.html ]
    [ -s work/heddle-out/report.sarif ]
}

@test "a correct test passes; one that cannot be built fails before Heddle starts" {
    action 'inputs.build=$CC -g -pthread counter.c -o counter' inputs.test=./counter inputs.seconds=0
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"Comment on the pull request: skipped"* ]]
    grep -q 'No problem was predicted' work/heddle-summary.md
    action 'inputs.build=$CC nothing.c -o nothing' inputs.test=./nothing
    [ "$status" -eq 1 ]
    [[ "$output" == *"Record, predict and hunt: skipped"*"Show findings beside the code: skipped"* ]]
}

@test "the action is valid for a validator of actions" {
    validator=$SOURCE/web/node_modules/.bin/action-validator
    [ -x "$validator" ] || skip "no action-validator"
    "$validator" "$SOURCE/action.yml"
    printf 'name: x\nruns: {using: composite, steps: [{run: true}]}\n' >wrong.yml
    ! "$validator" wrong.yml
}

@test "the script of the GitLab template" {
    mkdir -p prefix/bin prefix/share/heddle # as installed
    ln -s "$HEDDLE" prefix/bin/heddle
    ln -s "$(dirname "$HEDDLE")"/heddle-cc prefix/bin/heddle-cc
    ln -s "$SOURCE/tools/ci-hunt" prefix/share/heddle/ci-hunt
    python3 - "$SOURCE/packaging/gitlab/heddle.yml" >job.sh <<'END'
import sys, yaml
job = yaml.safe_load(open(sys.argv[1]))[".heddle"]
assert job["artifacts"]["reports"]["codequality"] == "gl-code-quality-report.json"
print("\n".join(["set -e", *job["script"]]))
END
    cd work
    PATH="$BATS_TEST_TMPDIR/prefix/bin:$PATH" HEDDLE_BUILD='$CC -g -pthread shop.c -o shop' HEDDLE_TEST=./shop HEDDLE_SECONDS=3 \
        HEDDLE_RUN_OPTIONS=--seed=1 run bash ../job.sh
    echo "$output"
    [ "$status" -eq 2 ]
    python3 -c 'import json; json.load(open("gl-code-quality-report.json"))'
}

@test "GitLab's schema accepts the template, and notices a broken one" {
    [ -n "$HEDDLE_TEST_LONG" ] || skip "only with make test-long"
    command -v npm >/dev/null || skip "npm is not installed"
    cp "$SOURCE/tests/gitlab/"package*.json "$SOURCE/tests/gitlab/.npmrc" .
    timeout 200 npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >npm.log 2>&1 || skip "npm could not install gitlab-ci-local: $(tail -n 1 npm.log)"
    git init -q work
    cd work
    git remote add origin https://gitlab.example/group/project.git
    printf 'include:\n  - local: heddle.yml\nhunt:\n  extends: .heddle\n  variables:\n    HEDDLE_TEST: ./shop\n' >.gitlab-ci.yml
    cp "$SOURCE/packaging/gitlab/heddle.yml" .
    git add -A
    git -c user.name=a -c user.email=a@example.org commit -qm one
    node ../node_modules/gitlab-ci-local/src/index.js --list >list 2>&1 || { cat list; false; }
    grep -q "json schema validated" list
    grep -q "^hunt " list
    sed -i 's/when: always/when: sometimes/' heddle.yml
    run node ../node_modules/gitlab-ci-local/src/index.js --list
    [ "$status" -ne 0 ]
    [[ "$output" == *"sometimes"* || "$output" == *"schema"* ]]
}
