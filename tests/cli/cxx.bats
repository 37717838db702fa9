#!/usr/bin/env bats
# heddle c++: the parts of the C++ library that are linked with hooks.

setup() {
    cd "$BATS_TEST_TMPDIR"
    command -v g++ >/dev/null || skip "g++ is not installed"
    [ -e "$(dirname "$HEDDLE")/runtime/libheddle-cxx.a" ] || skip "built without g++"
}

@test "nodes of trees and lists: random changes come out as with vectors" {
    "$HEDDLE" c++ -std=c++17 -O1 "$PROGRAMS/library/nodes.cpp" -o nodes
    nm -C nodes | grep -q ' T std::_Rb_tree_insert_and_rebalance'
    for seed in 1 2 3 "$RANDOM"; do
        timeout 60 ./nodes "$seed"
    done
}

@test "strings: what the library would do unseen is seen, whatever the standard" {
    cat >text.cpp <<'END'
#include <string>
#include <thread>
static std::string text = "a text that is too long for the string itself";
int main()
{
    std::thread writer([] { text.insert(2, 40, 'b'); });
    bool same = false;
    std::thread reader([&] { same = text == "another"; });
    writer.join();
    reader.join();
    return same;
}
END
    for compiler in g++ clang++; do
        command -v $compiler >/dev/null || continue
        for standard in 11 17 20; do
            HEDDLE_CXX=$compiler "$HEDDLE" c++ -O1 -std=c++$standard text.cpp -o text
            "$HEDDLE" record --seed=1 -o t.htr -- ./text 2>err
            [ "$(grep -c 'uninstrumented code' err)" -eq 0 ]
            run "$HEDDLE" check --all --property=race t.htr
            [ "$status" -eq 2 ]
            [[ $output =~ (reads|writes)\ (main:\ )?text\ while ]]
        done
    done
}
