/* What a hunt found, told to people and programs. */
#pragma once
#include "base/buffer.h"
#include "hunt/hunt.h"

#include <stdio.h>

void hunt_tell_text(const struct hunt *hunt, const struct hunt_settings *settings);
void hunt_put_json(const struct hunt *hunt, const struct hunt_settings *settings, FILE *to);

/* One file that needs nothing else. */
void hunt_put_page(const struct hunt *hunt, const struct hunt_settings *settings, FILE *to);

/* What the reader must know to judge the rest: a line each, plain text. */
void hunt_put_caveats(struct buffer *to, const struct hunt *hunt);

/* How many problems are of that kind. */
size_t hunt_count(const struct hunt *hunt, enum problem_kind kind);

/* Candidates that were run, and those among them that turned out to be problems. */
void hunt_count_candidates(const struct hunt *hunt, size_t *tried, size_t *happened);

/* Reads' sources that are predicted and that no run has shown. */
size_t hunt_unseen_sources(const struct hunt *hunt);

/* Pairs of conflicting accesses that runs could have had one right after the other, and that no run has shown: how many, and the first
 * of them in the list from there on; the end of the list: none. */
size_t hunt_unseen_pairs(const struct hunt *hunt);
size_t hunt_next_unseen(const struct hunt *hunt, size_t from);

/* Places of the program's code that access memory: whether a run reached the one of that number, and how many no run reached. */
bool hunt_is_reached(const struct hunt *hunt, size_t place);
size_t hunt_count_unreached(const struct hunt *hunt);

/* Whether a problem or note has the fingerprint. */
bool hunt_is_known(const struct hunt *hunt, uint64_t fingerprint);

/* "H1", "P2", "N3": by kind and rank. */
void hunt_problem_id(const struct hunt *hunt, size_t problem, char *to, size_t room);

/* Why it ended, after "It ended because". */
const char *hunt_over_words(enum hunt_over over);

/* What the run followed, in words: "P1: Deadlock …"; "" if it followed nothing. */
void hunt_cause_words(const struct hunt *hunt, uint32_t run, char *to, size_t room);

/* The next thread of struct hunt_problem's `waits`, in words; false: there is none left. */
bool hunt_next_wait(const char **at, char *line, size_t room);
