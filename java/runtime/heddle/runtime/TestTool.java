package heddle.runtime;

import java.util.concurrent.ThreadPoolExecutor;

/** Gradle, in the machine that it starts for tests. Its threads wait for each other in code that is not rewritten, so a replay must not
 * hold them back. */
final class TestTool {
    private static final boolean IS_GRADLES = System.getProperty("sun.java.command", "").startsWith("worker.org.gradle.");

    private TestTool() {
    }

    /** Whether a task, or the pool that ran one, is Gradle's. */
    static boolean owns(Object task) {
        if (!IS_GRADLES || task == null) {
            return false;
        }
        Object maker = task.getClass() == ThreadPoolExecutor.class ? ((ThreadPoolExecutor) task).getThreadFactory() : task;
        return maker.getClass().getName().startsWith("org.gradle.");
    }
}
