#!/usr/bin/env bats
# SARIF: valid by the official schema, within the limits of code-scanning sites, and saying what the findings say.

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    "$BATS_TEST_DIRNAME/../sarif/install" "$SARIF" >why || touch cannot
    [ ! -e cannot ] || return 0
    mkdir bundled
    for trace in "$TRACES"/*.std "$TRACES"/*.htr; do
        "$HEDDLE" check --property=all --atomic=locks --format=sarif -o "bundled/$(basename "$trace").sarif" "$trace" || [ $? -ge 2 ]
    done
}

setup() {
    cd "$BATS_FILE_TMPDIR"
}

# needs_schema: skips what cannot be done without it
needs_schema() {
    [ ! -e cannot ] || skip "$(cat why)"
}

@test "every bundled trace gives a valid file; a broken one is noticed" {
    needs_schema
    printf 'property=race reason: "so" <it> is\n' >accepted
    "$HEDDLE" check --format=json -o base.json "$TRACES/account.std" || [ $? -eq 2 ]
    "$HEDDLE" check --all --suppressions=accepted --baseline=base.json --format=sarif -o marks.sarif "$TRACES/account.std" || true
    "$HEDDLE" check --budget=0 --format=sarif -o undecided.sarif "$TRACES/ftpserver.std" || true
    run node "$SARIF/validate.mjs" bundled/*.sarif marks.sarif undecided.sarif
    echo "$output"
    [ "$status" -eq 0 ]
    sed 's/"level":"error"/"level":"dreadful"/' marks.sarif >broken
    run node "$SARIF/validate.mjs" broken
    [ "$status" -eq 1 ]
    [[ "$output" == *"must be equal to one of the allowed values"* ]]
}

# multitool FILES: what Microsoft's validator says of them, by its rules and by those of GitHub's code scanning
multitool() {
    [ "$(uname -m)" = x86_64 ] || skip "the SARIF Multitool is a program for x86-64"
    DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 DOTNET_BUNDLE_EXTRACT_BASE_DIR=$PWD/dotnet "$SARIF/Sarif.Multitool" validate "$@" \
        --output said.sarif --log ForceOverwrite --rule-kind "Sarif;Ghas" >said 2>&1
}

@test "Microsoft's validator has no error and no warning for any bundled trace, and notices a broken one" {
    needs_schema
    multitool bundled/*.sarif || { cut -c1-400 said | head -40; false; }
    grep -q "Analysis completed successfully" said
    run grep -E "(error|warning) [A-Z]+[0-9]+:" said
    [ "$status" -eq 1 ]
    sed 's/"informationUri":"[^"]*",//' bundled/lost-update.std.sarif >m-broken.sarif
    multitool m-broken.sarif
    grep -q "warning SARIF2005" said
}

@test "names from a trace stay text" {
    needs_schema
    printf 'T<1>"\\|w(x"\\)|a b\\"%%?#.c:1 <f>\nT2\x01\xff|w(x"\\)|http://h/a.c:2 g\n' >odd.std
    "$HEDDLE" check --format=sarif -o odd.sarif odd.std || [ $? -eq 2 ]
    grep -q '"uri":"a%20b%5C%22%25%3F%23.c"' odd.sarif
    grep -q '"uri":"http%3A//h/a.c"' odd.sarif
    run node "$SARIF/validate.mjs" odd.sarif
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "thousands of findings are cut to what is shown, the most serious first" {
    needs_schema
    python3 - >many.std <<'END'
for i in range(3000):
    print(f"A|w(x{i})|a.c:{i + 1}")
    print(f"B|r(x{i})|b.c:{i + 1}")
END
    "$HEDDLE" check --all --format=sarif -o many.sarif many.std || [ $? -eq 2 ]
    python3 - <<'END'
import json
run = json.load(open("many.sarif"))["runs"][0]
rules = [result["ruleId"] for result in run["results"]]
assert len(rules) == 5000 and rules[2999] == "heddle/race" and rules[3000] == "heddle/nondeterminism"
notes = run["invocations"][0]["toolExecutionNotifications"]
assert notes[0]["message"]["text"] == "The 5000 most serious of 6000 findings; the JSON report has them all."
END
    run node "$SARIF/validate.mjs" many.sarif
    [ "$status" -eq 0 ]
}

@test "the code flow is the schedule: one thread flow a thread, positions as execution order" {
    "$HEDDLE" check --format=sarif -o lost.sarif "$TRACES/lost-update.std" || [ $? -eq 2 ]
    "$HEDDLE" check --format=json -o lost.json "$TRACES/lost-update.std" || [ $? -eq 2 ]
    python3 - <<'END'
import json
finding = json.load(open("lost.json"))["findings"][0]
result = json.load(open("lost.sarif"))["runs"][0]["results"][0]
assert result["partialFingerprints"] == {"heddle/v2": finding["fingerprint"]}
assert result["message"]["text"] == "Nondeterministic read: counter can be 0 instead of 1. See [T1 writes counter](1)."
assert result["relatedLocations"][0]["id"] == 1
assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 9
flows = result["codeFlows"][0]["threadFlows"]
assert [flow["id"] for flow in flows] == ["T2"]
for step in flows[0]["locations"]:
    prefix, then = finding["schedule"]["prefix"], finding["schedule"]["then"]
    at = step["executionOrder"]
    assert (at if at <= prefix else then[at - prefix - 1]) == step["properties"]["event"]
last = flows[0]["locations"][-1]
assert last["importance"] == "essential" and last["location"]["message"]["text"] == "T2 reads counter = 0"
END
}

@test "paths are relative to the folder they are below" {
    printf 'A|w(x)|/home/me/p/src/a.c:1 f\nB|w(x)|./src/b.c:2 g\n' >paths.std
    "$HEDDLE" check --property=race --format=sarif -o paths.sarif paths.std || [ $? -eq 2 ]
    grep -q '"uri":"file:///home/me/p/src/a.c"}' paths.sarif
    grep -q '"uri":"src/b.c","uriBaseId":"SRCROOT"' paths.sarif
    mkdir -p p/src
    printf 'A|w(x)|%s/p/src/a.c:1 f\nB|w(x)|src/b.c:2 g\n' "$(pwd -P)" >paths.std
    "$HEDDLE" check --property=race --format=sarif --source-root=p -o paths.sarif paths.std || [ $? -eq 2 ]
    grep -q '"uri":"src/a.c","uriBaseId":"SRCROOT"' paths.sarif
    # A finding without a line is shown at the trace.
    printf 'A|w(x)|\nB|w(x)|\n' >nowhere.std
    "$HEDDLE" check --property=race --format=sarif nowhere.std | grep -q '"uri":"nowhere.std","uriBaseId":"SRCROOT"},"region":{"startLine":1}}}\]'
}

@test "the place of a result is in the program's own code" {
    printf 'A|acq(k)|/usr/include/c++/12/bits/std_mutex.h:100 lock\nA|acq(l)|/usr/include/c++/12/bits/std_mutex.h:100 lock\nA|rel(l)|\nA|rel(k)|\nB|acq(l)|src/b.c:1 g\nB|acq(k)|src/b.c:2 g\nB|rel(k)|\nB|rel(l)|\n' >library.std
    "$HEDDLE" check --property=deadlock --format=sarif -o library.sarif library.std || [ $? -eq 2 ]
    python3 - <<'END'
import json
result = json.load(open("library.sarif"))["runs"][0]["results"][0]
assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "src/b.c"
END
    "$HEDDLE" check --property=deadlock --format=gitlab library.std | grep -q '"path": "src/b.c", "lines": {"begin": 2}'
}
