/* Decodes the machine code after the hook of a write: is the write made before anything else is called?
 *
 * Only what compilers put there is understood: moves between registers, loads, addresses, and the store
 * itself. Stores to the stack and to thread-local memory are spills and bookkeeping, and are passed over. */
#include "runtime/sched/code_store.h"
#include "runtime/shared/runtime_invariant.h"

#if defined(__x86_64__)

enum {
    LOOKED_AT = 8,      /* instructions */
    BETWEEN_MOST = 256, /* bytes between the hooks of a copy, with code in the place of hooks */
    REX_W = 8,
    REX_B = 1,
    MODE_REGISTER = 3,
    BASE_STACK = 4, /* rsp, and with it the byte that describes an index */
    BASE_FRAME = 5, /* rbp, or with mode 0 an address relative to the next instruction */
};

struct instruction {
    const unsigned char *next; /* the byte behind it */
    bool known, stores;
    size_t width;       /* of what is stored */
    bool own;           /* to the stack or to thread-local memory */
    const void *target; /* NULL: not known from the code alone */
};

/* A register or an address, with the bytes that belong to it. */
struct operand {
    const unsigned char *next;
    unsigned other; /* the other register, or which one of a group of instructions it is */
    bool memory, stack, relative;
    int32_t displacement;
};

