/* Rewriting the code of one method: what is inserted where. */
#include "methods.h"
#include "hooked.h"
#include "runtime/protocol/java_log.h"
#include "stackmap_full.h"
#include "turn_hooks.h"

#include <assert.h>
#include <stdio.h>

/* What surrounds a whole method. */
struct method_frame {
    bool
        explicit_monitor; /* of a synchronized method, which loses its flag: the runtime is called before it enters the monitor */
    bool synchronized, atomic, deterministic, initializer;
    bool runs;    /* who runs it comes after the static initializer of its class */
    bool loads;   /* a class: the machine calls it, under a lock of the loader */
    bool covered; /* it ends the same way when an exception leaves it */
    const struct jdk_hook *jdk;
};

static bool listed(const char *const *methods, struct span class, struct span method)
{
    for (; methods && *methods; methods++) {
        const char *dot = strrchr(*methods, '.');
        size_t length = dot ? (size_t)(dot - *methods) : 0;
        bool same = dot && length == class.count && span_is(method, dot + 1);
        for (size_t i = 0; same && i < length; i++)
            same = (class.data[i] == '/' ? '.' : class.data[i]) == (uint8_t)(*methods)[i];
        if (same)
            return true;
    }
    return false;
}

/* The monitor of a static method is its class, which old class files cannot name: the runtime looks up the
 * caller. */
static bool names_monitor(const struct method_work *m)
{
    return !(m->method->access & ACCESS_STATIC) || m->work->class->major >= CLASS_WITH_CLASS_CONSTANTS;
}

/* Of a class loader: by what its methods are called and take. */
static bool loads_class(const struct feature *method)
{
    return !(method->access & ACCESS_STATIC) &&
           ((span_is(method->name, "findClass") &&
             span_is(method->descriptor, "(Ljava/lang/String;)Ljava/lang/Class;")) ||
            (span_is(method->name, "loadClass") &&
             span_is(method->descriptor, "(Ljava/lang/String;Z)Ljava/lang/Class;")));
}

static struct method_frame frame_of(const struct method_work *m)
{
    const struct work *w = m->work;
    const struct feature *method = m->method;
    struct method_frame f = {
        .synchronized = (method->access & ACCESS_SYNCHRONIZED) != 0,
        .atomic = has_annotation(w->pool, method, "Lheddle/Atomic;") ||
                  listed(w->rewriter->atomic_methods, w->class->name, method->name),
        .deterministic = has_annotation(w->pool, method, "Lheddle/Deterministic;") ||
                         listed(w->rewriter->deterministic_methods, w->class->name, method->name),
        .initializer = span_is(method->name, "<clinit>"),
        .runs = w->acts && (method->access & ACCESS_STATIC || span_is(method->name, "<init>")) &&
                !(method->access & ACCESS_SYNTHETIC) && !span_is(method->name, "<clinit>"),
        .loads = loads_class(method) && !w->rewriter->explores,
        .jdk = jdk_hook(w->class->name, method->name, w->rewriter->explores),
    };

    if (w->rewriter->turns) {
        f.atomic = f.deterministic = f.loads = false;
        f.synchronized &= names_monitor(m) && !is_jdk(w->class->name);
        f.initializer &= !is_jdk(w->class->name);
        f.jdk = NULL;
        f.explicit_monitor = f.synchronized;
        f.covered = f.synchronized || f.initializer;
        return f;
    }
    if (f.jdk)
        f = (struct method_frame){.jdk = f.jdk};
    if (span_is(method->name, "<init>")) /* nothing can cover a constructor: `this` is not whole at its start */
        f.atomic = f.deterministic = false;
    f.explicit_monitor = f.synchronized && w->rewriter->gates && names_monitor(m);
    f.covered =
        f.synchronized || f.atomic || f.deterministic || f.loads || (f.initializer && w->rewriter->explores);
    return f;
}

