#!/usr/bin/env bats
# include/heddle/annotate.h: nothing in a plain build, begin and end in an instrumented one, C and C++.

setup() {
    cd "$BATS_TEST_TMPDIR"
    cat >use.c <<'END'
#include <heddle/annotate.h>
int f(int x);
int f(int x)
{
    HEDDLE_DETERMINISTIC_BEGIN("outer");
    if (x > 0) {
        HEDDLE_ATOMIC_SCOPE("inner");
        if (x > 1)
            return x;
        HEDDLE_DETERMINISTIC_SCOPE("rest");
        x++;
    }
    HEDDLE_DETERMINISTIC_END("outer");
    return x;
}
END
    cat >use.cpp <<'END'
#include <heddle/annotate.h>
#include <stdexcept>
int f(int x)
{
    heddle::deterministic_block outer("outer");
    HEDDLE_ATOMIC_BEGIN("plain");
    HEDDLE_ATOMIC_END("plain");
    heddle::atomic_block inner("inner");
    if (x > 1)
        throw std::runtime_error("left");
    HEDDLE_ATOMIC_SCOPE("rest");
    return x;
}
END
    # What a runtime would hear; built without hooks, so that no other runtime is needed.
    cat >listen.c <<'END'
#include <stdio.h>
void __heddle_block(int kind, const char *name);
void __heddle_block(int kind, const char *name)
{
    printf("%d %s\n", kind, name);
}
END
    flags="-Wall -Wextra -Wpedantic -Wconversion -Werror -I$INCLUDE"
    marked="-D__SANITIZE_THREAD__=1"
}

@test "a plain build has nothing of it" {
    for compiler in "gcc -std=c17" "clang -std=c17" "gcc -std=c99"; do
        $compiler $flags -O0 -c use.c -o use.o
        run nm use.o
        [[ "$output" != *heddle* ]]
    done
    for compiler in g++ clang++; do
        $compiler $flags -std=c++17 -O1 -c use.cpp -o use.o
        run nm use.o
        [[ "$output" != *heddle* ]]
    done
}

@test "it can be turned off" {
    gcc $flags $marked -DHEDDLE_NO_ANNOTATIONS -c use.c -o use.o
    run nm use.o
    [[ "$output" != *heddle* ]]
}

@test "instrumented builds are marked by the compiler" {
    for compiler in gcc clang; do
        $compiler $flags -fsanitize=thread -c use.c -o use.o
        run nm use.o
        [[ "$output" == *"w __heddle_block"* ]]
    done
}

@test "C: scopes end where they are left" {
    echo 'int f(int x); int main(void) { f(2); f(1); return 0; }' >main.c
    for compiler in gcc clang; do
        $compiler -c listen.c -o listen.o
        $compiler $flags $marked -O1 use.c -x c main.c -x none listen.o -o use
        run ./use
        expected="2 outer 0 inner 1 inner 2 outer 0 inner 2 rest 3 rest 1 inner 3 outer"
        [ "$(echo $output)" = "$expected" ]
    done
}

@test "C++: objects, also when an exception leaves" {
    echo 'int f(int x); int main() { try { f(2); } catch (...) { } f(1); }' >main.cpp
    gcc -c listen.c -o listen.o
    for compiler in g++ clang++; do
        $compiler $flags $marked -std=c++17 -O1 use.cpp main.cpp listen.o -o use
        run ./use
        expected="2 outer 0 plain 1 plain 0 inner 1 inner 3 outer"
        expected="$expected 2 outer 0 plain 1 plain 0 inner 0 rest 1 rest 1 inner 3 outer"
        [ "$(echo $output)" = "$expected" ]
    done
}

@test "without a runtime the marks do nothing" {
    echo 'int f(int x); int main(void) { return f(0); }' >main.c
    gcc $flags $marked use.c main.c -o use
    ./use
}

@test "the programs with marks build without heddle" {
    for program in "$PROGRAMS"/det_*.c; do
        gcc $flags -Wno-conversion -std=gnu17 -O2 "$program" -pthread -o program
        timeout 20 ./program >/dev/null
    done
}
