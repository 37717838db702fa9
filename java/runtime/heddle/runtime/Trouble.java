package heddle.runtime;

import java.util.List;
import java.util.concurrent.locks.AbstractOwnableSynchronizer;
import java.util.concurrent.locks.LockSupport;

/** Says who waits for what, where. With the lock of {@link Run}. */
final class Trouble {
    private static final long OWNER = Log.UNSAFE.objectFieldOffset(AbstractOwnableSynchronizer.class, "exclusiveOwnerThread");

    private Trouble() {
    }

    /** The thread that it waits for, if that is known; it is one of the run's. */
    private static Worker awaited(Run run, Worker worker) {
        switch (worker.status) {
        case BLOCKED:
            return run.blocking.owner(worker.on);
        case JOINING:
            return Run.workers.get(worker.on);
        case PARKED:
            Object blocker = LockSupport.getBlocker(worker.thread);
            return blocker instanceof AbstractOwnableSynchronizer
                ? Run.workers.get(Log.UNSAFE.getReference(blocker, OWNER)) : null;
        default:
            return null;
        }
    }

    /** Whether some wait for each other. */
    static boolean isCycle(Run run, List<Worker> members) {
        for (Worker start : members) {
            Worker at = start;
            for (int i = 0; i <= members.size() && at != null; i++) {
                at = awaited(run, at);
                if (at == start) {
                    return true;
                }
            }
        }
        return false;
    }

    static String describe(Run run, List<Worker> members) {
        StringBuilder text = new StringBuilder();
        for (Worker worker : members) {
            if (worker.status != Worker.Status.DONE && worker.status != Worker.Status.ENDING) {
                text.append("\n    ").append(worker.thread.getName()).append(' ').append(activity(worker));
                Worker other = awaited(run, worker);
                if (other != null && worker.status != Worker.Status.JOINING) {
                    text.append(", which ").append(other.thread.getName()).append(" has");
                }
                text.append(", at ").append(place(worker));
            }
        }
        return text.toString();
    }

    private static String activity(Worker worker) {
        switch (worker.status) {
        case BLOCKED:
            return "waits for the monitor of ".concat(name(worker.on));
        case WAITING:
            return (worker.notified ? "was notified and waits for the monitor of " : "waits to be notified on ")
                .concat(name(worker.on));
        case JOINING:
            return "waits for the end of ".concat(((Thread) worker.on).getName());
        case PARKED:
            Object blocker = LockSupport.getBlocker(worker.thread);
            return blocker == null ? "is parked" : "waits for ".concat(name(blocker));
        case DETACHED:
            return "is busy or blocks outside of what is controlled";
        default:
            return "could go on";
        }
    }

    private static String name(Object object) {
        String name = object.getClass().getName().replace("java.util.concurrent.locks.", "");
        return name.concat("@").concat(Integer.toHexString(System.identityHashCode(object)));
    }

    /** The innermost place of the program in the thread's stack. */
    static String place(Worker worker) {
        if (worker.status == Worker.Status.DONE || worker.status == Worker.Status.ENDING) {
            return "its end";
        }
        String first = "an unknown place";
        for (StackTraceElement frame : worker.thread.getStackTrace()) {
            String type = frame.getClassName();
            if (type.startsWith("heddle.runtime.")) {
                continue;
            }
            String text = frame.getFileName() + ":" + frame.getLineNumber() + " " + type + "." + frame.getMethodName();
            if (!type.startsWith("java.") && !type.startsWith("jdk.") && !type.startsWith("heddle.junit.")) {
                return text;
            }
            first = first.startsWith("an ") ? text : first;
        }
        return first;
    }
}
