package heddle.runtime;

import java.util.ArrayList;

/** Who goes on in a run: threads stop here, and the turn is handed from one to the next. */
final class Course {
    private static final int STEPS_AFTER_END = 20000;

    private final Run run;

    /** Those that can go on, whenever one is chosen. */
    final ArrayList<Worker> able = new ArrayList<>();

    /** How many threads run without a turn; since when nobody could go on; whether time-outs need not wait for outsiders. */
    int detached;
    long idleSince;
    boolean isPatient;
    long switches;
    private int stepsAfterEnd;

    Course(Run run) {
        this.run = run;
    }

    void step(Worker worker, int place) {
        if (worker.initializing > 0) {
            return;
        }
        worker.count++;
        if (run.ending && ++stepsAfterEnd > STEPS_AFTER_END) {
            synchronized (Run.LOCK) {
                run.end();
            }
            worker.leaveIfAbandoned();
        }
        if (run.alive > 1 && run.strategy.stops(worker, place)) {
            stop(worker);
        }
    }

    /** Gives the turn to whom the strategy chooses. */
    private void stop(Worker worker) {
        Worker next;
        synchronized (Run.LOCK) {
            next = next(worker);
        }
        if (next != null && next != worker) {
            next.wake();
            worker.await();
        } else if (next == worker) {
            worker.go = false;
        }
    }

    void yield(Worker worker) {
        worker.count++;
        run.strategy.yields(worker);
        stop(worker);
    }

    /** The thread cannot go on, as its status says: returns when it can and it is its turn. */
    void pause(Worker worker) {
        Worker next;
        worker.count++; // it may have been stopped before this step
        synchronized (Run.LOCK) {
            next = next(worker);
        }
        if (next == worker) {
            worker.go = false;
            return;
        }
        if (next != null) {
            next.wake();
        }
        worker.await();
    }

    /** The same in a wait on this object. */
    void pauseIn(Worker worker, Object on) {
        Worker next;
        worker.count++;
        worker.wakesFrom = on;
        synchronized (Run.LOCK) {
            next = next(worker);
        }
        if (next != null && next != worker) {
            next.wake();
        }
        if (next != worker) {
            worker.await(on);
        }
        worker.go = false;
        worker.wakesFrom = null;
    }

    /** Chooses who goes on, and hands the turn over; null: nobody can for now, or the run is over. With the lock. */
    Worker next(Worker worker) {
        if (run.over) {
            return null;
        }
        able.clear();
        for (Worker member : run.members) {
            if (canGo(member)) {
                able.add(member);
            }
        }
        if (able.isEmpty()) {
            run.rejoinInterrupted();
        }
        boolean settled = detached == 0
            && (!able.isEmpty() || run.ending || isPatient || Trouble.isCycle(run, run.members) || !Outsiders.mayAct(run.watcher));
        if (able.isEmpty() && settled && !timeOut()) {
            addEnding();
        }
        if (able.isEmpty()) {
            if (Turns.turn != null) {
                idleSince = System.nanoTime();
            }
            Turns.turn = null;
            Turns.running = null;
            if (settled) {
                run.stop((Trouble.isCycle(run, run.members) ? "deadlock" : "no thread can go on")
                    + Trouble.describe(run, run.members));
            }
            return null;
        }
        boolean preempts = worker != null && worker.status == Worker.Status.READY;
        Worker next = run.strategy.choose(able, worker, preempts);
        if (next != worker) {
            run.made.add(worker == null ? -1 : worker.id, worker == null ? 0 : worker.count, next.id,
                run.explains && worker != null ? Trouble.place(worker) : null);
        }
        hand(next);
        return next;
    }

    /** The test has ended, and nobody else can go on. */
    private void addEnding() {
        for (Worker member : run.members) {
            if (member.status == Worker.Status.ENDING) {
                able.add(member);
            }
        }
    }

    /** The next time-out happens, if there is one and the test has not ended. */
    private boolean timeOut() {
        Worker first = null;
        for (Worker member : run.members) {
            if (member.deadline != 0 && member.status != Worker.Status.READY && member.status != Worker.Status.DONE
                && (first == null || member.deadline < first.deadline)) {
                first = member;
            }
        }
        if (first == null || run.ending) {
            return false;
        }
        run.surroundings.clock = Math.max(run.surroundings.clock, first.deadline);
        first.timedOut = true;
        first.deadline = 0;
        if (!canGo(first)) {
            return timeOut();
        }
        able.add(first);
        return true;
    }

    void hand(Worker next) {
        Turns.turn = next;
        Turns.running = next.thread;
        switches++;
    }

    private boolean canGo(Worker worker) {
        switch (worker.status) {
        case READY:
            return true;
        case BLOCKED:
            return run.blocking.isFree(worker.on, worker);
        case WAITING:
            return (worker.notified || worker.timedOut || worker.thread.isInterrupted()) && run.blocking.isFree(worker.on, worker);
        case PARKED:
            return worker.permit || worker.timedOut || worker.thread.isInterrupted();
        case JOINING:
            return worker.timedOut || worker.thread.isInterrupted() || Run.isDone((Thread) worker.on);
        default:
            return false;
        }
    }

    /** A thread that was detached comes to a hook. */
    void comeBack(Worker worker) {
        Worker next = null;
        synchronized (Run.LOCK) {
            if (worker.status != Worker.Status.DETACHED || run.over) {
                return;
            }
            detached--;
            Turns.strangers--;
            worker.status = Worker.Status.READY;
            if (Turns.turn == null) {
                next = next(null);
            }
        }
        if (next != null) {
            next.wake();
        }
        worker.await();
    }

    /** The thread ends. */
    void ends(Worker worker) {
        Worker next = null;
        synchronized (Run.LOCK) {
            if (worker.status == Worker.Status.DETACHED && !run.over) {
                detached--;
                Turns.strangers--;
            }
            boolean mine = Turns.turn == worker;
            worker.count++;
            worker.status = Worker.Status.DONE;
            run.alive--;
            run.strategy.reconsider = true;
            if (!run.over && (mine || Turns.turn == null)) {
                next = next(worker);
            }
        }
        if (next != null) {
            next.wake();
        }
    }
}
