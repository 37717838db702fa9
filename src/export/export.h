/* Traces and witness runs for other viewers: a table of formats, one file each.
 *
 * What is exported is a run: the observed one, or the one that shows a finding. */
#pragma once
#include "finding/finding.h"
#include "model/model.h"
#include "report/value.h"
#include "trace/output.h"

/* A run to export. */
struct exported {
    const struct model *model;
    const struct trace *trace;
    const struct finding *finding; /* that the run shows; NULL: it is the observed run */
    const char *variable;          /* NULL, or the only one that cspm is to be about */
    struct schedule run;
    uint32_t length; /* events: those of the run, then those a race brings together */
    struct values values;
    struct value *tail_values; /* what the events after the prefix read or write */
};

struct export_format {
    const char *name;
    const char *what; /* a few words for people */
    enum status (*write)(const struct exported *x, struct output *out, struct error *err);
};

/* Every format, ended by a NULL name. */
extern const struct export_format export_formats[];

/* The words of all formats, for options. */
#define EXPORT_FORMATS "perfetto shiviz dot std cspm"

const struct export_format *export_format_named(const char *name);

/* The observed run, or the finding's if there is one, which has been checked against the trace. */
void exported_init(struct exported *x, const struct model *model, const struct finding *finding);
void exported_free(struct exported *x);

/* The event at a position of the run, from 1; what it reads or writes there. */
event_id exported_event(const struct exported *x, uint32_t position);
struct value exported_value(const struct exported *x, uint32_t position);

enum status export_perfetto(const struct exported *x, struct output *out, struct error *err);
enum status export_shiviz(const struct exported *x, struct output *out, struct error *err);
enum status export_dot(const struct exported *x, struct output *out, struct error *err);
enum status export_std(const struct exported *x, struct output *out, struct error *err);
enum status export_cspm(const struct exported *x, struct output *out, struct error *err);
