/* Which thread sent which signal, or message to a queue: a receiver comes after all threads that may have sent
 * it. */
#include "runtime/shared/channels.h"

#include <signal.h>

enum { SIGNALS = SENT_MESSAGE + 1, SENDERS = 16 };

static struct {
    struct channel_call senders[SENDERS]; /* a thread's last each */
    unsigned count;
} signals[SIGNALS];

/* With too many senders each new one comes after an old one and stands for both. */
void signal_sent(int number, uintptr_t pc)
{
    unsigned at = 0;

    if (number <= 0 || number >= SIGNALS)
        return;
    while (at < signals[number].count && signals[number].senders[at].thread != channel_thread())
        at++;
    if (at == SENDERS) {
        at = 0;
        call_after(signals[number].senders[at], pc);
    }
    signals[number].count += at == signals[number].count;
    signals[number].senders[at] = call_note(pc);
}

void signal_received(int number, uintptr_t pc)
{
    if (number == SIGIO || number == SIGURG) /* the kernel sends it when something can be read */
        channel_after_all(pc);
    for (unsigned i = 0; number > 0 && number < SIGNALS && i < signals[number].count; i++)
        call_after(signals[number].senders[i], pc);
}
