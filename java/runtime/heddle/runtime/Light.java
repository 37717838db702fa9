package heddle.runtime;

import java.util.IdentityHashMap;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * The second of two passes: what no two threads share is not recorded but checked.
 *
 * Time is divided into phases by the starts and the ends of threads. In some the first thread is alone: it has waited for the
 * end of every other. What one thread touches in a phase, or nobody writes in it, no order of threads can change. Threads that
 * meet at a barrier ({@link Meetings}) divide a phase further: what one of them did before they met comes before what another
 * does afterwards. The clock counts phases and meetings. A mark says who touched an object or an element last: thread, clock,
 * whether it was written then, whether it was written before in the same phase.
 */
final class Light {
    private static final Unsafe UNSAFE = Log.UNSAFE;
    private static final int CLOCKS = 1 << 16, LIVE_MOST = 10_000, STRAYS_MOST = 1_000_000, SLOTS = 256;
    private static final int DIRTY = 1, EARLIER = 2, CLOCK = 2, THREAD = 18, THREADS = 1 << 13;
    private static final int READERS = THREADS - 1, MEMBERS = THREADS - 2; // several threads that read; all of them meet
    private static final int TREATMENT = 29; // the bits above, in a site's number: of arrays that are first touched there
    private static final int NOTHING_KNOWN = 1, NO_MEETINGS = 2, NOT_PLAIN = 3, NOT_WHOLE = 4; // values of strays
    private static final int ALONE = 0, SEVERAL = 1, MET = 2, HANDED = 3; // what a new clock is about; or what happened

    /** Whether phases are told; whether this is the second pass. */
    private static boolean tells;
    static boolean checks;

    private static volatile int clock;
    private static volatile int phaseStart;
    private static volatile boolean several;
    private static int strays;
    private static int arrays;

    /** Threads that were started and not waited for by the first one; null: too many. */
    private static IdentityHashMap<Thread, Boolean> live = new IdentityHashMap<>();

    private Light() {
    }

    static void start(int passes) {
        tells = passes > 0;
        checks = passes > 1;
        Meetings.looked = tells && passes != 3;
    }

    static int siteOf(int site) {
        return site & (1 << TREATMENT) - 1;
    }

    private static int mark(int number, int clock) {
        return number << THREAD | clock << CLOCK;
    }

    /** The thread's marks from now on. */
    static void remark(State state) {
        if (checks) {
            int now = state.meets ? clock : phaseStart;
            state.born = state.mark == 0 ? now : state.born;
            state.mark = mark(state.number < MEMBERS ? state.number : 0, now);
            state.readers = mark(state.meets ? MEMBERS : READERS, now);
            state.recent.forget();
        }
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
            if (!several) {
                next(state, SEVERAL);
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
            if (live != null && live.remove(thread) != null && live.isEmpty() && clock < CLOCKS - 3) {
                next(state, ALONE);
            }
        }
    }

    /** Whatever the thread read so far is as it was wherever the next phase is reached. */
    private static void next(State state, int about) {
        state.labels.byAll();
        Meetings.forget();
        phaseStart = ++clock;
        several = about == SEVERAL;
        state.meets = false;
        remark(state);
        Log.put(Log.PHASE, state.number, 0, 0, about, clock);
    }

    /** Threads have met: what they do from now on has another clock. False: there are no more. */
    static boolean met(State[] states) {
        if (clock >= CLOCKS - 3) {
            return false;
        }
        clock++;
        for (State state : states) {
            Log.put(Log.PHASE, state.number, 0, 0, MET, clock);
        }
        return true;
    }

    /** Meetings order nothing in this program. */
    static void noMeetings(State state) {
        stray(state.number, 0, -1, NO_MEETINGS);
    }

    /** The thread of this state ends: those who wait for it depend on all that it read. */
    static void ends(State state) {
        if (tells) {
            state.labels.byAll();
            Meetings.ends(state);
        }
    }

    /** A thread makes its first record. Nothing is known of one that nobody was seen to start. */
    static void meets(Thread thread, int number) {
        if (tells && number != 1 && !thread.getName().equals("DestroyJavaVM")) {
            synchronized (Light.class) {
                if (number >= MEMBERS || live != null && !live.containsKey(thread)) {
                    stray(number, 0, -1, NOTHING_KNOWN);
                }
            }
        }
    }

