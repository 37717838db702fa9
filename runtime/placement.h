/* One processor for all threads: they run one at a time, and handing the turn over is fastest on the same one.
 */
#pragma once

/* Moves the calling thread, and those it will make, to the processor it is on; and back to where it may run. */
void placement_narrow(void);
void placement_widen(void);
