#!/usr/bin/env bats
# libheddle as others use it: installed into a prefix of its own, found by pkg-config and by CMake.
load support

setup_file() {
    ! sanitized || return 0
    export PREFIX="$BATS_FILE_TMPDIR/prefix"
    cmake --install "$(dirname "$HEDDLE")" --prefix "$PREFIX" >/dev/null
    sed -i "s|^prefix=.*|prefix=$PREFIX|" "$(find "$PREFIX" -name heddle.pc)"
    PKG_CONFIG_PATH=$(dirname "$(find "$PREFIX" -name heddle.pc)")
    LD_LIBRARY_PATH=$(dirname "$(find "$PREFIX" -name libheddle.so)")
    export PKG_CONFIG_PATH LD_LIBRARY_PATH
}

setup() {
    once
    cd "$BATS_TEST_TMPDIR"
}

# build NAME [FLAG…]: a program of one file against the installed library.
build() {
    local source=$1 name
    shift
    name=$(basename "${source%.*}")
    cc -Wall -Wextra -Werror "$@" "$source" -o "$name" $(flags)
}

flags() {
    if command -v pkg-config >/dev/null; then
        pkg-config --cflags --libs heddle
    else
        echo "-I$PREFIX/include -L$LD_LIBRARY_PATH -lheddle"
    fi
}

@test "a foreign recorder writes a trace that heddle checks" {
    build "$SOURCE/examples/recorder.c"
    run ./recorder bank.htr
    [ "$status" -eq 0 ]
    [ "$output" = "10 events in bank.htr" ]
    run "$HEDDLE" convert bank.htr -
    [ "${lines[4]}" = "teller 1|w(balance=110)|bank.c:13 deposit|by - from 4+10" ]
    run "$HEDDLE" check --property=race bank.htr
    [ "$status" -eq 2 ]
}

@test "a foreign reader prints the races of a trace" {
    build "$SOURCE/examples/recorder.c"
    build "$SOURCE/examples/races.c"
    ./recorder bank.htr
    run ./races bank.htr
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == "race 1: after the first "*" events and "*" more, both of these are next:" ]]
    [[ "$output" == *"teller 2: r(balance) at bank.c:12 deposit"* ]]
    run ./races nowhere.htr
    [ "$status" -eq 1 ]
    [ "$output" = "races: nowhere.htr: No such file or directory" ]
}

@test "the static library has no names but its own and needs no more than it says" {
    archive=$(find "$PREFIX" -name libheddle.a)
    [ "$(nm --defined-only -g "$archive" | awk 'NF == 3 && $3 !~ /^heddle_/' | wc -l)" -eq 0 ]
    cc -I"$PREFIX/include" "$SOURCE/examples/races.c" "$archive" \
        -lzstd -lxxhash -ljansson -lz -ldw -lelf -lpthread -lm -o races
    run ./races "$TRACES/account.std"
    [ "$status" -eq 0 ]
    [[ "${lines[-1]}" == *" races" ]]
}

@test "the shared library shows heddle_ names only and has a soname" {
    library=$(find "$PREFIX" -name libheddle.so)
    [ "$(nm -D --defined-only "$library" | awk '$3 !~ /^heddle_/' | wc -l)" -eq 0 ]
    readelf -d "$library" | grep -q 'soname: \[libheddle.so.0\]'
}

@test "CMake finds it; C++ can include it" {
    mkdir use
    cp "$SOURCE/examples/races.c" use/races.c
    echo '#include <heddle/heddle.h>
int main() { return heddle_version()[0] == 0; }' >use/version.cpp
    echo 'cmake_minimum_required(VERSION 3.20)
project(use C CXX)
find_package(Heddle REQUIRED)
add_executable(races races.c)
target_link_libraries(races Heddle::heddle)
add_executable(version version.cpp)
target_link_libraries(version Heddle::heddle)' >use/CMakeLists.txt
    cmake -S use -B use/build -G Ninja -DCMAKE_PREFIX_PATH="$PREFIX" >/dev/null
    ninja -C use/build --quiet
    use/build/version
    use/build/races "$TRACES/account.std"
}

@test "exhausted memory is an error, not the end of the process" {
    cat >limited.c <<'END'
#include <heddle/heddle.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DONE, REFUSED, WRONG };

static int check(const char *path, size_t megabytes)
{
    struct rlimit limit = {megabytes << 20, RLIM_INFINITY};
    struct heddle_check_options options;
    struct heddle_error err;
    heddle_trace *trace;
    heddle_result *result = NULL;

    heddle_check_options_init(&options);
    options.workers = 3;
    setrlimit(RLIMIT_AS, &limit);
    trace = heddle_trace_read(path, &err);
    if (trace)
        result = heddle_check(trace, &options, &err);
    heddle_result_free(result);
    heddle_trace_free(trace);
    return result ? DONE : err.status == HEDDLE_ERROR_MEMORY || err.status == HEDDLE_ERROR_IO ? REFUSED : WRONG;
}

/* Less and less memory, each time in a process that has used none: each call succeeds or says why not. */
int main(int argc, char **argv)
{
    unsigned counts[3] = {0};

    for (size_t megabytes = 2000; megabytes >= 5; megabytes -= megabytes > 200 ? 100 : 5) {
        int status;
        pid_t child = fork();

        if (child == 0)
            exit(check(argv[argc - 1], megabytes));
        if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) > WRONG)
            return 1;
        counts[WEXITSTATUS(status)]++;
    }
    printf("%s %s\n", counts[DONE] ? "done" : "-", counts[REFUSED] ? "refused" : "-");
    return counts[WRONG] > 0;
}
END
    build limited.c
    # Some containers do not enforce the limit.
    (ulimit -v 50000 && python3 -c 'bytearray(1 << 28)') 2>/dev/null && skip "no limit on memory here"
    "$GENERATE" bank 100000 8 1 bank.std
    run ./limited bank.std
    [ "$status" -eq 0 ]
    [ "$output" = "done refused" ]
}

