#!/usr/bin/env bats
# heddle cc in build systems: what they make can be recorded, and means what the plain compiler's would.

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    bin=$(dirname "$HEDDLE")
    export PATH="$bin:$PATH"
    export CCACHE_DIR="$BATS_FILE_TMPDIR/ccache"
    mkdir -p project/lib
    cd project
    cat >lib/counter.h <<'END'
void counter_add(int by);
int counter_get(void);
END
    cat >lib/counter.c <<'END'
#include "counter.h"
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;
void counter_add(int by)
{
    pthread_mutex_lock(&lock);
    counter += by;
    pthread_mutex_unlock(&lock);
}
int counter_get(void)
{
    return counter;
}
END
    cat >main.c <<'END'
#include "lib/counter.h"
#include <pthread.h>
#include <stdio.h>
static void *add(void *unused)
{
    counter_add(2);
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", counter_get());
    return 0;
}
END
}

setup() {
    rm -rf "$BATS_TEST_TMPDIR/project"
    cp -r "$BATS_FILE_TMPDIR/project" "$BATS_TEST_TMPDIR/project"
    cd "$BATS_TEST_TMPDIR/project"
}

# recorded PROGRAM: it prints 4, and its trace holds the counter that both threads change under a lock
recorded() {
    [ "$("$1")" = 4 ]
    run "$HEDDLE" record --seed=1 -o t.htr -- "$1"
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" != *note:* ]]
    [ "$("$HEDDLE" convert --grounds=drop t.htr - | grep -c 'w(counter=.*counter.c:[0-9]* counter_add$')" -eq 2 ]
    run "$HEDDLE" check --property=race t.htr
    [ "$status" -eq 0 ]
}

# A script as autoconf makes them: it asks the compiler what it can do, and writes a Makefile.
write_configure() {
    cat >configure <<'END'
#!/bin/sh
set -e
CC=${CC:-cc}
echo 'int main(void) { return 0; }' >conftest.c
$CC $CFLAGS -o conftest conftest.c && ./conftest || { echo "$CC cannot make programs" >&2; exit 77; }
$CC -E conftest.c | grep -q 'int main' || exit 77
$CC --version >config.log
echo '#include <pthread.h>
int main(void) { return pthread_self() == 0; }' >conftest.c
$CC $CFLAGS -c conftest.c -o conftest.o && $CC conftest.o -o conftest && ./conftest
echo 'char nowhere(void); int main(void) { return nowhere(); }' >conftest.c
! $CC -o conftest conftest.c 2>>config.log # what is not there must not link
rm -f conftest*
cat >Makefile <<MAKE
CC = $CC
CFLAGS = $CFLAGS
prog: main.o libcounter.a
	\$(CC) \$(CFLAGS) main.o -L. -lcounter -o prog
libcounter.a: lib/counter.o
	ar rcs libcounter.a lib/counter.o
%.o: %.c
	\$(CC) \$(CFLAGS) -MD -MF \$@.d -c \$< -o \$@
-include main.o.d lib/counter.o.d
MAKE
END
    chmod +x configure
}

@test "configure and make -j, an archive" {
    write_configure
    CC="heddle cc" CFLAGS=-O2 ./configure
    make -j4
    recorded ./prog
    grep -q 'lib/counter.h' main.o.d
    touch lib/counter.h
    make -q && false
    make -j4 | grep -q 'main.o'
}

@test "configure with clang" {
    command -v clang || skip "clang is not installed"
    write_configure
    HEDDLE_CC=clang CC="heddle cc" CFLAGS=-O1 ./configure
    HEDDLE_CC=clang make -j4
    recorded ./prog
}

@test "CMake, a shared library" {
    command -v cmake || skip "CMake is not installed"
    cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(counter C)
find_package(Threads REQUIRED)
add_library(counter SHARED lib/counter.c)
add_executable(prog main.c)
target_link_libraries(prog counter Threads::Threads)
END
    cmake -S . -B build -DCMAKE_C_COMPILER=heddle-cc -DCMAKE_BUILD_TYPE=RelWithDebInfo >log
    cmake --build build >>log
    recorded build/prog
}

@test "Meson" {
    command -v meson || skip "Meson is not installed"
    cat >meson.build <<'END'
project('counter', 'c')
lib = static_library('counter', 'lib/counter.c')
executable('prog', 'main.c', link_with: lib, dependencies: dependency('threads'))
END
    CC=heddle-cc meson setup build >log
    ninja -C build >>log
    recorded build/prog
}

@test "ccache before and after" {
    unset CCACHE_DISABLE
    command -v ccache || skip "ccache is not installed"
    ccache heddle-cc -O2 -c lib/counter.c -o before.o
    HEDDLE_CC="ccache gcc" heddle cc -O2 -c lib/counter.c -o after.o
    HEDDLE_CC="ccache gcc" heddle cc -O2 -c lib/counter.c -o again.o
    cmp after.o again.o
    ccache -s | grep -q 'Hits: *[1-9]'
    for object in before after; do
        heddle cc -O2 main.c $object.o -o prog
        recorded ./prog
    done
}

