package heddle.runtime;

import java.util.ArrayList;
import java.util.Date;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/**
 * Waits of a machine that follows a script. A thread woken by the machine would take the lock at once, before its turn;
 * so threads look, lock given up in between, whether the script lets them go on. When the script is over they go on when
 * they were notified or their time has passed.
 */
public final class Waits {
    private static final long LOOK_MILLIS = 1, LOOK_NANOS = 1_000_000;

    /** A thread that waits. */
    private static final class Waiter {
        final Object on;
        final long since = ++moments;
        /** When it was notified; 0: not yet. */
        long notified;
        /** It was notified along with all others: no other thread can take that. */
        boolean withAll;

        Waiter(Object on) {
            this.on = on;
        }
    }

    private static final ArrayList<Waiter> waiters = new ArrayList<>();
    /** Beginnings of waits and notifications so far. */
    private static long moments;

    /** Gives up the lock of what is waited on for a moment. */
    private interface Look {
        void look() throws InterruptedException;
    }

    private Waits() {
    }

    private static Waiter enter(Object on) {
        synchronized (waiters) {
            Waiter waiter = new Waiter(on);
            waiters.add(waiter);
            return waiter;
        }
    }

    /** Who got the first notification that could have gone to this waiter; null: there was none since it waits. */
    private static Waiter couldBe(Waiter waiter) {
        Waiter first = waiter.notified != 0 ? waiter : null;
        for (Waiter other : waiters) {
            if (other.on == waiter.on && other.notified > waiter.since && !other.withAll && !waiter.withAll
                && (first == null || other.notified < first.notified)) {
                first = other;
            }
        }
        return first;
    }

    /** Who goes on because the script says so takes a notification that another got, if there is one. */
    private static boolean leave(Waiter waiter, boolean takes) {
        synchronized (waiters) {
            Waiter other = takes ? couldBe(waiter) : null;
            if (other != null) {
                long taken = other.notified;
                other.notified = waiter.notified;
                waiter.notified = taken;
            }
            waiters.remove(waiter);
            return waiter.notified != 0;
        }
    }

    /** Notifies one, or all; false when nobody waits. */
    private static boolean mark(Object on, boolean all) {
        ArrayList<Waiter> waiting = new ArrayList<>();
        synchronized (waiters) {
            for (Waiter waiter : waiters) {
                if (waiter.on == on && waiter.notified == 0) {
                    waiting.add(waiter);
                }
            }
            int chosen = all || waiting.isEmpty() ? 0 : Gate.choose(waiting.size(), moments);
            for (int i = 0; i < waiting.size(); i++) {
                if (all || i == chosen) {
                    waiting.get(i).notified = ++moments;
                    waiting.get(i).withAll = all;
                }
            }
        }
        return !waiting.isEmpty();
    }

    private static boolean isNotified(Waiter waiter) {
        synchronized (waiters) {
            return waiter.notified != 0 || hasEnded(waiter.on);
        }
    }

    private static boolean hasEnded(Object on) {
        return on instanceof Thread && !((Thread) on).isAlive();
    }

    /** Whether the script may end the wait: nobody wakes up by himself. */
    private static boolean canEnd(Waiter waiter) {
        synchronized (waiters) {
            return couldBe(waiter) != null || hasEnded(waiter.on);
        }
    }

    /** Waits; true when notified, false when the time (nanoseconds; negative: without end) is over. */
    private static boolean waitOn(State state, Object on, long nanos, Look look) throws InterruptedException {
        long end = System.nanoTime() + nanos;
        boolean timed = nanos >= 0;
        InterruptedException interrupt = null;
        Waiter waiter = enter(on);
        state.waiting(timed ? 2 : 1);
        do {
            try {
                look.look();
            } catch (InterruptedException e) {
                interrupt = e; // the thread learns of it when it is its turn
            }
        } while (!state.mayLeave(interrupt != null || timed || canEnd(waiter),
            interrupt != null || isNotified(waiter) || timed && System.nanoTime() - end >= 0));
        state.waiting(0);
        if (interrupt != null) {
            leave(waiter, false);
            throw interrupt;
        }
        return leave(waiter, true);
    }

