package heddle.runtime;

/** What rewritten classes call besides accesses ({@link Accesses}, {@link Atomics}): monitors, threads, tasks, calls. */
public final class Hooks {
    private Hooks() {
    }

    /** Of the library that rewrites: tells the names of a class and a thread. */
    static native int nameClass(Class<?> type, boolean jdk);

    /** Whether the class itself declares the field of numbers. Asking for a field in vain would throw an InternalError, upon
     * which the machine forgets bindings of scoped values. */
    static native boolean hasIdentity(Class<?> type);

    static native void nameThread(Thread thread, int number);

    static native void nameDeath(String thread, String exception);

    /** Keeps the thread for so many nanoseconds. */
    static native void delay(int nanos);

    /** Makes room in the log; gives how many records it has room for. */
    static native long growLog(long record);

    /** Takes out of the log of a thread that is alone what it read, and wrote more than once; gives the next slot. */
    static native long shortenLog(long slot, int labels);

    /** How the array is treated, by its number among those touched at the start ({@link Light.Elements}). */
    static native int treatment(int ordinal);

    /** Called by that library when all is ready. */
    static void start(long address, long records, long gate, long seed, int delays, int passes) {
        Light.start(passes);
        Gate.base = gate;
        if (gate != 0) {
            Gate.makeRoom();
        }
        Delays.choose(seed, delays);
        Log.open(address, records);
        if (Gate.explores()) { // while they are what the machine has made them
            Identity.of(System.out, 0);
            Identity.of(System.err, 0);
            Explored.started(Thread.currentThread());
        }
        State.current();
    }

    private static void tell(int kind, Object object, int site, long value) {
        State state = State.current();
        if (state != null && object != null) {
            state.put(kind, site, Identity.of(object, site), value);
        }
    }

    /** A monitor is about to be entered. */
    public static void entering(Object monitor) {
        State state = State.current();
        if (state != null && monitor != null) {
            state.askFor(monitor);
        }
    }

    public static void acquired(Object monitor, int site) {
        tell(Log.ACQUIRED, monitor, site, 0);
    }

    public static void releasing(Object monitor, int site) {
        tell(Log.RELEASING, monitor, site, 0);
    }

    /** A synchronized method has its monitor. */
    public static void entered(Object monitor, int site) {
        State state = State.current();
        if (state != null) {
            int number = Identity.of(monitor, site);
            state.enter(number);
            state.put(Log.ACQUIRED, site, number, 0);
        }
    }

    /** The same for a static method of a class too old to name itself. */
    public static void enteredStatic(int site) {
        entered(Caller.WALKER.getCallerClass(), site);
    }

    private static final class Caller {
        static final StackWalker WALKER = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
    }

    /** Monitors of methods that threads are in of which nothing is told, innermost first. */
    private static final ThreadLocal<java.util.ArrayDeque<Object>> untold = ThreadLocal.withInitial(java.util.ArrayDeque::new);

    /** The same for a method whose monitor is entered by an instruction. */
    public static void enteredMonitor(Object monitor, int site) {
        State state = State.current();
        if (state == null) {
            untold.get().push(monitor);
            return;
        }
        int number = Identity.of(monitor, site);
        state.enter(number);
        state.own(monitor);
        state.put(Log.ACQUIRED, site, number, 0);
    }

    /** Tells and gives the monitor that is to be left. */
    public static Object leavingMonitor(int site) {
        State state = State.current();
        if (state == null || !state.owns()) {
            return untold.get().pop();
        }
        Object monitor = state.disown();
        state.put(Log.RELEASING, site, state.leave(), 0);
        return monitor;
    }

    public static void leaving(int site) {
        State state = State.current();
        if (state != null) {
            int number = state.leave();
            if (number != 0) {
                state.put(Log.RELEASING, site, number, 0);
            }
        }
    }

    /** A class loader looks for a class, as if it had its monitor. */
    public static void loads(Object loader, int site) {
        State state = State.current();
        if (state != null) {
            int number = Identity.of(loader, site);
            state.enter(number);
            state.put(Log.BEGIN, site, number, 0);
        }
    }