@test "a library as libtool makes it, linked by its other name, loaded from elsewhere" {
    heddle cc -O2 -fPIC -DPIC -c lib/counter.c -o counter.lo.o
    heddle cc -shared -fPIC counter.lo.o -Wl,-soname -Wl,libcounter.so.1 -Wl,-z,defs -o libcounter.so.1.0.0
    ln -s libcounter.so.1.0.0 libcounter.so.1
    ln -s libcounter.so.1 libcounter.so
    heddle cc -O2 main.c -L. -lcounter -Wl,-rpath -Wl,"$PWD" -o prog
    recorded ./prog
}

@test "relocatable links, archives in between, -Bstatic for some" {
    heddle cc -O2 -c lib/counter.c -o counter.o
    heddle cc -r counter.o -o together.o
    ar rcs libcounter.a together.o
    heddle cc -O2 main.c -L. -Wl,-Bstatic -lcounter -o prog
    recorded ./prog
}

@test "what stops before linking means what it did" {
    heddle cc -E -DX=5 -P - <<<'X' | grep -qx 5
    heddle cc -S -O2 main.c -o main.s
    grep -q '^main:' main.s
    heddle cc -MM main.c | tr -d '\\\n' | grep -q 'main.o: main.c *lib/counter.h'
    heddle cc -M -MT target main.c | grep -q '^target: main.c'
    heddle cc -MMD -MP -c main.c -o out.o
    grep -q '^lib/counter.h:$' out.d
    heddle cc -fsyntax-only main.c
    [ "$(heddle cc -dumpmachine)" = "$(gcc -dumpmachine)" ]
    [ "$(heddle cc -print-file-name=crt1.o)" = "$(gcc -print-file-name=crt1.o)" ]
    echo '#error no' >bad.c
    run heddle cc -c bad.c
    [ "$status" -ne 0 ]
    [ ! -e bad.o ]
}

@test "flags that break recording are named" {
    for flag in -static -D_FORTIFY_SOURCE=2 -Wp,-D_FORTIFY_SOURCE=2 -fsanitize=address -fno-sanitize=thread --coverage; do
        run heddle cc -O2 $flag main.c lib/counter.c -o prog
        echo "$output"
        [ "$status" -eq 0 ]
        [[ "$output" == *"note: $flag is ignored: "* ]]
        recorded ./prog
    done
    printf '%s\n' '#include <thread>' 'int main() { std::thread *t = new std::thread([] {}); t->join(); delete t; }' >new.cpp
    run heddle c++ -static-libstdc++ new.cpp -o new
    [[ "$output" == *"note: -static-libstdc++ is ignored: "* ]]
    run "$HEDDLE" record -o t.htr -- ./new
    [ "$status" -eq 0 ]
    command -v clang >/dev/null || skip "clang is not installed"
    HEDDLE_CC=clang run heddle cc -fsanitize=undefined --coverage main.c lib/counter.c -o prog
    [ "$status" -eq 0 ]
    [[ "$output" == *"note: -fsanitize=undefined is ignored: "* && "$output" != *"note: --coverage"* ]]
    recorded ./prog
}

@test "a program with clang's own runtime is told what to do" {
    command -v clang || skip "clang is not installed"
    clang -g -fsanitize=thread main.c lib/counter.c -o prog || skip "clang has no sanitizer runtime"
    run "$HEDDLE" record -o t.htr -- ./prog
    [ "$status" -eq 1 ]
    [[ "$output" == *"./prog cannot be recorded: it has the thread sanitizer's own runtime inside"*"HEDDLE_CC=clang heddle cc"* ]]
    run "$HEDDLE" doctor ./prog
    [ "$status" -eq 1 ]
    [[ "$output" == *"MISS  program"* ]]
}

@test "doctor names the libraries that will not be seen" {
    gcc -O2 -fPIC -shared lib/counter.c -o libplain.so
    heddle cc -O2 -fPIC -shared lib/counter.c -o libseen.so
    heddle cc main.c -L. -lplain -Wl,-rpath,"$PWD" -o plain
    run "$HEDDLE" doctor ./plain
    [[ "$output" == *"note  library                $PWD/libplain.so"*"not instrumented"* ]]
    heddle cc main.c -L. -lseen -Wl,-rpath,"$PWD" -o seen
    run "$HEDDLE" doctor ./seen
    [[ "$output" == *"ok    library                $PWD/libseen.so"* ]]
    run "$HEDDLE" doctor true
    [ "$status" -eq 1 ]
    [[ "$output" == *"not instrumented: build it with"* ]]
}
