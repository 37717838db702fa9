/* What the environment asks of a random test. */
#include "random/wanted.h"

#include <stdlib.h>

static uint64_t number_from(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);

    return text ? strtoull(text, NULL, 0) : otherwise;
}

uint64_t wanted_seed(void)
{
    return number_from("HEDDLE_SEED", 1);
}

uint64_t wanted_traces(uint64_t usual, uint64_t many)
{
#ifdef __SANITIZE_ADDRESS__ /* several times as slow; the other build compares the answers */
    usual = (usual + 4) / 5;
#endif
    return number_from("HEDDLE_TRACES", getenv("HEDDLE_TEST_LONG") ? many : usual);
}
