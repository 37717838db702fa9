#!/usr/bin/env bats
# Structures passed and returned by value, objects made in place, memory functions that gcc expands: all seen, by the
# plugin for gcc; and heddle cc says when there is none.

setup() {
    cd "$BATS_TEST_TMPDIR"
    sources=$PROGRAMS/values
    runtime=$(dirname "$HEDDLE")/runtime
    more=${HEDDLE_TEST_LONG:+-O1}
}

need() {
    command -v "$1" >/dev/null || skip "$1 is not installed"
    [ "$1" != gcc ] || "$HEDDLE" doctor | grep -q '^ok *gcc plugin' ||
        skip "heddle was built without its gcc plugin, which needs gcc's headers for plugins (gcc-N-plugin-dev)"
}

# build COMPILER SOURCE FLAGS…: with heddle cc or heddle c++, without a word
build() {
    compiler=$1 source=$2
    shift 2
    case $source in
    *.cpp) run env HEDDLE_CC=$compiler "$HEDDLE" c++ -std=c++20 "$@" "$sources/$source" -o program ;;
    *) run env HEDDLE_CC=$compiler "$HEDDLE" cc "$@" "$sources/$source" -o program ;;
    esac
    echo "$output"
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

# recorded: what it prints is right, and no read saw what was not seen to be written
recorded() {
    run "$HEDDLE" record --seed="${seed:-3}" -o t.htr -- ./program
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" != *"note:"* ]]
    [ "${lines[0]}" = "$printed" ]
    run "$HEDDLE" check --all --property=race t.htr
}

# racing VARIABLE…: there is a race on each
racing() {
    [ "$status" -eq 2 ]
    for variable; do
        grep -q "^R[0-9]*  Data race: .* \(reads\|writes\) \(main: \|_ZL[0-9]*\)\?$variable[^a-z_0-9]" <<<"$output" || {
            echo "no race on $variable: $output"
            false
        }
    done
}

# forms COMPILER LEVEL VARIABLE…: those, besides the ones that both compilers' own hooks see
forms() {
    printed="1 2 3"
    build "$1" forms.c "$2" -DLOCKED
    recorded
    [ "$status" -eq 0 ]
    build "$1" forms.c "$2"
    recorded
    shift 2
    racing given_large given_small given_padded given_part heap given_after_jump copied_17 copied_40 moved_33 filled_24 \
        text_copied taken_small taken_padded taken_part source_40 source_17 compared_24 text_measured text_compared "$@"
}

objects() {
    printed="1 1 7 a text that is too long to be kept inside!"
    build "$1" objects.cpp "$2" -DLOCKED
    recorded
    [ "$status" -eq 0 ]
    build "$1" objects.cpp "$2"
    recorded
    shift 2
    racing from_temporary from_named from_branches after_exception from_optional from_pair room text list sliced "$@"
}

@test "C: gcc" {
    need gcc
    for level in -O0 $more -O2; do
        forms gcc $level taken_large
    done
}

@test "C: clang sees the same, but for large variables passed by value" {
    need clang
    for level in ${more:+-O0} -O2; do
        forms clang $level
    done
}

@test "C++: gcc" {
    need gcc
    for level in -O0 $more -O2; do
        objects gcc $level taken
    done
}

@test "C++: clang" {
    need clang
    for level in ${more:+-O0} -O2; do
        objects clang $level
    done
}

@test "gcc: at link time, with debugging in mind, with exceptions from anywhere" {
    need gcc
    printed="1 2 3"
    for flags in "-O2 -flto" "-Og" "-O2 -fnon-call-exceptions -fexceptions"; do
        build gcc forms.c $flags
        recorded
        racing given_large copied_40 taken_large
    done
}

@test "gcc checks its own work after the plugin's" {
    need gcc
    cat >odd.c <<'END'
#include <setjmp.h>
#include <stdarg.h>
struct s { long a[6]; } *shared;
struct e {};
struct f { int n; char d[]; };
struct p { char c; long l; } __attribute__((packed));
struct b { unsigned x : 3, y : 9; long z[4]; unsigned q : 5; };
struct l { char c[100000]; } large;
struct s give(int), never(void) __attribute__((noreturn)), same(int) __attribute__((const));
struct e give_e(void);
struct f give_f(void);
struct p give_p(void);
struct l give_l(void);
void take(struct s), take_e(struct e), take_f(struct f), take_p(struct p, struct p), take_any(int, ...), take_l(struct l);
volatile struct s changing;
_Atomic struct s atomic;
extern __thread struct s own;
extern __seg_gs struct s elsewhere;
jmp_buf back;
void qualified(void) { changing = give(1); take(changing); atomic = give(2); take(atomic); own = give(3); take(own); }
void segment(void) { elsewhere = give(1); take(elsewhere); }
void shapes(struct e *e, struct f *f, struct p *p) { *e = give_e(); take_e(*e); *f = give_f(); take_f(*f); *p = give_p(); take_p(p[1], *p); }
struct b bits(int i) { struct b r; r.x = i; r.y = i; r.q = 2; r.z[i] = 3; return r; }
void ends(void) { *shared = never(); }
void unchanging(int i) { *shared = same(i); take_any(2, *shared, shared[1]); }
struct s arguments(int n, ...) { va_list v; va_start(v, n); struct s r = va_arg(v, struct s); *shared = va_arg(v, struct s); va_end(v); return r; }
struct s jumps(struct s *x) { struct s l; if (setjmp(back)) return *x; *x = give(3); l = *x; __builtin_memcpy(x, &l, 40); return l; }
int variable(int n) { struct v { int a[n]; } g, h; struct v make(int i) { struct v r; r.a[0] = i; return r; } void put(struct v v) { g = v; } h = make(3); put(h); g = make(4); return g.a[0]; }
void leaves(int i) { __label__ out; void inner(struct s *q) { *q = give(1); if (i) goto out; take(*q); } inner(shared); out: take(*shared); }
void computed(int i) { static void *to[] = {&&a, &&b}; a: *shared = give(i); goto *to[i & 1]; b: take(*shared); }
void whole(struct l *x) { *x = large; large = give_l(); take_l(*x); *x = (struct l){{0}}; volatile struct l *v = x; *v = large; }
__attribute__((optimize(0))) void slow(struct s *x) { *x = give(1); take(*x); }
END
    for level in -O0 -O2 "-O3 -fexceptions -fnon-call-exceptions -fipa-pta"; do
        "$HEDDLE" cc $level -fchecking=1 -c "$sources/forms.c" -o forms.o
        "$HEDDLE" cc -w -Wno-psabi $level -fchecking=1 -c odd.c -o odd.o
    done
    "$HEDDLE" c++ -std=c++20 -O3 -fchecking=1 -c "$sources/objects.cpp" -o objects.o
}

