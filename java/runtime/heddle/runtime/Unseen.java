package heddle.runtime;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.CharArrayReader;
import java.io.CharArrayWriter;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.io.StringWriter;
import java.lang.reflect.Method;

/** Calls whose method is not known where they are made, and those in which the JDK may call the program. */
public final class Unseen {
    private static final long WRAPPED = Log.UNSAFE.objectFieldOffset(FilterOutputStream.class, "out");

    private Unseen() {
    }

    /** An object is passed to a method that only the machine knows, which may be one of the object's own. */
    public static void handed(Object argument, int site) {
        Hooks.touched(argument, site);
        if (argument instanceof Object[]) {
            for (Object element : (Object[]) argument) {
                Hooks.touched(element, site);
            }
        }
    }

    /** A method is about to be called by reflection; those of the program have hooks of their own. */
    public static void invokes(Object method, Object target, Object arguments, int site) {
        if (method != null && Identity.isJdk(((Method) method).getDeclaringClass())) {
            handed(target, site);
            handed(arguments, site);
            Hooks.callGlobal(site);
        }
    }

    /** It has returned: a thread it was called on may have been waited for. */
    public static void invoked(Object method, Object target, int site) {
        if (Identity.isJdk(((Method) method).getDeclaringClass())) {
            Hooks.returnedGlobal(site);
        }
        if (target instanceof Thread) {
            Hooks.returned(target, site);
        }
    }

    /** Whether calls on the object reach nothing but a file: printing is no order. */
    private static boolean isPlain(Object receiver) {
        Object at = receiver;
        if (!(at instanceof PrintStream)) {
            return at == null;
        }
        while (at instanceof FilterOutputStream && Identity.isJdk(at.getClass())) {
            at = Log.UNSAFE.getReference(at, WRAPPED);
        }
        return at != null && at.getClass() == FileOutputStream.class;
    }

    private static void tell(int kind, Object receiver, int site) {
        State state = isPlain(receiver) ? null : State.current();
        if (state != null) {
            state.put(kind, site, 0, Identity.isJdk(receiver.getClass()) ? 1 : 0);
        }
    }

    /** Whether what is read or written is nothing but memory of the object: nobody is reached who does not use it, too. */
    private static boolean isMemory(Object stream) {
        Class<?> type = stream == null ? null : stream.getClass();
        return type == StringReader.class || type == StringWriter.class || type == CharArrayReader.class
            || type == CharArrayWriter.class || type == ByteArrayInputStream.class || type == ByteArrayOutputStream.class;
    }

    /** The JDK may call code of the program inside, unless the call is one of the program's own methods. */
    public static void callsBack(Object receiver, int site) {
        if (isMemory(receiver)) {
            Hooks.call(receiver, site);
        } else {
            tell(Log.CALL, receiver, site);
        }
    }

    public static void calledBack(Object receiver, int site) {
        if (isMemory(receiver)) {
            Hooks.returned(receiver, site);
        } else {
            tell(Log.RETURNED, receiver, site);
        }
    }

    /** Code of a class runs whose static initializer may have done more than to set fields of the class. */
    public static void runs(int type, int site) {
        State state = State.current();
        if (state != null && state.isFirstIn(type)) {
            state.put(Log.BEGIN, site, 0, 0);
        }
    }
}
