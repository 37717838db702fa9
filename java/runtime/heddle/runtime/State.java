package heddle.runtime;

import jdk.internal.misc.Unsafe;

/** What the runtime knows of a thread. Found by the thread's number, which is never used again. */
final class State {
    private static final Unsafe UNSAFE = Log.UNSAFE;
    private static final long TID = UNSAFE.objectFieldOffset(Thread.class, "tid");
    private static final int MANY = 1 << 20;

    /** Stripes: 0 is free, else the number of the thread that has it; 16 bytes apart, to keep them off each other. */
    private static final int STRIPES = 4096, APART = 16;
    private static final long stripes = UNSAFE.allocateMemory(STRIPES * APART);
    private static final long TRIES_BEFORE_YIELD = 64, NANOS_BEFORE_STEALING = 5_000_000_000L, NANOS_OF_A_LOOK = 10_000_000L;

    static {
        UNSAFE.setMemory(stripes, STRIPES * APART, (byte) 0);
    }

    private static State[] table = new State[256];
    private static int count;

    final long tid;
    final int number;

    /** Records made, and the place of the gate; 0: there is none. */
    private long made;
    private final long slot;

    /** The bracket that is open: place of its stripe, 0 if none; what is accessed. */
    private long held;
    int site;
    int object;
    int index;
    Object receiver;
    boolean isStatic;
    boolean isElement;

    /** Monitors of synchronized methods, innermost last. */
    private int[] monitors = new int[8];
    private int depth;

    /** Classes whose code it has run, as bits. */
    private long[] classes = new long[4];

    /** Of what it touches, and where, in the second of two passes. */
    int mark;
    int readers;
    int born; // the clock when it came
    final Light.Recent recent;

    /** Whether it is one of those that meet, and the barrier that it waits at. */
    boolean meets;
    Object barrier;

    private State(long tid, int number) {
        this.tid = tid;
        this.number = number;
        recent = Light.checks ? new Light.Recent() : null;
        Light.remark(this);
        slot = Gate.slot(number);
        labels = new Labels(number);
        delays = Delays.of(number);
    }

    /** Or null. */
    private final Delays delays;

    void forked() {
        if (delays != null) {
            delays.forked();
        }
    }

    /** Returns when the script lets the thread make its next record. */
    void ask() {
        if (slot != 0) {
            if (busy) {
                Gate.busy(slot, busy = false);
            }
            Gate.ask(slot, number, made + 1);
        }
    }

    private boolean busy;

    /** Puts a record before something that nobody may come into the middle of. */
    void putBusy(int kind, int atSite, int onObject) {
        ask();
        if (slot != 0) {
            Gate.busy(slot, true);
        }
        made++;
        Log.put(kind, number, atSite, onObject, 0, 0);
        busy = slot != 0;
    }

    /** The same, before a monitor is entered. */
    void askFor(Object monitor) {
        if (slot != 0 && Gate.explores()) {
            Gate.wants(slot, Identity.of(monitor, 0), made + 1);
        }
        ask();
    }

    final Inputs inputs = new Inputs();

    /** Records so far. */
    long made() {
        return made;
    }

    boolean isGated() {
        return slot != 0 && !Gate.open(slot, Long.MAX_VALUE);
    }

    void waiting(int how) {
        Gate.waiting(slot, how);
    }

    /** Whether a wait may end: when the script says so and it can, or, after the script, when there is a reason. */
    boolean mayLeave(boolean can, boolean reason) {
        boolean may = Gate.over() ? reason : can && Gate.open(slot, made + 1);
        if (!may) {
            Gate.polled(slot);
        }
        return may;
    }

    /** Whether the thread runs code of the class for the first time. */
    boolean isFirstIn(int type) {
        int word = type >>> 6;
        if (word >= classes.length) {
            classes = java.util.Arrays.copyOf(classes, word * 2);
        }
        long before = classes[word];
        classes[word] = before | 1L << type;
        return classes[word] != before;
    }

    /** The calling thread's, or null as long as nothing is recorded. */
    static State current() {
        if (Log.base == 0) {
            return null;
        }
        Thread thread = Thread.currentThread();
        long tid = UNSAFE.getLong(thread, TID);
        State[] states = table;
        int slot = (int) tid & states.length - 1;
        State state = states[slot];
        return state != null && state.tid == tid ? state : find(thread, tid);
    }

    /** The calling thread's, if it has made a record. */
    static State known() {
        if (Log.base == 0) {
            return null;
        }
        long tid = UNSAFE.getLong(Thread.currentThread(), TID);
        synchronized (State.class) {
            for (State state : all) {
                if (state != null && state.tid == tid) {
                    return state;
                }
            }
        }
        return null;
    }

    /** Threads whose numbers meet in a slot take turns; the table grows until they are few. */
    private static State find(Thread thread, long tid) {
        State made;
        if (servesMachine(thread)) {
            return null;
        }
        synchronized (State.class) {
            for (State state : all) {
                if (state != null && state.tid == tid) {
                    remember(state);
                    return state;
                }
            }
            made = new State(tid, ++count);
            if (count >= all.length) {
                all = java.util.Arrays.copyOf(all, all.length * 2);
            }
            all[count] = made;
            remember(made);
        }
        Hooks.nameThread(thread, made.number);
        Light.meets(thread, made.number);
        Log.put(Log.THREAD, made.number, 0, Identity.of(thread, 0), 0, 0);
        return made;
    }

    private static State[] all = new State[64];
    private static boolean alone = true;

