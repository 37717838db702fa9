/* The list of names that a recorded Java virtual machine writes (runtime/protocol/java_log.h). Nothing in it
 * is trusted. */
#pragma once
#include "base/error.h"
#include "base/names.h"
#include "runtime/protocol/java_log.h"

#include <stdbool.h>
#include <stddef.h>

#define JAVA_FIELD_NONE UINT32_MAX

struct java_field {
    uint32_t class;      /* index of its class */
    uint32_t name;       /* in `texts` */
    uint32_t descriptor; /* in `texts` */
    uint16_t access;
};

struct java_class {
    uint32_t number; /* 0: there is none of that number */
    uint16_t access;
    uint32_t name, super, source; /* in `texts` */
    uint32_t field_start, field_count;
};

struct java_site_info {
    uint32_t class; /* number; 0: an unknown site */
    uint32_t line;
    uint16_t place;
    uint8_t kind;
    uint8_t grounds; /* JAVA_GROUNDED and such */
    uint32_t method, method_descriptor;
    uint32_t owner, name, descriptor; /* what it accesses or calls */
    uint32_t field;                   /* resolved: index among fields, or JAVA_FIELD_NONE */
};

struct java_type {
    uint32_t name; /* a signature in `texts`: "Lpkg/Name;", "[I" */
    bool known;
};

struct java_left {
    uint32_t class, method, why;
};

/* A thread that waits forever (JAVA_ENTRY_WAIT). */
struct java_waiter {
    uint32_t kind, object, self; /* numbers in the log, or 0 */
    uint32_t thread, what, holder, place;
};

/* An uncaught exception. */
struct java_death {
    uint32_t thread, exception;
};

struct java_list {
    struct names texts; /* id 0 is the empty text */
    struct java_field *fields;
    size_t fields_count, fields_capacity;
    struct java_class *classes; /* by number */
    size_t classes_count, classes_capacity;
    struct java_site_info *sites; /* by number */
    size_t sites_count, sites_capacity;
    struct java_type *types; /* by number */
    size_t types_count, types_capacity;
    uint32_t *threads; /* by number: name in `texts` */
    size_t threads_count, threads_capacity;
    struct java_left *left;
    size_t left_count, left_capacity;
    struct java_waiter *waiters;
    size_t waiters_count, waiters_capacity;
    struct java_death *deaths;
    size_t deaths_count, deaths_capacity;
    bool grounded;      /* what events stand on is told */
    uint32_t *class_of; /* by text: number of the last class of that name, 0 if none */
    size_t class_of_count, class_of_capacity;
};

/* Reads the list from memory; entries cut off at the end are no mistake, malformed ones are. */
enum status java_list_read(struct java_list *list, const char *name, const uint8_t *bytes, size_t length,
                           struct error *err);
void java_list_free(struct java_list *list);

static inline const char *java_text(const struct java_list *list, uint32_t id)
{
    return names_text(&list->texts, id);
}

/* The site of that number, or one that knows nothing. */
const struct java_site_info *java_site(const struct java_list *list, uint32_t number);

/* The signature of that type; "" if unknown. */
const char *java_type_name(const struct java_list *list, uint32_t number);
