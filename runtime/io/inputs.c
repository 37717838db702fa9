/* Inputs: random numbers, process numbers, what is read. The time is in timing.c. */
#include "runtime/io/inputs.h"
#include "runtime/sched/sched.h"
#include "runtime/shared/real.h"
#include "runtime/system.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

/* Whether the calling thread may append to the log: it takes the turn for that. */
static bool may_log(void)
{
    if (!rt.ready || !recording() || local.inside || !local.self)
        return false;
    local.inside = true;
    sched_take_turn();
    local.inside = false;
    return recording();
}

static void note(enum input_kind kind, uint64_t value)
{
    log_emit(RECORD_INPUT, (const void *)(uintptr_t)kind, 0, value);
}

uint64_t input_take(enum input_kind kind, uint64_t live)
{
    uint64_t value = live;

    if (!may_log())
        return live;
    INVARIANT(kind < INPUT_KINDS && local.turn);
    script_input(local.self, kind, &value);
    note(kind, value);
    return value;
}

#define SUM_START  UINT64_C(0xcbf29ce484222325)
#define SUM_FACTOR UINT64_C(0x100000001b3)

/* A repeated run read something else than the recorded one: stores where, and from what. */
static void tell_other(int fd, uintptr_t pc)
{
    char *path = rt.session->other_input_path, link[32] = "/proc/self/fd/";
    size_t at = text_length(link);
    long length;

    if (session_add(&rt.session->other_inputs, 1) != 0)
        return;
    session_store(&rt.session->other_input_pc, (uint64_t)pc);
    if (fd == STDIN_FILENO)
        copy_bytes(path, "stdin", sizeof "stdin");
    if (fd <= STDIN_FILENO)
        return;
    INVARIANT(fd > STDIN_FILENO);
    for (int part = 1000000000; part > 0; part /= 10)
        if (fd >= part)
            link[at++] = (char)('0' + fd / part % 10);
    length =
        system_call(SYS_readlink, (long)link, (long)path, sizeof rt.session->other_input_path - 1, 0, 0, 0);
    path[length > 0 ? length : 0] = '\0';
}

static void note_sum(int fd, uint64_t sum, uintptr_t pc)
{
    uint64_t expected;

    if (script_input(local.self, INPUT_READ, &expected) && expected != sum)
        tell_other(fd, pc);
    note(INPUT_READ, sum);
}

void input_read(int fd, const void *bytes, size_t length, uintptr_t pc)
{
    uint64_t sum = SUM_START ^ length;
    const unsigned char *at = bytes;

    for (size_t i = 0; i < length; i++)
        sum = (sum ^ at[i]) * SUM_FACTOR;
    note_sum(fd, sum, pc);
}

/* One record for each character would be too many: after the first few there is one at the end of each line,
 * and some in between for long lines. */
void input_character(int fd, int character, uintptr_t pc)
{
    enum { FEW = 16, MANY = 256 };
    struct thread *self = local.self;

    self->characters_sum = (self->characters_sum ^ (uint64_t)(unsigned)character) * SUM_FACTOR;
    if (self->characters++ < FEW || character == '\n' || character < 0 || self->characters % MANY == 0)
        note_sum(fd, self->characters_sum, pc);
}

/* Functions of no argument that return a number. */
#define NUMBER(type, name)                                                                                     \
    EXPORT type name(void)                                                                                     \
    {                                                                                                          \
        if (!real.name)                                                                                        \
            real_find();                                                                                       \
        may_log(); /* numbers are drawn in the order of turns */                                               \
        return (type)input_take(INPUT_RANDOM, (uint64_t)real.name());                                          \
    }

NUMBER(int, rand)
NUMBER(long, random)
NUMBER(long, lrand48)
NUMBER(long, mrand48)

EXPORT double drand48(void)
{
    union {
        double number;
        uint64_t bits;
    } value;

    if (!real.drand48)
        real_find();
    may_log();
    value.number = real.drand48();
    value.bits = input_take(INPUT_RANDOM, value.bits);
    return value.number;
}

/* Random bytes come from the seed: the same seed gives the same run. */
static void seeded_bytes(void *to, size_t length)
{
    unsigned char *at = to;
    uint64_t z = 0;

    for (size_t i = 0; i < length; i++, z >>= 8) {
        if (i % 8 == 0) {
            z = rt.session->seed + ++local.self->draws * UINT64_C(0x9e3779b97f4a7c15) +
                local.self->id * UINT64_C(0xd1b54a32d192ed03);
            z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
            z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
            z ^= z >> 31;
        }
        at[i] = (unsigned char)z;
    }
}

static ssize_t fill(void *to, size_t length, unsigned flags, uintptr_t pc)
{
    long got;

    if (may_log()) {
        if (module_instrumented(pc))
            touch_write(to, length, pc);
        seeded_bytes(to, length);
        return (ssize_t)length;
    }
    got = system_call(SYS_getrandom, (long)to, (long)length, flags, 0, 0, 0);
    if (got < 0)
        errno = (int)-got;
    return got < 0 ? -1 : got;
}

EXPORT ssize_t getrandom(void *to, size_t length, unsigned flags)
{
    return fill(to, length, flags, CALLER);
}

EXPORT int getentropy(void *to, size_t length)
{
    if (length > 256) {
        errno = EIO;
        return -1;
    }
    return fill(to, length, 0, CALLER) == (ssize_t)length ? 0 : -1;
}

EXPORT uint32_t arc4random(void)
{
    uint32_t value = 0;

    fill(&value, sizeof value, 0, 0);
    return value;
}

EXPORT void arc4random_buf(void *to, size_t length)
{
    fill(to, length, 0, CALLER);
}

EXPORT uint32_t arc4random_uniform(uint32_t below)
{
    return below < 2 ? 0 : (uint32_t)(((uint64_t)arc4random() * below) >> 32);
}

static pid_t shown_pid; /* what the program takes for its number; 0: it did not ask, or it is the real one */

EXPORT pid_t getpid(void)
{
    pid_t pid = (pid_t)system_call(SYS_getpid, 0, 0, 0, 0, 0, 0);

    if (!may_log() || pid != (pid_t)rt.session->pid)
        return pid;
    if (!shown_pid)
        shown_pid = (pid_t)input_take(INPUT_PROCESS, (uint64_t)pid);
    return shown_pid;
}

pid_t input_real_process(pid_t pid)
{
    pid_t own = shown_pid ? (pid_t)system_call(SYS_getpid, 0, 0, 0, 0, 0, 0) : 0;

    return !shown_pid || own != (pid_t)rt.session->pid ? pid
           : pid == shown_pid                          ? own
           : pid == -shown_pid                         ? -own
                                                       : pid;
}