    public static void loaded(int site) {
        State state = State.current();
        int number = state == null ? 0 : state.leave();
        if (number != 0) {
            state.put(Log.END, site, number, 0);
        }
    }

    public static void begin(int site) {
        State state = State.current();
        if (state != null) {
            state.put(Log.BEGIN, site, 0, 0);
        }
    }

    public static void end(int site) {
        State state = State.current();
        if (state != null) {
            state.put(Log.END, site, 0, 0);
        }
    }

    public static void forks(Object thread, int site) {
        if (State.servesMachine((Thread) thread)) {
            return;
        }
        Log.forks();
        State state = State.current();
        Light.forks(state, (Thread) thread);
        tell(Log.FORK, thread, site, 0);
        if (state != null) {
            state.forked();
        }
        if (state != null && state.isGated()) {
            Gate.forks(state.number, (Thread) thread);
        }
        if (Gate.explores()) {
            Explored.started((Thread) thread);
        }
    }

    /** The rest is for machines that are explored. An object was made. */
    public static void born(Object object, int site) {
        tell(Log.BORN, object, site, Explored.count(object));
        if (object instanceof Object[] && ((Object[]) object).length > 0 && ((Object[]) object)[0] != null) {
            for (Object inner : (Object[]) object) { // of an array of arrays
                born(inner, site);
            }
        }
    }

    public static void prints(Object stream, int site) {
        State state = State.current();
        if (state != null && stream != null) {
            state.putBusy(Log.PRINT, site, Identity.of(stream, site));
        }
    }

    public static void printed(Object stream, int site) {
        tell(Log.PRINTED, stream, site, 0);
    }

    public static void outside(int site) {
        State state = State.current();
        if (state != null) {
            state.putBusy(Log.OUTSIDE, site, 0);
        }
    }

    /** The process is about to be ended. */
    public static void exits(int site) {
        outside(site);
        if (Gate.explores()) {
            Gate.exits();
        }
    }

    /** A thread of the program ends by an exception, or ends. */
    public static void dies(Object thread, int site) {
        if (Explored.isStarted((Thread) thread)) {
            State.current().putBusy(Log.DIES, site, Identity.of(thread, site));
        }
    }

    /** The current thread ends by an exception. If the program does not handle that, its trace will tell. */
    public static void uncaught(Object exception, int site) {
        Thread thread = Thread.currentThread();
        if (exception == null || Thread.getDefaultUncaughtExceptionHandler() != null
            || !(thread.getUncaughtExceptionHandler() instanceof ThreadGroup)) {
            return;
        }
        long at = Log.UNSAFE.objectFieldOffset(Throwable.class, "detailMessage"); // asking would run the program's code
        String message = (String) Log.UNSAFE.getReference(exception, at);
        String type = exception.getClass().getName();
        nameDeath(thread.getName(), message == null ? type : type.concat(": ").concat(message));
    }

    /** The end of a thread that made no record means nothing to anybody; elsewhere than in machines that are explored nobody
     * waits for a turn to end. */
    public static void ends(Object thread, int site) {
        State state = State.known();
        if (Gate.explores()) {
            if (Explored.isStarted((Thread) thread)) {
                tell(Log.ENDS, thread, site, 0);
            }
        } else if (state != null) {
            if (state.labels.awaits()) {
                state.labels.lost();
            }
            Light.ends(state);
            Log.put(Log.ENDS, state.number, site, Identity.of(thread, site), 0, 2);
        }
    }

    /** A task is handed to who will run it. */
    public static void taskGiven(Object task, int site) {
        if (!TestTool.owns(task)) {
            tell(Log.OUT, task, site, 1);
        }
    }

    /** A task is done. */
    public static void taskPassed(Object task, int site) {
        if (!TestTool.owns(task)) {
            tell(Log.OUT, task, site, 0);
        }
    }

    public static void taskBegins(Object task, int site) {
        if (!TestTool.owns(task)) {
            tell(Log.IN, task, site, 0);
        }
    }

