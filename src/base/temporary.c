/* Where temporary files go. */
#include "base/temporary.h"

#include <stdlib.h>

const char *temporary_folder(void)
{
    const char *chosen = getenv("TMPDIR");

    return chosen ? chosen : "/tmp";
}
