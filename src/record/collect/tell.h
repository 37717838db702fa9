/* Notes about a finished recording. */
#pragma once
#include "record/collect/collect.h"
#include "record/record.h"

/* How much was recorded, and what was not. */
void tell_recorded(const struct recording *recording, const struct collection *collection);

/* How the program ended, if it was ended by a signal or by us. */
void tell_end(const struct recording *recording, const struct collection *collection, struct naming *naming);

/* Fails: nothing was recorded, and why. */
enum status tell_nothing(const struct recording *recording, const struct collection *collection,
                         struct error *err);
