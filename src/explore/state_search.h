/* The search through states, for its files. */
#pragma once
#include "crew/crew.h"
#include "explore/explorer.h"

#include <xxhash.h>

#define BOUND_NONE UINT32_MAX

enum {
    AWAITED_MOST = 64
}; /* runs that are planned before they are made; the same for every number of workers */

struct state_choice {
    uint32_t thread, variant;
};

/* A state on the way, and what is still to be tried in it. */
struct stage {
    size_t state;  /* where its words begin */
    size_t choice; /* the next one to try */
    size_t choices_end, choices_start;
    uint32_t last;        /* thread that made the step to it, plus one; 0: none */
    uint32_t preemptions; /* on the way to it */
    bool goes_on;         /* that thread could go on */
    bool opened;          /* what can be tried is known */
    bool root;            /* not reached from the stage below: it has a plan of its own */
    bool single;          /* only this choice is left to be tried: */
    struct state_choice only;
    struct run_plan plan; /* of a root: its own until it is opened, then that of the stage below */
};

/* A run that is needed to go on, and where to go on after it. */
struct awaited {
    struct run_plan plan; /* the way to the state */
    struct planned more;  /* one step more, */
    bool has_more;        /* … if there is one */
    bool whole;           /* to see the whole behaviour of this sum, … */
    uint64_t sum;
    struct state_choice step; /* … else what comes of this step of … */
    uint32_t *state;          /* … this state */
    struct stage back;        /* to be searched then */
    uint64_t key;             /* another one of the same key probably needs the same run */
    struct schedule_script script;
    uint64_t id; /* of the request to the crew; 0: nobody was asked */
    struct crew_answer answer;
    bool answered;
};

struct state_search {
    struct explorer *explorer;
    struct space space;
    struct reduction reduction;
    uint32_t *words; /* states of all frames */
    size_t words_count, words_capacity;
    struct stage *frames;
    size_t frames_count, frames_capacity;
    struct state_choice *choices;
    size_t choices_count, choices_capacity;
    struct run_plan plan;
    struct awaited *awaited;
    size_t awaited_count, awaited_capacity;
    uint64_t asked; /* requests to the crew so far */
    uint32_t *scratch;
    uint64_t *live;
    XXH128_hash_t *visited; /* open addressing; both halves 0: free */
    size_t visited_count, visited_slots;
    uint64_t late;  /* threads of the state looked at whose next step is to give up, as bits */
    bool clean;     /* nothing new was learned */
    bool restart;   /* states no longer mean what they meant */
    uint32_t bound; /* preemptions allowed; BOUND_NONE: any number */
    bool bounded;   /* something was left out because of that */
};

/* Room for one more state. */
void search_push_state(struct state_search *search);

/* Builds space and reduction from what is known now. */
void search_build(struct state_search *search);
void search_tear_down(struct state_search *search);

/* state_runs.c: a run is needed to know what the step of the top stage's state leads to. */
void search_await_step(struct state_search *search, const struct stage *back, struct state_choice step,
                       uint32_t node);

/* The same to see how the behaviour ends that led to the state; `exit`: the thread that ends it, plus one, or 0. */
void search_await_end(struct state_search *search, const uint32_t *state, uint32_t exit);

/* Makes the runs that are awaited, as far as they are still needed, in their order, and adds the states to go on from. */
enum status search_make_runs(struct state_search *search);

/* Whether the run would still show something that is not known. */
bool search_needs(struct state_search *search, const struct awaited *awaited);

void search_forget_runs(struct state_search *search);
