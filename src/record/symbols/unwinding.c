/* What the unwind tables of a program say about its frames. */
#include "record/symbols/symbols_parts.h"

#include <dwarf.h>
#include <stdlib.h>

enum { RBP = 6, LINK = 16 }; /* a caller's frame pointer and where it goes on are right below its frame */

/* Whether frames begin LINK bytes above the frame pointer; or, in functions that align their stack, where a word below
 * the frame pointer says: these put a copy of where they return to above the frame pointer, too. */
static bool is_by_frame_pointer(const Dwarf_Op *ops, size_t count)
{
    if (count == 1)
        return (ops[0].atom == DW_OP_bregx && ops[0].number == RBP && ops[0].number2 == LINK) ||
               (ops[0].atom == DW_OP_breg0 + RBP && ops[0].number == LINK);
    return count == 2 && ops[0].atom == DW_OP_breg0 + RBP && ops[1].atom == DW_OP_deref;
}

static bool look(struct symbols *s, uint64_t address)
{
    Dwfl_Module *module = s->dwfl ? dwfl_addrmodule(s->dwfl, address) : NULL;
    Dwarf_Addr bias = 0;
    Dwarf_CFI *table = module ? dwfl_module_eh_cfi(module, &bias) : NULL;
    Dwarf_Frame *frame = NULL;
    Dwarf_Op *ops = NULL;
    size_t count = 0;
    bool keeps;

    if (!table || dwarf_cfi_addrframe(table, address - bias, &frame) != 0)
        return false;
    keeps = dwarf_frame_cfa(frame, &ops, &count) == 0 && is_by_frame_pointer(ops, count);
    free(frame);
    return keeps;
}

bool symbols_keeps_frame(struct symbols *s, uint64_t pc)
{
    enum { NO = 1, YES = 2 };
    uint32_t *kept;

    symbols_settle(s);
    kept = map_at(&s->known.keeps_frame, pc);
    if (*kept == 0)
        *kept = look(s, pc - 1) ? YES : NO;
    return *kept == YES;
}
