/* What the files of a job share. */
#pragma once
#include "crew/crew.h"
#include "finding/results.h"
#include "hunt/hunt.h"

/* Checks the run's trace, leaves the reports beside it and adds findings, candidates and coverage to `report`. The trace is
 * changed: no event of it stands on a read afterwards. */
enum status hunt_check(const struct hunt_settings *settings, const struct hunt_job *job, struct trace *trace,
                       struct hunt_report *report, struct error *err);

/* The mark of two accesses, one after the other: the sum of their places. */
uint64_t hunt_pair_mark(const struct trace *trace, event_id first, event_id second);

/* hunt_reads.c: what threads had seen when they made each of the trace's accesses. */
struct read_states;
struct read_states *read_states_new(const struct model *model);
void read_states_free(struct read_states *states);

/* In COVER_READS: a read in a certain state of its thread sees a write that another thread made in a certain state. */
uint64_t read_mark(const struct read_states *states, event_id read, event_id write);

/* The same with what all threads have seen at the end of the finding's schedule. */
uint64_t read_state_mark(const struct read_states *states, const struct finding *finding);

/* The same for runs in which threads saw the same. */
uint64_t read_behaviour(const struct read_states *states);

void hunt_cover_reads(const struct read_states *states, struct hunt_report *report);

/* Of findings about reads, keeps one for each mark, and not too many. */
void hunt_choose_reads(const struct read_states *states, struct results *results);

/* Findings that the recorded run itself shows get the observed run as their schedule. */
void hunt_find_observed(const struct trace *trace, const struct check_options *options,
                        struct results *results);

/* Whether the observed run shows the finding: its schedule is nothing else. */
bool finding_was_observed(const struct finding *finding);

/* hunt_ticks.c: where the events of a run stand in their threads, kept in a file beside its trace. */
void hunt_write_ticks(const char *path, const struct replay_result *result);
enum status hunt_read_ticks(const char *path, size_t events, struct replay_result *to, struct error *err);

/* Says instead that there was no run, and why. */
void hunt_job_fail(const struct error *why, int to);

/* hunt_files.c: the files of a run, from one rank to another: which a job needs, and those it left. */
void hunt_put_needed(const struct hunt_settings *settings, const struct hunt_job *job, struct buffer *to);
void hunt_put_left(const struct hunt_settings *settings, const struct hunt_job *job, struct buffer *to);

/* Writes the files into the folder; false: what comes is not whole, or the disk is full. */
bool hunt_take_files(const struct hunt_settings *settings, struct bytes_in *from);

/* Removes the files of the run. */
void hunt_discard(const struct hunt_settings *settings, uint32_t run);

/* hunt_worker.c: what the processes of the crew do. Removes first what killed hunts left in the folder for temporary files. */
struct crew_duty hunt_duty(const struct hunt_settings *settings);
