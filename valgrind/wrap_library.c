/* What the C++ library orders where nobody sees it: results that are there when their thread has ended,
 * exceptions that threads hand to each other. As runtime/linked/exits.cpp and runtime/libc/exceptions.c see it. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "runtime/shared/thrown.h"
#include "wrap.h"

/* std::__future_base::_State_baseV2::_Make_ready: what is to be done at the end of its thread. */
struct make_ready {
    struct make_ready *next;
    void (*run)(void *);
    char *state;       /* of the future; what waits for it looks at its status */
    const int *counts; /* of who holds it and who looks at it, behind a pointer */
};

enum { STATUS = 16, READY = 1, HOLDERS = 2, LOOKERS = 3 };

static void (*library_run)(void *);

/* The state becomes ready, and one less looks at it. */
static void run(void *data)
{
    const struct make_ready *ready = data;
    const int *counts = ready->counts;

    if (counts && __atomic_load_n(&counts[HOLDERS], __ATOMIC_RELAXED) > 0)
        HEDDLE_TELL(HEDDLE_CHANGE, ready->state + STATUS, READY, 0);
    if (counts)
        HEDDLE_TELL(HEDDLE_CHANGE, &counts[LOOKERS], __atomic_load_n(&counts[LOOKERS], __ATOMIC_RELAXED) - 1,
                    0);
    library_run(data);
}

WRAP_CXX(void, ZuZZNSt13ZuZufutureZubase13ZuStateZubaseV211ZuMakeZuready6ZuMZusetEv,
         (struct make_ready * ready))
{
    OrigFn real;

    VALGRIND_GET_ORIG_FN(real);
    CALL_FN_v_W(real, ready);
    library_run = ready->run;
    ready->run = run;
}

static void library_let_go(const struct _Unwind_Exception *unwound)
{
    const uint32_t *count = thrown_count(unwound);

    if (count)
        HEDDLE_TELL(HEDDLE_LET_GO, count, __atomic_load_n(count, __ATOMIC_RELAXED) > 1, 0);
}

WRAP_CXX(void, ZuZZNSt15ZuZuexceptionZuptr13exceptionZuptr10ZuMZureleaseEv,
         (struct _Unwind_Exception * *pointer))
{
    OrigFn real;

    VALGRIND_GET_ORIG_FN(real);
    if (*pointer)
        library_let_go(*pointer - 1);
    CALL_FN_v_W(real, pointer);
}

void heddle_ZuUnwindZuDeleteException(struct _Unwind_Exception *unwound);
WRAP_IN(void, libgccZusZdsoZd1, ZuUnwindZuDeleteException, (struct _Unwind_Exception * unwound));
void heddle_ZuUnwindZuDeleteException(struct _Unwind_Exception *unwound)
{
    OrigFn real;

    VALGRIND_GET_ORIG_FN(real);
    library_let_go(unwound);
    CALL_FN_v_W(real, unwound);
}
