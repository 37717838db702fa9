/* Finds the functions behind the wrappers. */
#include "runtime/shared/real.h"
#include "runtime/runtime.h"

#include <dlfcn.h>

struct real real;

void real_find(void)
{
    /* dlsym hands functions out as objects; POSIX makes that exchange legal. */
#define FIND(result, name, parameters)                                                                         \
    if (!real.name)                                                                                            \
        *(void **)&real.name = dlsym(RTLD_NEXT, #name);

    REAL_FUNCTIONS(FIND)
#undef FIND
}

void real_find_library(void)
{
    void *library;

    real_find();
    library = real._Znwm ? NULL : real.dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return;
#define FIND(result, name, parameters)                                                                         \
    if (!real.name)                                                                                            \
        *(void **)&real.name = dlsym(library, #name);

    REAL_FUNCTIONS(FIND)
#undef FIND
    real.dlclose(library);
}
