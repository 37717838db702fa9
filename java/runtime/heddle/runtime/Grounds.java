package heddle.runtime;

import jdk.internal.vm.annotation.ForceInline;

/** What rewritten methods call to tell what their values stand on (semantics §1). The last argument is the thread's state. */
public final class Grounds {
    private static final int SIGNED = 0x20, INT = 2 << 3 | SIGNED, LONG = 3 << 3 | SIGNED;

    private Grounds() {
    }

    public static Object enter(int method) {
        State state = State.current();
        if (state != null) {
            state.labels.enter(method);
        }
        return state;
    }

    public static int matched(Object state) {
        return state != null && ((State) state).labels.matched() ? 1 : 0;
    }

    public static int argument(int number, Object state) {
        return state == null ? 0 : ((State) state).labels.argument(number);
    }

    public static void giveFirst(int label, int argument, Object state) {
        if (state != null) {
            ((State) state).labels.giveFirst(label, argument);
        }
    }

    public static void give(int label, int argument, Object state) {
        if (state != null) {
            ((State) state).labels.give(label, argument);
        }
    }

    public static void calls(int method, Object state) {
        if (state != null) {
            ((State) state).labels.calls(method);
        }
    }

    public static void callsClean(int method, Object state) {
        if (state != null) {
            ((State) state).labels.callsClean(method);
        }
    }

    /** Calls by a name that the receiver's class may have inherited from the JDK. */
    public static void callsOn(Object receiver, int method, Object state) {
        if (state == null) {
            return;
        }
        if (receiver == null || Identity.shapeOf(receiver, method).tracked) {
            ((State) state).labels.gone();
        } else {
            ((State) state).labels.calls(method);
        }
    }

    public static void callsCleanOn(Object receiver, int method, Object state) {
        if (state != null) {
            ((State) state).labels.callsClean(0);
            callsOn(receiver, method, state);
        }
    }

    public static void returned(int method, Object state) {
        if (state != null) {
            ((State) state).labels.by(((State) state).labels.result(method));
        }
    }

    public static int result(int method, Object state) {
        return state == null ? 0 : ((State) state).labels.result(method);
    }

    public static int resultAgain(int before, int method, Object state) {
        return state == null ? 0 : ((State) state).labels.union(before, ((State) state).labels.result(method));
    }

    public static void leave(int label, int matched, int method, Object state) {
        if (state != null) {
            ((State) state).labels.leave(label, matched != 0, method);
        }
    }

    public static void caught(Object state) {
        if (state != null) {
            ((State) state).labels.caught();
        }
    }

    @ForceInline
    public static void by(int label, Object state) {
        if (label != 0) {
            decides(label, state);
        }
    }

    private static void decides(int label, Object state) {
        if (state != null) {
            ((State) state).labels.by(label);
        }
    }

    public static void printed(int label, Object state) {
        if (label != 0 && state != null) {
            ((State) state).labels.printed(label);
        }
    }

    public static void from(int label, Object state) {
        if (state != null) {
            ((State) state).labels.from(label);
        }
    }

    /** Of several: the first, and another one. */
    public static void fromOne(int label, Object state) {
        from(label & Labels.READS, state);
    }

    public static void fromToo(int label, Object state) {
        if (label != 0 && state != null) {
            ((State) state).labels.fromToo(label);
        }
    }

    public static int union(int one, int other, Object state) {
        return state == null ? 0 : ((State) state).labels.union(one, other);
    }

    /** Of what a read that was told of gave: a number, or something else. */
    public static int number(Object token) {
        return token == null ? 0 : ((State) token).labels.next() | Labels.LINEAR | Labels.EQUAL;
    }

    public static int linear(Object token) {
        return token == null ? 0 : ((State) token).labels.next() | Labels.LINEAR;
    }

    public static int label(Object token) {
        return token == null ? 0 : ((State) token).labels.next();
    }

    public static int again(int before, Object token) {
        return token == null ? before : ((State) token).labels.union(before, ((State) token).labels.next());
    }

    public static void comparedI(int value, int constant, int label, int how, Object state) {
        if (label != 0 && state != null) {
            ((State) state).labels.compared(label, how | INT, (long) value << 32 | constant & 0xffffffffL);
        }
    }

    public static void exchangedI(int constant, int value, int label, int how, Object state) {
        comparedI(value, constant, label, how, state);
    }

    public static void comparedJ(long value, long constant, int label, int how, Object state) {
        if (label != 0 && state != null) {
            ((State) state).labels.compared((label & Labels.EQUAL) != 0 ? label : label & Labels.READS, how | LONG, constant);
        }
    }

    public static void exchangedJ(long constant, long value, int label, int how, Object state) {
        comparedJ(value, constant, label, how, state);
    }
}
