/* Accesses and monitors.
 *
 * Before an access the runtime takes the stripe of the variable and gives a token, which waits in the first
 * local variable of ours; after it, the value read is handed over, or the token alone. */
#include "hook_sites.h"
#include "light.h"

#include <stdio.h>

enum { TOKEN, VALUE }; /* local variables of ours; a value takes two */

static const char *object_of(char letter)
{
    return letter == 'L'   ? "Ljava/lang/Object;"
           : letter == 'J' ? "J"
           : letter == 'F' ? "F"
           : letter == 'D' ? "D"
                           : "I";
}

/* The call "NAME + letter", with the letter's type in the place of % in the descriptor. */
static void typed_hook(struct method_work *m, const char *name, char letter, const char *before,
                       const char *after)
{
    char full[32], descriptor[128];

    snprintf(full, sizeof full, "%s%c", name, letter);
    snprintf(descriptor, sizeof descriptor, "%s%s%s", before, object_of(letter), after);
    hook_in(m, ACCESSES_CLASS, full, descriptor);
}

static void duplicate(struct method_work *m, char letter)
{
    emit(m, slots_of(letter) == 2 ? OP_DUP2 : OP_DUP);
}

/* The token is stored; after the access the value is passed on. */
static void read_with_token(struct method_work *m, size_t at, char letter)
{
    emit_store(m, 'L', m->scratch + TOKEN);
    builder_copy(&m->builder, at);
    duplicate(m, letter);
    emit_load(m, 'L', m->scratch + TOKEN);
    typed_hook(m, "saw", letter, "(", "Ljava/lang/Object;)V");
    ground_label(m, at, letter == 'I' || letter == 'J' ? "number" : "label", m->scratch + TOKEN);
}

static void write_with_token(struct method_work *m, size_t at)
{
    builder_copy(&m->builder, at);
    emit_load(m, 'L', m->scratch + TOKEN);
    hook_in(m, ACCESSES_CLASS, "done", "(Ljava/lang/Object;)V");
}

static int32_t name_hash(struct span name)
{
    uint32_t hash = 17;

    for (size_t i = 0; i < name.count; i++)
        hash = hash * 31 + name.data[i];
    return (int32_t)hash;
}

/* Reads and discards: whatever the first use of the class triggers has happened when the stripe is taken. */
static void look_at_static(struct method_work *m, size_t at, char letter)
{
    emit(m, OP_GETSTATIC);
    put_span(&m->builder.out, m->code->bytes.data + at + 1, 2);
    emit(m, slots_of(letter) == 2 ? OP_POP2 : OP_POP);
}

static void hook_static(struct method_work *m, size_t at, const struct member *field, char letter)
{
    unsigned op = m->code->bytes.data[at];

    look_at_static(m, at, letter);
    if (op == OP_PUTSTATIC)
        duplicate(m, letter);
    push_integer(m, name_hash(field->name));
    push_site(m, at, op, field);
    if (op == OP_GETSTATIC) {
        hook_in(m, ACCESSES_CLASS, "readStatic", "(II)Ljava/lang/Object;");
        read_with_token(m, at, letter);
        return;
    }
    typed_hook(m, "writeStatic", letter, "(", "II)Ljava/lang/Object;");
    emit_store(m, 'L', m->scratch + TOKEN);
    write_with_token(m, at);
}

/* How accesses to fields of objects and to elements of arrays are passed to the runtime; `copy` duplicates
 * the operands on the stack. */
struct place_hooks {
    unsigned copy;
    const char *read, *read_descriptor;
    const char *write, *write_before; /* the descriptor up to the value */
    bool checks;
};

static const struct place_hooks field_hooks = {.copy = OP_DUP,
                                               .read = "read",
                                               .read_descriptor = "(Ljava/lang/Object;I)Ljava/lang/Object;",
                                               .write = "write",
                                               .write_before = "(Ljava/lang/Object;"};

/* In the second of two passes: the thread's state comes last. */
static const struct place_hooks checked_hooks = {
    .copy = OP_DUP2,
    .read = "checkArray",
    .read_descriptor = "(Ljava/lang/Object;IILjava/lang/Object;)Ljava/lang/Object;",
    .write = "checkArray",
    .write_before = "(Ljava/lang/Object;I",
    .checks = true};

static const struct place_hooks element_hooks = {.copy = OP_DUP2,
                                                 .read = "readArray",
                                                 .read_descriptor = "(Ljava/lang/Object;II)Ljava/lang/Object;",
                                                 .write = "writeArray",
                                                 .write_before = "(Ljava/lang/Object;I"};

static void hook_read(struct method_work *m, size_t at, const struct place_hooks *hooks,
                      const struct member *field, char letter)
{
    emit(m, hooks->copy);
    (hooks->checks ? push_array_site : push_site)(m, at, m->code->bytes.data[at], field);
    if (hooks->checks)
        ground_state(m);
    hook_in(m, ACCESSES_CLASS, hooks->read, hooks->read_descriptor);
    read_with_token(m, at, letter);
}

