/* The C++ library's table of letters, which threads fill in as they need it (std::ctype<char>::narrow, in its
 * headers, for std::regex and others): without a lock, always with the same values. Filled before there are
 * threads, it is never written again. */
#include "runtime/runtime.h"
#include "runtime/shared/real.h"

/* The caller is the runtime: what the library does here is not part of the program's run. */
void facets_fill(void)
{
    static bool done;
    void *locale = NULL; /* all that a std::locale is */
    const void *letters;

    if (done)
        return;
    done = true;
    if (!real._ZNSt6localeC1Ev || !real._ZNSt6localeD1Ev || !real._ZSt9use_facetISt5ctypeIcEERKT_RKSt6locale ||
        !real._ZNKSt5ctypeIcE14_M_narrow_initEv)
        return;
    real._ZNSt6localeC1Ev(&locale);
    letters = real._ZSt9use_facetISt5ctypeIcEERKT_RKSt6locale(&locale);
    real._ZNKSt5ctypeIcE14_M_narrow_initEv(letters);
    real._ZNSt6localeD1Ev(&locale);
}
