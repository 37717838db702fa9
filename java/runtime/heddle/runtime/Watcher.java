package heddle.runtime;

/** Watches a run, from a thread that is not part of it: threads may block where there is no hook, or wait for others. */
final class Watcher {
    private static final int LOOK_MILLIS = 10, LOOKS_BLOCKED = 3, LOOKS_BUSY = 30;

    private final Run run;

    Watcher(Run run) {
        this.run = run;
    }

    /** Returns when the run is over. `limit`: nanoseconds; 0: none. */
    void watch(long limit) {
        long start = System.nanoTime();
        while (!run.over) {
            Worker next;
            synchronized (Run.LOCK) {
                try {
                    if (!run.over) {
                        Run.LOCK.wait(LOOK_MILLIS);
                    }
                } catch (InterruptedException e) {
                    run.stop("the test was interrupted");
                    Thread.currentThread().interrupt();
                }
                next = look();
                if (limit > 0 && System.nanoTime() - start > limit) {
                    run.stop("the test does not end" + Trouble.describe(run, run.members));
                }
            }
            if (next != null) {
                next.wake();
            }
        }
    }

    /** Looks whether anything has happened; lets another thread go on where the one whose turn it is blocks without a hook. */
    private Worker look() {
        Worker worker = Turns.turn;
        if (!run.over && worker == null && run.course.detached == 0) {
            return lookForOutsiders();
        }
        long now = run.course.switches * 1000003 + (worker == null ? 0 : worker.count);
        looks = now == seen ? looks + 1 : 0;
        seen = now;
        if (run.over || worker == null || worker.go || looks < LOOKS_BLOCKED
            || worker.thread.getState() == Thread.State.RUNNABLE && looks < LOOKS_BUSY) {
            return null;
        }
        looks = 0;
        worker.status = Worker.Status.DETACHED;
        run.course.detached++;
        run.wasDetached = true;
        Turns.strangers++;
        return run.course.next(worker);
    }

    private long seen;
    private int looks;

    /** Nobody can go on, but a thread that is not controlled may change that: time-outs take their time. */
    private Worker lookForOutsiders() {
        long deadline = Long.MAX_VALUE;
        for (Worker member : run.members) {
            deadline = member.deadline == 0 || member.status == Worker.Status.DONE ? deadline
                : Math.min(deadline, member.deadline);
        }
        run.course.isPatient = !Outsiders.mayAct(run.watcher) || deadline != Long.MAX_VALUE
            && System.nanoTime() - run.course.idleSince >= deadline - run.surroundings.clock;
        Worker next = run.course.next(null);
        run.course.isPatient = false;
        return next;
    }
}
