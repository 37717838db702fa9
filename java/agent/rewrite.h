/* Rewriting a class: calls of the runtime around everything that threads share. Knows nothing of a running
 * machine. */
#pragma once
#include "bytes.h"

#define RUNTIME_CLASS  "heddle/runtime/Hooks"
#define ACCESSES_CLASS "heddle/runtime/Accesses"
#define ATOMICS_CLASS  "heddle/runtime/Atomics"
#define GROUNDS_CLASS  "heddle/runtime/Grounds"
#define UPDATES_CLASS  "heddle/runtime/Updates"
#define UNSEEN_CLASS   "heddle/runtime/Unseen"
#define GATE_CLASS     "heddle/runtime/Gate"
#define WAITS_CLASS    "heddle/runtime/Waits"
#define TURNS_CLASS    "heddle/runtime/Turns"
#define INPUTS_CLASS   "heddle/runtime/Inputs"
#define IDENTITY_FIELD "$heddle$id"
#define MARK_FIELD     "$heddle$mark"

/* Which classes: patterns of names with dots, `*` standing for any text; the last that matches decides. */
struct pattern {
    const char *text;
    bool include;
};

struct rewriter {
    const struct pattern *patterns;
    size_t patterns_count;
    const char *const *atomic_methods; /* "pkg.Class.method" listed by the user; ended by NULL, or NULL */
    const char *const *deterministic_methods;
    uint32_t next_site, next_class; /* start at 1 */
    bool gates;                     /* what may block is called through the runtime, or asks it before */
    bool grounds;                   /* what each event stands on is recorded */
    bool turns;                     /* nothing is recorded: hooks ask whether the thread may go on */
    const struct light
        *light;       /* what the first of two passes found to be unshared; NULL: this is not the second */
    bool explores;    /* the creation of objects, and calls on streams and to the outside, are recorded */
    uint32_t *fields; /* by site: the field it accesses, by a hash of its owner and name; 0: none */
    size_t fields_count, fields_capacity;
    uint32_t rewritten, left; /* classes, and methods left alone */
};

enum rewrite_result {
    REWRITE_DONE,
    REWRITE_NOTHING, /* there is nothing to do in this class */
    REWRITE_LEFT,    /* it cannot be rewritten */
};

/* Rewrites the class in `bytes` into `out`; appends to `names` the entries of the list
 * (runtime/protocol/java_log.h) about it, also when it is left alone. */
enum rewrite_result rewrite_class(struct rewriter *rewriter, struct span bytes, struct bytes *out,
                                  struct bytes *names);

/* Whether a class of this name (with slashes) is to be rewritten. */
bool rewrite_wanted(const struct rewriter *rewriter, struct span name);

/* Whether a class of this name belongs to the JDK. */
bool is_jdk(struct span name);

/* Whether a class of the JDK has hooks of ours nevertheless: threads and pools. */
bool is_hooked(struct span name);
