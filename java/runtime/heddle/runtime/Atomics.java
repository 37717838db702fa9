package heddle.runtime;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** Operations on the JDK's atomic variables, as rewritten classes report them: bracketed as accesses are. */
public final class Atomics {
    private Atomics() {
    }

    public static Object atomic(Object variable, int site) {
        Object token = Accesses.open(variable, 0, 0, site);
        if (token != null) {
            ((State) token).receiver = variable;
        }
        return token;
    }

    public static Object atomicAt(Object array, int index, int site) {
        if (array == null || index < 0 || index >= lengthOf(array)) {
            return null;
        }
        Object token = Accesses.open(array, index * 31, index, site);
        if (token != null) {
            ((State) token).receiver = array;
        }
        return token;
    }

    private static int lengthOf(Object array) {
        return array instanceof AtomicIntegerArray ? ((AtomicIntegerArray) array).length()
            : array instanceof AtomicLongArray ? ((AtomicLongArray) array).length()
            : ((AtomicReferenceArray<?>) array).length();
    }

    public static void atomicDone(Object token) {
        atomicTried(1, token);
    }

    public static void atomicTried(int success, Object token) {
        if (token != null) {
            State state = (State) token;
            state.accessIndexed(success != 0 ? Log.ATOMIC : Log.ATOMIC_NOT, holds(state.receiver, state.index));
            state.close();
        }
    }

    public static void atomicWitnessed(int witness, int expected, Object token) {
        atomicTried(witness == expected ? 1 : 0, token);
    }

    public static void atomicWitnessed(long witness, long expected, Object token) {
        atomicTried(witness == expected ? 1 : 0, token);
    }

    public static void atomicWitnessed(Object witness, Object expected, Object token) {
        atomicTried(witness == expected ? 1 : 0, token);
    }

    private static long holds(Object variable, int index) {
        if (variable instanceof AtomicInteger) {
            return ((AtomicInteger) variable).get();
        }
        if (variable instanceof AtomicLong) {
            return ((AtomicLong) variable).get();
        }
        if (variable instanceof AtomicBoolean) {
            return ((AtomicBoolean) variable).get() ? 1 : 0;
        }
        if (variable instanceof AtomicReference) {
            return Accesses.hash(((AtomicReference<?>) variable).get());
        }
        if (variable instanceof AtomicIntegerArray) {
            return ((AtomicIntegerArray) variable).get(index);
        }
        if (variable instanceof AtomicLongArray) {
            return ((AtomicLongArray) variable).get(index);
        }
        return Accesses.hash(((AtomicReferenceArray<?>) variable).get(index));
    }
}
