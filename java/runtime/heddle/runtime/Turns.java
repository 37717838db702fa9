package heddle.runtime;

import java.util.ArrayDeque;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import jdk.internal.misc.Unsafe;

/**
 * Hooks of a machine in which tests run under a controlled schedule ({@link Run}). Of the threads that a test starts one has the
 * turn; before each step that other threads might see it asks whether to go on. Other threads of the machine run freely.
 */
public final class Turns {
    private static final Unsafe UNSAFE = Log.UNSAFE;
    private static final long SEED = UNSAFE.objectFieldOffset(Thread.class, "threadLocalRandomSeed");
    private static final long PROBE = UNSAFE.objectFieldOffset(Thread.class, "threadLocalRandomProbe");

    /** The thread that has the turn, and what is known of it; null: none. */
    static volatile Thread running;
    static volatile Worker turn;

    /** How many threads were once controlled and now run without a turn: they must look who they are. Changed with the lock. */
    static volatile int strangers;

    /** Monitors of synchronized methods, innermost last: a method that ends by an exception knows no variables. */
    private static final ThreadLocal<ArrayDeque<Object>> methods = new ThreadLocal<>();

    private Turns() {
    }

    /** Of the library: lets the calling thread run on this processor only; -1: on any. */
    static native void pin(int processor);

    /** Of the library: the processor that the calling thread is on; -1: unknown. */
    static native int processor();

    /** Of the library: sleeps at this address while it holds what was seen; wakes who sleeps there. */
    static native void rest(long address, int seen);

    static native void rouse(long address);

    /** The calling thread's state, with its turn; null: it is not controlled. */
    static Worker self() {
        Thread thread = Thread.currentThread();
        if (thread == running) {
            return turn;
        }
        return strangers == 0 ? null : stranger(thread);
    }

    private static Worker stranger(Thread thread) {
        Worker worker;
        synchronized (Run.LOCK) {
            worker = Run.workers.get(thread);
        }
        if (worker == null) {
            return null;
        }
        worker.leaveIfAbandoned();
        worker.run.course.comeBack(worker);
        return thread == running ? worker : null;
    }

    /** The same, where nothing may be thrown. */
    private static Worker quietSelf() {
        return Thread.currentThread() == running ? turn : null;
    }

    /** A step is about to be made at this place: a hash of what is accessed, the lowest bit set where it writes. */
    public static void at(int place) {
        Worker worker = self();
        if (worker != null) {
            worker.run.course.step(worker, place);
        }
    }

    public static void entering(Object monitor) {
        Worker worker = self();
        if (worker != null && monitor != null) {
            worker.run.blocking.enter(worker, monitor);
        }
    }

    /** Throws nothing: the handler that leaves the monitor would come here again. */
    public static void leaving(Object monitor) {
        Worker worker = quietSelf();
        if (worker != null) {
            worker.run.blocking.leave(worker, monitor);
        }
    }

    public static void enteringMethod(Object monitor) {
        entering(monitor);
        ArrayDeque<Object> stack = methods.get();
        if (stack == null) {
            methods.set(stack = new ArrayDeque<>());
        }
        stack.push(monitor);
    }

    public static Object leavingMethod() {
        Object monitor = methods.get().pop();
        leaving(monitor);
        return monitor;
    }

    /** A static initializer begins, ends. */
    public static void initializes() {
        Worker worker = quietSelf();
        if (worker != null) {
            worker.initializing++;
        }
    }

    public static void initialized() {
        Worker worker = quietSelf();
        if (worker != null && worker.initializing > 0) {
            worker.initializing--;
        }
    }

    // Threads.

    /** A thread is about to be started. */
    public static void forks(Object thread) {
        Worker worker = self();
        if (worker == null || ((Thread) thread).getState() != Thread.State.NEW) {
            return;
        }
        worker.run.course.step(worker, 0);
        synchronized (Run.LOCK) {
            if (!Run.workers.containsKey(thread)) {
                worker.run.enroll((Thread) thread);
            }
        }
    }

    /** Called by the library in a new thread before anything else. */
    static void begins(Thread thread) {
        Worker worker;
        synchronized (Run.LOCK) {
            worker = Run.workers.get(thread);
        }
        if (worker == null) {
            return;
        }
        pin(worker.run.processor);
        worker.awaitQuietly();
        if (!worker.abandoned) { // it learns of that at its first hook
            UNSAFE.putLong(thread, SEED, worker.run.surroundings.random());
            UNSAFE.putInt(thread, PROBE, (int) worker.run.surroundings.random() | 1);
        }
    }

    public static void ends(Object thread) {
        Worker worker;
        synchronized (Run.LOCK) {
            worker = Run.workers.remove(thread);
            if (worker != null) {
                Outsiders.ended((Thread) thread);
            }
            if (worker != null && worker.abandoned) {
                strangers--;
                worker = null;
            }
        }
        if (worker != null) {
            worker.run.course.ends(worker);
        }
    }

