package heddle.runtime;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.concurrent.Semaphore;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * Numbers of objects. Objects of rewritten classes keep theirs in a field; those of others and arrays are looked up in a
 * table that does not keep them alive.
 */
final class Identity {
    private static final Unsafe UNSAFE = Log.UNSAFE;
    private static final String FIELD = "$heddle$id", MARK = "$heddle$mark";

    /** What is known of a class. */
    static final class Shape {
        final Class<?> type;
        final long offset; // of the field; 0 if there is none
        final long mark; // the same, of the mark
        final int number; // in the list of names
        final boolean tracked; // calls on its objects are told

        Shape(Class<?> type, long offset, long mark, int number, boolean tracked) {
            this.type = type;
            this.offset = offset;
            this.mark = mark;
            this.number = number;
            this.tracked = tracked;
        }
    }

    /** One place for each site: most sites meet one class. */
    private static final int RECENT = 1024;
    private static final Shape[] recent = new Shape[RECENT];
    private static final ClassValue<Shape> shapes = new ClassValue<>() {
        @Override
        protected Shape computeValue(Class<?> type) {
            boolean tracked = isTracked(type);
            Class<?> own = declares(type);
            return new Shape(type, own == null ? 0 : UNSAFE.objectFieldOffset(own, FIELD),
                own == null || !Light.checks ? 0 : UNSAFE.objectFieldOffset(own, MARK), Hooks.nameClass(type, tracked), tracked);
        }
    };

    private static int last;
    private static final long LAST;

    static {
        try {
            LAST = UNSAFE.staticFieldOffset(Identity.class.getDeclaredField("last"));
        } catch (NoSuchFieldException e) {
            throw new InternalError(e);
        }
    }

    private Identity() {
    }

    @ForceInline
    static Shape shapeOf(Object object, int site) {
        Shape shape = recent[site & RECENT - 1];
        return shape != null && shape.type == object.getClass() ? shape : findShape(object.getClass(), site);
    }

    @DontInline
    private static Shape findShape(Class<?> type, int site) {
        Shape shape = shapes.get(type);
        recent[site & RECENT - 1] = shape;
        return shape;
    }

    /** The object's number. 0 for null, and for an object there was no memory to number. */
    static int of(Object object, int site) {
        if (object == null) {
            return 0;
        }
        Shape shape = shapeOf(object, site);
        if (shape.offset == 0) {
            return Weak.entry(object, shape).number;
        }
        int number = UNSAFE.getInt(object, shape.offset);
        return number != 0 ? number : give(object, shape);
    }

    private static int give(Object object, Shape shape) {
        int number = next();
        if (!UNSAFE.compareAndSetInt(object, shape.offset, 0, number)) {
            return UNSAFE.getIntVolatile(object, shape.offset);
        }
        announce(number, shape, object);
        return number;
    }

    private static int next() {
        return UNSAFE.getAndAddInt(Identity.class, LAST, 1) + 1;
    }

    private static void announce(int number, Shape shape, Object object) {
        Log.put(Log.OBJECT, 0, 0, number, Gate.explores() ? index(object) : owes(object), shape.number);
    }

    /** A semaphore that was made with less than no permits must be told from others. */
    private static int owes(Object object) {
        return object.getClass() == Semaphore.class && ((Semaphore) object).availablePermits() < 0 ? -3 : 0;
    }

    /** What the object is beside its class (runtime/protocol/java_log.h). */
    private static int index(Object object) {
        return object == System.out ? -1 : object == System.err ? -2
            : object instanceof Class ? shapes.get((Class<?>) object).number : 0;
    }

    /** A copy is another object. */
    static void forget(Object copy) {
        Shape shape = shapeOf(copy, 0);
        if (shape.offset != 0) {
            UNSAFE.putInt(copy, shape.offset, 0);
        }
        if (shape.mark != 0) {
            UNSAFE.putInt(copy, shape.mark, 0);
        }
    }

    /** What is known of the elements of an array, in the second of two passes. */
    static Light.Elements elementsOf(Object array, int site) {
        return Weak.entry(array, shapeOf(array, site)).elements;
    }

    /** The class that declares the field of numbers for objects of this one; or null. */
    private static Class<?> declares(Class<?> type) {
        for (Class<?> at = type.isArray() ? null : type; at != null && !isJdk(at); at = at.getSuperclass()) {
            if (Hooks.hasIdentity(at)) {
                return at;
            }
        }
        return null;
    }

    static boolean isJdk(Class<?> type) {
        return type.getClassLoader() == null || type.getClassLoader() == ClassLoader.getPlatformClassLoader();
    }

