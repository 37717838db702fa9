package heddle.runtime;

import jdk.internal.misc.Unsafe;

/** The log: records of 24 bytes in a mapped file (runtime/protocol/java_log.h). A slot is taken by one atomic addition. */
final class Log {
    static final Unsafe UNSAFE = Unsafe.getUnsafe();

    static final int OBJECT = 1, THREAD = 2, READ = 3, WRITE = 4, STATIC_READ = 5, STATIC_WRITE = 6, ACQUIRED = 7,
        RELEASING = 8, FORK = 9, CALL = 10, RETURNED = 11, ATOMIC = 12, ATOMIC_NOT = 13, OUT = 14, IN = 15,
        TOUCHED = 16, BEGIN = 17, END = 18, MADE = 19, BORN = 20, PRINT = 21, PRINTED = 22, OUTSIDE = 23, DIES = 24,
        ENDS = 25, UNION = 26, BY = 27, BY_ALL = 28, COMPARED = 29, FROM = 30, OUTPUT = 31, INPUT = 32, PHASE = 34, STRAY = 35;

    private static final int HEADER = 64, RECORD = 24, CAPACITY = 8, NEXT = 16, STOLEN = 32;

    /** Where the file is mapped; 0 as long as nothing is recorded, and when nothing is any more. */
    static long base;

    /** How many records there is room for; whether there will never be more. */
    private static long ready;
    private static boolean full;

    /** Whether records were taken out of it, because it would have been full before there was a second thread. */
    private static boolean shortened;

    private Log() {
    }

    static void open(long address, long records) {
        ready = records;
        base = address;
    }

    static void put(int kind, int thread, int site, int object, int index, long value) {
        long start = base;
        if (start == 0) {
            return;
        }
        long slot = UNSAFE.getAndAddLong(null, start + NEXT, 1);
        if (slot >= ready) {
            slot = makeRoom(slot);
            if (slot < 0) {
                return;
            }
        }
        long at = start + HEADER + slot * RECORD;
        UNSAFE.putInt(null, at + 4, site);
        UNSAFE.putInt(null, at + 8, object);
        UNSAFE.putInt(null, at + 12, index);
        UNSAFE.putLong(null, at + 16, value);
        UNSAFE.putIntRelease(null, at, kind | thread << 8);
    }

    /** Gives the record's slot when there is room for it, which may be another one, or -1. */
    private static long makeRoom(long slot) {
        long shorter = full || slot < UNSAFE.getLong(null, base + CAPACITY) ? slot : State.shorten(slot);
        shortened |= shorter != slot;
        return shorter < ready || grow(shorter) ? shorter : -1;
    }

    /** A thread is about to be started: the rest of the log is for more than one. */
    static void forks() {
        long start = base;
        if (start != 0 && shortened && !full) {
            State.shorten(UNSAFE.getLongVolatile(null, start + NEXT));
        }
        State.notAlone();
    }

    /** Makes room for the record. When there is none to be had, hooks do nothing from now on, but for those of a machine
     * that follows a script: its threads still take turns. */
    private static boolean grow(long slot) {
        if (full) {
            return false;
        }
        long room = Hooks.growLog(slot);
        if (slot < room) {
            ready = room;
            return true;
        }
        full = true;
        if (Gate.base == 0) {
            base = 0;
        }
        return false;
    }

    static void stolen() {
        if (base != 0) {
            UNSAFE.getAndAddLong(null, base + STOLEN, 1);
        }
    }
}
