#!/usr/bin/env bats
# The program around the commands: help, versions, wrong use, completion, man pages, installation.

commands() {
    "$HEDDLE" --help | sed -n '/^commands:/,/^$/s/^  \([a-z+]*\) .*/\1/p'
}

# The long options that `heddle CMD --help` lists.
options_of() {
    "$HEDDLE" "$1" --help | grep -o '^  .*--[a-z-]*' | grep -o -e '--[a-z-]*'
}

@test "help lists the commands" {
    run "$HEDDLE" --help
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == "usage: heddle COMMAND [options] [arguments]" ]]
    for command in info convert doctor; do
        commands | grep -qx "$command"
    done
}

@test "help for each command in three ways" {
    for command in $(commands); do
        run "$HEDDLE" "$command" --help
        [ "$status" -eq 0 ]
        [[ "${lines[0]}" == "usage: heddle $command"* ]]
        [ "$output" = "$("$HEDDLE" help "$command")" ]
        [ "$output" = "$("$HEDDLE" --help "$command")" ]
    done
}

@test "version" {
    run "$HEDDLE" --version
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" =~ ^heddle\ [0-9]+\.[0-9]+\.[0-9]+(\ \(commit\ [0-9a-f]+\))?$ ]]
    [ "${lines[1]}" = "  runtime      $(dirname "$HEDDLE")/runtime" ]
    [[ "$output" == *"  gcc plugin   "* && "$output" == *"  Java         "* && "$output" == *"  Valgrind     "* &&
       "$output" == *"  MPI          "* ]]
    cp "$HEDDLE" "$BATS_TEST_TMPDIR/heddle" # alone, it can still analyse traces
    run "$BATS_TEST_TMPDIR/heddle" --version
    [ "$status" -eq 0 ]
    [ "${lines[1]}" = "  runtime      no" ]
}

@test "no command prints the help as an error" {
    run bash -c '"$HEDDLE" 2>/dev/null'
    [ "$status" -eq 1 ]
    [ -z "$output" ]
    run "$HEDDLE"
    [[ "$output" == "usage: heddle COMMAND"* ]]
}

@test "wrong use is refused with a hint" {
    check() {
        expected=$1
        shift
        run "$HEDDLE" "$@"
        [ "$status" -eq 1 ]
        [ "$output" = "heddle: $expected" ]
    }
    check 'unknown command inof: did you mean info? See heddle --help' inof
    check 'unknown command inof: did you mean info? See heddle --help' help inof
    check 'unknown command chek: did you mean check? See heddle --help' chek
    check 'unknown command frobnicate; see heddle --help' frobnicate
    check 'unknown option --verison: did you mean --version? See heddle --help' --verison
    check 'unknown option --frobnicate; see heddle --help' --frobnicate
    check 'check: unknown option --porperty=race: did you mean --property? See heddle check --help' check --porperty=race a
    check 'info: missing: FILE; see heddle info --help' info
    check 'info: unexpected argument: b; see heddle info --help' info a b
    check 'info: unknown option --xml; see heddle info --help' info --xml a
    check 'info: unknown option -x; see heddle info --help' info -x a
    check 'info: no value is allowed for --json=yes; see heddle info --help' info --json=yes a
    check 'convert: missing value for --without; see heddle convert --help' convert --without
    check 'convert: missing: IN OUT; see heddle convert --help' convert a
    check 'doctor: unexpected argument: y; see heddle doctor --help' doctor x y
}

@test "two dashes end the options" {
    cd "$BATS_TEST_TMPDIR"
    cp "$TRACES/account.std" ./--json
    "$HEDDLE" info -- --json | grep -qx 'events       15'
}

@test "doctor says what is here and exits accordingly" {
    run "$HEDDLE" doctor
    [[ "$output" == *"  gcc  "* ]]
    [[ "$output" == *"  kernel  "* ]]
    if grep -q '^MISS' <<<"$output"; then [ "$status" -eq 1 ]; else [ "$status" -eq 0 ]; fi
    run env PATH=/nonexistent "$HEDDLE" doctor
    [ "$status" -eq 1 ]
    [[ "${lines[0]}" =~ ^MISS\ +gcc ]]
    [[ "${lines[1]}" =~ apt-get\ install\ gcc$ ]]
}