@test "a gcc for which there is no plugin: it works, and a note says what is missing, once" {
    command -v gcc >/dev/null || skip "gcc is not installed"
    mkdir other
    printf '#!/bin/sh\nexec gcc "$@"\n' >other/other-gcc
    chmod +x other/other-gcc
    export PATH="$PWD/other:$PATH" HEDDLE_CC=other-gcc
    run "$HEDDLE" cc -O2 -c "$sources/forms.c" -o forms.o
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    run "$HEDDLE" cc forms.o -o program
    [ "$status" -eq 0 ]
    [ "$output" = "heddle: note: without a plugin for other-gcc, some accesses are not recorded; see heddle doctor" ]
    run "$HEDDLE" record --seed=3 -o t.htr -- ./program
    [ "$status" -eq 0 ]
    HEDDLE_CC=clang run "$HEDDLE" cc --version
    [[ "$output" != *note:* ]]
}

@test "the plugin is used through ccache, by another name, and with options after the compiler's name" {
    need gcc
    mkdir wrapped
    printf '#!/bin/sh\necho "$@"\n' >wrapped/ccache
    chmod +x wrapped/ccache
    ln -s ccache wrapped/gcc
    ln -s "$(command -v gcc)" my-gcc
    export PATH="$PWD/wrapped:$PATH"
    for compiler in gcc "ccache gcc" "$PWD/my-gcc -###" "ccache gcc -m64"; do
        HEDDLE_CC=$compiler run "$HEDDLE" cc -c "$sources/forms.c"
        echo "$compiler: $output"
        [[ "$output" == *"-fplugin=$runtime/heddle_gcc.so"* ]]
    done
}

# once COMPILER: each copy of a large structure is one event
once() {
    cat >large.c <<'END'
#include <pthread.h>
struct large { int a[5000]; };
static struct large shared, other, clear = {{1}};
__attribute__((noinline)) static struct large give(struct large made)
{
    made.a[7]++;
    return made;
}
static void *copy(void *unused)
{
    shared = other;
    clear = (struct large){{0}};
    other = give(other);
    return unused;
}
int main(void)
{
    pthread_t thread;
    other.a[7] = 3;
    pthread_create(&thread, NULL, copy, NULL);
    pthread_join(thread, NULL);
    return shared.a[7] - 3 + clear.a[7] + other.a[7] - 4;
}
END
    for level in -O0 -O2; do
        HEDDLE_CC=$1 "$HEDDLE" cc -w $level large.c -o large
        "$HEDDLE" record -q --seed=1 -o t.htr -- ./large
        "$HEDDLE" convert t.htr t.std
        cat t.std
        for variable in shared clear other; do
            [ "$(grep -c "^T1 copy|w($variable\.a\[7\]" t.std)" -eq 1 ]
        done
    done
}

@test "a copy for which gcc calls a function is recorded once" {
    need gcc
    once gcc
}

@test "a copy for which clang calls a function is recorded once" {
    need clang
    once clang
}

@test "the value of a write is what it wrote, whatever atomic change comes right after it" {
    cat >change.c <<'END'
#include <pthread.h>
static int x;
static void *change(void *unused)
{
    int expected = 1;
    x = 3;
    __atomic_fetch_add(&x, 2, __ATOMIC_SEQ_CST);
    x = 1;
    __atomic_compare_exchange_n(&x, &expected, 7, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    x = 4;
    __atomic_store_n(&x, 8, __ATOMIC_SEQ_CST);
    return unused;
}
int main(void)
{
    pthread_t thread;
    x = 0;
    pthread_create(&thread, NULL, change, NULL);
    pthread_join(thread, NULL);
    return x - 8;
}
END
    "$HEDDLE" cc change.c -o change
    "$HEDDLE" record -q --seed=1 -o t.htr -- ./change
    "$HEDDLE" convert --grounds=drop t.htr t.std
    cat t.std
    [ "$(sed -n 's/^T1 change|\(.*(x=[0-9]*)\)|.*/\1/p' t.std | tr '\n' ' ')" = \
      "w(x=3) rmw.sc(x=5) w(x=1) cas.sc(x=7) w(x=4) aw.sc(x=8) " ]
}
