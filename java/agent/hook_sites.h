/* Writing calls of the runtime between a method's instructions. */
#pragma once
#include "code.h"
#include "flow.h"
#include "rewrite.h"

/* A class being rewritten. */
struct work {
    struct rewriter *rewriter;
    const struct class_file *class;
    struct pool *pool;
    struct bytes *names;
    uint32_t class_number;
    bool acts;             /* its static initializer may do more than others can learn by a static field */
    bool explicit_monitor; /* the method rewritten last enters its monitor by an instruction */
};

enum { NEWS_MOST = 32 };

/* A method of it. */
struct method_work {
    struct work *work;
    const struct feature *method;
    const struct code *code;
    struct code_builder builder;
    struct bytes sites;      /* entries of the list, for when the method succeeds */
    unsigned scratch;        /* the first local variable of ours */
    const struct flow *flow; /* where its values come from; NULL: it is not followed */
    uint64_t settled;        /* sources whose labels are known to have decided */
    bool labelled;           /* the site that is told of next gives a label */
    bool gives;              /* labels of arguments are handed over with the call */
    bool changed;
    struct pending_new { /* of objects being made, the innermost last */
        struct span class;
        bool kept; /* its constructor leaves it on the stack */
    } news[NEWS_MOST];
    unsigned news_count;
};

/* Calls the runtime's method, or that of another class of it. */
void hook(struct method_work *m, const char *name, const char *descriptor);
void hook_in(struct method_work *m, const char *class, const char *name, const char *descriptor);

/* Pushes the number of a new site: of the instruction at `at`, or of a kind of ours; `member` may be NULL. */
void push_site(struct method_work *m, size_t at, unsigned kind, const struct member *member);
void push_integer(struct method_work *m, int32_t value);
/* The same, of an instruction that touches arrays: the number says how those are treated that it touches first (Light.java). */
void push_array_site(struct method_work *m, size_t at, unsigned kind, const struct member *member);

/* Loads or stores a local variable of ours: the type's letter, and which. */
void emit_load(struct method_work *m, char letter, unsigned local);
void emit_store(struct method_work *m, char letter, unsigned local);

static inline void emit(struct method_work *m, unsigned op)
{
    put_u1(&m->builder.out, op);
}

static inline unsigned slots_of(char letter)
{
    return letter == 'J' || letter == 'D' ? 2 : letter == 'V' ? 0 : 1;
}

/* Makes room on the stack and among local variables, beyond what the method has. */
static inline void need(struct method_work *m, unsigned stack, unsigned locals)
{
    if (m->builder.more_stack < stack)
        m->builder.more_stack = stack;
    locals += m->scratch - m->code->max_locals;
    if (m->builder.more_locals < locals)
        m->builder.more_locals = locals;
    m->changed = true;
}

/* The letter of a field's type: I J F D L. */
char field_letter(struct span descriptor);

/* Appends an entry of the list. */
void list_text(struct bytes *to, struct span text);
void list_begin(struct bytes *to, unsigned tag, size_t *at);
void list_end(struct bytes *to, size_t at);

/* An entry: the class, or a method of it, is left as it was. */
void list_left(struct bytes *to, struct span class, struct span method, const char *why);
void list_u4(struct bytes *to, uint32_t value);
void list_u2(struct bytes *to, unsigned value);

/* hook_access.c: what is inserted around an access, hook_call.c: around a call. Each copies the instruction. */
void hook_field(struct method_work *m, size_t at, const struct member *field);
void hook_array(struct method_work *m, size_t at);
void hook_monitor(struct method_work *m, size_t at);
void hook_call(struct method_work *m, size_t at, const struct member *called);
void hook_dynamic(struct method_work *m, size_t at);

/* hook_grounds.c: what values stand on (semantics §1), in a method that is followed. At its start; before an
 * instruction; behind a call that was copied; where an access gave something, whose token is in the local
 * variable: a "number", something "linear" in the number it read, or any other value, a "label". */
unsigned ground_locals(const struct flow *flow);
void ground_enter(struct method_work *m);
void ground_before(struct method_work *m, size_t at, size_t whole);
void ground_returned(struct method_work *m, size_t at, const struct member *called);
/* The call is about to be made: on the receiver in the local variable, where that must be looked at. */
void ground_calls(struct method_work *m, const struct member *called, unsigned receiver);
/* Pushes the state of the thread, or null where the method is not followed. */
void ground_state(struct method_work *m);
void ground_label(struct method_work *m, size_t at, const char *what, unsigned token);

/* hook_inputs.c: behind a call that was copied, where it tells the time or a random number; before a method of the JDK
 * that does so returns. */
void hook_input(struct method_work *m, size_t at, const struct member *called);
void hook_input_returned(struct method_work *m);
/* In the place of methods that draw from a generator that threads share; false: the call is another. */
bool hook_random(struct method_work *m, size_t at, const struct member *called);

/* hook_birth.c: behind an instruction that was copied, where a machine is explored: what makes an array or
 * begins to make an object; what may have been its constructor. */
void hook_new(struct method_work *m, size_t at);
void hook_born(struct method_work *m, size_t at, const struct member *called);