    private static boolean waitOn(State state, Condition on, long nanos) throws InterruptedException {
        return waitOn(state, on, nanos, () -> on.awaitNanos(LOOK_NANOS));
    }

    private static State gated() {
        State state = State.current();
        return state != null && state.isGated() ? state : null;
    }

    /** `nanos` 0 or negative: without end. */
    private static void waitOn(Object on, long nanos, int site, Look real) throws InterruptedException {
        Hooks.callAny(on, site);
        if (on == null || gated() == null || !Thread.holdsLock(on)) {
            real.look(); // or throws
        } else {
            waitOn(gated(), on, nanos <= 0 ? -1 : nanos, () -> on.wait(LOOK_MILLIS));
        }
        Hooks.returnedAny(on, site);
    }

    public static void wait(Object on, int site) throws InterruptedException {
        waitOn(on, 0, site, () -> on.wait());
    }

    public static void wait(Object on, long millis, int site) throws InterruptedException {
        if (millis < 0) {
            on.wait(millis); // throws
        }
        waitOn(on, TimeUnit.MILLISECONDS.toNanos(millis), site, () -> on.wait(millis));
    }

    public static void wait(Object on, long millis, int nanos, int site) throws InterruptedException {
        if (millis < 0 || nanos < 0 || nanos > 999999) {
            on.wait(millis, nanos); // throws
        }
        waitOn(on, TimeUnit.MILLISECONDS.toNanos(millis) + nanos, site, () -> on.wait(millis, nanos));
    }

    public static void notify(Object on, int site) {
        Hooks.callAny(on, site);
        if (!Thread.holdsLock(on) || !mark(on, false)) {
            on.notify();
        }
        Hooks.returnedAny(on, site);
    }

    public static void notifyAll(Object on, int site) {
        Hooks.callAny(on, site);
        on.notifyAll();
        mark(on, true);
        Hooks.returnedAny(on, site);
    }

    /** The JDK's conditions; others are called as they are. */
    private static boolean isOurs(Condition on) {
        return on != null && gated() != null && Identity.isJdk(on.getClass());
    }

    public static void await(Condition on, int site) throws InterruptedException {
        Hooks.call(on, site);
        if (isOurs(on)) {
            waitOn(gated(), on, -1);
        } else {
            on.await();
        }
        Hooks.returned(on, site);
    }

    public static boolean await(Condition on, long time, TimeUnit unit, int site) throws InterruptedException {
        Hooks.call(on, site);
        boolean result = isOurs(on) ? waitOn(gated(), on, Math.max(0, unit.toNanos(time))) : on.await(time, unit);
        Hooks.returnedI(result ? 1 : 0, on, site);
        return result;
    }

    public static long awaitNanos(Condition on, long nanos, int site) throws InterruptedException {
        Hooks.call(on, site);
        long end = System.nanoTime() + nanos;
        long result = !isOurs(on) ? on.awaitNanos(nanos)
            : waitOn(gated(), on, Math.max(0, nanos)) ? Math.max(1, end - System.nanoTime()) : 0;
        Hooks.returned(on, site);
        return result;
    }

    public static boolean awaitUntil(Condition on, Date date, int site) throws InterruptedException {
        Hooks.touched(date, site);
        Hooks.call(on, site);
        boolean result = isOurs(on)
            ? waitOn(gated(), on, TimeUnit.MILLISECONDS.toNanos(Math.max(0, date.getTime() - System.currentTimeMillis())))
            : on.awaitUntil(date);
        Hooks.returnedI(result ? 1 : 0, on, site);
        return result;
    }

    public static void awaitUninterruptibly(Condition on, int site) {
        Hooks.call(on, site);
        boolean interrupted = false;
        for (boolean done = !isOurs(on); !done;) {
            try {
                waitOn(gated(), on, -1);
                done = true;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (!isOurs(on)) {
            on.awaitUninterruptibly();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        Hooks.returned(on, site);
    }

    public static void signal(Condition on, int site) {
        Hooks.call(on, site);
        on.signal();
        mark(on, false);
        Hooks.returned(on, site);
    }

    public static void signalAll(Condition on, int site) {
        Hooks.call(on, site);
        on.signalAll();
        mark(on, true);
        Hooks.returned(on, site);
    }
}
