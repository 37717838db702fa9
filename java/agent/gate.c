/* The gate: decides which thread may proceed. gate_watch.c handles blocked threads. */
#include "base/memory.h"
#include "gate_parts.h"
#include "thread_notes.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    FREE_RECORDS = 50000, /* that a thread may make, after the script, before others get their turn */
    DRAWN_MAGNITUDES = 8, /* of turns that are drawn: up to so many powers of two … */
    DRAWN_MOST = 16       /* … or so many in long runs */
};

struct gate gate = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* The script as it was compiled; refused if it is cut off. */
static bool map_script(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;
    void *bytes = MAP_FAILED;
    const struct script *s;
    size_t length;

    if (fd >= 0 && fstat(fd, &about) == 0 && (size_t)about.st_size >= sizeof *s)
        bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        close(fd);
    if (bytes == MAP_FAILED)
        return false;
    s = bytes;
    length = (size_t)about.st_size - sizeof *s;
    if (s->magic != SCRIPT_MAGIC || s->mode != SCRIPT_EXACT ||
        s->thread_count > length / sizeof(struct script_thread))
        return false;
    length -= s->thread_count * sizeof(struct script_thread);
    if (s->step_count > length / sizeof(struct script_step))
        return false;
    length -= s->step_count * sizeof(struct script_step);
    if (s->input_count > length / sizeof(struct script_input))
        return false;
    gate.script = s;
    gate.threads = (const struct script_thread *)(const void *)(s + 1);
    gate.steps = (const struct script_step *)(const void *)(gate.threads + s->thread_count);
    gate.inputs = (const struct script_input *)(const void *)(gate.steps + s->step_count);
    gate.member_of = memory_new(s->thread_count + 1, sizeof *gate.member_of);
    return true;
}

bool gate_open(const char *folder, const char *script, bool explores, uint32_t drawn)
{
    char path[4096];
    int fd;

    snprintf(path, sizeof path, "%s/%ld.gate", folder, (long)getpid());
    fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, sizeof *gate.shared) != 0 || !map_script(script)) {
        fprintf(stderr, "heddle: cannot follow the schedule %s\n", script);
        return false;
    }
    gate.shared = mmap(NULL, sizeof *gate.shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (gate.shared == MAP_FAILED) {
        gate.shared = NULL;
        return false;
    }
    gate.shared->magic = JAVA_GATE_MAGIC;
    gate.shared->state = SCRIPT_RUNNING;
    gate.shared->explores = explores;
    gate.shared->drawn = drawn;
    gate.random = drawn;
    return true;
}

jlong gate_address(void)
{
    return (jlong)(intptr_t)gate.shared;
}

/* The script's number for the creator's next thread; UINT32_MAX: it has none. */
static uint32_t gate_script_number(uint32_t parent, uint32_t ordinal)
{
    for (uint32_t i = 0; i < gate.script->thread_count; i++)
        if (gate.threads[i].parent == parent && gate.threads[i].ordinal == ordinal)
            return i;
    return UINT32_MAX;
}

static struct gate_member *add_member(jint number, uint32_t script)
{
    struct gate_member *m = memory_new(1, sizeof *m);

    assert(number > 0 && number < JAVA_GATE_THREADS && !gate.members[number]);
    m->number = (uint32_t)number;
    m->script = script;
    pthread_cond_init(&m->go, NULL);
    gate.members[number] = m;
    if (script < gate.script->thread_count)
        gate.member_of[script] = m;
    gate_slot(m)->script = script < gate.script->thread_count ? script + 1 : 0;
    return m;
}

void gate_meet(JNIEnv *env, jthread thread, jint number)
{
    struct gate_member *m = NULL;

    if (!gate.shared || number <= 0 || number >= JAVA_GATE_THREADS)
        return;
    pthread_mutex_lock(&gate.mutex);
    gate.shared->threads[number].allowed = INT64_MAX; /* unless it proves to be one of ours */
    if (number == 1) {                                /* it runs main */
        m = add_member(number, 0);
        m->order = 0;
    }
    for (size_t i = 0; i < gate.forked_count && !m; i++) {
        struct forked *f = &gate.forked[i];
        if (!f->met && (*env)->IsSameObject(env, f->thread, thread)) {
            f->met = true;
            m = add_member(number, f->script);
            m->order = f->order;
        }
    }
    if (m) {
        m->thread = (*env)->NewGlobalRef(env, thread);
        claim_thread(thread);
        m->system_number = gate_is_virtual(env, thread) ? 0 : syscall(SYS_gettid); /* it is the one that asks */
        gate_slot(m)->allowed = 0;
    }
    pthread_mutex_unlock(&gate.mutex);
}