static void enter_synchronized(struct method_work *m, bool explicit_monitor)
{
    bool is_static = m->method->access & ACCESS_STATIC;

    if (!names_monitor(m)) {
        push_site(m, 0, JAVA_SITE_METHOD, NULL);
        hook(m, "enteredStatic", "(I)V");
        return;
    }
    emit(m, is_static ? OP_LDC_W : OP_ALOAD_0);
    if (is_static)
        put_u2(&m->builder.out, m->work->class->this_index);
    if (explicit_monitor) {
        emit(m, OP_DUP);
        hook(m, "entering", "(Ljava/lang/Object;)V");
        emit(m, OP_DUP);
        emit(m, OP_MONITORENTER);
    }
    push_site(m, 0, JAVA_SITE_METHOD, NULL);
    hook(m, explicit_monitor ? "enteredMonitor" : "entered", "(Ljava/lang/Object;I)V");
}

static void enter_method(struct method_work *m, const struct method_frame *f)
{
    if (m->work->rewriter->turns) {
        turns_enter(m, f->synchronized, f->initializer);
        return;
    }
    if (f->synchronized)
        enter_synchronized(m, f->explicit_monitor);
    if (f->atomic) {
        push_site(m, 0, JAVA_SITE_ATOMIC, NULL);
        hook(m, "begin", "(I)V");
    }
    if (f->deterministic) {
        push_site(m, 0, JAVA_SITE_DETERMINISTIC, NULL);
        hook(m, "begin", "(I)V");
    }
    if (f->runs) {
        push_integer(m, (int32_t)m->work->class_number);
        push_site(m, 0, JAVA_SITE_RUNS, NULL);
        hook_in(m, UNSEEN_CLASS, "runs", "(II)V");
    }
    if (f->loads) {
        emit(m, OP_ALOAD_0);
        push_site(m, 0, JAVA_SITE_LOADS, NULL);
        hook(m, "loads", "(Ljava/lang/Object;I)V");
    }
    if (f->jdk && f->jdk->entry) {
        emit_load(m, 'L', f->jdk->local);
        push_site(m, 0, JAVA_SITE_HOOK, NULL);
        hook(m, f->jdk->entry, "(Ljava/lang/Object;I)V");
    }
}

/* The end of what the JDK does with a collection, if its start is told as a call: at the same place. */
static void leave_call(struct method_work *m, const struct jdk_hook *jdk)
{
    char end[32];

    if (!jdk_hook_is_call(jdk))
        return;
    snprintf(end, sizeof end, "returned%s", jdk->entry + strlen(JDK_CALL));
    emit_load(m, 'L', jdk->local);
    push_site(m, 0, JAVA_SITE_HOOK, NULL);
    hook(m, end, "(Ljava/lang/Object;I)V");
}

static void leave_method(struct method_work *m, size_t at, const struct method_frame *f)
{
    if (m->work->rewriter->turns) {
        turns_leave(m, f->synchronized, f->initializer);
        return;
    }
    if (f->jdk)
        leave_call(m, f->jdk);
    if (f->jdk)
        hook_input_returned(m);
    if (f->loads) {
        push_site(m, at, JAVA_SITE_LOADS, NULL);
        hook(m, "loaded", "(I)V");
    }
    if (f->deterministic) {
        push_site(m, at, JAVA_SITE_DETERMINISTIC, NULL);
        hook(m, "end", "(I)V");
    }
    if (f->atomic) {
        push_site(m, at, JAVA_SITE_ATOMIC, NULL);
        hook(m, "end", "(I)V");
    }
    if (f->synchronized) {
        push_site(m, at, JAVA_SITE_METHOD, NULL);
        if (f->explicit_monitor) {
            hook(m, "leavingMonitor", "(I)Ljava/lang/Object;");
            emit(m, OP_MONITOREXIT);
        } else {
            hook(m, "leaving", "(I)V");
        }
    }
    if (f->initializer) {
        push_site(m, at, JAVA_SITE_INITIALIZER, NULL);
        hook(m, "begin", "(I)V");
    }
}

