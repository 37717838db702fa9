package heddle.runtime;

import jdk.internal.misc.Unsafe;

/** A thread that runs only when it is its turn ({@link Turns}). Fields are guarded by the lock of {@link Run}, or belong to the
 * thread that has the turn. */
final class Worker {
    private static final Unsafe UNSAFE = Log.UNSAFE;
    private static final int THROWS_MOST = 1000;

    enum Status {
        READY, BLOCKED, WAITING, PARKED, JOINING, ENDING,
        /** Blocks where no hook is, or takes long: it runs on its own until its next hook. */
        DETACHED,
        DONE
    }

    final Thread thread;
    Run run;
    int id;
    Status status = Status.READY;

    /** Hooks met, but for those inside static initializers, which run once only. */
    int count;
    int initializing;

    /** What it waits for: the monitor, the object of a wait, the thread to join. */
    Object on;
    boolean notified;
    boolean timedOut;

    /** Of virtual time; 0: none. */
    long deadline;

    /** As of LockSupport. */
    boolean permit;

    /** Gave its turn up: others go first. */
    boolean lazy;
    int priority;
    boolean abandoned;
    private int thrown;

    /** Its turn has come, which it has not noticed yet. */
    volatile boolean go;

    /** Where it sleeps; not in a park of the machine's, which interrupts would end. Places are used again, as waking one that
     * has nothing to do is harmless. */
    private final long bed;
    private static final int BEDS = 1 << 14;
    private static final long beds = UNSAFE.allocateMemory(BEDS * 4L);
    private static int made;

    static {
        UNSAFE.setMemory(beds, BEDS * 4L, (byte) 0);
    }

    /** With the lock of {@link Run}. */
    Worker(Thread thread) {
        this.thread = thread;
        bed = beds + (made++ & BEDS - 1) * 4L;
    }

    /** Called by the thread itself: returns when it is its turn. */
    void await() {
        awaitQuietly();
        leaveIfAbandoned();
    }

    void awaitQuietly() {
        while (!go) {
            int seen = UNSAFE.getIntVolatile(null, bed);
            if (!go) {
                Turns.rest(bed, seen);
            }
        }
        go = false;
    }

    private void rouse() {
        UNSAFE.getAndAddInt(null, bed, 1);
        Turns.rouse(bed);
    }

    /** The same in a wait: `object` is given up meanwhile. */
    void await(Object object) {
        boolean interrupted = false;
        synchronized (object) {
            while (!go) {
                try {
                    object.wait();
                } catch (InterruptedException e) {
                    interrupted = true; // it learns of that when it is its turn
                }
            }
        }
        go = false;
        if (interrupted) {
            thread.interrupt();
        }
        leaveIfAbandoned();
    }

    /** Called by another thread, without the lock. */
    void wake() {
        Object object = wakesFrom;
        go = true;
        if (object == null) {
            rouse();
            return;
        }
        synchronized (object) {
            object.notifyAll();
        }
    }

    /** The same when the run is over: others may have the monitor for a while. */
    void wakeToLeave() {
        go = true;
        if (wakesFrom == null) {
            rouse();
        } else {
            thread.interrupt();
        }
    }

    /** The object in whose wait the thread is, or null. */
    volatile Object wakesFrom;

    void leaveIfAbandoned() {
        if (!abandoned) {
            return;
        }
        while (++thrown > THROWS_MOST) { // it catches everything
            Turns.rest(bed, UNSAFE.getIntVolatile(null, bed));
        }
        thread.setUncaughtExceptionHandler(new Silent());
        throw new Abandoned();
    }

    private static final class Silent implements Thread.UncaughtExceptionHandler {
        @Override
        public void uncaughtException(Thread dead, Throwable error) {
        }
    }
}
