package heddle.runtime;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BinaryOperator;
import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;
import java.util.function.UnaryOperator;

/** Updates of atomic variables by a function: looks and attempts, each told, as the JDK makes them. */
public final class Updates {
    private Updates() {
    }

    private static int look(AtomicInteger variable, int site) {
        Object token = Atomics.atomic(variable, site);
        int value = variable.get();
        Atomics.atomicTried(0, token);
        return value;
    }

    private static boolean attempt(AtomicInteger variable, int old, int value, int site) {
        Object token = Atomics.atomic(variable, site);
        boolean done = variable.compareAndSet(old, value);
        Atomics.atomicTried(done ? 1 : 0, token);
        return done;
    }

    public static int getAndUpdate(AtomicInteger variable, IntUnaryOperator function, int site) {
        while (true) {
            int old = look(variable, site);
            if (attempt(variable, old, function.applyAsInt(old), site)) {
                return old;
            }
        }
    }

    public static int updateAndGet(AtomicInteger variable, IntUnaryOperator function, int site) {
        while (true) {
            int old = look(variable, site);
            int value = function.applyAsInt(old);
            if (attempt(variable, old, value, site)) {
                return value;
            }
        }
    }

    public static int getAndAccumulate(AtomicInteger variable, int other, IntBinaryOperator function, int site) {
        while (true) {
            int old = look(variable, site);
            if (attempt(variable, old, function.applyAsInt(old, other), site)) {
                return old;
            }
        }
    }

    public static int accumulateAndGet(AtomicInteger variable, int other, IntBinaryOperator function, int site) {
        while (true) {
            int old = look(variable, site);
            int value = function.applyAsInt(old, other);
            if (attempt(variable, old, value, site)) {
                return value;
            }
        }
    }

    private static long look(AtomicLong variable, int site) {
        Object token = Atomics.atomic(variable, site);
        long value = variable.get();
        Atomics.atomicTried(0, token);
        return value;
    }

    private static boolean attempt(AtomicLong variable, long old, long value, int site) {
        Object token = Atomics.atomic(variable, site);
        boolean done = variable.compareAndSet(old, value);
        Atomics.atomicTried(done ? 1 : 0, token);
        return done;
    }

    public static long getAndUpdate(AtomicLong variable, LongUnaryOperator function, int site) {
        while (true) {
            long old = look(variable, site);
            if (attempt(variable, old, function.applyAsLong(old), site)) {
                return old;
            }
        }
    }

    public static long updateAndGet(AtomicLong variable, LongUnaryOperator function, int site) {
        while (true) {
            long old = look(variable, site);
            long value = function.applyAsLong(old);
            if (attempt(variable, old, value, site)) {
                return value;
            }
        }
    }

    public static long getAndAccumulate(AtomicLong variable, long other, LongBinaryOperator function, int site) {
        while (true) {
            long old = look(variable, site);
            if (attempt(variable, old, function.applyAsLong(old, other), site)) {
                return old;
            }
        }
    }

    public static long accumulateAndGet(AtomicLong variable, long other, LongBinaryOperator function, int site) {
        while (true) {
            long old = look(variable, site);
            long value = function.applyAsLong(old, other);
            if (attempt(variable, old, value, site)) {
                return value;
            }
        }
    }

    private static <T> T look(AtomicReference<T> variable, int site) {
        Object token = Atomics.atomic(variable, site);
        T value = variable.get();
        Atomics.atomicTried(0, token);
        return value;
    }

    private static <T> boolean attempt(AtomicReference<T> variable, T old, T value, int site) {
        Object token = Atomics.atomic(variable, site);
        boolean done = variable.compareAndSet(old, value);
        Atomics.atomicTried(done ? 1 : 0, token);
        return done;
    }

    public static <T> Object getAndUpdate(AtomicReference<T> variable, UnaryOperator<T> function, int site) {
        while (true) {
            T old = look(variable, site);
            if (attempt(variable, old, function.apply(old), site)) {
                return old;
            }
        }
    }

    public static <T> Object updateAndGet(AtomicReference<T> variable, UnaryOperator<T> function, int site) {
        while (true) {
            T old = look(variable, site);
            T value = function.apply(old);
            if (attempt(variable, old, value, site)) {
                return value;
            }
        }
    }

    public static <T> Object getAndAccumulate(AtomicReference<T> variable, T other, BinaryOperator<T> function, int site) {
        while (true) {
            T old = look(variable, site);
            if (attempt(variable, old, function.apply(old, other), site)) {
                return old;
            }
        }
    }

    public static <T> Object accumulateAndGet(AtomicReference<T> variable, T other, BinaryOperator<T> function, int site) {
        while (true) {
            T old = look(variable, site);
            T value = function.apply(old, other);
            if (attempt(variable, old, value, site)) {
                return value;
            }
        }
    }
}
