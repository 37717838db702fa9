/* Whose turn it is in a run of a window: threads by when their next events were observed. Private to this room. */
#pragma once
#include "solve/window.h"

/* All threads of the window that have events in it; none has moved. */
void turns_begin(struct window *w);

/* The thread whose turn is this has run its event: w->done says so. */
void turns_pass(struct window *w, size_t turn);
