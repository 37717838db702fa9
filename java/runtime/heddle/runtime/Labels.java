package heddle.runtime;

/**
 * What values of a thread stand on. A label is the number of a read of the thread, or of a union of such, with what the
 * value is to it in the upper bits (runtime/protocol/labels.h). The converter counts along.
 */
final class Labels {
    static final int LINEAR = 0x80000000, EQUAL = 0x40000000, READS = 0x3fffffff, ALL = READS, LAST = 0x3ffffff0;

    /** After so many comparisons the read decides as it is: loops compare again and again. */
    private static final int COMPARISONS = 8;
    private static final int REMEMBERED = 64, OTHERS = 4;

    private final int thread;
    private int made;

    /** Labels that are known to have decided; how many were made when all did. */
    private final int[] decided = new int[REMEMBERED];
    private int allDecided;

    /** The label that was compared last, and how often. */
    private int compared;
    private int comparisons;

    /** Of what is written next: all of these. */
    private int from;
    private int fromCount;
    private final int[] others = new int[OTHERS];

    /** The method that is about to be called, by number, and the labels of its arguments, as far as bits say so. */
    private int called;
    private int givenBits;
    private final int[] given = new int[32];

    /** The same for the method that was entered last, until it has taken them. */
    private int takenBits;
    private boolean matched;

    /** The method that returns, and the label of its result. */
    private int returned;
    private int result;

    Labels(int thread) {
        this.thread = thread;
    }

    private void put(int kind, int how, int label, long value) {
        Log.put(kind, thread, how, 0, label, value);
    }

    /** The next label; its record has just been made. */
    int next() {
        return made < LAST ? ++made : ALL;
    }

    int made() {
        return made;
    }

    int union(int one, int other) {
        int a = one & READS;
        int b = other & READS;
        if (a == 0 || b == 0 || a == b) {
            return a | b;
        }
        if (a == ALL || b == ALL) {
            return ALL;
        }
        put(Log.UNION, 0, a, b);
        return next();
    }

    void by(int label) {
        int reads = label & READS;
        if (reads != 0 && decided[reads % REMEMBERED] != reads) {
            decided[reads % REMEMBERED] = reads;
            put(Log.BY, 0, reads, 0);
        }
    }

    /** What has the label is printed. */
    void printed(int label) {
        int reads = label & READS;
        if (reads != 0 && reads != ALL) {
            put(Log.OUTPUT, 0, reads, 0);
        }
    }

    void byAll() {
        if (allDecided != made) {
            allDecided = made;
            put(Log.BY_ALL, 0, 0, 0);
        }
    }

    void compared(int label, int how, long value) {
        int reads = label & READS;
        if (reads == 0 || decided[reads % REMEMBERED] == reads) {
            return;
        }
        if (compared != reads) {
            compared = reads;
            comparisons = 0;
        }
        if ((label & LINEAR) == 0 || ++comparisons > COMPARISONS) {
            by(label);
        } else {
            put(Log.COMPARED, how, label, value);
        }
    }

    void from(int label) {
        from = label;
        fromCount = 0;
    }

    void fromToo(int label) {
        int reads = label & READS;
        from &= READS;
        if (from == 0) {
            from = reads;
        } else if (fromCount < OTHERS) {
            others[fromCount++] = reads;
        } else {
            from = union(from, reads);
        }
    }

    private void byFrom() {
        by(from);
        while (fromCount > 0) {
            by(others[--fromCount]);
        }
        from = 0;
    }

    /** What was to be written is not recorded: what it is made of decides. */
    void dropFrom() {
        if (from != 0) {
            byFrom();
        }
    }

    /** The label, if it is one; several go into the log. */
    int takeFrom() {
        if (fromCount != 0) {
            putFrom();
        }
        int label = from;
        from = 0;
        return label;
    }

    void putFrom() {
        if (from != 0) {
            for (int i = fromCount; i < OTHERS; i++) {
                others[i] = 0;
            }
            Log.put(Log.FROM, thread, others[0], others[1], from, (long) others[2] << 32 | others[3]);
            from = fromCount = 0;
        }
    }

    void giveFirst(int label, int argument) {
        given[argument] = label;
        givenBits = 1 << argument;
    }

    void give(int label, int argument) {
        given[argument] = label;
        givenBits |= 1 << argument;
    }

    void calls(int method) {
        called = method;
    }

    void callsClean(int method) {
        givenBits = 0;
        called = method;
    }

    /** Who is called is code without hooks: what it was to be given decides. */
    void gone() {
        for (int i = 0; givenBits != 0; i++, givenBits >>>= 1) {
            if ((givenBits & 1) != 0) {
                by(given[i]);
            }
        }
        called = 0;
    }

    /** A method begins. Called by code without hooks, it may stand on anything. */
    void enter(int method) {
        if (from != 0) { // an initializer comes before the write, or an exception came
            byFrom();
        }
        matched = called == method;
        takenBits = matched ? givenBits : 0;
        givenBits = 0;
        called = 0;
        if (!matched) {
            byAll();
        }
    }

    boolean matched() {
        return matched;
    }

    int argument(int number) {
        return (takenBits >>> number & 1) != 0 ? given[number] : 0;
    }

    void leave(int label, boolean known, int method) {
        if (known) {
            returned = method;
            result = label;
        } else {
            by(label);
        }
    }

    int result(int method) {
        int label = returned == method ? result : 0;
        if (called != 0) { // nobody took the arguments: who knows what became of them
            lost();
            label = 0;
        }
        returned = 0;
        return label;
    }

    /** Whether a method was called that has not begun. */
    boolean awaits() {
        return called != 0;
    }

    /** It has no hooks, or an exception came before it. */
    void lost() {
        called = givenBits = 0;
        byAll();
    }

    /** An exception ended a call, or came before it. */
    void caught() {
        if (called != 0) {
            byAll();
        }
        called = givenBits = returned = from = fromCount = 0;
    }
}
