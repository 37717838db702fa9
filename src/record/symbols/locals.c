/* Local variables by the frame they are in. */
#include "record/symbols/locals.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>

enum { RBP = DW_OP_reg6, RSP = DW_OP_reg7 };

static bool is_function(Dwarf_Die *scope)
{
    int tag = dwarf_tag(scope);

    return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

/* What locations of the function's variables are counted from. */
static bool frame_base(Dwarf_Die *function, uint64_t pc, const struct scope_frame *frame, uint64_t *base)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;

    if (!dwarf_attr_integrate(function, DW_AT_frame_base, &attribute) ||
        dwarf_getlocation_addr(&attribute, pc, &ops, &count, 1) != 1 || count != 1)
        return false;
    switch (ops[0].atom) {
    case DW_OP_call_frame_cfa:
        *base = frame->high;
        return true;
    case RBP: /* pushed right below the return address */
        *base = frame->high - 16;
        return true;
    case RSP:
        *base = frame->low;
        return true;
    default:
        return false;
    }
}

/* Where a variable of the frame is; false when it is not in memory, or not there all the time. */
static bool local_place(Dwarf_Die *variable, uint64_t pc, uint64_t base, uint64_t *address)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;

    if (!dwarf_attr_integrate(variable, DW_AT_location, &attribute) ||
        dwarf_getlocation_addr(&attribute, pc, &ops, &count, 1) != 1 || count != 1 ||
        ops[0].atom != DW_OP_fbreg)
        return false;
    *address = base + ops[0].number;
    return true;
}

/* The variable of the scope that holds all of the bytes. */
static bool find_in_scope(Dwarf_Die *scope, uint64_t pc, uint64_t base, uint64_t address, uint64_t length,
                          Dwarf_Die *variable, uint64_t *offset)
{
    Dwarf_Die type;
    uint64_t start;

    if (dwarf_child(scope, variable) != 0)
        return false;
    do {
        int tag = dwarf_tag(variable);
        if ((tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) ||
            !local_place(variable, pc, base, &start) || !type_of(variable, &type))
            continue;
        *offset = address - start;
        if (address >= start && *offset + (length ? length : 1) <= type_size(&type))
            return true;
    } while (dwarf_siblingof(variable, variable) == 0);
    return false;
}

bool locals_name(struct scopes *all, struct outlined *outlined, Dwarf_Die *unit, Dwarf_Addr bias,
                 const struct scope_frame *frame, uint64_t address, uint64_t length, char *to, size_t room,
                 struct spelling *spelling)
{
    uint64_t pc = frame->pc - 1 - bias, base, offset = 0;
    Dwarf_Die *scopes = NULL, variable, type;
    int count = scopes_and_blocks(all, unit, pc, &scopes), outer = 0, at = 0;
    bool found = false;

    while (outer < count && dwarf_tag(&scopes[outer]) != DW_TAG_subprogram)
        outer++;
    if (outer < count && frame_base(&scopes[outer], pc, frame, &base))
        for (at = 0; at <= outer && !found; at++)
            found = find_in_scope(&scopes[at], pc, base, address, length, &variable, &offset);
    if (found && type_of(&variable, &type)) {
        const char *name = dwarf_diename(&variable), *function = NULL;
        for (at--; at <= outer && !function; at++) /* the block it is in, then outwards */
            if (is_function(&scopes[at])) {
                Dwarf_Die written = outlined_from(outlined, &scopes[at]);
                function = dwarf_diename(&written);
            }
        int used = snprintf(to, room, "%s: %s", function ? function : "?", name ? name : "?");
        if (used > 0 && (size_t)used < room)
            type_part(&type, offset, length, to + used, room - (size_t)used, spelling);
        found = name && function;
        spelling->local = found;
        spelling->atomic = type_is_atomic(&variable, offset, length);
    }
    free(scopes);
    return found;
}
