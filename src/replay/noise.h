/* Output that differs between two unchanged runs: times, addresses, process numbers. */
#pragma once
#include "replay/run.h"

/* Whether the text is that of the reference, but for words in which `again`, the reference once more, differs from it, too; NULL: there
 * is no such run. A reference that has another number of lines when it runs again is no measure: then every text is like it. */
bool same_but_for_noise(const struct captured_text *reference, const struct captured_text *again,
                        const struct captured_text *now);
