package heddle.runtime;

import jdk.internal.vm.annotation.ForceInline;

/**
 * Accesses to fields and elements, as rewritten classes report them. An access is bracketed: the first call takes the
 * stripe of the variable and returns a token, the second passes the value and releases the stripe. What would throw takes
 * no stripe.
 */
public final class Accesses {
    private Accesses() {
    }

    static Object open(Object object, int key, int index, int site) {
        State state = State.current();
        if (state == null || object == null) {
            return null;
        }
        int number = Identity.of(object, site);
        state.open(number + key, site, number, index);
        state.isStatic = state.isElement = false;
        return state;
    }

    private static Object openStatic(int key, int site) {
        State state = State.current();
        if (state == null) {
            return null;
        }
        state.open(key, site, 0, 0);
        state.isStatic = true;
        state.isElement = false;
        return state;
    }

    private static Object openElement(Object array, int index, int site, boolean writes) {
        if (array == null || index < 0 || index >= java.lang.reflect.Array.getLength(array)) {
            return null;
        }
        if (Light.checks) {
            State state = State.current();
            if (state == null || (writes ? Light.writes(state, array, index, site) : Light.reads(state, array, index, site))) {
                return null;
            }
        }
        return openRecorded(array, index, site);
    }

    /** The element is one that is recorded. */
    private static Object openRecorded(Object array, int index, int site) {
        Object token = open(array, index * 31, index, Light.siteOf(site));
        if (token != null) {
            ((State) token).isElement = true;
        }
        return token;
    }

    static void saw(Object token, long value) {
        if (token != null) {
            State state = (State) token;
            state.access(state.isStatic ? Log.STATIC_READ : Log.READ, value);
            state.close();
        }
    }

    static Object writes(Object token, long value) {
        if (token != null) {
            State state = (State) token;
            if (state.isElement) {
                state.accessIndexed(Log.WRITE, value);
            } else {
                state.accessField(state.isStatic ? Log.STATIC_WRITE : Log.WRITE, value);
            }
        }
        return token;
    }

    /** Tells references apart well enough to check the order by; not their numbers, which would cost too much. */
    static long hash(Object value) {
        return value == null ? 0 : System.identityHashCode(value) | 1L << 32;
    }

    public static Object read(Object object, int site) {
        return open(object, 0, 0, site);
    }

    public static Object readStatic(int key, int site) {
        return openStatic(key, site);
    }

    public static Object readArray(Object array, int index, int site) {
        return openElement(array, index, site, false);
    }

    public static void sawI(int value, Object token) {
        saw(token, value);
    }

    public static void sawJ(long value, Object token) {
        saw(token, value);
    }

    public static void sawF(float value, Object token) {
        saw(token, Float.floatToRawIntBits(value));
    }

    public static void sawD(double value, Object token) {
        saw(token, Double.doubleToRawLongBits(value));
    }

    public static void sawL(Object value, Object token) {
        if (token != null) {
            saw(token, hash(value));
        }
    }

    public static Object writeI(Object object, int value, int site) {
        return writes(open(object, 0, 0, site), value);
    }

    public static Object writeJ(Object object, long value, int site) {
        return writes(open(object, 0, 0, site), value);
    }

    public static Object writeF(Object object, float value, int site) {
        return writes(open(object, 0, 0, site), Float.floatToRawIntBits(value));
    }

    public static Object writeD(Object object, double value, int site) {
        return writes(open(object, 0, 0, site), Double.doubleToRawLongBits(value));
    }

    public static Object writeL(Object object, Object value, int site) {
        long hash = hash(value);
        return writes(open(object, 0, 0, site), hash);
    }

    public static Object writeStaticI(int value, int key, int site) {
        return writes(openStatic(key, site), value);
    }

    public static Object writeStaticJ(long value, int key, int site) {
        return writes(openStatic(key, site), value);
    }

    public static Object writeStaticF(float value, int key, int site) {
        return writes(openStatic(key, site), Float.floatToRawIntBits(value));
    }

    public static Object writeStaticD(double value, int key, int site) {
        return writes(openStatic(key, site), Double.doubleToRawLongBits(value));
    }

