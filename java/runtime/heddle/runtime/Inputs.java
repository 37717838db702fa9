package heddle.runtime;

import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import jdk.internal.misc.Unsafe;

/** What a thread learns from outside: recorded, and where a script is followed, what it learned when that was recorded. */
public final class Inputs {
    private static final Unsafe UNSAFE = Log.UNSAFE;
    /** As in runtime/protocol/session.h. */
    private static final int NANOS = 0, RANDOM = 1, MILLIS = 5, INSTANT = 6, SEED = 7, BYTES = 8;
    private static final long THREAD_SEED = UNSAFE.objectFieldOffset(Thread.class, "threadLocalRandomSeed");
    private static final long FEW_LOOKS = 16, NANOS_OF_A_LOOK = 10, MOST_NANOS = 100_000;

    /** How far the clocks of a recorded run, as far as it was repeated, are from those of this one. */
    private static volatile long nanosAhead, millisAhead;

    /** A stream is to get a reference to a method. Where that was replaced by a method of ours, whose name says what it calls, it names what the
     * program has. */
    public static void written(Object lambda) {
        String[] parts = ((String) get(lambda, "implMethodName")).split(":");
        if (parts.length == 5 && parts[0].startsWith("heddle$reference$")) {
            UNSAFE.putInt(lambda, at(lambda, "implMethodKind"), Integer.parseInt(parts[1]));
            put(lambda, "implClass", parts[2]);
            put(lambda, "implMethodName", parts[3]);
            put(lambda, "implMethodSignature", parts[4]);
        }
    }

    private static long at(Object lambda, String field) {
        return UNSAFE.objectFieldOffset(lambda.getClass(), field);
    }

    private static Object get(Object lambda, String field) {
        return UNSAFE.getReference(lambda, at(lambda, field));
    }

    private static void put(Object lambda, String field, String spelled) {
        UNSAFE.putReference(lambda, at(lambda, field), spelled.replace('|', '/').replace('!', ';').replace('{', '['));
    }

    /** A clock as the thread saw it last, after how many of its records, and how many values of it since then.
     *
     * In a loop that does nothing but look at a clock, the clock stands still for longer and longer: it would fill the log. */
    private static final class Clock {
        final int kind;
        final long unit;
        long seen;
        long after = -1;
        long looks;

        Clock(int kind, long unit) {
            this.kind = kind;
            this.unit = unit;
        }

        long look(State state, long now) {
            if (after != state.made()) {
                after = state.made();
                looks = 0;
            } else if (looks > FEW_LOOKS && (now - seen) * unit < Math.min(looks * NANOS_OF_A_LOOK, MOST_NANOS)) {
                return seen;
            }
            looks++;
            seen = now;
            return keep(state, kind, now);
        }
    }

    private final Clock nanos = new Clock(NANOS, 1);
    private final Clock millis = new Clock(MILLIS, 1_000_000);
    private boolean drewLocally;
    private boolean draws;

    /** The JDK makes a generator that nobody uses when a thread first needs one of its own, also inside the JDK. */
    static void prepare() {
        State state = State.current();
        if (state != null) {
            state.inputs.draws = true;
            ThreadLocalRandom.current();
            state.inputs.draws = false;
        }
    }

    public static long nanos(long live) {
        State state = State.current();
        if (state == null) {
            return live;
        }
        long value = fed(state, NANOS, live);
        if (value == live) {
            return state.inputs.nanos.look(state, live + nanosAhead);
        }
        nanosAhead = value - live;
        return keep(state, NANOS, value);
    }

    public static long millis(long live) {
        State state = State.current();
        if (state == null) {
            return live;
        }
        long value = fed(state, MILLIS, live);
        if (value == live) {
            return state.inputs.millis.look(state, live + millisAhead);
        }
        millisAhead = value - live;
        return keep(state, MILLIS, value);
    }

    public static Instant instant(Instant live) {
        State state = State.current();
        if (state == null) {
            return live;
        }
        long seconds = take(state, INSTANT, live.getEpochSecond());
        long nanos = take(state, INSTANT, live.getNano());
        return Instant.ofEpochSecond(seconds, nanos);
    }

    /** Math.random, whose generator is made by the first thread that asks. */
    public static double random() {
        State state = State.current();
        if (state == null) {
            return Math.random();
        }
        state.inputs.draws = true;
        double live = Math.random();
        state.inputs.draws = false;
        return Double.longBitsToDouble(take(state, RANDOM, Double.doubleToRawLongBits(live)));
    }

    /** Of a new generator. */
    public static long seed(long live) {
        State state = State.current();
        return state == null || state.inputs.draws ? live : take(state, SEED, live);
    }

    /** The thread's own generator, whose numbers follow from what it begins with. */
    public static ThreadLocalRandom current() {
        State state = State.current();
        if (state == null) {
            return ThreadLocalRandom.current();
        }
        state.inputs.draws = true;
        ThreadLocalRandom generator = ThreadLocalRandom.current();
        state.inputs.draws = false;
        if (!state.inputs.drewLocally) {
            Thread thread = Thread.currentThread();
            state.inputs.drewLocally = true;
            UNSAFE.putLong(thread, THREAD_SEED, take(state, SEED, UNSAFE.getLong(thread, THREAD_SEED)));
        }
        return generator;
    }

    /** By a generator of its own: the JDK's is shared by all threads, in the order in which they happen to come. */
    public static void shuffle(List<?> list) {
        if (State.current() == null) {
            Collections.shuffle(list);
        } else {
            Collections.shuffle(list, new Random());
        }
    }

    public static void bytes(byte[] live) {
        State state = State.current();
        if (state == null) {
            return;
        }
        for (int from = 0; from < live.length; from += 8) {
            long value = 0;
            int to = Math.min(live.length, from + 8);
            for (int i = from; i < to; i++) {
                value |= (live[i] & 0xffL) << 8 * (i - from);
            }
            value = take(state, BYTES, value);
            for (int i = from; i < to; i++) {
                live[i] = (byte) (value >>> 8 * (i - from));
            }
        }
    }

    private static long take(State state, int kind, long live) {
        return keep(state, kind, fed(state, kind, live));
    }

    private static long fed(State state, int kind, long live) {
        return Gate.base == 0 ? live : Gate.input(state.number, kind, live);
    }

    private static long keep(State state, int kind, long value) {
        Log.put(Log.INPUT, state.number, 0, 0, kind, value);
        return value;
    }
}
