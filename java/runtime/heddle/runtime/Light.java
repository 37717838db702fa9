package heddle.runtime;

import java.util.IdentityHashMap;
import jdk.internal.misc.Unsafe;

/**
 * The second of two passes: what no two threads share is not recorded but checked.
 *
 * Time is divided into phases by the starts and the ends of threads. In the even ones the first thread is alone: it has waited
 * for the end of every other. What one thread touches in a phase, or nobody writes in it, no order of threads can change. A
 * mark says who touched an object or an element last: thread, phase, whether it was written.
 */
final class Light {
    private static final Unsafe UNSAFE = Log.UNSAFE;
    private static final int PHASES = 1 << 8, LIVE_MOST = 10_000, STRAYS_MOST = 1_000_000, SLOTS = 256;
    private static final int READERS = 0x3fffff; // in the place of a thread's number
    private static final int SHARED = 1 << 30; // in a site's number: arrays that are first touched there are shared

    /** Whether phases are told; whether this is the second pass. */
    private static boolean tells;
    static boolean checks;

    private static volatile int phase;
    private static int readers = mark(READERS, 0);
    private static int strays;
    private static int arrays;

    /** Threads that were started and not waited for by the first one; null: too many. */
    private static IdentityHashMap<Thread, Boolean> live = new IdentityHashMap<>();

    private Light() {
    }

    static void start(int passes) {
        tells = passes > 0;
        checks = passes > 1;
    }

    static int siteOf(int site) {
        return site & ~SHARED;
    }

    private static int mark(int number, int phase) {
        return number << 9 | phase << 1;
    }

    static int markOf(int number) {
        return mark(number < READERS ? number : READERS - 1, phase);
    }

    /** The thread is about to be started, by the thread of this state. */
    static void forks(State state, Thread thread) {
        if (!tells || state == null) {
            return;
        }
        synchronized (Light.class) {
            if (live == null || live.put(thread, true) != null) {
                return;
            }
            if (phase % 2 == 0) {
                next(state);
            }
            if (live.size() > LIVE_MOST) {
                live = null;
            }
        }
    }

    /** The thread of this state has seen that the other one has ended. */
    static void joined(State state, Thread thread) {
        if (!tells || state == null || state.number != 1) {
            return;
        }
        synchronized (Light.class) {
            if (live != null && live.remove(thread) != null && live.isEmpty() && phase < PHASES - 3) {
                next(state);
            }
        }
    }

    /** Whatever the thread read so far is as it was wherever the next phase is reached. */
    private static void next(State state) {
        state.labels.byAll();
        phase++;
        readers = mark(READERS, phase);
        state.mark = markOf(state.number);
        Log.put(Log.PHASE, state.number, 0, 0, 0, phase);
    }

    /** The thread of this state ends: those who wait for it depend on all that it read. */
    static void ends(State state) {
        if (tells) {
            state.labels.byAll();
        }
    }

    /** A thread makes its first record. Nothing is known of one that nobody was seen to start. */
    static void meets(Thread thread, int number) {
        if (tells && number != 1 && !thread.getName().equals("DestroyJavaVM")) {
            synchronized (Light.class) {
                if (live != null && !live.containsKey(thread)) {
                    stray(number, 0, -1, 1);
                }
            }
        }
    }

    /** What was taken for unshared is shared. Value 1: nothing can be told from this run. */
    private static void stray(int thread, int site, int ordinal, int value) {
        if (strays < STRAYS_MOST) {
            strays++;
            Log.put(Log.STRAY, thread, site & ~SHARED, 0, ordinal, value);
        }
    }

    /** The mark after an access of a thread with this one; 0: the threads are in each other's way. */
    private static int after(int old, int mine, boolean writes) {
        int dirty = writes ? 1 : 0;
        if (old == 0 || (old >>> 1 & PHASES - 1) != (mine >>> 1 & PHASES - 1)) {
            return mine | dirty;
        }
        if (old >>> 1 == mine >>> 1) {
            return old | dirty;
        }
        return writes || (old & 1) != 0 ? 0 : readers;
    }

