/* Labels: which reads of a thread its values are computed from (runtime/protocol/labels.h).
 *
 * Reads of the program's code and unions of two labels are numbered as they come, in one count for each thread,
 * which the recorder keeps as well. What values in registers have is kept beside them, in Valgrind's first
 * shadow of the guest state: a word for each eight bytes. What values in memory have, the recorder knows: it
 * sees every write. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#pragma once
#include "runtime/protocol/labels.h"
#include "tool.h"

/* In the words that hold labels, above them: the value is what one read of so many bytes saw plus a constant, modulo its
 * size. Bits for one, two, four and eight bytes; at most one of them is set. */
#define LABEL_BITS_SHIFT 32

static inline ULong label_bit_of(Int size)
{
    return (ULong)size << LABEL_BITS_SHIFT;
}

/* The label itself and the bits that mean something for a value of that size. */
static inline ULong label_bits_up_to(Int size)
{
    return LABEL_READS | ((ULong)(size * 2) - (size > 0)) << LABEL_BITS_SHIFT;
}

/* Helpers that the program's code calls. Labels are words that hold a label; 0: the value stands on nothing. */
HWord grind_label_read(HWord address, HWord value, HWord pc, HWord head, HWord address_label);
void grind_label_write(HWord address, HWord value, HWord pc, HWord head, HWord label);
/* An atomic change from `old`; `label` is that of what it is made of besides, with SESSION_OF_… above it and its bits. */
enum { HOW_SHIFT = 40 };
HWord grind_label_change(HWord address, HWord value, HWord pc, HWord head, HWord label, HWord old);
HWord grind_label_union(HWord one, HWord other);
HWord grind_label_sum(HWord one, HWord other);
/* Two numbers were compared; `how` is as RECORD_BY has it. */
void grind_label_compare(HWord one, HWord left, HWord other, HWord right, HWord how);
void grind_label_decide(HWord label);
/* All that the thread read decides, and its registers stand on nothing else. */
void grind_label_barrier(void);

/* A thread begins; the code that a signal interrupts stops, or goes on. */
void labels_begin(struct guest *guest);
void labels_interrupt(struct guest *guest);

/* All that the thread read decides. */
void labels_decide_all(struct guest *guest);
/* The labels in the register at that offset of the guest state decide. */
void labels_decide_register(struct guest *guest, Int offset);
/* What those labels stand for is printed, when labels_print_end follows. */
void labels_print_register(struct guest *guest, Int offset);
void labels_print_end(struct guest *guest);
/* What private memory there was computed from decides. */
void labels_decide_memory(struct guest *guest, Addr address, SizeT length);
/* Registers stand on nothing: all of them, or all that a function need not keep. */
void labels_clear(struct guest *guest, Bool keep);

/* Bits for the record of an event of a call. */
ULong labels_vouched(const struct guest *guest);
