package heddle.runtime;

import jdk.internal.misc.Unsafe;

/** The gate of a machine that follows a script (runtime/protocol/java_log.h): before each record a thread asks whether it may go on. */
final class Gate {
    private static final Unsafe UNSAFE = Log.UNSAFE;
    private static final int HEADER = 64, SLOT = 64, MOST = 4096, OVER = 28;
    private static final int BEGUN = 0, ALLOWED = 8, WAITING = 16, IN_CALL = 20, WANTED = 32, BUSY = 36,
        WANTED_AT = 40, POLLS = 48;
    private static final int EXPLORES = 32, EXITS = 36, DRAWN = 44;

    /** Where its file is mapped; 0 when there is no script. */
    static long base;

    private Gate() {
    }

    /** Of the library: returns when the thread may make its record of that ordinal. */
    static native void pass(int number, long ordinal);

    /** Of the library: a thread is about to be started. */
    static native void forks(int maker, Thread child);

    /** Of the library: what the thread learned there when the script was recorded, or what it learns now. */
    static native long input(int number, int kind, long live);

    /** A virtual thread that waits here keeps the thread that runs it: there must be enough of those. */
    static void makeRoom() {
        System.setProperty("jdk.virtualThreadScheduler.parallelism", Integer.toString(MOST));
        System.setProperty("jdk.virtualThreadScheduler.maxPoolSize", Integer.toString(MOST));
    }

    /** The place of a thread; 0: it runs as it likes. */
    static long slot(int number) {
        return base == 0 || number >= MOST ? 0 : base + HEADER + (long) number * SLOT;
    }

    /** Whether the thread need not ask. */
    static boolean open(long slot, long ordinal) {
        return ordinal <= UNSAFE.getLongVolatile(null, slot + ALLOWED);
    }

    static void ask(long slot, int number, long ordinal) {
        if (UNSAFE.getLong(null, slot + BEGUN) >= ordinal) {
            return;
        }
        if (open(slot, ordinal)) {
            UNSAFE.putLongRelease(null, slot + BEGUN, ordinal);
        } else {
            pass(number, ordinal);
        }
    }

    static void inCall(long slot, boolean calls) {
        UNSAFE.putInt(null, slot + IN_CALL, calls ? 1 : 0);
    }

    /** 0, or 1 while the thread waits for a notification, 2 if only for some time. */
    static void waiting(long slot, int how) {
        UNSAFE.putIntVolatile(null, slot + WAITING, how);
    }

    /** The thread waits, and found no reason to go on. */
    static void polled(long slot) {
        UNSAFE.putLongRelease(null, slot + POLLS, UNSAFE.getLong(null, slot + POLLS) + 1);
    }

    /** The thread asks for a monitor, and makes that record when it has it. */
    static void wants(long slot, int monitor, long ordinal) {
        UNSAFE.putInt(null, slot + WANTED, monitor);
        UNSAFE.putLong(null, slot + WANTED_AT, ordinal);
    }

    /** Whether all is told that exploring needs. */
    static boolean explores() {
        return base != 0 && UNSAFE.getInt(null, base + EXPLORES) != 0;
    }

    /** Whether what the thread does until it asks again must not be interrupted. */
    static void busy(long slot, boolean is) {
        UNSAFE.putIntVolatile(null, slot + BUSY, is ? 1 : 0);
    }

    static void exits() {
        UNSAFE.putIntVolatile(null, base + EXITS, 1);
    }

    /** After the script: which of so many is chosen, the first if nothing is drawn; `at` differs from choice to choice. */
    static int choose(int count, long at) {
        long seed = over() ? UNSAFE.getInt(null, base + DRAWN) : 0;
        return seed == 0 ? 0 : (int) ((seed * 0x9e3779b97f4a7c15L ^ at * 0xbf58476d1ce4e5b9L) >>> 33) % count;
    }

    static boolean over() {
        return UNSAFE.getIntVolatile(null, base + OVER) != 0;
    }
}
