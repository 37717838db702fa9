/* Labels and decisions on their way into the log. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "grind_labels.h"

#include "libvex_guest_amd64.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"

enum { SHADOW = 1, STATE = sizeof(VexGuestAMD64State) };

/* Only whoever runs gives labels and decides; the log is its own from here on. */
static void tell_thread(struct guest *g)
{
    if (tool.logged == g->id + 1)
        return;
    log_append(record_word(0, RECORD_THREAD, 0), 0, g->id);
    tool.logged = g->id + 1;
    tool.current = 0;
}

static UInt new_label(struct guest *g)
{
    return g->labels.last < LABEL_LAST ? ++g->labels.last : LABEL_ALL;
}

void labels_decide_all(struct guest *g)
{
    if (!tool.recording || g->labels.all == g->labels.last)
        return;
    tell_thread(g);
    log_append(record_word(0, RECORD_BY_ALL, 0), 0, 0);
    g->labels.all = g->labels.last;
}

/* Two go into one record. What has decided before, decides what comes now. */
static void decide(struct guest *g, UInt label)
{
    UInt reads = label & LABEL_READS, *known = &g->labels.decided[reads % LABELS_DECIDED];

    if (reads <= g->labels.all || *known == reads)
        return;
    if (reads == LABEL_ALL) {
        labels_decide_all(g);
        return;
    }
    *known = reads;
    tell_thread(g);
    if (tool.decision && tool.decision + 1 == tool.next_record) {
        tool.decision->value = reads;
        tool.decision = NULL;
        return;
    }
    log_append(record_word(reads, RECORD_BY, 0), 0, 0);
    tool.decision = tool.next_record - 1;
}

void grind_label_decide(HWord label)
{
    if (tool.recording)
        decide(tool.guest, (UInt)label);
}

/* The other way round: a < b is b > a. */
static UInt mirrored(UInt how)
{
    static const UChar mirror[] = {COMPARED_EQ, COMPARED_NE, COMPARED_GT, COMPARED_GE,
                                   COMPARED_LT, COMPARED_LE, 0,           0};

    return (how & ~(UInt)SESSION_OPERATION) | mirror[how & SESSION_OPERATION];
}

static void compare(struct guest *g, HWord label, ULong value, ULong constant, UInt how)
{
    UInt reads = (UInt)label & LABEL_READS;

    if (label >> LABEL_BITS_SHIFT != 1u << (how >> SESSION_SIZE_SHIFT & 3)) {
        decide(g, reads);
        return;
    }
    if (reads <= g->labels.all || g->labels.decided[reads % LABELS_DECIDED] == reads)
        return;
    tell_thread(g);
    log_append(record_word(reads | LABEL_LINEAR, RECORD_BY, how | SESSION_COMPARED), constant, value);
}

void grind_label_compare(HWord one, HWord left, HWord other, HWord right, HWord how)
{
    struct guest *g = tool.guest;

    if (!tool.recording)
        return;
    if (!other) {
        compare(g, one, left, right, (UInt)how);
    } else if (!one) {
        compare(g, other, right, left, mirrored((UInt)how));
    } else {
        decide(g, (UInt)one);
        decide(g, (UInt)other);
    }
}

/* Both are labels, with LABEL_LINEAR where that is to be told. */
static UInt unite(struct guest *g, UInt one, UInt other)
{
    struct label_union *u = &g->labels.unions[(one * 31 + other) % LABELS_UNIONS];

    if ((one & LABEL_READS) == LABEL_ALL || (other & LABEL_READS) == LABEL_ALL || g->labels.last >= LABEL_LAST)
        return LABEL_ALL;
    if (u->one == one && u->other == other)
        return u->both;
    tell_thread(g);
    log_append(record_word(one, RECORD_UNION, 0), 0, other);
    *u = (struct label_union){one, other, new_label(g)};
    return u->both;
}

HWord grind_label_union(HWord one, HWord other)
{
    one &= LABEL_READS;
    other &= LABEL_READS;
    if (one == 0 || one == other || !tool.recording)
        return other;
    return other == 0 ? one : unite(tool.guest, (UInt)one, (UInt)other);
}

/* If one of the two turns out to stand for no read, the sum is the other plus a constant: the recorder knows. */
HWord grind_label_sum(HWord one, HWord other)
{
    ULong bits = one >> LABEL_BITS_SHIFT;
    UInt both;

    if (bits == 0 || bits != other >> LABEL_BITS_SHIFT || (one & LABEL_READS) == (other & LABEL_READS) ||
        !tool.recording)
        return grind_label_union(one, other);
    both =
        unite(tool.guest, ((UInt)one & LABEL_READS) | LABEL_LINEAR, ((UInt)other & LABEL_READS) | LABEL_LINEAR);
    return both == LABEL_ALL ? both : both | bits << LABEL_BITS_SHIFT;
}

/* `pc` says whether the access has a value and its order. */
static void put_access(struct guest *g, ULong word, ULong pc, ULong value)
{
    log_noted(word & RECORD_ADDRESS);
    if (tool.current != g->id + 1)
        log_access(g, word, pc, value);
    else
        log_append(word, pc, value);
}

