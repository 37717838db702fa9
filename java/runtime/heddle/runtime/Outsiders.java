package heddle.runtime;

/** Threads that are not controlled but may do something for those that are: of a pool that is older than the test, say. */
final class Outsiders {
    /** Threads of tools that run tests have nothing to do with what tests do. */
    private static final String[] TOOLS = {"surefire-", "Test worker", "/127.0.0.1", "File watcher", "Monitor Ctrl-Break", "RMI "};

    private static final long NANOS_TO_WAKE = 1_000_000_000L;
    private static volatile long lastWoken = System.nanoTime();
    private static ThreadGroup top;

    /** Threads of runs that the machine may not have ended yet. */
    private static final Thread[] last = new Thread[64];
    private static int endings;

    private Outsiders() {
    }

    /** A thread of a run comes to its end. */
    static void ended(Thread thread) {
        last[endings++ & last.length - 1] = thread;
    }

    private static boolean isEnding(Thread thread) {
        for (Thread each : last) {
            if (each == thread) {
                return true;
            }
        }
        return false;
    }

    /** A thread that may be one of them was given what it waits for. */
    static void woken() {
        lastWoken = System.nanoTime();
    }

    /** Whether one beside the thread that watches may do something on its own. Who waits without a time-out cannot, but a busy
     * machine shows threads as waiting for a while after they were woken. With the lock of {@link Run}. */
    static boolean mayAct(Thread watcher) {
        if (top == null) {
            top = Thread.currentThread().getThreadGroup();
            while (top.getParent() != null) {
                top = top.getParent();
            }
        }
        Thread[] threads = new Thread[top.activeCount() + 16];
        int count = top.enumerate(threads, true);
        for (int i = 0; i < count; i++) {
            Thread thread = threads[i];
            ThreadGroup group = thread.getThreadGroup();
            if (thread != watcher && group != null && group != top && !Run.workers.containsKey(thread)
                && !group.getName().equals("InnocuousThreadGroup") && !isTool(thread.getName()) && !isEnding(thread)
                && (thread.getState() != Thread.State.WAITING || System.nanoTime() - lastWoken < NANOS_TO_WAKE)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isTool(String name) {
        for (String tool : TOOLS) {
            if (name.startsWith(tool)) {
                return true;
            }
        }
        return false;
    }
}
