/* The oracle for declared blocks: transactions, conflict freedom and the order of transactions of ESOP'09, from
 * its definitions alone: every pair of events is looked at, the graph is built in full. */
#pragma once
#include "random/oracle.h"

struct block_oracle;

/* For the blocks that begin with EVENT_BEGIN or EVENT_DET_BEGIN. */
struct block_oracle *block_oracle_new(const struct trace *trace, enum event_kind begin);
void block_oracle_free(struct block_oracle *o);

/* The first event of the transaction of `event`. */
size_t block_oracle_node(const struct block_oracle *o, size_t event);

/* Whether a, earlier, and b conflict, so that the order of their transactions follows theirs. */
bool block_oracle_conflict(const struct block_oracle *o, size_t a, size_t b);

/* Adds (block, first, second) for all conflicts inside a transaction that nothing orders. */
void block_oracle_conflicts(const struct block_oracle *o, struct tuple_set *set);

/* The length of the shortest cycle of transactions through the one called `node`; 0: it is on none. */
size_t block_oracle_cycle(const struct block_oracle *o, size_t node);

/* Whether in some feasible run another transaction interferes with the one called `node`: they have a cycle of
 * two by accesses of one variable or operations on one lock. */
bool block_oracle_predicted(const struct block_oracle *o, size_t node);
