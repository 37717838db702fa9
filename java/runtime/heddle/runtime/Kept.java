package heddle.runtime;

import java.util.ArrayList;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ForkJoinPool;

/** Workers of pools that had nothing to do when their run ended. A pool may be used by the next runs, too; one that many runs
 * did not use never will. With the lock of {@link Run}. */
final class Kept {
    private static final ArrayList<Worker> kept = new ArrayList<>();
    private static final int KEPT_MOST = 1000, RUNS_UNUSED = 300;
    /** Ends pools that this run and many before it did not use; their threads are woken with those that the run leaves. */
    static void endUnused(Run run) {
        ArrayList<AbstractExecutorService> unused = new ArrayList<>();
        synchronized (Run.LOCK) {
            for (int i = kept.size(); i-- > 0 && kept.size() > KEPT_MOST;) {
                Worker worker = kept.get(i);
                AbstractExecutorService pool = Pools.of(worker.thread);
                if (worker.run.number < run.number - RUNS_UNUSED && pool != ForkJoinPool.commonPool()) {
                    unused.add(pool);
                    kept.remove(i);
                    run.abandon(worker);
                }
            }
        }
        for (AbstractExecutorService pool : unused) {
            pool.shutdownNow(); // so it does not replace them
        }
    }

    private Kept() {
    }

    static boolean outlives(Worker worker) {
        return worker.status == Worker.Status.PARKED && Pools.of(worker.thread) != null;
    }

    static void add(Worker worker) {
        kept.add(worker);
    }

    static void remove(Worker worker) {
        kept.remove(worker);
    }

    /** Those that were interrupted meanwhile: their pool is shut down. */
    static ArrayList<Worker> interrupted() {
        ArrayList<Worker> found = new ArrayList<>();
        for (Worker worker : kept) {
            if (worker.thread.isInterrupted()) {
                found.add(worker);
            }
        }
        return found;
    }
}
