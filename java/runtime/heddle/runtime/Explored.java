package heddle.runtime;

import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Semaphore;

/** What only a machine that is explored must know. */
final class Explored {
    /** Threads that the program started, and the one that runs main; the machine has others. */
    private static final ArrayList<Thread> threads = new ArrayList<>();

    private Explored() {
    }

    static void started(Thread thread) {
        synchronized (threads) {
            threads.add(thread);
        }
    }

    static boolean isStarted(Thread thread) {
        synchronized (threads) {
            for (Thread known : threads) {
                if (known == thread) {
                    return true;
                }
            }
        }
        return false;
    }

    /** How many a semaphore, a latch or a barrier begins with. */
    static long count(Object made) {
        return made instanceof Semaphore ? ((Semaphore) made).availablePermits()
            : made instanceof CountDownLatch ? ((CountDownLatch) made).getCount()
            : made instanceof CyclicBarrier ? ((CyclicBarrier) made).getParties() : 0;
    }
}