    /** An action of a cleaner begins. Those of the JDK for archives run wherever a class is loaded, by whichever thread needs it first. */
    public static void cleaningBegins(Object cleanable, int site) {
        Object action = Log.UNSAFE.getReference(cleanable, Log.UNSAFE.objectFieldOffset(cleanable.getClass(), "action"));
        if (!action.getClass().getName().startsWith("java.util.zip.")) {
            taskBegins(cleanable, site);
        }
    }

    /** The last thread of a pool tells that it has terminated. Which one that is depends on the JDK, so nothing is told of a pool
     * whose class is the JDK's, which does nothing. */
    public static void terminates(Object pool, int site) {
        if (!Identity.isJdk(pool.getClass())) {
            taskBegins(pool, site);
        }
    }

    public static void terminated(Object pool, int site) {
        if (!Identity.isJdk(pool.getClass())) {
            taskPassed(pool, site);
        }
    }

    /** Part of a task is done, and another begins. */
    public static void taskTurns(Object task, int site) {
        taskPassed(task, site);
        taskBegins(task, site);
    }

    /** A thread is interrupted, by the program or by what the JDK does for it. */
    public static void interrupts(Object thread, int site) {
        State state = State.current();
        if (state != null && thread != Thread.currentThread() && !State.servesMachine((Thread) thread)) {
            Log.put(Log.OUT, state.number, site, Identity.of(thread, site), 0, 2);
        }
    }

    /** What a call on the object may get at: phasers that have a parent tell it of arrivals. */
    private static Object whole(Object receiver) {
        return receiver instanceof java.util.concurrent.Phaser ? ((java.util.concurrent.Phaser) receiver).getRoot() : receiver;
    }

    public static void call(Object receiver, int site) {
        if (Log.base != 0 && receiver != null && Identity.shapeOf(receiver, site).tracked) {
            tell(Log.CALL, whole(receiver), site, 0);
        }
    }

    /** The same, of what a stream of distinct elements asks of the map of those seen so far, which its parts share. */
    public static void callSeen(Object spliterator, int site) {
        call(seen(spliterator), site);
    }

    public static void returnedSeen(Object spliterator, int site) {
        returned(seen(spliterator), site);
    }

    private static Object seen(Object spliterator) {
        return Log.UNSAFE.getReference(spliterator, Log.UNSAFE.objectFieldOffset(spliterator.getClass(), "seen"));
    }

    /** The same, of a call that waits for other threads at a barrier. */
    public static void arrives(Object barrier, int site) {
        Meetings.arrives(State.current(), barrier);
        call(barrier, site);
    }

    public static void returned(Object receiver, int site) {
        returnedI(0, receiver, site);
    }

    public static void returnedI(int result, Object receiver, int site) {
        if (Log.base != 0 && receiver != null && Identity.shapeOf(receiver, site).tracked) {
            long value = receiver instanceof Thread ? ((Thread) receiver).isAlive() ? 1 : 0 : result;
            tell(Log.RETURNED, whole(receiver), site, value);
            if (value == 0 && receiver instanceof Thread && ((Thread) receiver).getState() == Thread.State.TERMINATED) {
                Light.joined(State.current(), (Thread) receiver);
            }
            if (receiver instanceof java.util.concurrent.CyclicBarrier) {
                Meetings.leaves(State.current(), receiver);
            }
        }
    }

    public static void returnedL(Object result, Object receiver, int site) {
        if (Log.base == 0 || receiver == null || !Identity.shapeOf(receiver, site).tracked) {
            return;
        }
        boolean holds = receiver instanceof Thread ? ((Thread) receiver).isAlive() : result != null;
        tell(Log.RETURNED, whole(receiver), site, holds ? 1 : 0);
        if (result != null && result != receiver && isView(result)) {
            tell(Log.MADE, receiver, site, Identity.of(result, 0));
        }
    }

    /** Whether the object may be a way to another one: an iterator, a view of a map, a lock's condition. */
    private static boolean isView(Object result) {
        if (!Identity.isJdk(result.getClass())) {
            return false;
        }
        return result instanceof java.util.Iterator || result instanceof java.util.Collection
            || result instanceof java.util.Map || result instanceof java.util.Map.Entry
            || result instanceof java.util.concurrent.locks.Condition
            || result instanceof java.util.concurrent.locks.Lock
            || result instanceof java.util.concurrent.locks.ReadWriteLock || result instanceof java.util.Enumeration
            || result instanceof java.util.Spliterator || result instanceof java.util.stream.BaseStream;
    }