@test "bad input is an error that names it; several threads may check at once" {
    cat >many.c <<'END'
#include <heddle/heddle.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const char *path;

static void *check(void *found)
{
    struct heddle_error err;
    heddle_trace *trace = heddle_trace_read(path, &err);
    heddle_result *result = trace ? heddle_check(trace, NULL, &err) : NULL;

    *(size_t *)found = result ? heddle_result_findings(result) : 0;
    heddle_result_free(result);
    heddle_trace_free(trace);
    return NULL;
}

int main(int argc, char **argv)
{
    struct heddle_event wrong = {"T1", "rel", "l", NULL, NULL, NULL};
    struct heddle_check_options options;
    struct heddle_error err;
    heddle_builder *builder = heddle_builder_new(&err);
    heddle_trace *trace = heddle_trace_parse("text", "T1|w(x)|\n", 9, &err);
    pthread_t threads[4];
    size_t found[4];

    path = argv[argc - 1];
    if (heddle_trace_parse("text", "T1|hop(x)|\n", 11, &err))
        return 1;
    puts(err.text);
    if (heddle_builder_add(builder, &wrong, &err))
        return 1;
    puts(err.text);
    heddle_builder_free(builder);
    heddle_check_options_init(&options);
    options.properties = "race,luck";
    if (heddle_check(trace, &options, &err))
        return 1;
    puts(err.text);
    heddle_trace_free(trace);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, check, &found[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("%s\n", found[0] > 0 && found[0] == found[1] && found[1] == found[2] && found[2] == found[3] ? "the same" : "-");
    return 0;
}
END
    build many.c -pthread
    run ./many "$TRACES/account.std"
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "text:1: unknown operation: hop" ]
    [[ "${lines[1]}" == "event:1: T1 "*"lock l"* ]]
    [ "${lines[2]}" = "unknown property luck" ]
    [ "${lines[3]}" = "the same" ]
}

@test "a check by the library is that of the command, options included; verification too" {
    cat >same.c <<'END'
#include <heddle/heddle.h>
#include <stdio.h>
#include <string.h>

static void tell(void *count, const char *id, const char *why)
{
    printf("%s: %s\n", id, why);
    ++*(int *)count;
}

/* same TRACE plain|ignore|graph REPORT, or same TRACE verify REPORT */
int main(int argc, char **argv)
{
    struct heddle_check_options options;
    struct heddle_verify_options how;
    struct heddle_verification verification;
    struct heddle_error err = {0};
    heddle_trace *trace = heddle_trace_read_limited(argv[1], "events=1M", &err);
    heddle_result *result = NULL;
    int told = 0;

    heddle_check_options_init(&options);
    heddle_verify_options_init(&how);
    how.rejected = tell;
    how.context = &told;
    options.ignore_values = strcmp(argv[2], "ignore") == 0;
    options.method = strcmp(argv[2], "graph") == 0 ? "graph" : NULL;
    if (trace && strcmp(argv[2], "verify") != 0)
        result = heddle_check(trace, &options, &err);
    if (result)
        heddle_result_write(result, "json", argv[1], argv[3], &err);
    else if (trace && heddle_report_verify_with(trace, argv[argc - 1], &how, &verification, &err)) {
        printf("%zu %zu\n", verification.accepted, verification.rejected);
        if (told != (int)verification.rejected || heddle_report_verify(trace, argv[argc - 1], &err) != !told)
            return 1;
    }
    puts(err.text);
    heddle_result_free(result);
    heddle_trace_free(trace);
    return 0;
}
END
    build same.c
    printf 'T1|fork(T2)|a\nT1|w(x=1)|b\nT2|r(x=1)|c\nT2|w(y=1)|d\nT1|w(x=1)|e\nT1|r(y=1)|f\n' >v.std
    for how in plain ignore graph; do
        ./same v.std $how library.json
        case $how in plain) option= ;; ignore) option=--values=ignore ;; graph) option=--method=graph ;; esac
        "$HEDDLE" check $option --format=json -o command.json v.std || true
        # times aside, and what only the command's report counts
        python3 -c '
import json
a, b = (json.load(open(f)) for f in ("library.json", "command.json"))
a.pop("statistics"), b.pop("statistics")
assert a["findings"] and a == b, (a, b)'
    done
    "$HEDDLE" check --format=json -o r.json v.std || true
    run ./same v.std verify r.json
    [ "${lines[0]}" = "$(jq '.findings | length' r.json) 0" ]
    # A pair that a lock orders, claimed to be unordered.
    printf 'T1|fork(T2)|a\nT1|acq(l)|a\nT1|w(x)|b\nT1|rel(l)|a\nT2|acq(l)|a\nT2|r(x)|c\nT2|rel(l)|a\n' >o.std
    "$HEDDLE" check --format=json o.std |
        jq '.findings = [{"id": "U1", "property": "unordered", "first": 3, "second": 6}] | .undecided = []' >o.json
    run ./same o.std verify o.json
    [ "${lines[0]}" = "U1: event 3 happens before event 6" ]
    [ "${lines[1]}" = "0 1" ]
    [[ "${lines[2]}" == "U1 does not hold in the trace: event 3 happens before event 6" ]]
}
