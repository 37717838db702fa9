#include "property/worker.h"
void stuck_all(struct worker *w) { (void)w; }