/* The value lies above the place: it steps aside. */
static void hook_write(struct method_work *m, size_t at, const struct place_hooks *hooks,
                       const struct member *field, char letter)
{
    emit_store(m, letter, m->scratch + VALUE);
    emit(m, hooks->copy);
    emit_load(m, letter, m->scratch + VALUE);
    (hooks->checks ? push_array_site : push_site)(m, at, m->code->bytes.data[at], field);
    if (hooks->checks)
        ground_state(m);
    typed_hook(m, hooks->write, letter, hooks->write_before,
               hooks->checks ? "ILjava/lang/Object;)Ljava/lang/Object;" : "I)Ljava/lang/Object;");
    emit_store(m, 'L', m->scratch + TOKEN);
    emit_load(m, letter, m->scratch + VALUE);
    write_with_token(m, at);
}

/* An access to a field that is not recorded. */
static void check_field(struct method_work *m, size_t at, const struct member *field, enum light_field how)
{
    unsigned op = m->code->bytes.data[at];
    char letter = field_letter(field->descriptor);
    bool writes = op == OP_PUTFIELD || op == OP_PUTSTATIC;

    if (how == LIGHT_CHECKED && op == OP_PUTFIELD)
        emit_store(m, letter, m->scratch + VALUE);
    if (how == LIGHT_CHECKED) {
        emit(m, OP_DUP);
        push_site(m, at, op, field);
        ground_state(m);
        hook_in(m, ACCESSES_CLASS, writes ? "changes" : "looksAt", "(Ljava/lang/Object;ILjava/lang/Object;)V");
    } else if (how == LIGHT_QUIET && writes) {
        push_site(m, at, op, field);
        hook_in(m, ACCESSES_CLASS, "changesAlone", "(I)V");
    }
    if (how == LIGHT_CHECKED && op == OP_PUTFIELD)
        emit_load(m, letter, m->scratch + VALUE);
    builder_copy(&m->builder, at);
}

void hook_field(struct method_work *m, size_t at, const struct member *field)
{
    unsigned op = m->code->bytes.data[at];
    char letter = field_letter(field->descriptor);
    enum light_field how = light_field(m->work->rewriter->light, field);

    need(m, 6, 3);
    if (how != LIGHT_NONE) {
        check_field(m, at, field, how);
        return;
    }
    m->labelled = m->flow && flow_source(m->flow, at) != NO_SOURCE;
    if (op == OP_GETSTATIC || op == OP_PUTSTATIC)
        hook_static(m, at, field, letter);
    else if (op == OP_GETFIELD)
        hook_read(m, at, &field_hooks, field, letter);
    else
        hook_write(m, at, &field_hooks, field, letter);
    m->labelled = false;
}

/* An access to an element of an array that is not recorded. */
static void check_element(struct method_work *m, size_t at, bool stores, char letter)
{
    bool pieces = light_pieces(m->work->rewriter->light, m->work->class->name, m->method->name,
                               m->method->descriptor, (unsigned)at);

    if (stores)
        emit_store(m, letter, m->scratch + VALUE);
    emit(m, OP_DUP2);
    push_array_site(m, at, m->code->bytes.data[at], NULL);
    ground_state(m);
    hook_in(m, ACCESSES_CLASS,
            stores   ? pieces ? "changesPart" : "changesElement"
            : pieces ? "looksAtPart"
                     : "looksAtElement",
            "(Ljava/lang/Object;IILjava/lang/Object;)V");
    if (stores)
        emit_load(m, letter, m->scratch + VALUE);
    builder_copy(&m->builder, at);
}

void hook_array(struct method_work *m, size_t at)
{
    unsigned op = m->code->bytes.data[at];
    bool stores = op >= OP_IASTORE;
    char letter = "IJFDLIII"[op - (stores ? OP_IASTORE : OP_IALOAD)];
    const struct place_hooks *hooks = m->work->rewriter->light ? &checked_hooks : &element_hooks;

    need(m, 8, 3);
    if (light_plain(m->work->rewriter->light, m->work->class->name, m->method->name, m->method->descriptor,
                    (unsigned)at)) {
        check_element(m, at, stores, letter);
        return;
    }
    m->labelled = m->flow && flow_source(m->flow, at) != NO_SOURCE;
    if (stores)
        hook_write(m, at, hooks, NULL, letter);
    else
        hook_read(m, at, hooks, NULL, letter);
    m->labelled = false;
}

void hook_monitor(struct method_work *m, size_t at)
{
    unsigned op = m->code->bytes.data[at];

    need(m, 3, 1);
    emit(m, OP_DUP);
    if (op == OP_MONITORENTER && m->work->rewriter->gates) {
        emit(m, OP_DUP);
        hook(m, "entering", "(Ljava/lang/Object;)V");
    }
    if (op == OP_MONITORENTER) {
        emit_store(m, 'L', m->scratch);
        builder_copy(&m->builder, at);
        emit_load(m, 'L', m->scratch);
        push_site(m, at, op, NULL);
        hook(m, "acquired", "(Ljava/lang/Object;I)V");
        return;
    }
    push_site(m, at, op, NULL);
    hook(m, "releasing", "(Ljava/lang/Object;I)V");
    builder_copy(&m->builder, at);
}