# What bash offers for the words given, the last one being completed.
complete_words() {
    source <("$HEDDLE" --print-completion=bash)
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMP_LINE="$*"
    COMP_POINT=${#COMP_LINE}
    COMPREPLY=()
    _heddle 2>/dev/null || true
    echo "${COMPREPLY[*]}"
}

@test "completion of commands, options, values and files" {
    [ "$(complete_words heddle in)" = info ]
    [ "$(complete_words heddle --v)" = --version ]
    [ "$(complete_words heddle info --)" = "--help --json --limits=" ]
    [ "$(complete_words heddle convert --w)" = --without= ]
    [ "$(complete_words heddle convert --without=)" = "names locations values grounds" ]
    [ "$(complete_words heddle convert --without=na)" = names ]
    [ "$(complete_words heddle convert --without=names,lo)" = names,locations ]
    cd "$BATS_TEST_TMPDIR"
    touch one.std two.htr
    [ "$(complete_words heddle info tw)" = two.htr ]
    [ "$(complete_words heddle convert a.std o)" = one.std ]
}

@test "no command has two options of one name" {
    for command in $(commands); do
        [ -z "$("$HEDDLE" "$command" --help | grep -o '^  \(-., \)\?--[a-z-]*' | sort | uniq -d)" ]
    done
}

# zsh_completes WORDS EXPECTED: presses Tab in a zsh that has a terminal of its own
zsh_completes() {
    cat >"$BATS_TEST_TMPDIR/ask.zsh" <<'Z'
zmodload zsh/zpty
zpty -b shell zsh -f -i
zpty -w shell "autoload -Uz compinit; compinit -u -D; source $1; compdef _heddle heddle; print ready-\$((1 + 1))"
for i in {1..200}; do zpty -r -t shell out && [[ $out == *ready-2* ]] && break; sleep 0.05; done
zpty -w -n shell "heddle $2"$'\t'
for i in {1..200}; do
    zpty -r -t shell out && all+=${out//($'\e'\[[0-9;]#m|$'\a')/}
    [[ $all == *"heddle $3"* ]] && exit 0
    sleep 0.05
done
print -r -- "${(q)all}"
exit 1
Z
    timeout 60 zsh -f -o extendedglob "$BATS_TEST_TMPDIR/ask.zsh" "$BATS_TEST_TMPDIR/heddle.zsh" "$1" "$2"
}

@test "Tab in zsh completes commands, options and values" {
    command -v zsh >/dev/null || skip "no zsh to ask"
    "$HEDDLE" --print-completion=zsh >"$BATS_TEST_TMPDIR/heddle.zsh"
    zsh_completes inf info
    zsh_completes "check --form" "check --format="
    zsh_completes "check --format=js" "check --format=json"
    zsh_completes "convert --without=na" "convert --without=names"
}

@test "completion for zsh and fish names every command and option" {
    for shell in zsh fish; do
        "$HEDDLE" --print-completion=$shell >"$BATS_TEST_TMPDIR/heddle.$shell"
        for command in $(commands); do
            grep -qe "$command" "$BATS_TEST_TMPDIR/heddle.$shell"
            for option in $(options_of "$command"); do
                grep -qe "${option#--}" "$BATS_TEST_TMPDIR/heddle.$shell"
            done
        done
        ! command -v $shell >/dev/null || $shell -n "$BATS_TEST_TMPDIR/heddle.$shell"
    done
    run "$HEDDLE" --print-completion=tcsh
    [ "$status" -eq 1 ]
    command -v fish >/dev/null || skip "no fish to ask"
    offers() {
        fish --no-config -c "source $BATS_TEST_TMPDIR/heddle.fish; complete -C '$1'" | cut -f1 | sort | tr '\n' ' '
    }
    [[ "$(offers 'heddle inf')" == "info " ]]
    [[ "$(offers 'heddle check --form')" == "--format " ]]
    [[ "$(offers 'heddle check --format=js')" == "--format=json " ]]
}

# page COMMAND: its man page, or the one it stands for
page_of() {
    page=$(dirname "$HEDDLE")/docs/heddle-$1.1
    other=$(sed -n '1s,^\.so man1/,,p' "$page")
    echo "${other:+$(dirname "$page")/}${other:-$page}"
}

@test "every command has completion and a man page with every option" {
    pages=$(dirname "$HEDDLE")/docs
    [ -s "$pages/heddle.1" ]
    for command in $(commands); do
        page=$(page_of "$command")
        [ -s "$page" ]
        grep -q "heddle-$command" "$pages/heddle.1" || grep -q "heddle\\\\-$command" "$pages/heddle.1"
        "$HEDDLE" --print-completion=bash | grep -qx "    $command)"
        for option in $(options_of "$command"); do
            sed 's/\\-/-/g' "$page" | grep -qe "$option"
            "$HEDDLE" --print-completion=bash | grep -qe "$option"
        done
    done
    [ "$(options_of info | tr '\n' ' ')" = "--json --limits --help " ]
}

@test "every man page belongs to a command and has its sections" {
    for page in "$(dirname "$HEDDLE")"/docs/heddle-*.1; do
        command=$(basename "$page" .1)
        commands | grep -qx "${command#heddle-}"
        page=$(page_of "${command#heddle-}")
        for section in NAME SYNOPSIS DESCRIPTION OPTIONS "EXIT STATUS" "SEE ALSO"; do
            grep -q "^.SH $section" "$page"
        done
        ! grep -q '@OPTIONS@' "$page"
    done
}

@test "every example of a man page has a line of its own" {
    for page in "$(dirname "$HEDDLE")"/docs/heddle*.1; do
        ! sed -n '/^.SH EXAMPLES/,/^.SH /p' "$page" | sed '/^\.nf/,/^\.fi/d' | grep heddle
    done
}

@test "the installed program runs" {
    build=$(dirname "$HEDDLE")
    cmake --install "$build" --prefix "$BATS_TEST_TMPDIR/prefix" >/dev/null
    cd "$BATS_TEST_TMPDIR/prefix"
    [ "$(bin/heddle --version | head -n 1)" = "$("$HEDDLE" --version | head -n 1)" ]
    [[ "$(bin/heddle --version)" == *"  runtime      $PWD/lib"* ]]
    [ -s share/man/man1/heddle.1 ]
    [ -s share/man/man1/heddle-info.1 ]
    [ -s share/bash-completion/completions/heddle ]
    bash -n share/bash-completion/completions/heddle
    [ -s share/zsh/site-functions/_heddle ]
    [ -s share/fish/vendor_completions.d/heddle.fish ]
}
