package heddle.runtime;

import java.util.concurrent.ThreadPoolExecutor;

/** Gradle, in the machine that it starts for tests. Its threads wait for each other in code that is not rewritten, so a replay must not
 * hold them back. */
final class TestTool {
    private static final boolean IS_GRADLES = System.getProperty("sun.java.command", "").startsWith("worker.org.gradle.");

    private TestTool() {
    }

    /** Whether the thread is Gradle's. The one that runs the tests is renamed to "Test worker" before it does, whatever it was before. */
    static boolean owns(Thread thread, String name) {
        return IS_GRADLES && (name.startsWith("/") && name.contains(" workers") || name.equals("main") && thread.getId() == 1);
    }

    /** Whether a task, the pool that ran one, or a worker of such a pool that ends, is Gradle's. */
    static boolean owns(Object task) {
        if (!IS_GRADLES || task == null) {
            return false;
        }
        Object maker = task;
        if (maker.getClass().getName().equals("java.util.concurrent.ThreadPoolExecutor$Worker")) {
            maker = Log.UNSAFE.getReference(maker, Log.UNSAFE.objectFieldOffset(maker.getClass(), "this$0"));
        }
        if (maker.getClass() == ThreadPoolExecutor.class) {
            maker = ((ThreadPoolExecutor) maker).getThreadFactory();
        }
        return maker.getClass().getName().startsWith("org.gradle.");
    }
}