    /** An access to a field of an object whose fields of this kind one thread touches at a time. */
    static void field(State state, Object object, int site, boolean writes) {
        if (state == null || object == null) {
            return;
        }
        long at = Identity.shapeOf(object, site).mark;
        int old = at == 0 ? 0 : UNSAFE.getInt(object, at);
        if (writes ? old == (state.mark | 1) : (old ^ state.mark) >>> 1 == 0 || old == readers) {
            return;
        }
        if (at == 0 || !claim(object, at, state.mark, writes)) {
            strayField(state.number, site);
        }
    }

    /** Whether the thread of this mark may touch what has its mark there. */
    private static boolean claim(Object object, long at, int mine, boolean writes) {
        for (;;) {
            int old = UNSAFE.getIntVolatile(object, at);
            int next = after(old, mine, writes);
            if (next == 0 || UNSAFE.compareAndSetInt(object, at, old, next)) {
                return next != 0;
            }
        }
    }

    /** A write to a field that is only written while one thread is alone. */
    static void quiet(int site) {
        if (phase % 2 != 0) {
            State state = State.current();
            if (state != null) {
                strayField(state.number, site);
            }
        }
    }

    /** Sites that were told of. */
    private static final byte[] told = new byte[1 << 16];

    private static void strayField(int thread, int site) {
        if (told[site & told.length - 1] == 0) {
            told[site & told.length - 1] = 1;
            stray(thread, site, -1, 0);
        }
    }

    /** What is known of an array. */
    static final class Elements {
        private int[] marks;
        private boolean full; // its elements are recorded
        private int ordinal = -1; // among those that were first touched before there was a second thread
        private int site; // where it was first touched
        private boolean told;

        private synchronized void choose(int length, int at) {
            if (marks != null) {
                return;
            }
            site = at & ~SHARED;
            ordinal = phase == 0 ? arrays++ : -1;
            full = ordinal >= 0 ? Hooks.isShared(ordinal) : (at & SHARED) != 0;
            marks = new int[full ? 0 : length];
        }
    }

    /** A thread's recent arrays, by site. */
    static final class Recent {
        private final Object[] arrays = new Object[SLOTS];
        private final int[][] marks = new int[SLOTS][];
    }

    /** Whether a read or a write of the element need not be recorded. */
    static boolean reads(State state, Object array, int index, int site) {
        Recent recent = state.recent;
        int slot = site & SLOTS - 1;
        if (recent.arrays[slot] == array) {
            int[] marks = recent.marks[slot];
            if (index >= 0 && index < marks.length) {
                int old = marks[index];
                if ((old ^ state.mark) >>> 1 == 0 || old == readers) {
                    return true;
                }
            }
        }
        return touch(state, array, index, site, false);
    }

    static boolean writes(State state, Object array, int index, int site) {
        Recent recent = state.recent;
        int slot = site & SLOTS - 1;
        boolean light = false;
        if (recent.arrays[slot] == array) {
            int[] marks = recent.marks[slot];
            light = index >= 0 && index < marks.length && marks[index] == (state.mark | 1);
        }
        if (light || touch(state, array, index, site, true)) {
            state.labels.dropFrom();
            return true;
        }
        return false;
    }

    private static boolean touch(State state, Object array, int index, int site, boolean writes) {
        if (array == null || index < 0 || index >= java.lang.reflect.Array.getLength(array)) {
            return true; // the access will throw
        }
        Elements elements = Identity.elementsOf(array, site & ~SHARED);
        elements.choose(java.lang.reflect.Array.getLength(array), site);
        if (elements.full) {
            return false;
        }
        int slot = site & SLOTS - 1;
        Recent recent = state.recent;
        recent.arrays[slot] = array;
        recent.marks[slot] = elements.marks;
        long at = Unsafe.ARRAY_INT_BASE_OFFSET + (long) index * Unsafe.ARRAY_INT_INDEX_SCALE;
        if (!claim(elements.marks, at, state.mark, writes) && !elements.told) {
            elements.told = true;
            stray(state.number, elements.site, elements.ordinal, 0);
        }
        return true;
    }
}
