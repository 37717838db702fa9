/* Records the creation of objects, which identifies them in every run. */
#include "hook_sites.h"

static void tell_birth(struct method_work *m, size_t at, const struct member *called)
{
    need(m, 3, 0);
    emit(m, OP_DUP);
    push_site(m, at, m->code->bytes.data[at], called);
    hook(m, "born", "(Ljava/lang/Object;I)V");
}

/* Behind `new` and `dup` the object is below the constructor's arguments, and is left there. */
static void begin(struct method_work *m, size_t at)
{
    struct span code = m->code->bytes;
    uint16_t index = (uint16_t)(code.data[at + 1] << 8 | code.data[at + 2]);
    struct pending_new new = {.class = pool_class(m->work->pool, index),
                              .kept = at + 3 < code.count && code.data[at + 3] == OP_DUP};

    if (m->news_count == NEWS_MOST) { /* code that throws away what it began to make */
        for (unsigned i = 1; i < NEWS_MOST; i++)
            m->news[i - 1] = m->news[i];
        m->news_count--;
    }
    m->news[m->news_count++] = new;
}

void hook_new(struct method_work *m, size_t at)
{
    unsigned op = m->code->bytes.data[at];

    if (!m->work->rewriter->explores)
        return;
    if (op == OP_NEW)
        begin(m, at);
    else if (op == OP_NEWARRAY || op == OP_ANEWARRAY || op == OP_MULTIANEWARRAY)
        tell_birth(m, at, NULL);
}

void hook_born(struct method_work *m, size_t at, const struct member *called)
{
    struct pending_new *last = m->news_count ? &m->news[m->news_count - 1] : NULL;

    if (m->code->bytes.data[at] != OP_INVOKESPECIAL || !span_is(called->name, "<init>") || !last ||
        last->class.count != called->owner.count ||
        memcmp(last->class.data, called->owner.data, last->class.count) != 0)
        return;
    m->news_count--;
    if (last->kept)
        tell_birth(m, at, called);
}