void JNICALL gate_forks(JNIEnv *env, jclass self, jint number, jthread child)
{
    struct gate_member *maker;

    (void)self;
    if (number <= 0 || number >= JAVA_GATE_THREADS)
        return;
    pthread_mutex_lock(&gate.mutex);
    maker = gate.members[number];
    for (size_t i = 0; i < gate.forked_count && maker; i++)
        if ((*env)->IsSameObject(env, gate.forked[i].thread, child))
            maker = NULL; /* one start method calls another */
    if (maker) {
        uint32_t script =
            maker->script == UINT32_MAX ? UINT32_MAX : gate_script_number(maker->script + 1, ++maker->forks);
        uint32_t order = script != UINT32_MAX ? script : gate.script->thread_count + gate.unknown++;
        ARRAY_PUSH(
            &gate, forked,
            (struct forked){.thread = (*env)->NewGlobalRef(env, child), .script = script, .order = order});
    }
    pthread_mutex_unlock(&gate.mutex);
}

/* The first of the thread's inputs of that kind; they are in order of threads, then of kinds. */
static uint64_t first_input(uint32_t thread, uint32_t kind)
{
    uint64_t from = 0, to = gate.script->input_count;

    while (from < to) {
        uint64_t middle = from + (to - from) / 2;
        const struct script_input *in = &gate.inputs[middle];
        if (in->thread < thread || (in->thread == thread && in->kind < kind))
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Only the thread itself asks for its inputs. */
jlong JNICALL gate_input(JNIEnv *env, jclass self, jint number, jint kind, jlong live)
{
    struct gate_member *m = number > 0 && number < JAVA_GATE_THREADS ? gate.members[number] : NULL;
    uint64_t at;

    (void)env;
    (void)self;
    assert(kind >= 0 && kind < INPUT_KINDS);
    if (!m || m->script >= gate.script->thread_count)
        return live;
    if (m->inputs[kind] == 0)
        m->inputs[kind] = first_input(m->script, (uint32_t)kind) + 1;
    at = m->inputs[kind] - 1;
    if (at >= gate.script->input_count || gate.inputs[at].thread != m->script ||
        gate.inputs[at].kind != (uint32_t)kind)
        return live;
    m->inputs[kind]++;
    return (jlong)gate.inputs[at].value;
}

static void let_go(struct gate_member *m, uint64_t up_to)
{
    __atomic_store_n(&gate_slot(m)->allowed, up_to, __ATOMIC_RELEASE);
    pthread_cond_signal(&m->go);
}

/* A number below `below`, drawn from the seed. */
static uint32_t draw(uint32_t below)
{
    assert(below > 0 && gate.shared->drawn);
    gate.random = gate.random * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(gate.random >> 33) % below;
}

/* Records of a turn after the script: all magnitudes alike if they are drawn; larger ones in a long run, so that it makes progress. */
static uint64_t turn_records(void)
{
    uint32_t magnitudes = DRAWN_MAGNITUDES;

    if (!gate.shared->drawn)
        return FREE_RECORDS;
    for (uint64_t done = gate.records >> DRAWN_MAGNITUDES; done && magnitudes < DRAWN_MOST; done >>= 1)
        magnitudes++;
    return 1 + draw(1u << draw(magnitudes));
}

void gate_turn(struct gate_member *m)
{
    if (gate.current && gate.current != m)
        __atomic_store_n(&gate_slot(gate.current)->allowed, 0, __ATOMIC_RELEASE);
    assert(gate.shared->over); /* turns are for the time after the script */
    gate.current = m;
    gate.looks = 0;
    if (m)
        let_go(m, (m->asks ? m->wants : gate_begun(m)) + turn_records());
}

void gate_over(enum script_state state, enum script_trouble trouble)
{
    struct gate_member *last = NULL;

    if (gate.at > 0 && gate.at <= gate.script->step_count)
        last = gate.member_of[gate.steps[gate.at - 1].thread];
    assert(!gate.shared->over);
    gate.shared->trouble = trouble;
    gate.shared->at = gate.at;
    gate.shared->state = state;
    __atomic_store_n(&gate.shared->over, 1, __ATOMIC_RELEASE);
    gate_turn(last);
}

/* How far the thread may go in the step. It is not let out of a wait that the step wants it to be in. */
static uint64_t goal_of(const struct gate_member *m, const struct script_step *step)
{
    bool comes_by_itself = m->asks && m->wants == step->position;

    return step->kind == STEP_ATTEMPT && !comes_by_itself ? step->position - 1 : step->position;
}

void gate_settle(void)
{
    while (!gate.shared->over) {
        const struct script_step *step;
        struct gate_member *m;
        if (gate.at == gate.script->step_count) {
            gate_over(SCRIPT_DONE, TROUBLE_NONE);
            return;
        }
        assert(gate.at < gate.script->step_count);
        step = &gate.steps[gate.at];
        m = step->thread < gate.script->thread_count ? gate.member_of[step->thread] : NULL;
        if (!m)
            return;
        if (!m->asks || m->wants <= step->position) {
            if (gate_slot(m)->allowed < goal_of(m, step))
                let_go(m, goal_of(m, step));
            return;
        }
        gate_step_over();
    }
}

void gate_step_over(void)
{
    assert(gate.at < gate.script->step_count);
    gate.shared->at = ++gate.at;
    gate.looks = 0;
}

struct gate_member *gate_next(uint32_t order)
{
    struct gate_member *first = NULL, *next = NULL;

    if (gate.shared->drawn)
        order = draw(gate.script->thread_count + gate.unknown + 1);
    for (uint32_t i = 1; i < JAVA_GATE_THREADS; i++) {
        struct gate_member *m = gate.members[i];
        if (!m || !m->asks)
            continue;
        if (!first || m->order < first->order)
            first = m;
        if (m->order > order && (!next || m->order < next->order))
            next = m;
    }
    return next ? next : first;
}

static bool may_go(const struct gate_member *m)
{
    return gate_slot(m)->allowed >= m->wants;
}

void JNICALL gate_pass(JNIEnv *env, jclass self, jint number, jlong ordinal)
{
    struct gate_member *m;

    (void)env;
    (void)self;
    if (number <= 0 || number >= JAVA_GATE_THREADS)
        return;
    pthread_mutex_lock(&gate.mutex);
    m = gate.members[number];
    if (m) {
        assert(!m->asks);
        m->wants = (uint64_t)ordinal;
        m->asks = true;
        gate_settle();
        if (gate.shared->over && !gate.current)
            gate_turn(m);
        else if (gate.current == m && !may_go(m)) /* it had its share */
            gate_turn(gate_next(m->order));
        while (!may_go(m))
            pthread_cond_wait(&m->go, &gate.mutex);
        assert(m->asks && gate_begun(m) <= m->wants); /* a thread's records are numbered upwards */
        m->asks = false;
        __atomic_store_n(&gate_slot(m)->begun, m->wants, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&gate.mutex);
}

/* Ends the steps whose thread has reached its position. */
void gate_end(void)
{
    if (!gate.shared)
        return;
    pthread_mutex_lock(&gate.mutex);
    while (!gate.shared->over && gate.at < gate.script->step_count) {
        const struct script_step *step = &gate.steps[gate.at];
        const struct gate_member *m = gate.member_of[step->thread];
        if (!m || (step->position != UINT64_MAX && gate_begun(m) < step->position))
            break; /* the highest position stands for the end of the process, which this is */
        gate_step_over();
    }
    if (!gate.shared->over && gate.at == gate.script->step_count)
        gate.shared->state = SCRIPT_DONE;
    pthread_mutex_unlock(&gate.mutex);
}