    public static void callAny(Object receiver, int site) {
        tell(Log.CALL, receiver, site, 0);
    }

    public static void returnedAny(Object receiver, int site) {
        tell(Log.RETURNED, receiver, site, 0);
    }

    public static void returnedSelf(int site) {
        tell(Log.RETURNED, Thread.currentThread(), site, 0);
    }

    public static void callGlobal(int site) {
        State state = State.current();
        if (state != null) {
            state.put(Log.CALL, site, 0, 0);
        }
    }

    public static void returnedGlobal(int site) {
        State state = State.current();
        if (state != null) {
            state.put(Log.RETURNED, site, 0, 0);
        }
    }

    public static void touched(Object argument, int site) {
        if (Log.base != 0 && argument != null && Identity.shapeOf(argument, site).tracked) {
            tell(Log.TOUCHED, argument, site, 0);
        }
    }

    public static void cloned(Object copy) {
        if (Log.base != 0 && copy != null && !copy.getClass().isArray()) {
            Identity.forget(copy);
        }
    }

    /** A method of the JDK is about to look at the elements of an array. */
    public static void looked(Object array, int site) {
        looked(array, site, 0, Integer.MAX_VALUE);
    }

    /** How far a range of elements reaches that the JDK is asked for. */
    private static int end(Object array, int first, int count) {
        return (int) Math.min(java.lang.reflect.Array.getLength(array), first + (long) count);
    }

    /** The same, of some of the elements. */
    public static void looked(Object array, int site, int first, int count) {
        if (Log.base == 0 || array == null || !array.getClass().isArray()) {
            return;
        }
        int end = end(array, first, count);
        for (int i = Math.max(first, 0); i < end; i++) {
            Object token = Accesses.readArray(array, i, site);
            Accesses.saw(token, Elements.bits(array, Elements.get(array, i)));
        }
        if (Gate.explores() && array instanceof Object[]) {
            for (Object element : (Object[]) array) {
                touched(element, site);
            }
        }
    }

    /** A method of the JDK may have written the elements of an array. */
    public static void filled(Object array, int site) {
        filled(array, site, 0, Integer.MAX_VALUE);
    }

    /** The same, of some of the elements. */
    public static void filled(Object array, int site, int first, int count) {
        if (Log.base == 0 || array == null || !array.getClass().isArray()) {
            return;
        }
        int end = end(array, first, count);
        for (int i = Math.max(first, 0); i < end; i++) {
            Object token = Accesses.openElement(array, i, site);
            Accesses.done(Accesses.writes(token, Elements.bits(array, Elements.get(array, i))));
        }
    }

    /** A view of a collection, or a wrapper around it. */
    public static void made(Object view, Object collection, int site) {
        if (Log.base != 0 && view != null && collection != null && view != collection
            && Identity.shapeOf(view, 0).tracked && Identity.shapeOf(collection, 0).tracked) {
            tell(Log.MADE, collection, site, Identity.of(view, 0));
        }
    }

    /** System.arraycopy, element by element where that can be told from a copy at once by nothing but the log. */
    public static void copy(Object from, int at, Object to, int start, int length, int site) {
        if (State.current() == null || !Elements.canCopy(from, at, to, start, length)) {
            System.arraycopy(from, at, to, start, length);
            return;
        }
        boolean backwards = from == to && at < start;
        for (int i = 0; i < length; i++) {
            int step = backwards ? length - 1 - i : i;
            Object token = Accesses.readArray(from, at + step, site);
            Object value = Elements.get(from, at + step);
            Accesses.saw(token, Elements.bits(from, value));
            token = Accesses.openElement(to, start + step, site);
            Accesses.writes(token, Elements.bits(from, value));
            Elements.set(to, start + step, value);
            Accesses.done(token);
        }
    }
}