    public static Object writeStaticL(Object value, int key, int site) {
        long hash = hash(value);
        return writes(openStatic(key, site), hash);
    }

    public static Object writeArrayI(Object array, int index, int value, int site) {
        return writes(openElement(array, index, site, true), value);
    }

    public static Object writeArrayJ(Object array, int index, long value, int site) {
        return writes(openElement(array, index, site, true), value);
    }

    public static Object writeArrayF(Object array, int index, float value, int site) {
        return writes(openElement(array, index, site, true), Float.floatToRawIntBits(value));
    }

    public static Object writeArrayD(Object array, int index, double value, int site) {
        return writes(openElement(array, index, site, true), Double.doubleToRawLongBits(value));
    }

    public static Object writeArrayL(Object array, int index, Object value, int site) {
        if (array == null || value != null && !array.getClass().getComponentType().isInstance(value)) {
            return null; // the store will throw
        }
        long hash = hash(value);
        return writes(openElement(array, index, site, true), hash);
    }

    /** In the second of two passes: accesses to fields that are not recorded, as the first one found them to be unshared. */
    @ForceInline
    public static void looksAt(Object object, int site, Object state) {
        Light.field(state(state), object, site, false);
    }

    @ForceInline
    public static void changes(Object object, int site, Object state) {
        Light.field(state(state), object, site, true);
    }

    @ForceInline
    private static State state(Object given) {
        return given != null ? (State) given : State.current();
    }

    /** Accesses to elements, of arrays that may be such. The state is the thread's, or null. */
    public static Object checkArray(Object array, int index, int site, Object given) {
        State state = state(given);
        return state == null || Light.reads(state, array, index, site) ? null : openRecorded(array, index, site);
    }

    private static Object checkWrite(Object array, int index, int site, Object given) {
        State state = state(given);
        return state == null || Light.writes(state, array, index, site) ? null : openRecorded(array, index, site);
    }

    public static Object checkArrayI(Object array, int index, int value, int site, Object state) {
        return writes(checkWrite(array, index, site, state), value);
    }

    public static Object checkArrayJ(Object array, int index, long value, int site, Object state) {
        return writes(checkWrite(array, index, site, state), value);
    }

    public static Object checkArrayF(Object array, int index, float value, int site, Object state) {
        return writes(checkWrite(array, index, site, state), Float.floatToRawIntBits(value));
    }

    public static Object checkArrayD(Object array, int index, double value, int site, Object state) {
        return writes(checkWrite(array, index, site, state), Double.doubleToRawLongBits(value));
    }

    public static Object checkArrayL(Object array, int index, Object value, int site, Object state) {
        if (array == null || value != null && !array.getClass().getComponentType().isInstance(value)) {
            return null; // the store will throw
        }
        Object token = checkWrite(array, index, site, state);
        return token == null ? null : writes(token, hash(value));
    }

    /** The same, by instructions that touched no others in the first pass. */
    @ForceInline
    public static void looksAtElement(Object array, int index, int site, Object given) {
        State state = state(given);
        if (state != null) {
            Light.look(state, array, index, site);
        }
    }

    @ForceInline
    public static void changesElement(Object array, int index, int site, Object given) {
        State state = state(given);
        if (state != null) {
            Light.change(state, array, index, site);
        }
    }

    /** The same, where arrays were such that threads shared them but none of their elements. */
    @ForceInline
    public static void looksAtPart(Object array, int index, int site, Object given) {
        State state = state(given);
        if (state != null) {
            Light.lookAtPart(state, array, index, site);
        }
    }

    @ForceInline
    public static void changesPart(Object array, int index, int site, Object given) {
        State state = state(given);
        if (state != null) {
            Light.changePart(state, array, index, site);
        }
    }

    public static void changesAlone(int site) {
        Light.quiet(site);
    }

    /** An element is about to be written. */
    static Object openElement(Object array, int index, int site) {
        return openElement(array, index, site, true);
    }

    public static void done(Object token) {
        if (token != null) {
            ((State) token).close();
        }
    }
}