/* A call in the JDK that runs a task: it begins, it is done. */
static void hook_task(struct method_work *m, size_t at, const char *task)
{
    bool ends = strcmp(task, "terminated") == 0; /* of a pool, whichever of its threads is the last */

    need(m, 4, 1);
    emit(m, OP_DUP);
    emit_store(m, 'L', m->scratch);
    emit_load(m, 'L', m->scratch);
    push_site(m, at, JAVA_SITE_HOOK, NULL);
    hook(m, ends ? "terminates" : "taskBegins", "(Ljava/lang/Object;I)V");
    builder_copy(&m->builder, at);
    emit_load(m, 'L', m->scratch);
    push_site(m, at, JAVA_SITE_HOOK, NULL);
    hook(m, ends ? "terminated" : "taskPassed", "(Ljava/lang/Object;I)V");
}

/* The end of the part of a constructor in which `this` may be uninitialised: the last constructor call that
 * has no `new` before it. */
static size_t constructed_at(const struct method_work *m)
{
    struct span code = m->code->bytes;
    size_t end = code.count, length;
    long pending = 0;

    for (size_t at = 0; at < code.count; at += length) {
        struct member called;
        length = instruction_length(code, at);
        if (length == 0)
            return code.count;
        pending += code.data[at] == OP_NEW;
        if (code.data[at] != OP_INVOKESPECIAL ||
            !pool_member(m->work->pool, (uint16_t)(code.data[at + 1] << 8 | code.data[at + 2]), &called) ||
            !span_is(called.name, "<init>"))
            continue;
        if (pending == 0)
            end = at;
        else
            pending--;
    }
    return end;
}

static void rewrite_instruction(struct method_work *m, size_t at, const struct method_frame *f, size_t whole)
{
    struct span code = m->code->bytes;
    unsigned op = code.data[at];
    struct member member;

    if (m->flow)
        ground_before(m, at, whole);
    if (is_return(op)) {
        leave_method(m, at, f);
        builder_copy(&m->builder, at);
        return;
    }
    if (op >= OP_GETSTATIC && op <= OP_INVOKEINTERFACE) {
        if (!pool_member(m->work->pool, (uint16_t)(code.data[at + 1] << 8 | code.data[at + 2]), &member)) {
            m->builder.failed = true;
            return;
        }
        if (m->work->rewriter->turns) {
            turns_member(m, at, &member, whole);
        } else if (f->jdk) {
            if (f->jdk->task && span_is(member.name, f->jdk->task) && span_starts(member.descriptor, "()") &&
                op >= OP_INVOKEVIRTUAL && op != OP_INVOKESTATIC)
                hook_task(m, at, f->jdk->task);
            else
                builder_copy(&m->builder, at);
            hook_input(m, at, &member);
        } else if (op >= OP_INVOKEVIRTUAL) {
            hook_call(m, at, &member);
            hook_input(m, at, &member);
            hook_born(m, at, &member);
            if (m->flow)
                ground_returned(m, at, &member);
        } else if (is_jdk(member.owner) || (op == OP_PUTFIELD && at < whole)) {
            builder_copy(&m->builder, at); /* JDK's own accesses are not seen either; `this` is not whole yet */
        } else {
            hook_field(m, at, &member);
        }
    } else if (m->work->rewriter->turns) {
        turns_instruction(m, at);
    } else if (f->jdk) {
        builder_copy(&m->builder, at);
    } else if ((op >= OP_IALOAD && op <= OP_SALOAD) || (op >= OP_IASTORE && op <= OP_SASTORE)) {
        hook_array(m, at);
    } else if (op == OP_INVOKEDYNAMIC) {
        hook_dynamic(m, at);
    } else if (op == OP_MONITORENTER || op == OP_MONITOREXIT) {
        hook_monitor(m, at);
    } else {
        builder_copy(&m->builder, at);
        hook_new(m, at);
    }
}

static void rewrite_instructions(struct method_work *m, const struct method_frame *f)
{
    struct span code = m->code->bytes;
    size_t whole = span_is(m->method->name, "<init>") ? constructed_at(m) : 0, length;

    if (f->covered || f->initializer || f->jdk || f->runs)
        need(m, 3, 0);
    if (m->flow)
        ground_enter(m);
    enter_method(m, f);
    m->builder.cover_start = (uint32_t)m->builder.out.data_count;
    for (size_t at = 0; at < code.count && !m->builder.failed; at += length) {
        length = instruction_length(code, at);
        if (length == 0) {
            m->builder.failed = true;
            return;
        }
        assert(at + length <= code.count);
        builder_mark(&m->builder, at);
        rewrite_instruction(m, at, f, whole);
    }
    builder_mark(&m->builder, code.count);
    if (f->covered) {
        m->builder.cover_end = m->builder.handler = (uint32_t)m->builder.out.data_count;
        leave_method(m, code.count - 1, f);
        emit(m, OP_ATHROW);
    }
}

