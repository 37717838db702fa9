/* What the second of two passes need not record: fields and arrays that no two threads shared in the first one. Accesses to
 * them are checked instead (runtime/protocol/java_light.h). */
#pragma once
#include "bytes.h"
#include "pool.h"
#include "runtime/protocol/java_light.h"

struct light;

/* Reads the list; NULL when it cannot be read. Lives as long as the machine. */
struct light *light_read(const char *path);

/* How accesses to the field are treated, by the owner that they name. */
enum light_field light_field(const struct light *light, const struct member *field);

/* How arrays are treated that are first touched by this instruction when there are several threads. */
enum light_array light_site(const struct light *light, struct span class, struct span method,
                            struct span descriptor, unsigned place);

/* Whether this instruction touches none but arrays that are not recorded. */
bool light_plain(const struct light *light, struct span class, struct span method, struct span descriptor,
                 unsigned place);

/* … and some that threads share as a whole. */
bool light_pieces(const struct light *light, struct span class, struct span method, struct span descriptor,
                  unsigned place);

/* Whether what threads do is ordered by their meeting at barriers. */
bool light_meetings(const struct light *light);

/* How the array is treated, by its number among those that are touched before a second thread starts. */
enum light_array light_array(const struct light *light, uint32_t ordinal);
