#!/usr/bin/env bats
# What the documentation shows is what happens.

setup() {
    root=$BATS_TEST_DIRNAME/../..
    mkdir "$BATS_TEST_TMPDIR/bin"
    ln -s "$HEDDLE" "$BATS_TEST_TMPDIR/bin/heddle"
    mkdir "$BATS_TEST_TMPDIR/tests"
    cp -R "$root/tests/programs" "$BATS_TEST_TMPDIR/tests" # links may lead out of the folders that pages take source from
    ln -s "$root/tests/traces" "$BATS_TEST_TMPDIR/tests/traces"
    ln -s "$root/docs" "$BATS_TEST_TMPDIR/docs"
    PATH=$BATS_TEST_TMPDIR/bin:$PATH
}

# Runs the commands of a document's console blocks and prints them with what they print, where there is a gcc plugin.
replay() {
    cd "$BATS_TEST_TMPDIR"
    sed -n '/^```console$/,/^```$/s/^\$ //p' "$1" | while IFS= read -r command; do
        echo "\$ $command"
        bash -c "$command" 2>&1 </dev/null || true # the list of commands is not their input
    done | grep -v '^heddle: note: without a plugin for '
}

shown() {
    sed -n '/^```console$/,/^```$/p' "$1" | grep -v '^```'
}

@test "the README's examples are real" {
    diff <(shown "$root/README.md") <(replay "$root/README.md")
}

@test "the soundness page's examples are real" {
    diff <(shown "$root/docs/soundness.md") <(replay "$root/docs/soundness.md")
}

@test "the tutorial's examples are real" {
    diff <(shown "$root/docs/tutorial.md") <(replay "$root/docs/tutorial.md")
}

@test "the examples of other pages are real" {
    for page in comparison gallery; do
        diff <(shown "$root/docs/$page.md") <(replay "$root/docs/$page.md")
    done
}

@test "every page with console blocks is among those above" {
    [ "$(cd "$root" && grep -l '^```console$' README.md CONTRIBUTING.md docs/*.md | tr '\n' ' ')" = \
        "README.md docs/comparison.md docs/gallery.md docs/soundness.md docs/tutorial.md " ]
}

@test "tables, commands, options and files in the documents are those of today" {
    "$root/tools/check-documents" "$HEDDLE"
}

@test "the gallery has a report of each kind" {
    run "$root/tools/gallery" "$HEDDLE" "$BATS_TEST_TMPDIR/gallery"
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$(grep -c 'href=' "$BATS_TEST_TMPDIR/gallery/index.html")" -eq 11 ]
    for page in $(grep -o 'href="[^"]*"' "$BATS_TEST_TMPDIR/gallery/index.html" | sed 's/href="\(.*\)"/\1/'); do
        [ -s "$BATS_TEST_TMPDIR/gallery/$page" ]
    done
    grep -q 'deadlock.c</code> (observed): 1 problem: 1 observed' "$BATS_TEST_TMPDIR/gallery/index.html"
    grep -q 'abba.c</code> (deadlock): 1 problem: 1 deadlock' "$BATS_TEST_TMPDIR/gallery/index.html"
    # Each page shows the kind of finding that it is there for.
    for kind in observed deadlock race unordered stuck stale atomicity determinism nondet:nondeterminism final-state; do
        grep -q "</code> (${kind%%:*}): .* ${kind##*:}" "$BATS_TEST_TMPDIR/gallery/index.html"
    done
}

@test "links between documents lead somewhere" {
    cd "$root"
    for page in README.md CONTRIBUTING.md docs/*.md; do
        for link in $(grep -o '](\([^)#:]*\))' "$page" | sed 's/](\(.*\))/\1/'); do
            [ -e "$(dirname "$page")/$link" ] || { echo "$page: $link"; false; }
        done
    done
}

@test "the table of kinds in the format page is the program's" {
    printf 'A|w(x)|\n' >"$BATS_TEST_TMPDIR/t.std"
    kinds=$(heddle info --json "$BATS_TEST_TMPDIR/t.std" | sed -n '/"kinds"/,$s/^    "\([a-z]*\)".*/\1/p' | tr '\n' ' ')
    page=$(sed -n 's/^| [0-9]* | `\([a-z]*\).*/\1/p' "$root/docs/trace-format.md" | tr '\n' ' ')
    [ "$kinds" = "$page" ]
}

@test "the demo runs" {
    cd "$root"
    run tools/demo "$HEDDLE"
    [ "$status" -eq 0 ]
    [[ "$output" == *"R1  Data race: T1 writer writes message while T2 reader reads it"* ]]
    [[ "$output" == *"T1  Stale read: T2 add_one writes counter = 1 because it read counter = 0; meanwhile T1 add_one can write 1"* ]]
    [[ "$output" == *"1 finding, all accepted"* ]]
    [[ "$output" == *"fences.out/trace.htr: 10 events of 2 threads"* ]]
}