    private static boolean isTracked(Class<?> type) {
        if (type.isArray() || Enum.class.isAssignableFrom(type)) {
            return false;
        }
        Class<?> at = type;
        while (!isJdk(at)) {
            at = at.getSuperclass();
        }
        if (Thread.class.isAssignableFrom(at)) {
            return true;
        }
        if (at.getName().endsWith(".misc.Unsafe")) {
            return true;
        }
        while (at.getName().startsWith("jdk.internal.") || at.getName().startsWith("sun.")) { // by what it is a kind of
            if (java.util.concurrent.Future.class.isAssignableFrom(at)) {
                return true;
            }
            at = at.getSuperclass();
        }
        String name = at.getName();
        boolean stateful = name.startsWith("java.util.") || name.startsWith("java.lang.StringBu")
            || name.startsWith("java.lang.ref.") || name.startsWith("java.io.Piped")
            || name.startsWith("java.io.ByteArray") || name.startsWith("java.io.StringWriter") || name.equals("java.io.StringReader")
            || name.startsWith("java.io.CharArray") || name.startsWith("java.nio.")
            || name.startsWith("java.lang.invoke.") || name.equals("java.lang.ClassValue") || name.startsWith("java.beans.");
        return stateful && !name.startsWith("java.util.function.") && !name.startsWith("java.util.regex.")
            && !name.startsWith("java.util.Immutable") && !name.startsWith("java.util.Collections$Empty");
    }

    /** The table of objects without the field: chains in segments, read without a lock. */
    private static final class Weak {
        private static final class Entry extends WeakReference<Object> {
            final int hash;
            final int number;
            final Entry next;
            final Light.Elements elements; // of an array, in the second of two passes; or null

            Entry(Object object, int hash, int number, Entry next, Light.Elements elements, ReferenceQueue<Object> queue) {
                super(object, queue);
                this.hash = hash;
                this.number = number;
                this.next = next;
                this.elements = elements;
            }

            /** The same object in another chain. */
            Entry(Entry old, Object object, Entry next, ReferenceQueue<Object> queue) {
                this(object, old.hash, old.number, next, old.elements, queue);
            }
        }

        private static final int SEGMENTS = 64;
        private static final Weak[] segments = new Weak[SEGMENTS];

        static {
            for (int i = 0; i < SEGMENTS; i++) {
                segments[i] = new Weak();
            }
        }

        private volatile Entry[] chains = new Entry[64];
        private int entries;
        private final ReferenceQueue<Object> queue = new ReferenceQueue<>();

        static Entry entry(Object object, Shape shape) {
            int hash = System.identityHashCode(object);
            Weak segment = segments[hash & SEGMENTS - 1];
            Entry[] chains = segment.chains;
            for (Entry e = chains[hash >>> 6 & chains.length - 1]; e != null; e = e.next) {
                if (e.hash == hash && e.refersTo(object)) {
                    return e;
                }
            }
            return segment.add(object, hash, shape);
        }

        private synchronized Entry add(Object object, int hash, Shape shape) {
            Entry[] chains = this.chains;
            for (Entry e = chains[hash >>> 6 & chains.length - 1]; e != null; e = e.next) {
                if (e.hash == hash && e.refersTo(object)) {
                    return e;
                }
            }
            if (entries >= chains.length) {
                chains = rebuild(chains);
            }
            int slot = hash >>> 6 & chains.length - 1;
            int number = next();
            Light.Elements elements = Light.checks && object.getClass().isArray() ? new Light.Elements() : null;
            Entry entry = new Entry(object, hash, number, chains[slot], elements, queue);
            announce(number, shape, object); // as it is before others can know that it is known
            UNSAFE.storeFence();
            chains[slot] = entry;
            entries++;
            return entry;
        }

        /** Without those whose objects are gone; larger if that does not free half of it. */
        private Entry[] rebuild(Entry[] old) {
            int live = 0;
            while (queue.poll() != null) {
                continue;
            }
            for (Entry chain : old) {
                for (Entry e = chain; e != null; e = e.next) {
                    live += e.refersTo(null) ? 0 : 1;
                }
            }
            Entry[] made = new Entry[live * 2 > old.length ? old.length * 2 : old.length];
            entries = 0;
            for (Entry chain : old) {
                for (Entry e = chain; e != null; e = e.next) {
                    Object object = e.get();
                    if (object != null) {
                        int slot = e.hash >>> 6 & made.length - 1;
                        made[slot] = new Entry(e, object, made[slot], queue);
                        entries++;
                    }
                }
            }
            chains = made;
            return made;
        }
    }
}
