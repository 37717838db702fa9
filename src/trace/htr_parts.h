/* What the parts of the native reader share; private to this room. */
#pragma once
#include "trace/htr.h"

/* The bytes of a block that are still to come. */
struct payload {
    const unsigned char *at, *end;
};

static inline bool get_varint(struct payload *p, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && p->at < p->end; shift += 7) {
        unsigned char byte = *p->at++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

/* Turns the payloads of event blocks into events of the trace, checking each. */
struct htr_decoder;

struct htr_decoder *htr_decoder_new(struct trace *trace, unsigned features);
void htr_decoder_free(struct htr_decoder *decoder);

/* The events of one block; errors name the event, not the file. */
enum status htr_decode(struct htr_decoder *decoder, struct payload payload, struct error *err);

/* A block of stacks, of `events` events from `first` on; false when it is damaged. */
bool htr_stacks_decode(struct stacks *stacks, struct payload payload, size_t first, size_t events);

/* What is wrong with a block, after so many events. */
enum status htr_damaged(const struct trace *trace, struct error *err, const char *what);
