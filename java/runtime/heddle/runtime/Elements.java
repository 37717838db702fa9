package heddle.runtime;

import java.lang.reflect.Array;

/** Elements of arrays of any type, for copies. */
final class Elements {
    private Elements() {
    }

    /** Whether a copy will throw nothing, so that it may be made one element at a time. */
    static boolean canCopy(Object from, int at, Object to, int start, int length) {
        if (from == null || to == null || !from.getClass().isArray() || !to.getClass().isArray()) {
            return false;
        }
        Class<?> source = from.getClass().getComponentType();
        Class<?> target = to.getClass().getComponentType();
        boolean fits = source.isPrimitive() ? source == target : target.isAssignableFrom(source);
        return fits && at >= 0 && start >= 0 && length >= 0 && length <= Array.getLength(from) - at
            && length <= Array.getLength(to) - start;
    }

    static Object get(Object array, int index) {
        return array instanceof Object[] ? ((Object[]) array)[index] : Array.get(array, index);
    }

    static void set(Object array, int index, Object value) {
        if (array instanceof Object[]) {
            ((Object[]) array)[index] = value;
        } else {
            Array.set(array, index, value);
        }
    }

    /** The value as the log has it. */
    static long bits(Object array, Object value) {
        if (array instanceof Object[]) {
            return Accesses.hash(value);
        }
        if (value instanceof Double) {
            return Double.doubleToRawLongBits((Double) value);
        }
        if (value instanceof Float) {
            return Float.floatToRawIntBits((Float) value);
        }
        if (value instanceof Character) {
            return (Character) value;
        }
        if (value instanceof Boolean) {
            return (Boolean) value ? 1 : 0;
        }
        return ((Number) value).longValue();
    }
}
