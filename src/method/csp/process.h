/* Processes of CSP, their operational semantics, and trace refinement.
 *
 * A process is a number: equal terms have equal numbers, so a state that was met before is recognised by
 * comparing numbers. Terms are made bottom-up and live as long as their workshop. Recursion goes through calls:
 * a call is a definition with two parameters, unfolded by its owner when somebody asks what it can do. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t process_id;
typedef uint32_t csp_event;
typedef uint32_t csp_set;

#define CSP_TAU   0 /* an internal step */
#define CSP_TICK  1 /* successful termination */
#define CSP_FIRST 2 /* events of the caller are numbered from here */

struct csp;

/* What the call of `definition` with two parameters stands for. The same arguments give the same process. */
typedef process_id (*csp_unfold)(struct csp *c, void *context, uint32_t definition, uint32_t a, uint32_t b);

/* `unfold` may be NULL where there are no calls. */
struct csp *csp_new(csp_unfold unfold, void *context);
void csp_free(struct csp *c);

/* How many different terms there are. */
size_t csp_terms(const struct csp *c);

/* Sets of events: made empty, then filled; not changed once a process uses them. */
csp_set csp_set_new(struct csp *c);
void csp_set_add(struct csp *c, csp_set set, csp_event event);
bool csp_set_has(const struct csp *c, csp_set set, csp_event event);

process_id csp_stop(struct csp *c);                                              /* STOP */
process_id csp_skip(struct csp *c);                                              /* SKIP */
process_id csp_prefix(struct csp *c, csp_event event, process_id then);          /* e → P */
process_id csp_choice(struct csp *c, process_id p, process_id q);                /* P □ Q */
process_id csp_choice_over(struct csp *c, csp_set set, process_id then);         /* □ x : A @ x → P */
process_id csp_interleave(struct csp *c, process_id p, process_id q);            /* P ||| Q */
process_id csp_parallel(struct csp *c, process_id p, csp_set set, process_id q); /* P ‖_A Q */
process_id csp_interrupt(struct csp *c, process_id p, process_id q);             /* P △ Q */
process_id csp_hide(struct csp *c, process_id p, csp_set set);                   /* P \ A */
process_id csp_sequence(struct csp *c, process_id p, process_id q);              /* P ; Q */
process_id csp_call(struct csp *c, uint32_t definition, uint32_t a, uint32_t b);

struct csp_step {
    csp_event event;
    process_id then;
};

struct csp_steps {
    struct csp_step *steps;
    size_t steps_count, steps_capacity;
};

/* Appends all that the process can do next, internal steps and termination included. */
void csp_transitions(struct csp *c, process_id p, struct csp_steps *to);

/* Appends what the process can become by `event`, an ordinary one, looking for nothing else; terminations of
 * first parts of sequences on the way are taken. Only for processes without hiding. */
void csp_after(struct csp *c, process_id p, csp_event event, struct csp_steps *to);

enum csp_verdict { CSP_REFINES, CSP_VIOLATES, CSP_OUT_OF_BUDGET };

struct csp_refinement {
    enum csp_verdict verdict;
    uint64_t states, transitions;
    csp_event
        *trace; /* of a violation: a shortest way there, internal steps too; ends in what is not allowed */
    size_t trace_count, trace_capacity;
};

/* Whether all traces of `implementation` are traces of `specification`: on the fly, breadth first, at most
 * `budget` states. The trace belongs to the caller. */
struct csp_refinement csp_refines(struct csp *c, process_id specification, process_id implementation,
                                  uint64_t budget);
