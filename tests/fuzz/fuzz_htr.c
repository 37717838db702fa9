/* Fuzzes the native reader past its checksums.
 *
 * The input is a recipe for a file: a byte of features, then parts, each a byte of block type and two of length
 * and a payload. The file built of them has right headers and checksums, so that every payload is decoded. A
 * first byte of 0xff hands the rest to the reader as it is. */
#include "fuzz/check.h"
#include "support/htr_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* How many events the payload says it has: what the next block's header must count. */
static uint64_t events_in(const uint8_t *payload, size_t length)
{
    uint64_t count = 0;

    for (size_t i = 0; i < length && i < 5; i++) {
        count |= (uint64_t)(payload[i] & 0x7f) << 7 * i;
        if (payload[i] < 0x80)
            break;
    }
    return count;
}

static void build_file(struct htr_file *file, const uint8_t *bytes, size_t length)
{
    uint64_t events = 0;
    size_t at = 1;

    htr_file_start(file, HTR_VERSION, bytes[0] & HTR_FEATURES);
    while (at + 3 < length) {
        unsigned type = bytes[at] % 10;
        size_t rest = length - at - 3, size = bytes[at + 1] | (size_t)bytes[at + 2] << 8;
        const uint8_t *payload = bytes + at + 3;
        if (size > rest)
            size = rest;
        htr_file_block(file, type, events, payload, size);
        if (type == HTR_EVENTS)
            events += events_in(payload, size);
        at += 3 + size;
    }
    if (!(bytes[0] & 0x80))
        htr_file_end(file, events);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct htr_file file;

    if (length == 0)
        return 0;
    if (bytes[0] == 0xff) {
        check_input(bytes + 1, length - 1);
        return 0;
    }
    build_file(&file, bytes, length);
    check_input(file.bytes, file.bytes_count);
    htr_file_free(&file);
    return 0;
}