    /** As long as one thread has been recorded: takes out of the log what nobody needs who comes later. The slot is the next
     * to be filled; gives which one that is now. */
    static long shorten(long slot) {
        if (!alone || Gate.base != 0) {
            return slot;
        }
        synchronized (State.class) { // nobody else makes a record before being known here
            if (count != 1 || all[1].tid != UNSAFE.getLong(Thread.currentThread(), TID)) {
                alone = false;
                return slot;
            }
            return Hooks.shortenLog(slot, all[1].labels.made());
        }
    }

    static void notAlone() {
        alone = false;
    }

    private static final Class<?> CARRIER = find("jdk.internal.misc.CarrierThread");
    private static final Class<?> INNOCUOUS = find("jdk.internal.misc.InnocuousThread");

    /** Whether the thread runs virtual ones, which speak for themselves, or wakes them, or belongs to the JDK or to what Maven
     * or Gradle puts around tests. Who starts it, and when, is chance. */
    static boolean servesMachine(Thread thread) {
        String name = thread.getName();
        return thread.getClass() == CARRIER || CARRIER != null && name.startsWith("VirtualThread-un")
            || thread.getClass() == INNOCUOUS && name.equals("Common-Cleaner")
            || thread.isDaemon() && (name.startsWith("process reaper") || name.startsWith("surefire-forkedjvm-"))
            || TestTool.owns(thread, name);
    }

    /** A class of the JDK's; null where it has none of this name. */
    private static Class<?> find(String name) {
        try {
            return Class.forName(name, false, null);
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    private static void remember(State state) {
        State[] states = table;
        State there = states[(int) state.tid & states.length - 1];
        if (there != null && there.tid != state.tid && states.length < MANY) {
            State[] larger = new State[states.length * 2];
            for (State old : states) {
                if (old != null) {
                    larger[(int) old.tid & larger.length - 1] = old;
                }
            }
            larger[(int) state.tid & larger.length - 1] = state;
            UNSAFE.storeFence();
            table = larger;
            return;
        }
        UNSAFE.storeFence();
        states[(int) state.tid & states.length - 1] = state;
    }

    private static long stripe(int key) {
        int mixed = key * 0x9e3779b9;
        return stripes + (mixed >>> 20) * (long) APART;
    }

    /** Opens a bracket: no other thread is in one of the same key until it is closed. */
    void open(int key, int atSite, int onObject, int atIndex) {
        if (labels.awaits()) {
            labels.lost();
        }
        if (held != 0) { // an exception came between: what was to follow did not
            close();
        }
        ask();
        if (delays != null) {
            delays.pass();
        }
        long at = stripe(key);
        if (!UNSAFE.compareAndSetInt(null, at, 0, number)) {
            waitFor(at);
        }
        held = at;
        site = atSite;
        object = onObject;
        index = atIndex;
    }

    private void waitFor(long at) {
        long last = System.nanoTime(), waited = 0; // for one owner, without the time in which the process was stopped
        int before = 0;
        for (long tries = 1;; tries++) {
            int owner = UNSAFE.getIntVolatile(null, at);
            if (Log.base == 0) {
                return; // its owner may not give it back any more
            }
            if (owner == 0 && UNSAFE.compareAndSetInt(null, at, 0, number)) {
                return;
            }
            if (tries % TRIES_BEFORE_YIELD != 0) {
                Thread.onSpinWait();
                continue;
            }
            Thread.yield();
            long now = System.nanoTime();
            waited = owner == before ? waited + Math.min(now - last, NANOS_OF_A_LOOK) : 0;
            last = now;
            before = owner;
            if (owner != 0 && waited > NANOS_BEFORE_STEALING
                && UNSAFE.compareAndSetInt(null, at, owner, number)) {
                Log.stolen(); // its owner died or was stopped by an exception and does nothing any more
                return;
            }
        }
    }

    void close() {
        long at = held;
        held = 0;
        receiver = null;
        UNSAFE.compareAndSetInt(null, at, number, 0);
    }

    void put(int kind, int atSite, int onObject, long value) {
        if (slot != 0) {
            ask();
            Gate.inCall(slot, kind == Log.CALL);
        }
        if (labels.awaits()) {
            labels.lost();
        }
        if (delays != null && kind != Log.RELEASING) {
            delays.pass();
        }
        made++;
        Log.put(kind, number, atSite, onObject, 0, value);
    }

    /** The access of the open bracket. */
    void access(int kind, long value) {
        made++;
        Log.put(kind, number, site, object, index, value);
    }

    /** The same, which writes a field, or, with an index, something else. */
    void accessField(int kind, long value) {
        int from = labels.takeFrom();
        made++;
        Log.put(kind, number, site, object, from, value);
    }

    void accessIndexed(int kind, long value) {
        labels.putFrom();
        access(kind, value);
    }

    final Labels labels;

    void enter(int monitor) {
        if (depth == monitors.length) {
            monitors = java.util.Arrays.copyOf(monitors, depth * 2);
        }
        monitors[depth++] = monitor;
    }

    int leave() {
        return depth == 0 ? 0 : monitors[--depth];
    }

    /** The same for the monitors themselves, where methods enter and leave them by instructions. */
    private Object[] owned = new Object[8];

    void own(Object monitor) {
        if (depth > owned.length) {
            owned = java.util.Arrays.copyOf(owned, monitors.length);
        }
        owned[depth - 1] = monitor;
    }

    boolean owns() {
        return depth > 0;
    }

    Object disown() {
        Object monitor = owned[depth - 1];
        owned[depth - 1] = null;
        return monitor;
    }
}