    /** What was taken for unshared is shared; or what else there is to say. */
    private static synchronized void stray(int thread, int site, int ordinal, int value) {
        if (strays < STRAYS_MOST) {
            strays++;
            Log.put(Log.STRAY, thread, siteOf(site), 0, ordinal, value);
        }
    }

    private static boolean handed;

    /** What one thread wrote another had at hand before and after, without being in its way: a stale update may lie in that. */
    private static void handedOver(State state) {
        if (!handed) {
            handed = true;
            Log.put(Log.PHASE, state.number, 0, 0, HANDED, clock);
        }
    }

    /** The mark after an access of the thread; 0: threads are in each other's way. */
    private static int after(int old, State state, boolean writes) {
        int mine = state.mark | (writes ? DIRTY : 0);
        int then = old >>> CLOCK & CLOCKS - 1, now = mine >>> CLOCK & CLOCKS - 1;
        int who = old >>> THREAD;
        boolean foreign = who != mine >>> THREAD && (old & (DIRTY | EARLIER)) != 0;
        if (old == 0 || then < phaseStart) {
            if (foreign && writes && then >= state.born) {
                handedOver(state);
            }
            return mine;
        }
        boolean both = state.meets && (who == MEMBERS || Meetings.has(who));
        if (then == now && who == mine >>> THREAD) {
            return old | mine;
        }
        if (who == mine >>> THREAD || both && then < now) {
            if (foreign) {
                handedOver(state);
            }
            return mine | ((old & (DIRTY | EARLIER)) != 0 ? EARLIER : 0);
        }
        if (writes || (old & (both && then == now ? DIRTY : DIRTY | EARLIER)) != 0) {
            return 0;
        }
        return mark(both ? MEMBERS : READERS, now) | old & EARLIER;
    }

    /** An access to a field of an object whose fields of this kind one thread touches at a time. */
    @ForceInline
    static void field(State state, Object object, int site, boolean writes) {
        if (state == null || object == null) {
            return;
        }
        long at = Identity.shapeOf(object, site).mark;
        if (at == 0 || !isOwn(state, UNSAFE.getInt(object, at), writes)) {
            claimField(state, object, at, site, writes);
        }
    }

    @DontInline
    private static void claimField(State state, Object object, long at, int site, boolean writes) {
        if (at == 0 || !claim(object, at, state, writes)) {
            strayField(state.number, site);
        }
    }

    /** Whether the mark need not be changed. */
    @ForceInline
    private static boolean isOwn(State state, int old, boolean writes) {
        return writes ? (old | EARLIER) == (state.mark | DIRTY | EARLIER)
            : (old ^ state.mark) >>> CLOCK == 0 || (old & ~EARLIER) == state.readers;
    }

    /** Whether the thread may touch what has its mark there. */
    private static boolean claim(Object object, long at, State state, boolean writes) {
        for (;;) {
            int old = UNSAFE.getIntVolatile(object, at);
            int next = after(old, state, writes);
            if (next == 0 || next == old || UNSAFE.compareAndSetInt(object, at, old, next)) {
                return next != 0;
            }
        }
    }

    /** A write to a field that is only written while one thread is alone. */
    static void quiet(int site) {
        if (several) {
            State state = State.current();
            if (state != null) {
                strayField(state.number, site);
            }
        }
    }

    /** Sites that were told of. */
    private static final byte[] told = new byte[1 << 16];

    private static boolean tellOnce(int site) {
        boolean first = told[site & told.length - 1] == 0;
        told[site & told.length - 1] = 1;
        return first;
    }

    private static void strayField(int thread, int site) {
        if (tellOnce(site)) {
            stray(thread, site, -1, 0);
        }
    }

    /** What is known of an array: it has one mark, or one for each element, or its elements are recorded. */
    static final class Elements {
        private static final int WHOLE = 0, PARTS = 1, RECORDED = 2;
        private static final long MARK = UNSAFE.objectFieldOffset(Elements.class, "mark");

        private int mark;
        private int[] marks;
        private int how = -1;
        private int ordinal = -1; // among those that were first touched before there was a second thread
        private int site; // where it was first touched

        private synchronized void choose(int length, int at) {
            if (how >= 0) {
                return;
            }
            site = siteOf(at);
            ordinal = clock == 0 ? arrays++ : -1;
            int chosen = ordinal >= 0 ? Hooks.treatment(ordinal) : at >>> TREATMENT;
            marks = chosen == PARTS ? new int[length] : null;
            how = chosen;
        }

