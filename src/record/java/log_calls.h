/* The survey of calls: order through objects whose inside is not recorded. */
#pragma once
#include "record/java/log_walk.h"

/* The record of a call that begins or returns. */
void java_survey_call(struct java_converter *c, const struct java_record *r, uint64_t slot);

/* An object passed to a method of the JDK, which looks at it and, for all we know, may change it. */
void java_survey_passed(struct java_converter *c, const struct java_record *r, uint64_t slot);

/* Whether the call that is open counts at this record: not at its own begin and end, if only what is done inside does. */
bool java_is_inside(const struct java_converter *c, const struct java_open *open, const struct java_record *r);

/* log_survey.c: notes which threads use the variable, and whether they write it. */
void java_touch(const struct java_converter *c, struct java_variable *v, const struct java_record *r,
                bool writes);