static int32_t number_at(const unsigned char *p)
{
    return (int32_t)((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
}

static struct operand read_operand(const unsigned char *p, unsigned rex)
{
    unsigned mode = *p >> 6, base = *p & 7;
    struct operand o = {.next = p + 1, .memory = mode != MODE_REGISTER, .other = *p >> 3 & 7};
    bool indexed = o.memory && base == BASE_STACK;

    if (indexed)
        base = *o.next++ & 7;
    o.stack = o.memory && !(rex & REX_B) && (indexed ? base == BASE_STACK : base == BASE_FRAME && mode != 0);
    o.relative = mode == 0 && base == BASE_FRAME && !indexed;
    if (mode == 1) {
        o.next += 1;
    } else if (mode == 2 || (mode == 0 && base == BASE_FRAME)) {
        o.displacement = number_at(o.next);
        o.next += 4;
    }
    return o;
}

/* Loads, addresses and moves to registers: an operand follows, and nothing else. */
static bool only_computes(unsigned opcode, bool two_bytes)
{
    if (two_bytes)
        return opcode == 0xb6 || opcode == 0xb7 || opcode == 0xbe || opcode == 0xbf || opcode == 0x10 ||
               opcode == 0x28 || opcode == 0x6f;
    return opcode == 0x8b || opcode == 0x8a || opcode == 0x8d || opcode == 0x63 || opcode == 0x03 ||
           opcode == 0x2b || opcode == 0x33 || opcode == 0x23 || opcode == 0x0b || opcode == 0x85 ||
           opcode == 0x3b;
}

/* The bytes of a constant behind the operand of an instruction that computes with it; -1: it is none of these. */
static int constant_of(unsigned opcode)
{
    if (opcode == 0x80 || opcode == 0x83 || opcode == 0xc0 || opcode == 0xc1 || opcode == 0xf6)
        return 1;
    if (opcode == 0x81 || opcode == 0xf7)
        return 4;
    return opcode == 0x01 || opcode == 0x09 || opcode == 0x21 || opcode == 0x29 || opcode == 0x31 ||
                   opcode == 0x39
               ? 0
               : -1;
}

/* Instructions that change a register, or only look at it or at memory: to test and to compare. */
static void read_change(struct instruction *i, const unsigned char *p, unsigned opcode, unsigned rex)
{
    struct operand o = read_operand(p, rex);
    bool tests = opcode == 0xf6 || opcode == 0xf7, groups = opcode == 0x80 || opcode == 0x81 || opcode == 0x83;
    bool compares = (groups && o.other == 7) || opcode == 0x39;

    i->next = o.next + constant_of(opcode);
    i->known = tests ? o.other == 0 : compares || !o.memory;
}

static void read_store(struct instruction *i, const unsigned char *p, unsigned opcode, unsigned rex,
                       bool narrow)
{
    struct operand o = read_operand(p, rex);
    bool constant = opcode == 0xc7 || opcode == 0xc6, byte = opcode == 0x88 || opcode == 0xc6;

    i->width = byte ? 1 : rex & REX_W ? 8 : narrow ? 2 : 4;
    i->next = o.next + (!constant ? 0 : i->width < 4 ? i->width : 4);
    i->known = true;
    i->stores = o.memory;
    i->own |= o.stack;
    if (o.relative)
        i->target = i->next + o.displacement;
}

static struct instruction read_instruction(const unsigned char *p)
{
    struct instruction i = {0};
    bool narrow = false, two_bytes;
    unsigned rex = 0, opcode;

    for (; *p == 0x64 || *p == 0x66; p++) {
        i.own |= *p == 0x64; /* relative to fs */
        narrow |= *p == 0x66;
    }
    if ((*p & 0xf0) == 0x40)
        rex = *p++;
    two_bytes = *p == 0x0f;
    p += two_bytes;
    opcode = *p++;
    if (only_computes(opcode, two_bytes)) {
        i.next = read_operand(p, rex).next;
        i.known = true;
    } else if (!two_bytes && constant_of(opcode) >= 0 && !narrow) {
        read_change(&i, p, opcode, rex);
    } else if (!two_bytes && opcode == 0x25) { /* and, of eax and a constant */
        i.next = p + 4;
        i.known = true;
    } else if (!two_bytes && opcode >= 0xb8 && opcode <= 0xbf) {
        i.next = p + (rex & REX_W ? 8 : narrow ? 2 : 4);
        i.known = true;
    } else if (!two_bytes && (opcode == 0x88 || opcode == 0x89 || opcode == 0xc6 || opcode == 0xc7)) {
        read_store(&i, p, opcode, rex, narrow);
    }
    return i;
}

bool code_stores(uintptr_t pc, const void *at, size_t length)
{
    const unsigned char *p = (const unsigned char *)pc; // NOLINT(performance-no-int-to-ptr)

    for (int count = 0; p && count < LOOKED_AT; count++) {
        struct instruction i = read_instruction(p);
        if (!i.known)
            return false;
        INVARIANT(i.next > p); /* every instruction that is known has a length */
        if (i.stores && !i.own)
            return i.width == length && (!i.target || i.target == at);
        p = i.next;
    }
    return false;
}

/* A call: of a function, or by a pointer that lies relative to the code. */
static const unsigned char *after_call(const unsigned char *p)
{
    return *p == 0xe8 ? p + 5 : p[0] == 0xff && p[1] == 0x15 ? p + 6 : NULL;
}

/* A jump on a condition: code in the place of a hook leaves its everyday path so. */
static const unsigned char *after_branch(const unsigned char *p)
{
    return (*p & 0xf0) == 0x70 ? p + 2 : p[0] == 0x0f && (p[1] & 0xf0) == 0x80 ? p + 6 : NULL;
}

/* Past what says that an operand is relative to fs, which the thread's words are, and the extension of its registers. */
static const unsigned char *after_prefixes(const unsigned char *p)
{
    p += *p == 0x64;
    return (*p & 0xf0) == 0x40 ? p + 1 : p;
}

/* The last instructions in the place of the hook of a read: they count it, say that it was no write, and give label 0. */
static const unsigned char *after_counted_read(const unsigned char *p)
{
    struct operand o;

    p = after_prefixes(p);
    if (*p++ != 0xff)
        return NULL;
    o = read_operand(p, 0);
    if (o.other != 1 || !o.memory)
        return NULL;
    p = after_prefixes(o.next);
    if (*p++ != 0xc6)
        return NULL;
    p = read_operand(p, 0).next;
    return p[0] == 0 && p[1] == 0x31 && p[2] == 0xc0 ? p + 3 : NULL;
}

/* The next instruction between the hooks of a copy; NULL: there is a store, or it is not understood. */
static const unsigned char *after_copying(const unsigned char *p)
{
    const unsigned char *next = after_call(p);
    struct instruction i;

    next = next ? next : after_branch(p);
    next = next ? next : after_counted_read(p);
    if (next)
        return next;
    i = read_instruction(p);
    INVARIANT(!i.known || i.next > p);
    return i.known && (!i.stores || i.own) ? i.next : NULL;
}

bool code_copies(uintptr_t write, uintptr_t read)
{
    const unsigned char *p = (const unsigned char *)write;  // NOLINT(performance-no-int-to-ptr)
    const unsigned char *end = (const unsigned char *)read; // NOLINT(performance-no-int-to-ptr)

    if (!p || end <= p || end - p > BETWEEN_MOST)
        return false;
    while (p && p < end) {
        const unsigned char *next = after_copying(p);
        if (next == end)
            return after_call(p) || after_counted_read(p);
        p = next;
    }
    return false;
}

#else

bool code_copies(uintptr_t write, uintptr_t read)
{
    (void)write;
    (void)read;
    return false;
}

bool code_stores(uintptr_t pc, const void *at, size_t length)
{
    (void)pc;
    (void)at;
    (void)length;
    return false;
}

#endif
