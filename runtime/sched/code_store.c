/* Decodes the machine code after the hook of a write: is the write made before anything else is called?
 *
 * Only what compilers put there is understood: moves between registers, loads, addresses, and the store
 * itself. Stores to the stack and to thread-local memory are spills and bookkeeping, and are passed over. */
#include "runtime/sched/code_store.h"
#include "runtime/shared/runtime_invariant.h"

#if defined(__x86_64__)

enum {
    LOOKED_AT = 8,     /* instructions */
    BETWEEN_MOST = 64, /* bytes between the hooks of a copy */
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
    struct operand o = {.next = p + 1, .memory = mode != MODE_REGISTER};
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
           opcode == 0x2b || opcode == 0x33 || opcode == 0x23 || opcode == 0x0b || opcode == 0x85;
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

bool code_copies(uintptr_t write, uintptr_t read)
{
    const unsigned char *p = (const unsigned char *)write;  // NOLINT(performance-no-int-to-ptr)
    const unsigned char *end = (const unsigned char *)read; // NOLINT(performance-no-int-to-ptr)

    if (!p || end <= p || end - p > BETWEEN_MOST)
        return false;
    for (;;) {
        const unsigned char *next = after_call(p);
        if (next == end)
            return true;
        if (!next) {
            struct instruction i = read_instruction(p);
            if (!i.known || (i.stores && !i.own))
                return false;
            INVARIANT(i.next > p);
            next = i.next;
        }
        if (next >= end)
            return false;
        p = next;
    }
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
