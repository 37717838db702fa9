/* Takes and releases a mutex at the thread's turn, for mutexes and condition variables. */
#pragma once
#include "runtime/runtime.h"

/* As pthread_mutex_clocklock and pthread_mutex_unlock, with the events; the caller is inside sync_enter. */
int mutex_take(pthread_mutex_t *mutex, uint64_t deadline, uintptr_t pc);
int mutex_give(pthread_mutex_t *mutex, uintptr_t pc);

/* The events alone, around a call that releases and takes the mutex itself. */
void mutex_note_given(pthread_mutex_t *mutex, uintptr_t pc);
void mutex_note_taken(pthread_mutex_t *mutex, uintptr_t pc);

/* At the end of the calling thread: releases the robust mutexes it holds. */
void mutex_end_thread(void);
