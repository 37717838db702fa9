/* Two passes over a Java program: what threads do not share is learned from the first, and checked in the second.
 *
 * Time is divided into phases, and those by meetings at barriers (Light.java). What one thread touches in a phase, or
 * nobody writes in it, is left out of the second pass. */
#pragma once
#include "base/error.h"
#include "base/map.h"
#include "base/names.h"
#include "runtime/protocol/java_light.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct java_converter;

/* What the second pass does not record. Texts are in `texts`. */
struct java_light {
    struct names texts;
    struct light_name {
        uint32_t owner, name, descriptor; /* as an instruction has them */
        uint32_t class;                   /* that declares the field */
        enum light_field how;
    } * fields;
    size_t fields_count, fields_capacity;
    struct light_place {
        uint32_t class, method, descriptor;
        uint32_t place;
        enum light_array how; /* of arrays that it touches first */
        bool plain;           /* all arrays that it touches are unshared */
        bool pieces;          /* and threads share some of them, but none of their elements */
    } * sites;
    size_t sites_count, sites_capacity;
    enum light_array *arrays; /* by number of an array that was touched before a second thread started */
    size_t arrays_count, arrays_capacity;
    bool useless; /* threads ran that nobody was seen to start: nothing is known */
    bool apart;   /* threads that meet at barriers are not ordered by that */
    uint64_t strays;
};

void java_light_init(struct java_light *light);
void java_light_free(struct java_light *light);

/* Learns from the log of the first pass, once it was surveyed. */
void java_light_learn(struct java_light *light, struct java_converter *converter);

/* Takes out what the second pass found to be shared nevertheless, and counts it in `strays`. */
void java_light_check(struct java_light *light, struct java_converter *converter);

/* Writes the list for the next pass. */
enum status java_light_write(const struct java_light *light, const char *path, struct error *err);