    /** The current thread ends by an exception that it has no handler for. */
    public static void uncaught(Object exception) {
        Thread thread = Thread.currentThread();
        Worker worker = quietSelf();
        if (worker != null && Thread.getDefaultUncaughtExceptionHandler() == null
            && thread.getUncaughtExceptionHandler() instanceof ThreadGroup) {
            worker.run.dies((Throwable) exception);
        }
    }

    public static void joining(Object thread) {
        Worker worker = self();
        if (worker != null && thread instanceof Thread) {
            worker.run.blocking.join(worker, (Thread) thread, 0);
        }
    }

    public static void join(Thread thread, long millis) throws InterruptedException {
        Worker worker = self();
        if (worker != null && millis > 0) {
            worker.run.blocking.join(worker, thread, TimeUnit.MILLISECONDS.toNanos(millis));
            if (worker.timedOut) {
                worker.timedOut = false;
                return;
            }
        } else if (worker != null && millis == 0) {
            joining(thread);
        }
        thread.join(millis);
    }

    public static void yield() {
        Worker worker = self();
        if (worker != null) {
            worker.run.course.yield(worker);
        } else {
            Thread.yield();
        }
    }

    public static void onSpinWait() {
        Turns.yield();
    }

    public static void sleep(long millis) throws InterruptedException {
        Worker worker = self();
        if (worker == null || millis < 0) {
            Thread.sleep(millis);
            return;
        }
        if (Thread.interrupted()) {
            throw new InterruptedException("sleep interrupted");
        }
        worker.run.surroundings.sleeps(millis);
        worker.run.course.yield(worker);
        if (Thread.interrupted()) {
            throw new InterruptedException("sleep interrupted");
        }
    }

    public static void sleep(long millis, int nanos) throws InterruptedException {
        sleep(millis);
    }

    // Waits.

    public static void wait(Object on) throws InterruptedException {
        wait(on, 0L);
    }

    public static void wait(Object on, long millis) throws InterruptedException {
        Worker worker = self();
        if (worker == null || millis < 0 || !Thread.holdsLock(on)) {
            on.wait(millis);
        } else {
            worker.run.blocking.wait(worker, on, TimeUnit.MILLISECONDS.toNanos(millis));
        }
    }

    public static void wait(Object on, long millis, int nanos) throws InterruptedException {
        wait(on, nanos > 0 ? millis + 1 : millis);
    }

    public static void notify(Object on) {
        Worker worker = self();
        if (!Thread.holdsLock(on) || !(worker == null ? Blocking.notifyFromOutside(on, false) : worker.run.blocking.notify(worker, on, false))) {
            Outsiders.woken();
            on.notify();
        }
    }

    public static void notifyAll(Object on) {
        Worker worker = self();
        if (worker != null && Thread.holdsLock(on)) {
            worker.run.blocking.notify(worker, on, true);
        } else if (Thread.holdsLock(on)) {
            Blocking.notifyFromOutside(on, true);
        }
        Outsiders.woken();
        on.notifyAll();
    }

    public static void park(Unsafe unsafe, boolean absolute, long time) {
        Worker worker = self();
        if (worker == null) {
            unsafe.park(absolute, time);
            return;
        }
        long nanos = absolute ? Math.max(1, TimeUnit.MILLISECONDS.toNanos(time - currentTimeMillis())) : time;
        worker.run.blocking.park(worker, nanos);
    }

    public static void unpark(Unsafe unsafe, Object thread) {
        Worker worker = null;
        Run run;
        synchronized (Run.LOCK) {
            run = Run.active;
            if (run != null && thread != null) {
                worker = Run.workers.get(thread);
            }
        }
        if (worker == null || worker.abandoned) {
            Outsiders.woken();
            unsafe.unpark(thread);
        } else {
            run.blocking.unpark(worker);
        }
    }

    // Time and random numbers.

    public static long nanoTime() {
        Worker worker = self();
        return worker == null ? System.nanoTime() : worker.run.surroundings.now();
    }

    public static long currentTimeMillis() {
        Worker worker = self();
        return worker == null ? System.currentTimeMillis()
            : 1_600_000_000_000L + TimeUnit.NANOSECONDS.toMillis(worker.run.surroundings.now());
    }

    /** For a new Random. */
    public static long seed() {
        Worker worker = self();
        return worker == null ? System.nanoTime() * 0x9e3779b97f4a7c15L : worker.run.surroundings.random();
    }

    public static double random() {
        Worker worker = self();
        return worker == null ? Math.random() : (worker.run.surroundings.random() >>> 11) * 0x1.0p-53;
    }

    public static UUID randomUUID() {
        Worker worker = self();
        return worker == null ? UUID.randomUUID() : new UUID(worker.run.surroundings.random() & ~0xf000L | 0x4000L,
            worker.run.surroundings.random() & ~(3L << 62) | 1L << 63);
    }
}
