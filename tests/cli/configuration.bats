#!/usr/bin/env bats
# .heddle.yaml: what a project decides once for all commands.
load support

setup() {
    cd "$BATS_TEST_TMPDIR"
    mkdir -p src third_party build
    cat >build/run.std <<END
T1|fork(T2)|src/main.c:1 main
T1|w(x)|src/a.c:1 f
T2|w(x)|src/b.c:1 g
T1|w(y)|third_party/log.c:1 log
T2|w(y)|third_party/log.c:2 log
END
    cd build
}

races() {
    "$HEDDLE" check --format=json "$@" run.std | python3 -c '
import json, sys
for f in json.load(sys.stdin)["findings"]:
    if f["property"] == "race":
        print(f["id"], f.get("suppressed", "-"))'
}

@test "suppressions, ignored and included files" {
    run races
    [ "${#lines[@]}" -eq 2 ]
    [ "${lines[0]}" = "R1 -" ]
    [ "${lines[1]}" = "R2 -" ]

    echo 'ignore: third_party/*' >../.heddle.yaml
    run races
    [ "${lines[0]}" = "R1 -" ]
    [[ "${lines[1]}" == *"all of its places are in files to ignore" ]]
    run "$HEDDLE" check run.std
    [ "$status" -eq 2 ]
    [[ "$output" == *"1 problem: 1 race; 1 suppressed"* ]]

    echo 'include: [src/*.c]' >../.heddle.yaml
    run races
    [ "${lines[0]}" = "R1 -" ]
    [[ "${lines[1]}" == *"none of its places is in a file to include" ]]

    printf 'ignore: third_party/*\nsuppressions:\n- variable: x\n  reason: we know\n- variable: z\n  reason: gone\n' >../.heddle.yaml
    run races
    [ "${lines[0]}" != "R1 -" ]
    run "$HEDDLE" check -p race run.std
    [ "$status" -eq 0 ]
    [[ "$output" == *"/.heddle.yaml:5: unused suppression: no finding matches it"* ]]
}

@test "options override it" {
    printf 'fail-on: deadlock\nsuppressions:\n- {variable: x, reason: we know}\n' >../.heddle.yaml
    run "$HEDDLE" check run.std
    [ "$status" -eq 0 ]
    run "$HEDDLE" check --fail-on=race run.std
    [ "$status" -eq 2 ]
    run "$HEDDLE" check --config=none run.std
    [ "$status" -eq 2 ]
    [[ "$output" != *suppressed* ]]
    echo 'fail-on: nondet' >other.yaml
    run "$HEDDLE" check --config=other.yaml -p deadlock run.std
    [ "$status" -eq 0 ]
    echo 'variable=y reason: only these' >list
    run "$HEDDLE" check --suppressions=list --fail-on=race run.std
    [ "$status" -eq 2 ]
    [[ "$output" == *"1 suppressed"* ]]
}

@test "mistakes are named, and nothing is checked" {
    echo 'failon: race' >../.heddle.yaml
    for command in "check run.std" "report x.json" "hunt -- true" "record -- true" "cc -c x.c"; do
        run "$HEDDLE" $command
        [ "$status" -eq 1 ]
        [[ "$output" == *"/.heddle.yaml:1: unknown key failon: expected fail-on"* ]]
    done
    run "$HEDDLE" check --config=missing.yaml run.std
    [ "$status" -eq 1 ]
    [[ "$output" == *"missing.yaml: No such file or directory"* ]]
    echo 'source-roots: nowhere' >../.heddle.yaml
    run "$HEDDLE" check run.std
    [ "$status" -eq 1 ]
    [[ "$output" == *"/.heddle.yaml: source-roots: "*"/nowhere: No such file or directory"* ]]
}

@test "source of the page comes from all source roots" {
    echo 'int from_src;' >../src/a.c
    echo 'int from_elsewhere;' >../third_party/log.c
    printf 'source-roots: [src, third_party]\n' >../.heddle.yaml
    sed "s,src/,$PWD/../src/,;s,third_party/,$PWD/../third_party/," run.std >whole.std
    "$HEDDLE" check --format=html -o page.html whole.std || [ $? -eq 2 ]
    grep -q from_src page.html
    grep -q from_elsewhere page.html
    "$HEDDLE" check --format=html -o page.html --source-root=../src whole.std || [ $? -eq 2 ]
    grep -q from_src page.html
    ! grep -q from_elsewhere page.html
}

@test "doctor shows it" {
    printf 'fail-on: race\natomic: [transfer, "Bank::*"]\n' >../.heddle.yaml
    run "$HEDDLE" doctor
    [[ "$output" == *"configuration          "*"/.heddle.yaml"*"fail-on: race; atomic: transfer Bank::*"* ]]
}

@test "functions declared atomic are blocks, however they are left" {
    [ -e "$(dirname "$HEDDLE")/runtime/heddle_gcc.so" ] || skip "no plugin for this gcc"
    printf 'atomic: ["Bank::*"]\ndeterministic: sort\n' >../.heddle.yaml
    cat >../src/bank.cc <<END
#include <cstdio>
#include <thread>
struct Bank {
    int deposit(int n)
    {
        if (n == 1)
            return 1;
        if (n == 2)
            throw n;
        return n + 1;
    }
};
void sort() { std::puts("sorted"); }
void other() {}
int main()
{
    Bank bank;
    std::thread t([&] { bank.deposit(1); });
    try { bank.deposit(2); } catch (int) {}
    bank.deposit(3);
    t.join();
    sort();
    other();
}
END
    for level in -O0 -O2; do
        "$HEDDLE" c++ $level ../src/bank.cc -o bank
        "$HEDDLE" record -q --seed=1 -o bank.htr ./bank
        "$HEDDLE" convert bank.htr bank.std
        [ "$(grep -c '|begin' bank.std)" -eq 3 ]
        [ "$(grep -c '|end' bank.std)" -eq 3 ]
        [ "$(grep -c '|dbegin' bank.std)" -eq 1 ]
        grep -q 'bank.cc:4 ' bank.std
    done
}

@test "hunt heeds it" {
    cat >../src/count.c <<END
#include <pthread.h>
int hits;
static void *work(void *p) { hits++; return p; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    hits++;
    pthread_join(t, 0);
}
END
    "$HEDDLE" cc ../src/count.c -o count
    run "$HEDDLE" hunt --seed=1 --runs=3 -- ./count
    [ "$status" -eq 2 ]
    run "$HEDDLE" hunt --seed=1 --runs=3 --fail-on=deadlock -- ./count
    [ "$status" -eq 0 ]
    printf 'suppressions:\n- {variable: hits, reason: statistics}\n' >../.heddle.yaml
    run "$HEDDLE" hunt --seed=1 --runs=3 -- ./count
    [ "$status" -eq 0 ]
    [[ "$output" == *"0 predicted"*"suppressed by the project's configuration."* ]]
}

@test "Java: classes and methods" {
    needs_java
    once
    printf 'java: {exclude: Quiet}\natomic: [Account.add, transfer]\n' >../.heddle.yaml
    cat >Account.java <<END
public class Account {
    static int total;
    static void add() { total++; }
    public static void main(String[] a) throws Exception {
        Thread t = new Thread(Account::add);
        t.start();
        add();
        Quiet.add();
        t.join();
    }
}
class Quiet {
    static int silent;
    static void add() { silent++; }
}
END
    javac -g Account.java
    "$HEDDLE" record -q -o a.htr -- java -cp . Account
    "$HEDDLE" convert a.htr a.std
    [ "$(grep -c '|begin' a.std)" -eq 2 ]
    ! grep -q silent a.std
}
