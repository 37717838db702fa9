#!/usr/bin/env bats
# heddle hunt --each: the cases of a test program, one by one.
load support

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    cat >counter.h <<END
#include <mutex>
#include <thread>
static int bump(bool locked)
{
    int count = 0;
    std::mutex m;
    auto work = [&] {
        if (locked)
            m.lock();
        count = count + 1;
        if (locked)
            m.unlock();
    };
    std::thread a(work), b(work);
    a.join();
    b.join();
    return count;
}
END
}

setup() {
    cd "$BATS_FILE_TMPDIR"
    rm -rf out
}

# cases FILE: "NAME VERDICT MESSAGE" for each case in JUnit's XML.
cases() {
    python3 - "$1" <<'END'
import sys
import xml.etree.ElementTree as tree

for case in tree.parse(sys.argv[1]).getroot().iter("testcase"):
    verdict = [child for child in case if child.tag in ("failure", "error", "skipped")]
    print(case.get("classname"), case.get("name"), *(f"{v.tag} {v.get('message')}" for v in verdict))
END
}

@test "GoogleTest" {
    once
    [ -e /usr/include/gtest/gtest.h ] || skip "no libgtest-dev"
    cat >google.cc <<END
#include "counter.h"
#include <gtest/gtest.h>
TEST(Counter, Locked) { EXPECT_EQ(bump(true), 2); }
TEST(Counter, Unlocked) { EXPECT_EQ(bump(false), 2); }
TEST(Counter, DISABLED_Later) { FAIL(); }
class Many : public testing::TestWithParam<bool> {};
TEST_P(Many, Bump) { EXPECT_EQ(bump(GetParam()), 2); }
INSTANTIATE_TEST_SUITE_P(Both, Many, testing::Values(true));
END
    "$HEDDLE" c++ -g google.cc -o google -lgtest -lgtest_main -pthread
    run "$HEDDLE" hunt --each --runs=6 --seed=1 -o out -- ./google
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "$output" == *"4 test cases: 1 with problems, 2 without, 0 not decided in full, 1 not hunted"* ]]
    run cases out/junit.xml
    echo "$output"
    [ "${lines[0]}" = "Counter Locked" ]
    [[ "${lines[1]}" == "Counter Unlocked failure H1 The program ended with exit status 1" ]]
    [ "${lines[2]}" = "Counter DISABLED_Later skipped it is disabled" ]
    [ "${lines[3]}" = "Both/Many Bump/0" ]
    run "$HEDDLE" replay out/2-Counter.Unlocked H1 -- ./google --gtest_filter=Counter.Unlocked
    [[ "$output" == *"followed; outcome: same"* ]]
}

@test "Catch2" {
    only_long
    once
    [ -e /usr/include/catch2/catch.hpp ] || skip "no catch2"
    cat >catch.cc <<END
#define CATCH_CONFIG_MAIN
#include "counter.h"
#include <catch2/catch.hpp>
TEST_CASE("counts, unlocked [twice]") { CHECK(bump(false) == 2); }
TEST_CASE("counts \"locked\"") { CHECK(bump(true) == 2); }
END
    "$HEDDLE" c++ -g catch.cc -o catch -pthread
    run "$HEDDLE" hunt --each --for=0 --runs=6 --seed=1 -o out -- ./catch
    echo "$output"
    [ "$status" -eq 2 ]
    run cases out/junit.xml
    [[ "${lines[0]}" == 'catch counts, unlocked [twice] failure '* ]]
    [ "${lines[1]}" = 'catch counts "locked"' ]
}

@test "ctest" {
    once
    mkdir -p project && cd project
    cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.13)
project(Example CXX)
add_executable(count count.cc)
enable_testing()
add_test(NAME locked COMMAND count)
add_test(NAME unlocked COMMAND count)
set_tests_properties(unlocked PROPERTIES ENVIRONMENT "UNLOCKED=1;OTHER=2" WORKING_DIRECTORY \${CMAKE_SOURCE_DIR})
add_test(NAME script COMMAND \${CMAKE_COMMAND} -E echo hello)
add_test(NAME backwards COMMAND count)
set_tests_properties(backwards PROPERTIES WILL_FAIL TRUE)
END
    cat >count.cc <<END
#include "../counter.h"
#include <cstdlib>
#include <unistd.h>
int main()
{
    if (getenv("UNLOCKED") && access("count.cc", R_OK) != 0)
        return 3;
    return bump(!getenv("UNLOCKED")) == 2 ? 0 : 1;
}
END
    ln -sf "$HEDDLE" heddle-c++
    CXX="$PWD/heddle-c++" cmake -S . -B build >/dev/null
    cmake --build build >/dev/null
    cd build
    run "$HEDDLE" hunt --each --runs=6 --seed=1 -o ../../out -- ctest
    echo "$output"
    [ "$status" -eq 2 ]
    run cases ../../out/junit.xml
    echo "$output"
    [ "${lines[0]}" = "ctest locked" ]
    [[ "${lines[1]}" == "ctest unlocked failure H1 The program ended with exit status 1" ]]
    [[ "${lines[2]}" == "ctest script error "*"is not instrumented, nothing was recorded"* ]]
    [[ "${lines[3]}" == "ctest backwards skipped it is meant to fail"* ]]
    run "$HEDDLE" hunt --each --runs=2 --seed=1 -o ../../out -- ctest -R '^locked$'
    [ "$status" -eq 0 ]
    run "$HEDDLE" hunt --each --runs=2 --seed=1 --format=json -o ../../out -- ctest -R 'ed$'
    [ "$status" -eq 2 ]
    python3 -c 'import json, sys; print([c["verdict"] for c in json.loads(sys.argv[1])["cases"]])' "$output" |
        grep -qxF "['clean', 'failed']"
    run "$HEDDLE" hunt --each --runs=2 -o ../../out -- ctest -R script
    [ "$status" -eq 1 ]
    run "$HEDDLE" hunt --each -o ../../out -- ctest -R none
    [ "$status" -eq 1 ]
    [[ "$output" == *"hunt: --each: ctest has no test case" ]]
}

@test "pytest, with a library that has hooks" {
    once
    /usr/bin/python3 -c 'import pytest, ctypes' 2>/dev/null || skip "no python3-pytest"
    mkdir -p python && cd python
    cat >flaky.c <<END
#include <pthread.h>
static int count;
static void *work(void *p) { count++; return p; }
int bump(void)
{
    pthread_t t[2];
    count = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(t + i, 0, work, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return count;
}
END
    cat >test_flaky.py <<END
import ctypes
import os

def test_bump():
    assert ctypes.CDLL(os.path.abspath("libflaky.so")).bump() == 2

def test_alone():
    assert 1 + 1 == 2
END
    "$HEDDLE" cc -g -shared -fPIC flaky.c -o libflaky.so
    run "$HEDDLE" hunt --each --runs=3 --seed=1 -o ../out -- /usr/bin/python3 -m pytest
    echo "$output"
    [ "$status" -eq 2 ]
    run cases ../out/junit.xml
    echo "$output"
    [[ "${lines[0]}" == "test_flaky.py test_bump failure "* ]]
    [ "${lines[1]}" = "test_flaky.py test_alone" ]
    grep -q 'Data race: .* count' ../out/junit.xml
}

@test "what is no test program is refused" {
    run "$HEDDLE" hunt --each -- /bin/true
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: hunt: --each: /bin/true is neither ctest nor pytest nor a program made with GoogleTest or Catch2" ]
    run "$HEDDLE" hunt --each -- ./missing
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: hunt: --each: ./missing: cannot be run" ]
}