        /** It cannot be treated as it was chosen. This run is worth nothing, but shows what the next one should do. */
        private synchronized void takeBack(State state, int then, int length) {
            if (how == then) {
                stray(state.number, site, ordinal, how == WHOLE ? NOT_WHOLE : 0);
                marks = new int[length];
                how++;
            }
        }

        private boolean claim(State state, boolean writes) {
            return Light.claim(this, MARK, state, writes);
        }
    }

    /** A thread's recent arrays, by site: those that it may read or write as it likes until it has another clock; those that have
     * marks of their elements. */
    static final class Recent {
        private final Object[] read = new Object[SLOTS];
        private final Object[] written = new Object[SLOTS];
        private final Object[] arrays = new Object[SLOTS];
        private final int[][] marks = new int[SLOTS][];

        private void forget() {
            java.util.Arrays.fill(read, null);
            java.util.Arrays.fill(written, null);
        }
    }

    /** Whether the element is one of an array that has marks of its elements, and its mark need not be changed. */
    @ForceInline
    private static boolean isPart(State state, Object array, int index, int slot, boolean writes) {
        Recent recent = state.recent;
        if (recent.arrays[slot] != array) {
            return false;
        }
        int[] marks = recent.marks[slot];
        return index >= 0 && index < marks.length && isOwn(state, marks[index], writes);
    }

    /** Whether a read or a write of the element need not be recorded. */
    static boolean reads(State state, Object array, int index, int site) {
        int slot = site & SLOTS - 1;
        return state.recent.read[slot] == array || isPart(state, array, index, slot, false)
            || touch(state, array, index, site, false);
    }

    static boolean writes(State state, Object array, int index, int site) {
        int slot = site & SLOTS - 1;
        if (state.recent.written[slot] == array || isPart(state, array, index, slot, true)
            || touch(state, array, index, site, true)) {
            state.labels.dropFrom();
            return true;
        }
        return false;
    }

    /** The same, by an instruction that records nothing. What happens most takes few instructions, which the machine always
     * compiles into the place they are called from: left to itself it decides otherwise in every other run. */
    @ForceInline
    static void look(State state, Object array, int index, int site) {
        if (state.recent.read[site & SLOTS - 1] != array) {
            lookClosely(state, array, index, site);
        }
    }

    @ForceInline
    static void change(State state, Object array, int index, int site) {
        if (state.recent.written[site & SLOTS - 1] != array) {
            changeClosely(state, array, index, site);
        }
    }

    /** The same, where arrays have marks of their elements. */
    @ForceInline
    static void lookAtPart(State state, Object array, int index, int site) {
        if (!isPart(state, array, index, site & SLOTS - 1, false)) {
            look(state, array, index, site);
        }
    }

    @ForceInline
    static void changePart(State state, Object array, int index, int site) {
        if (!isPart(state, array, index, site & SLOTS - 1, true)) {
            change(state, array, index, site);
        }
    }

    @DontInline
    private static void lookClosely(State state, Object array, int index, int site) {
        if (!isPart(state, array, index, site & SLOTS - 1, false)) {
            plain(state, array, index, site, false);
        }
    }

    @DontInline
    private static void changeClosely(State state, Object array, int index, int site) {
        if (!isPart(state, array, index, site & SLOTS - 1, true)) {
            plain(state, array, index, site, true);
        }
    }

    private static void plain(State state, Object array, int index, int site, boolean writes) {
        if (!touch(state, array, index, site, writes) && tellOnce(site)) {
            stray(state.number, site, -1, NOT_PLAIN);
        }
    }

    private static boolean touch(State state, Object array, int index, int site, boolean writes) {
        int length = array == null ? 0 : java.lang.reflect.Array.getLength(array);
        if (index < 0 || index >= length) {
            return true; // the access will throw
        }
        Elements elements = Identity.elementsOf(array, siteOf(site));
        elements.choose(length, site);
        int how = elements.how;
        if (how == Elements.RECORDED) {
            return false;
        }
        int slot = site & SLOTS - 1;
        Recent recent = state.recent;
        int[] marks = elements.marks;
        boolean may;
        if (marks == null) {
            may = elements.claim(state, writes);
            (writes ? recent.written : recent.read)[slot] = array;
        } else {
            may = claim(marks, Unsafe.ARRAY_INT_BASE_OFFSET + (long) index * Unsafe.ARRAY_INT_INDEX_SCALE, state, writes);
            recent.arrays[slot] = array;
            recent.marks[slot] = marks;
        }
        if (!may) {
            elements.takeBack(state, how, length);
        }
        return true;
    }
}
