/* Rewriting the code of one method. */
#pragma once
#include "hook_sites.h"

/* Appends the new content of the Code attribute; its sites go to the class's list. */
enum rewrite_result rewrite_code(struct work *work, const struct feature *method, struct span content,
                                 struct bytes *to);
