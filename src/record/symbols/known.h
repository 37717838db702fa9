/* Answers about addresses, kept: finding them means going through a unit of debugging information, and a
 * program that is run many times is asked about the same ones every time. */
#pragma once
#include "base/map.h"
#include "base/names.h"

#include <stdbool.h>

enum known_kind { KNOWN_PLACE, KNOWN_LINE, KNOWN_FUNCTION, KNOWN_KINDS };

struct known {
    struct map texts_at[KNOWN_KINDS]; /* address → id in `texts`, plus one */
    struct map first_lines;           /* address → line, plus one */
    struct map keeps_frame;           /* address → what unwinding.c says */
    struct names texts;
};

void known_init(struct known *known);
void known_free(struct known *known);

/* Whether the text for the address is known; writes it. */
bool known_text(const struct known *known, enum known_kind kind, uint64_t address, char *to, size_t room);
void known_keep(struct known *known, enum known_kind kind, uint64_t address, const char *text);
