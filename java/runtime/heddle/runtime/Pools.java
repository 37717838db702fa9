package heddle.runtime;

import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.ThreadPoolExecutor;

/** Which pool a thread works for. */
final class Pools {
    /** Where a thread keeps what it runs: in itself, or since JDK 19 in an object of its own. */
    private static final long TARGET = offset(Thread.class, "target"), HOLDER = offset(Thread.class, "holder");

    private Pools() {
    }

    private static long offset(Class<?> type, String field) {
        try {
            return Log.UNSAFE.objectFieldOffset(type, field);
        } catch (InternalError e) {
            return -1; // it has no such field in this version of the JDK
        }
    }

    /** Or null. */
    static AbstractExecutorService of(Thread thread) {
        if (thread instanceof ForkJoinWorkerThread) {
            return ((ForkJoinWorkerThread) thread).getPool();
        }
        Object holder = TARGET >= 0 ? thread : HOLDER < 0 ? null : Log.UNSAFE.getReference(thread, HOLDER);
        long at = TARGET >= 0 ? TARGET : holder == null ? -1 : offset(holder.getClass(), "task");
        Object task = at < 0 ? null : Log.UNSAFE.getReference(holder, at);
        if (task == null || !task.getClass().getName().equals("java.util.concurrent.ThreadPoolExecutor$Worker")) {
            return null;
        }
        long outer = offset(task.getClass(), "this$0");
        return outer < 0 ? null : (ThreadPoolExecutor) Log.UNSAFE.getReference(task, outer);
    }
}
