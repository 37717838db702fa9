/* What an access read or wrote, in the observed run and in another one.
 *
 * A recorded value belongs to a write or a read; with an rmw it is the one it wrote. The initial value of a
 * variable is known when a read saw it. */
#pragma once
#include "finding/finding.h"
#include "trace/trace.h"

struct value {
    enum value_tag tag; /* VALUE_NONE: not known */
    uint64_t number;
};

struct run_values; /* of the run that was asked for last */

struct values {
    const struct trace *trace;
    uint32_t *source;  /* by event: the last write to the variable before it; NULL in a trace without values */
    uint32_t *initial; /* by variable: a read of the initial value that recorded it, or 0 */
    struct run_values *run;
};

void values_init(struct values *v, const struct trace *trace);
void values_free(struct values *v);

/* What `read` saw when it was observed. */
struct value value_observed(const struct values *v, uint32_t read);

/* What a read of `variable` gets from `write` (0: the initial write) in the observed run. */
struct value value_written(const struct values *v, uint32_t write, variable_id variable);

/* The same in the run `s`, which holds the write: by the reads that its value is made of (semantics §1, "Values in a
 * run"); not known once one of them sees something new, unless it is a number that the write adds to. */
struct value value_in_run(const struct values *v, const struct schedule *s, uint32_t write,
                          variable_id variable);

/* What `read` sees in the run `s`; not known if it is not in it. */
struct value value_read_in_run(const struct values *v, const struct schedule *s, uint32_t read);

/* What any event reads or writes in the run `s`; not known for what is no access. */
struct value value_of_step(const struct values *v, const struct schedule *s, uint32_t event);

static inline bool value_known(struct value value)
{
    return value.tag != VALUE_NONE;
}

static inline bool value_equal(struct value a, struct value b)
{
    return a.tag == b.tag && a.number == b.number;
}