/* The types of the local variables at the start of the method, and of ours behind them. */
static bool describe_shadows(struct method_work *m, struct shadows *to)
{
    struct work *w = m->work;
    bool is_static = m->method->access & ACCESS_STATIC;

    to->from = m->code->max_locals;
    to->numbers = ground_locals(m->flow) - 1;
    to->object = pool_add_class(w->pool, "java/lang/Object");
    return to->object && shadows_start(to, w->pool, is_static ? 0 : w->class->this_index,
                                       span_is(m->method->name, "<init>"), m->method->descriptor);
}

/* Rewrites the method, followed or not. */
static enum rewrite_result rewrite_with(struct method_work *m, const struct flow *flow, struct bytes *to)
{
    struct work *w = m->work;
    enum rewrite_result result = REWRITE_LEFT;
    uint32_t first_site = w->rewriter->next_site;
    struct code_frames frames = {.wanted = w->class->major >= CLASS_WITH_FRAMES};
    struct method_frame f;
    size_t start = to->data_count;

    m->flow = flow;
    m->scratch = m->code->max_locals + (flow ? ground_locals(flow) : 0);
    builder_init(&m->builder, m->code);
    f = frame_of(m);
    w->explicit_monitor = f.explicit_monitor;
    rewrite_instructions(m, &f);
    if (f.covered || flow) {
        frames.throwable = pool_add_class(w->pool, "java/lang/Throwable");
        frames.map_name = pool_add_utf8(w->pool, "StackMapTable", strlen("StackMapTable"));
        m->builder.failed |= !frames.throwable || !frames.map_name;
    }
    if (flow && !describe_shadows(m, &frames.shadows))
        m->builder.failed = true;
    if (!m->changed && !m->builder.failed)
        result = REWRITE_NOTHING;
    else if (!m->builder.failed && builder_finish(&m->builder, w->pool, &frames, to))
        result = REWRITE_DONE;
    if (result == REWRITE_DONE)
        put_span(w->names, m->sites.data, m->sites.data_count);
    else
        w->rewriter->next_site = first_site;
    assert(to->data_count >= start);
    if (result == REWRITE_LEFT)
        to->data_count = start;
    shadows_free(&frames.shadows);
    bytes_free(&m->sites);
    builder_free(&m->builder);
    return result;
}

enum rewrite_result rewrite_code(struct work *w, const struct feature *method, struct span content,
                                 struct bytes *to)
{
    struct code code;
    struct method_work m = {.work = w, .method = method, .code = &code};
    struct flow_method about = {w->class->name, method->name, method->descriptor,
                                (method->access & ACCESS_STATIC) != 0};
    enum rewrite_result result = REWRITE_LEFT;
    struct flow flow;

    if (!w->rewriter->turns && is_jdk(w->class->name) && is_hooked(w->class->name) &&
        !jdk_hook(w->class->name, method->name, w->rewriter->explores))
        return REWRITE_NOTHING;
    if (span_is(w->class->name, "java/lang/VirtualThread") && span_is(method->descriptor, "()V") &&
        span_is(method->name, "start"))
        return REWRITE_NOTHING; /* it calls the one with an argument, which has the hook */
    if (!code_read(&code, content))
        return REWRITE_LEFT;
    if (w->rewriter->grounds && !jdk_hook(w->class->name, method->name, w->rewriter->explores) &&
        flow_make(&flow, &code, w->pool, w->rewriter, &about)) {
        result = rewrite_with(&m, &flow, to);
        flow_free(&flow);
    }
    if (result ==
        REWRITE_LEFT) { /* not followed, or too large if followed: its events depend on everything it has read */
        m = (struct method_work){.work = w, .method = method, .code = &code};
        result = rewrite_with(&m, NULL, to);
    }
    return result;
}
