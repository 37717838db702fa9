#!/usr/bin/env bats
# Example projects of each build system, built and tested with the installed Heddle.
load support

setup_file() {
    ! sanitized || return 0
    export PREFIX="$BATS_FILE_TMPDIR/prefix"
    cmake --install "$(dirname "$HEDDLE")" --prefix "$PREFIX" >/dev/null
    export PATH="$PREFIX/bin:$PATH" CMAKE_PREFIX_PATH="$PREFIX" XDG_DATA_HOME="$PREFIX/share"
}

setup() {
    once
    cd "$BATS_TEST_TMPDIR"
}

@test "CMake: instrumented targets, a test that passes and one that fails with its report" {
    cmake -S "$SOURCE/examples/cmake" -B build -G Ninja >/dev/null
    ninja -C build --quiet
    run ctest --test-dir build --output-on-failure
    [ "$status" -ne 0 ]
    [[ "$output" =~ counter\ \.+\ +Passed ]]
    [[ "$output" =~ shop\ \.+\*\*\*Failed ]]
    [[ "$output" == *"Assertion \`sold == 1' failed"* ]]
    [ -s build/heddle/shop/hunt.html ]
    [ -s build/heddle/counter/report.html ]
}

@test "CMake: wrong calls say what is wrong" {
    mkdir wrong
    cat >wrong/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.21)
project(wrong C)
find_package(Heddle REQUIRED)
heddle_add_test(NAME lonely)
END
    run cmake -S wrong -B build
    [ "$status" -ne 0 ]
    [[ "$output" == *"heddle_add_test: NAME and COMMAND are needed"* ]]
    sed -i 's/NAME lonely/WILL_FAIL NAME x COMMAND y/' wrong/CMakeLists.txt
    run cmake -S wrong -B build
    [ "$status" -ne 0 ]
    [[ "$output" == *"heddle_add_test: unknown arguments WILL_FAIL"* ]]
}

@test "CMake: the toolchain file and the preset build everything for recording" {
    cp -r "$SOURCE/examples/cmake" project
    cmake -S project -B build -G Ninja -DCMAKE_TOOLCHAIN_FILE="$(find "$PREFIX" -name heddle-toolchain.cmake)" >/dev/null
    [[ "$(grep '^CMAKE_C_COMPILER:' build/CMakeCache.txt)" == *heddle-cc ]]
    ninja -C build --quiet counter
    heddle run --property=race build/counter
    cd project
    cmake --preset heddle >/dev/null
    cmake --build --preset heddle >/dev/null
    heddle run --property=race build/counter
}

@test "Meson: the native file is found by its name" {
    command -v meson >/dev/null || skip "no meson"
    cp -r "$SOURCE/examples/meson" project
    cp "$SOURCE/examples/cmake/shop.c" project
    cd project
    meson setup build --native-file heddle.ini
    meson test -C build
    [ -s build/heddle/hunt.html ]
}

@test "Meson: the wrap gives the headers to a project on a machine without Heddle" {
    command -v meson >/dev/null || skip "no meson"
    git -C "$SOURCE" rev-parse --git-dir >/dev/null 2>&1 || skip "this tree is no git clone"
    "$SOURCE/tools/make-dist" dist
    mkdir -p project/subprojects/packagefiles
    cp dist/heddle.wrap project/subprojects
    cp dist/heddle-*.tar.gz project/subprojects/packagefiles
    cat >project/main.c <<'END'
#include <heddle/annotate.h>
int main(void) { HEDDLE_ATOMIC_BEGIN("block"); HEDDLE_ATOMIC_END("block"); return 0; }
END
    cat >project/meson.build <<'END'
project('p', 'c')
test('p', executable('p', 'main.c', dependencies: dependency('heddle', version: '>=0.1', allow_fallback: true)))
END
    cd project
    PKG_CONFIG_PATH= PKG_CONFIG_LIBDIR=/nonexistent meson setup build
    meson test -C build
    # The version is CMake's.
    version=$(sed -n 's/^project(heddle VERSION \([0-9.]*\).*/\1/p' "$SOURCE/CMakeLists.txt")
    grep -q "version: '$version'" "$SOURCE/meson.build"
}

@test "Autoconf: heddle cc as the compiler, heddle hunt around the tests" {
    command -v autoreconf >/dev/null && command -v automake >/dev/null || skip "no autoconf and automake"
    cp -r "$SOURCE/examples/autoconf" project
    cp "$SOURCE/examples/cmake/shop.c" project
    cd project
    autoreconf -i >/dev/null 2>&1
    ./configure --quiet CC="heddle cc"
    run make -s check LOG_COMPILER="heddle hunt --for=10s --stop-at-first --"
    [ "$status" -ne 0 ]
    [[ "$output" == *"FAIL: shop"* ]]
    grep -q 'problem' shop.log
}