HWord grind_label_read(HWord address, HWord value, HWord pc, HWord head, HWord address_label)
{
    struct guest *g = tool.guest;
    UInt label;

    if (!tool.recording)
        return 0;
    if (address_label)
        decide(g, (UInt)address_label);
    label = new_label(g);
    put_access(g, (address & RECORD_ADDRESS) | head,
               pc | RECORD_GROUNDED | (label == LABEL_ALL ? 0 : RECORD_LABELLED), value);
    return label;
}

static void tell_value(struct guest *g, UInt label, UInt how, ULong old)
{
    tell_thread(g);
    log_append(record_word(label, RECORD_FROM, how), 0, old);
}

/* Whether the value that is written is what a read of the same size saw plus a constant. */
static UInt linear_bit(HWord label, UInt size)
{
    return size > 0 && (label >> LABEL_BITS_SHIFT & 0xf) == size ? LABEL_LINEAR : 0;
}

void grind_label_write(HWord address, HWord value, HWord pc, HWord head, HWord label)
{
    struct guest *g = tool.guest;

    if (!tool.recording)
        return;
    if (label)
        tell_value(g, ((UInt)label & LABEL_READS) | linear_bit(label, record_size(head)), 0, 0);
    put_access(g, (address & RECORD_ADDRESS) | head, pc | RECORD_GROUNDED, value);
}

/* A compare-and-exchange that succeeds ends its thread where it does not: nothing else stands on what it saw.
 * What one that fails saw decides, as every read without a label does. */
HWord grind_label_change(HWord address, HWord value, HWord pc, HWord head, HWord label, HWord old)
{
    struct guest *g = tool.guest;
    UInt kind = record_kind(head), how = (UInt)(label >> HOW_SHIFT), given = (UInt)label & LABEL_READS, own = 0;

    if (!tool.recording)
        return 0;
    if (kind != RECORD_ATOMIC_READ)
        tell_value(g, given | (how == SESSION_OF_GIVEN ? linear_bit(label, record_size(head)) : 0), how, old);
    if (kind == RECORD_RMW)
        own = new_label(g);
    put_access(g, (address & RECORD_ADDRESS) | head,
               pc | RECORD_GROUNDED | (own && own != LABEL_ALL ? RECORD_LABELLED : 0), value);
    return own;
}

void labels_clear(struct guest *g, Bool keep)
{
    static const Int kept[] = {offsetof(VexGuestAMD64State, guest_RBX), offsetof(VexGuestAMD64State, guest_RSP),
                               offsetof(VexGuestAMD64State, guest_RBP), offsetof(VexGuestAMD64State, guest_R12),
                               offsetof(VexGuestAMD64State, guest_R13), offsetof(VexGuestAMD64State, guest_R14),
                               offsetof(VexGuestAMD64State, guest_R15)};
    static const UChar nothing[STATE];
    ULong values[sizeof kept / sizeof *kept];

    for (UInt i = 0; keep && i < sizeof kept / sizeof *kept; i++)
        VG_(get_shadow_regs_area)(g->number, (UChar *)&values[i], SHADOW, kept[i], sizeof *values);
    VG_(set_shadow_regs_area)(g->number, SHADOW, 0, STATE, nothing);
    for (UInt i = 0; keep && i < sizeof kept / sizeof *kept; i++)
        VG_(set_shadow_regs_area)(g->number, SHADOW, kept[i], sizeof *values, (const UChar *)&values[i]);
}

void grind_label_barrier(void)
{
    labels_decide_all(tool.guest);
    labels_clear(tool.guest, False);
    tool.guest->labels.vouched = False;
}

void labels_decide_register(struct guest *g, Int offset)
{
    ULong label;

    VG_(get_shadow_regs_area)(g->number, (UChar *)&label, SHADOW, offset, sizeof label);
    if (label && tool.recording)
        decide(g, (UInt)label);
}

void labels_print_register(struct guest *g, Int offset)
{
    ULong label;

    VG_(get_shadow_regs_area)(g->number, (UChar *)&label, SHADOW, offset, sizeof label);
    label &= LABEL_READS;
    if (!label || label == LABEL_ALL || !tool.recording)
        return;
    tell_thread(g);
    log_append(record_word(label, RECORD_PRINTED, 0), 0, 0);
}

void labels_print_end(struct guest *g)
{
    if (!tool.recording)
        return;
    tell_thread(g);
    log_append(record_word(0, RECORD_PRINTED, 1), 0, 0);
}

/* One record for each word, as the recorder looks at memory. */
void labels_decide_memory(struct guest *g, Addr address, SizeT length)
{
    if (!tool.recording)
        return;
    tell_thread(g);
    while (length > 0) {
        SizeT word = sizeof(Addr) - address % sizeof(Addr), take = word < length ? word : length;
        log_append(record_word(address, RECORD_BY_MEMORY, 0), 0, take);
        address += take;
        length -= take;
    }
}

void labels_begin(struct guest *g)
{
    if (tool.session->grounds)
        labels_clear(g, False);
}

void labels_interrupt(struct guest *g)
{
    if (!tool.session->grounds)
        return;
    labels_decide_all(g);
    g->labels.vouched = False;
}

ULong labels_vouched(const struct guest *g)
{
    return g->labels.vouched ? RECORD_GROUNDED : 0;
}
