/* Writes a whole trace to a file. */
#include "trace/save.h"
#include "trace/journal.h"
#include "trace/output.h"
#include "trace/std.h"

/* What a replay needs, part by part as it was recorded. */
static void write_journal(const struct trace *trace, struct htr_writer *writer)
{
    for (size_t at = 0, length; trace->journal && at < trace->parts_length; at += length) {
        length = journal_part_length(trace->parts + at, trace->parts_length - at);
        htr_part(writer, trace->parts + at, length);
    }
    htr_journal(writer, trace->journal, trace->journal_length);
}

enum status trace_save_native(const struct trace *trace, const char *path, unsigned features, struct error *err)
{
    struct htr_writer *writer;

    if (htr_create(&writer, path, features, trace->names, err) != HEDDLE_OK)
        return err->status;
    if (features & HTR_LOCATIONS && trace->stacks)
        htr_stacks(writer, trace->stacks);
    if (features & HTR_GROUNDS)
        htr_grounds(writer, trace->ground_pool);
    for (size_t number = 1; number <= trace->count; number++) {
        struct event e = trace_event(trace, number);
        if (features & HTR_LOCATIONS)
            htr_stack(writer, trace_stack(trace, number));
        htr_append(writer, &e);
    }
    if (features & HTR_LOCATIONS)
        htr_functions(writer, &trace->functions);
    htr_types(writer, trace->variable_type, trace->variable_types);
    htr_printed(writer, &trace->printed);
    htr_freeing(writer, &trace->freeing);
    htr_ending(writer, &trace->end);
    htr_origin(writer, &trace->origin);
    if (features & HTR_NAMES) /* it names threads */
        write_journal(trace, writer);
    return htr_close(writer, err);
}

enum status trace_save_text(const struct trace *trace, const char *path, struct error *err)
{
    struct output *out;

    if (output_open(&out, path, err) != HEDDLE_OK)
        return err->status;
    std_write(trace, out);
    return output_close(out, err);
}
