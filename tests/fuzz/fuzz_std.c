/* Fuzzes the text reader: whatever loads must be written and read back as the same trace, and have a model. */
#include "fuzz/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    check_input(bytes, length);
    return 0;
}
